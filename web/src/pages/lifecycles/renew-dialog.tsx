import { useState } from 'react';
import { AskDialog } from '../../acts/ask-dialog.tsx';
import type { components } from '../../../../client/schema.ts';
import { durationMs } from '../../parts/duration.ts';
import { DurationField } from '../../parts/duration-field.tsx';
import { Check, Select, TextArea, TextField } from '../../parts/field.tsx';
import { Note } from '../../parts/note.tsx';
import { licenseName } from '../../parts/license-words.ts';
import { durationWords } from '../../parts/words.ts';
import type { OfferProps } from './actions.tsx';
import { planWords, usePlans } from './plan-select.tsx';

type License = components['schemas']['License'];

interface Form {
  /** The ID of a plan. Empty: the fee and the times in the form apply. */
  readonly planId: string;
  readonly fee: string;
  readonly extension: string;
  readonly prepare: string;
  readonly settle: string;
  readonly description: string;
  readonly isConcurrent: boolean;
}

/**
 * The initial values. The user has three days to pay, because people do not sit at their wallets all day, and the
 * provider has about as long to complete.
 */
const FIRST: Form = {
  planId: '',
  fee: '',
  extension: 'P30D',
  prepare: 'P3D',
  settle: 'P7D',
  description: '',
  isConcurrent: false,
};

const FEE = /^\d{1,28}(?:\.\d{1,10})?$/u;

/** Returns what is wrong with the terms of the form; null if they can be sent. */
function mistakeInTerms(form: Form): string | null {
  if (!FEE.test(form.fee) || Number(form.fee) === 0) {
    return 'The fee is a number above zero, with at most 10 digits after the point.';
  }
  const [extension, prepare, settle] = [form.extension, form.prepare, form.settle].map(durationMs);
  if (!extension || !prepare || !settle)
    return 'Enter all times. Each time must be longer than zero.';
  if (settle <= prepare) return 'The time to complete must be longer than the time to pay.';
  return form.description.trim() === ''
    ? 'Enter a description. The user reads it in the wallet.'
    : null;
}

/** Returns what is wrong with the form; null if it can be sent. */
function mistakeIn(form: Form, isOpen: boolean): string | null {
  const mistake = form.planId === '' ? mistakeInTerms(form) : null;
  if (mistake !== null) return mistake;
  return isOpen && !form.isConcurrent ? 'Confirm that you want a second open renewal.' : null;
}

/** Returns the terms to send. With a plan, only its ID and the description are sent, because the plan has the rest. */
const termsOf = (form: Form): object =>
  form.planId === ''
    ? {
        licenseFeeCc: form.fee,
        licenseExtensionDuration: form.extension,
        prepareUntilDuration: form.prepare,
        settleBeforeDuration: form.settle,
        description: form.description,
      }
    : { planId: form.planId };

const bodyOf = (form: Form): object => ({
  ...termsOf(form),
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
        hint="At most 10 digits after the point."
        onChange={(fee) => onChange({ fee: fee.trim() })}
      />
      <DurationField
        label="Extends the licence by"
        value={form.extension}
        onChange={(extension) => onChange({ extension })}
      />
      <TextArea
        label="Description"
        value={form.description}
        required
        maxLength={4_096}
        rows={2}
        hint="The user reads it in the wallet."
        onChange={(description) => onChange({ description })}
      />
      <DurationField
        label="Time to pay"
        value={form.prepare}
        hint="From now. Later, the ledger accepts no payment for this renewal."
        onChange={(prepare) => onChange({ prepare })}
      />
      <DurationField
        label="Time to complete"
        value={form.settle}
        hint="From now. This must be longer than the time to pay, so that you can complete a late payment."
        onChange={(settle) => onChange({ settle })}
      />
    </>
  );
}

interface RenewDialogProps extends OfferProps {
  readonly license: License;
  /** Set if a renewal is open: why another one is refused unless the person asks for it explicitly. */
  readonly openReason: string | undefined;
}

/** The dialog in which a provider offers to extend a licence for a fee. */
export function RenewDialog({ form: name, href, onClose, license, openReason }: RenewDialogProps) {
  const [form, setForm] = useState<Form>(() => ({ ...FIRST, planId: license.plan?.id ?? '' }));
  const onSale = usePlans();
  const own = license.plan;
  // A licence may be renewed under its own plan even after that plan was archived.
  const plan = onSale.find(({ id }) => id === form.planId);
  const first = ['', 'No plan: your own terms'] as const;
  const isOpen = openReason !== undefined;
  const title = `Offer renewal of ${licenseName(license)}`;
  return (
    <AskDialog
      form={name}
      title={title}
      label={title}
      verb="Offer"
      done="Renewal offered."
      url={href}
      body={() => mistakeIn(form, isOpen) ?? bodyOf(form)}
      onClose={onClose}
      renderDone={() => (
        <p>
          The user can pay in the wallet for{' '}
          {durationWords(plan?.prepareUntilDuration ?? form.prepare)}. Complete the renewal on this
          page after the payment.
        </p>
      )}
    >
      <Select
        label="Plan"
        value={form.planId}
        options={[
          first,
          ...(plan === undefined && own?.id === form.planId
            ? [[own.id, own.name ?? own.id] as const]
            : []),
          ...onSale.map((one) => [one.id, planWords(one)] as const),
        ]}
        onChange={(planId) => setForm({ ...form, planId })}
      />
      {form.planId === '' ? (
        <Fields form={form} onChange={(over) => setForm({ ...form, ...over })} />
      ) : null}
      {plan === undefined ? null : (
        <p>
          The user has {durationWords(plan.prepareUntilDuration)} to pay, and you have{' '}
          {durationWords(plan.settleBeforeDuration)} to complete the renewal.
        </p>
      )}
      {isOpen ? (
        <Note tone="warn" title="This licence already has an open renewal.">
          <p>
            Usually, complete or withdraw it first. Both renewals can be paid, and each completed
            renewal extends the licence.
          </p>
          <Check
            label="Offer a second renewal"
            isChecked={form.isConcurrent}
            onChange={(isConcurrent) => setForm({ ...form, isConcurrent })}
          />
        </Note>
      ) : null}
    </AskDialog>
  );
}
