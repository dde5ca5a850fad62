import { useCaller, useRoles } from '../api/caller.tsx';
import { useRead } from '../api/use-read.ts';
import { shortId } from './copy.tsx';

/** Number of sessions whose names are read at once. */
const SESSIONS_MAX = 1_000;

/** The word in a retry's subject that separates the operator from the person who made the original request. */
const FOR = ' for ';

/** Returns the names of people by their subjects, from the claims of their sign-in. */
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

/** Shows a person's name if it is known. The title has the complete identity. */
export function Person({ subject }: { readonly subject: string }) {
  const names = useNames();
  const words = subject.split(FOR).map((one) => names.get(one) ?? shortId(one));
  return <span title={subject}>{words.join(FOR)}</span>;
}
