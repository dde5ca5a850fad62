import { useState } from 'react';
import { OnceDialog } from '../../acts/once-dialog.tsx';
import { useRead } from '../../api/use-read.ts';
import { Button } from '../../parts/button.tsx';
import { Note } from '../../parts/note.tsx';
import { Deadline, useNowMs } from '../../parts/time.tsx';
import { countWords } from '../../parts/words.ts';

type Kind = 'expiry' | 'renewal';

/** Shows how long until a confirmed policy acts, with a button to undo the policy. */
export function PendingNote({ kind }: { readonly kind: Kind }) {
  const [isUndoing, setUndoing] = useState(false);
  const { data } = useRead(`/policies/${kind}/pending`, {}, { topics: ['policy'], everyMs: 5_000 });
  const nowMs = useNowMs();
  const {
    isPending,
    version,
    startsAt,
    count = 0,
    reason,
    canUndo,
  } = data?.data ?? {
    isPending: false,
  };
  if (!isPending || startsAt === undefined || Date.parse(startsAt) <= nowMs) return null;
  return (
    <>
      <div role="status">
        <Note
          tone="warn"
          title="This policy is not in effect yet."
          acts={
            canUndo === true ? <Button onClick={() => setUndoing(true)}>Undo</Button> : undefined
          }
        >
          <p>
            <Deadline at={startsAt} over="The policy is in effect now." /> before the first{' '}
            {count !== undefined && count > 1 ? `of ${countWords(count)} licences` : 'licence'}{' '}
            ends. {reason}
          </p>
        </Note>
      </div>
      {isUndoing ? (
        <OnceDialog
          title="Undo this policy"
          verb="Undo"
          url={`/policies/${kind}/undo`}
          cli={`tenure policy undo ${kind}`}
          topics={['policy']}
          more={() => ({ version })}
          onClose={() => setUndoing(false)}
        >
          <p>The previous policy is in effect again. No licence has ended yet.</p>
        </OnceDialog>
      ) : null}
    </>
  );
}
