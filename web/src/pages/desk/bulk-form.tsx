import { Radios, TextArea } from '../../parts/field.tsx';
import { Note } from '../../parts/note.tsx';
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
  [
    'retry',
    'Retry',
    'Operations that ended without effect are done again, each as a new operation.',
  ],
  ['cancel', 'Cancel', 'Operations that have not taken effect are cancelled.'],
  ['decide', 'Decide', 'Operations in doubt all get the same decision.'],
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
        label="What to do"
        value={form.action}
        options={ACTIONS}
        onChange={(action) => onChange({ ...form, action })}
      />
      {form.action === 'decide' ? (
        <>
          <Note tone="warn" title="One decision for all of them">
            <p>
              Each operation is still checked: a decision that the ledger contradicts is refused.
            </p>
          </Note>
          <Radios
            label="Decision"
            value={form.decision}
            options={DECISIONS}
            onChange={(decision) => onChange({ ...form, decision })}
          />
        </>
      ) : null}
      <TextArea
        label="Reason"
        hint="The audit log keeps the reason for each operation."
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
