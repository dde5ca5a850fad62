import { OnceDialog } from '../../acts/once-dialog.tsx';
import { useReadOnly, useRoles } from '../../api/caller.tsx';
import type { components } from '../../../../client/schema.ts';
import { Button } from '../../parts/button.tsx';
import { licenseName, suspensionOf } from '../../parts/license-words.ts';
import { endingOf } from '../../parts/life-words.ts';
import { Note } from '../../parts/note.tsx';
import { Time } from '../../parts/time.tsx';
import * as t from '../../texts/licenses.tsx';
import { useOpenAct } from './actions.tsx';
import { stableId } from './life.tsx';

type License = components['schemas']['License'];

const SUSPEND = {
  words: t.suspendLicence,
  verb: t.suspend,
  text: t.withinFiveMinutesTenureTells,
} as const;
const REINSTATE = {
  words: t.reinstateLicence,
  verb: t.reinstate,
  text: t.tenureTellsProgramsThatThe,
} as const;

/** The button and dialog that suspend a licence or end its suspension, with a reason. */
export function SuspensionAct({ license }: { readonly license: License }) {
  const [act, open] = useOpenAct();
  const refused = useReadOnly();
  const name = suspensionOf(license) === null ? 'suspend' : 'reinstate';
  const { words, verb, text } = name === 'suspend' ? SUSPEND : REINSTATE;
  const id = stableId(license);
  if (endingOf('license', license.state) !== null) return null;
  return (
    <>
      <Button refused={refused} onClick={() => open(name)}>
        {words}
      </Button>
      {act === name && refused === undefined ? (
        <OnceDialog
          key={name}
          title={t.actOnLicence(verb, licenseName(license))}
          verb={verb}
          look={name === 'suspend' ? 'danger' : 'primary'}
          url={`/licenses/${encodeURIComponent(id)}/${name}`}
          cli={`tenure licenses ${name} ${id}`}
          topics={['license']}
          isRepeatable
          onClose={() => open(null)}
        >
          <p>{text}</p>
          {name === 'suspend' ? <p>{t.theUserSeesTheReasonToo}</p> : null}
        </OnceDialog>
      ) : null}
    </>
  );
}

/** Says that a licence is suspended, since when, and why. */
export function SuspendedNote({ license }: { readonly license: License }) {
  const suspension = suspensionOf(license);
  const isProvider = useRoles().has('provider');
  if (suspension === null || endingOf('license', license.state) !== null) return null;
  return (
    <Note tone="bad" title={t.theLicenceIsSuspended}>
      <p>{t.since(<Time at={suspension.at} as="short" />, suspension.reason)}</p>
      <p>
        {isProvider ? t.tenureTellsProgramsThatTheLicence : t.tenureTellsProgramsThatTheLicenceIs}
      </p>
    </Note>
  );
}
