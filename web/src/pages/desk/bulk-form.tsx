import { Radios, TextArea } from '../../parts/field.tsx';
import { Note } from '../../parts/note.tsx';
import * as t from '../../texts/desk.tsx';
import { DECISION_WORDS } from './desk-words.ts';

export type BulkAction = 'retry' | 'cancel' | 'decide';
export type Decision = 'took-effect' | 'no-effect' | 'submit-again';

export interface BulkForm {
  readonly action: BulkAction;
  /** The decision, which is sent only with the act `decide`. */
  readonly decision: Decision;
  readonly reason: string;
}

const ACTIONS: readonly (readonly [BulkAction, string, string])[] = [
  ['retry', t.retry, t.operationsThatEndedWithout],
  ['cancel', t.cancel, t.operationsThatHaveNotTaken],
  ['decide', t.decide, t.operationsInDoubtAllGetThe],
];

const DECISIONS = (['took-effect', 'no-effect', 'submit-again'] as const).map(
  (decision) => [decision, ...(DECISION_WORDS[decision] ?? ['', ''])] as const,
);

interface BulkFieldsProps {
  readonly form: BulkForm;
  readonly fault: string | undefined;
  readonly onChange: (form: BulkForm) => void;
}

/** The fields for the act and its reason. */
export function BulkFields({ form, fault, onChange }: BulkFieldsProps) {
  return (
    <>
      <Radios
        label={t.whatToDo}
        value={form.action}
        options={ACTIONS}
        onChange={(action) => onChange({ ...form, action })}
      />
      {form.action === 'decide' ? (
        <>
          <Note tone="warn" title={t.oneDecisionForAllOfThem}>
            <p>{t.eachOperationIsStillCheckedA}</p>
          </Note>
          <Radios
            label={t.decision}
            value={form.decision}
            options={DECISIONS}
            onChange={(decision) => onChange({ ...form, decision })}
          />
        </>
      ) : null}
      <TextArea
        label={t.reason}
        hint={t.theAuditLogKeepsTheReason}
        required
        rows={2}
        maxLength={2_000}
        value={form.reason}
        fault={fault}
        onChange={(reason) => onChange({ ...form, reason })}
      />
    </>
  );
}
