import { useCaller, useRoles } from '../api/caller.tsx';
import { useRead } from '../api/use-read.ts';
import { shortId } from './copy.tsx';

/** Sessions whose names are read at once. */
const SESSIONS_MAX = 1_000;

/** The subject of a retry names the operator, and after this word the person who asked first. */
const FOR = ' for ';

/** The names of persons by their subjects, from the claims with which they have signed in. */
function useNames(): ReadonlyMap<string, string> {
  const { subject, name } = useCaller();
  const sessions = useRead(
    '/ops/sessions',
    { query: { limit: SESSIONS_MAX } },
    { topics: ['session'], enabled: useRoles().has('operator') },
  );
  const signedIn = (sessions.data?.data ?? []).map((one) => [one.subject, one.name] as const);
  return new Map([...signedIn, [subject, name] as const].filter(([, known]) => known !== ''));
}

/** A person by name where it is known; the whole identity is in the title. */
export function Person({ subject }: { readonly subject: string }) {
  const names = useNames();
  const words = subject.split(FOR).map((one) => names.get(one) ?? shortId(one));
  return <span title={subject}>{words.join(FOR)}</span>;
}
