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
      title="Decide what became of it"
      verb="Decide"
      url={`/ops/operations/${id}:decide`}
      preview={`/ops/operations/${id}:preview-decide`}
      cli={`tenure ops decide ${id} ${decision ?? '<decision>'}${
        isEffect && updateId !== '' ? ` --update-id ${updateId.trim()}` : ''
      }`}
      isRepeatable
      more={() =>
        decision === null
          ? 'Choose what you have found.'
          : {
              decision,
              ...(isEffect && updateId.trim() !== '' ? { updateId: updateId.trim() } : {}),
            }
      }
      onClose={onClose}
    >
      <p>{doubt.advice}</p>
      <Radios
        label="What you have found"
        value={decision}
        options={options}
        onChange={setDecision}
      />
      {isEffect ? (
        <TextField
          label="Update ID"
          hint="The update that it was, where the query store holds it: the caller then gets its result. Empty where it cannot be named."
          spellCheck={false}
          value={updateId}
          onChange={setUpdateId}
        />
      ) : null}
      {decision !== null && !isEffect && doubt.openUntil !== undefined ? (
        <Note tone="warn" title="An attempt may still take effect">
          <p>
            Refused until the ledger’s time has passed that:{' '}
            <Deadline at={doubt.openUntil} over="over, by this clock" />.
          </p>
        </Note>
      ) : null}
    </OnceDialog>
  );
}
