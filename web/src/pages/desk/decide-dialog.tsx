import { useState } from 'react';
import { OnceDialog } from '../../acts/once-dialog.tsx';
import { Radios, TextField } from '../../parts/field.tsx';
import { Note } from '../../parts/note.tsx';
import { Deadline } from '../../parts/time.tsx';
import { inWords } from '../../parts/words.ts';
import { DECISION_WORDS } from './desk-words.ts';
import type { Doubt } from './op-doubt.tsx';

interface DecideDialogProps {
  readonly id: string;
  readonly doubt: Doubt;
  readonly onClose: () => void;
}

/** The dialog that records what a person has found about an operation in doubt. */
export function DecideDialog({ id, doubt, onClose }: DecideDialogProps) {
  const [decision, setDecision] = useState<string | null>(null);
  const [updateId, setUpdateId] = useState('');
  const options = doubt.decisions.map((one) => {
    const [words, meaning] = DECISION_WORDS[one] ?? [inWords(one), ''];
    return [one, words, meaning] as const;
  });
  const isEffect = decision === 'took-effect';
  return (
    <OnceDialog
      title="Decide the outcome"
      verb="Decide"
      url={`/ops/operations/${id}:decide`}
      preview={`/ops/operations/${id}:preview-decide`}
      cli={`tenure ops decide ${id} ${decision ?? '<decision>'}${
        isEffect && updateId !== '' ? ` --update-id ${updateId.trim()}` : ''
      }`}
      isRepeatable
      more={() =>
        decision === null
          ? 'Choose an outcome.'
          : {
              decision,
              ...(isEffect && updateId.trim() !== '' ? { updateId: updateId.trim() } : {}),
            }
      }
      onClose={onClose}
    >
      <p>{doubt.advice}</p>
      <Radios label="Outcome" value={decision} options={options} onChange={setDecision} />
      {isEffect ? (
        <TextField
          label="Update ID"
          hint="The ledger update of the operation, if the query store has it. The caller then gets its result. Leave empty if unknown."
          spellCheck={false}
          value={updateId}
          onChange={setUpdateId}
        />
      ) : null}
      {decision !== null && !isEffect && doubt.openUntil !== undefined ? (
        <Note tone="warn" title="An attempt may still take effect">
          <p>
            The decision is refused until the ledger’s time is later than:{' '}
            <Deadline at={doubt.openUntil} over="passed, by this clock" />.
          </p>
        </Note>
      ) : null}
    </OnceDialog>
  );
}
