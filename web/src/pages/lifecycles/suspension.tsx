import { OnceDialog } from '../../acts/once-dialog.tsx';
import { useRoles } from '../../api/caller.tsx';
import type { components } from '../../../../client/schema.ts';
import { Button } from '../../parts/button.tsx';
import { licenseName, suspensionOf } from '../../parts/license-words.ts';
import { endingOf } from '../../parts/life-words.ts';
import { Note } from '../../parts/note.tsx';
import { Time } from '../../parts/time.tsx';
import { useOpenAct } from './actions.tsx';
import { stableId } from './life.tsx';

type License = components['schemas']['License'];

const SUSPEND = {
  words: 'Suspend licence',
  verb: 'Suspend',
  text: 'Within five minutes, Tenure tells programs that the licence is not valid. The contract on the ledger does not change. You can reinstate the licence at any time.',
} as const;
const REINSTATE = {
  words: 'Reinstate licence',
  verb: 'Reinstate',
  text: 'Tenure tells programs that the licence is valid again, if it has not expired.',
} as const;

/** The button and dialog that suspend a licence or end its suspension, with a reason. */
export function SuspensionAct({ license }: { readonly license: License }) {
  const [act, open] = useOpenAct();
  const mayWrite = useRoles().has('write');
  const name = suspensionOf(license) === null ? 'suspend' : 'reinstate';
  const { words, verb, text } = name === 'suspend' ? SUSPEND : REINSTATE;
  const id = stableId(license);
  if (endingOf('license', license.state) !== null) return null;
  return (
    <>
      <Button
        refused={mayWrite ? undefined : 'Your permissions allow reading only.'}
        onClick={() => open(name)}
      >
        {words}
      </Button>
      {act === name && mayWrite ? (
        <OnceDialog
          key={name}
          title={`${verb} licence ${licenseName(license)}`}
          verb={verb}
          look={name === 'suspend' ? 'danger' : 'primary'}
          url={`/licenses/${encodeURIComponent(id)}/${name}`}
          cli={`tenure licenses ${name} ${id}`}
          topics={['license']}
          isRepeatable
          onClose={() => open(null)}
        >
          <p>{text}</p>
          {name === 'suspend' ? <p>The user sees the reason too.</p> : null}
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
    <Note tone="bad" title="The licence is suspended.">
      <p>
        Since <Time at={suspension.at} as="short" />: {suspension.reason}
      </p>
      <p>
        {isProvider
          ? 'Tenure tells programs that the licence is not valid. Reinstate the licence when the cause is settled.'
          : 'Tenure tells programs that the licence is not valid. Ask the provider in a comment below.'}
      </p>
    </Note>
  );
}
