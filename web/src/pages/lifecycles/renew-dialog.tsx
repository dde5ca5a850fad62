import { useState } from 'react';
import { AskDialog } from '../../acts/ask-dialog.tsx';
import type { components } from '../../api/schema.ts';
import { durationMs } from '../../parts/duration.ts';
import { DurationField } from '../../parts/duration-field.tsx';
import { Check, TextArea, TextField } from '../../parts/field.tsx';
import { Note } from '../../parts/note.tsx';
import { durationWords } from '../../parts/words.ts';
import type { OfferProps } from './actions.tsx';

type License = components['schemas']['License'];

interface Form {
  readonly fee: string;
  readonly extension: string;
  readonly prepare: string;
  readonly settle: string;
  readonly description: string;
  readonly isConcurrent: boolean;
}

/** Days to pay, and as many more to complete: people do not sit at their wallets. */
const FIRST: Form = {
  fee: '',
  extension: 'P30D',
  prepare: 'P3D',
  settle: 'P7D',
  description: '',
  isConcurrent: false,
};

const FEE = /^\d{1,28}(?:\.\d{1,10})?$/u;

/** Returns what is wrong with the form; null if it can be sent. */
function mistakeIn(form: Form, isOpen: boolean): string | null {
  if (!FEE.test(form.fee) || Number(form.fee) === 0) {
    return 'The fee is a number above zero, with at most 10 digits after the point.';
  }
  const [extension, prepare, settle] = [form.extension, form.prepare, form.settle].map(durationMs);
  if (!extension || !prepare || !settle) return 'Say how long: each time is longer than nothing.';
  if (settle <= prepare) return 'The time to complete it is longer than the time to pay.';
  if (form.description.trim() === '') return 'Say what it is for: the user reads it in the wallet.';
  return isOpen && !form.isConcurrent ? 'Say that you want one more beside the open one.' : null;
}

const bodyOf = (form: Form): object => ({
  licenseFeeCc: form.fee,
  licenseExtensionDuration: form.extension,
  prepareUntilDuration: form.prepare,
  settleBeforeDuration: form.settle,
  description: form.description,
  ...(form.isConcurrent ? { allowConcurrent: true } : {}),
});

interface FieldsProps {
  readonly form: Form;
  readonly onChange: (over: Partial<Form>) => void;
}

function Fields({ form, onChange }: FieldsProps) {
  return (
    <>
      <TextField
        label="Fee, in Amulet"
        value={form.fee}
        inputMode="decimal"
        required
        autoFocus
        hint="Its digits are kept as you write them."
        onChange={(fee) => onChange({ fee: fee.trim() })}
      />
      <DurationField
        label="Extends the licence by"
        value={form.extension}
        onChange={(extension) => onChange({ extension })}
      />
      <TextArea
        label="What it is for"
        value={form.description}
        required
        maxLength={4_096}
        rows={2}
        hint="The user reads it in the wallet."
        onChange={(description) => onChange({ description })}
      />
      <DurationField
        label="The user may pay for"
        value={form.prepare}
        hint="From now on. After that the ledger takes no payment for it."
        onChange={(prepare) => onChange({ prepare })}
      />
      <DurationField
        label="You may complete it for"
        value={form.settle}
        hint="From now on. It must be longer: what is paid in the last minute is completed after it."
        onChange={(settle) => onChange({ settle })}
      />
    </>
  );
}

interface RenewDialogProps extends OfferProps {
  readonly license: License;
  /** Why one more is refused unless it is wanted: a renewal is open. */
  readonly openReason: string | undefined;
}

/** Offers the user more time of a licence, for a fee. */
export function RenewDialog({ form: name, href, onClose, license, openReason }: RenewDialogProps) {
  const [form, setForm] = useState(FIRST);
  const isOpen = openReason !== undefined;
  const title = `Offer renewal of licence № ${license.licenseNum}`;
  return (
    <AskDialog
      form={name}
      title={title}
      label={title}
      verb="Offer"
      url={href}
      body={() => mistakeIn(form, isOpen) ?? bodyOf(form)}
      onClose={onClose}
      renderDone={() => (
        <p>
          The request is in the user’s wallet, payable for {durationWords(form.prepare)}. It is
          below, with both its clocks.
        </p>
      )}
    >
      <Fields form={form} onChange={(over) => setForm({ ...form, ...over })} />
      {isOpen ? (
        <Note tone="warn" title="A renewal of this licence is open already.">
          <p>
            Complete or withdraw it first, as a rule. Two open renewals can both be paid, and each
            one that is completed extends the licence.
          </p>
          <Check
            label="Offer one more beside it"
            isChecked={form.isConcurrent}
            onChange={(isConcurrent) => setForm({ ...form, isConcurrent })}
          />
        </Note>
      ) : null}
    </AskDialog>
  );
}
