import { useState } from 'react';
import { OnceDialog } from '../../acts/once-dialog.tsx';
import { Radios, TextField } from '../../parts/field.tsx';
import { Note } from '../../parts/note.tsx';
import { Deadline } from '../../parts/time.tsx';
import { inWords } from '../../parts/words.ts';
import * as t from '../../texts/desk.tsx';
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
      title={t.decideTheOutcome}
      verb={t.decide}
      url={`/ops/operations/${id}:decide`}
      preview={`/ops/operations/${id}:preview-decide`}
      cli={`tenure ops decide ${id} ${decision ?? '<decision>'}${
        isEffect && updateId !== '' ? ` --update-id ${updateId.trim()}` : ''
      }`}
      isRepeatable
      more={() =>
        decision === null
          ? t.chooseAnOutcome
          : {
              decision,
              ...(isEffect && updateId.trim() !== '' ? { updateId: updateId.trim() } : {}),
            }
      }
      onClose={onClose}
    >
      <p>{doubt.advice}</p>
      <Radios label={t.outcome} value={decision} options={options} onChange={setDecision} />
      {isEffect ? (
        <TextField
          label={t.updateId}
          hint={t.theLedgerUpdateOfTheOperation}
          spellCheck={false}
          value={updateId}
          onChange={setUpdateId}
        />
      ) : null}
      {decision !== null && !isEffect && doubt.openUntil !== undefined ? (
        <Note tone="warn" title={t.anAttemptMayStillTakeEffect}>
          <p>
            {t.theDecisionIsRefusedUntilThe(
              <Deadline at={doubt.openUntil} over={t.passedByThisClock} />,
            )}
          </p>
        </Note>
      ) : null}
    </OnceDialog>
  );
}
