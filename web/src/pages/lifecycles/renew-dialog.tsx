import { useState } from 'react';
import { AskDialog } from '../../acts/ask-dialog.tsx';
import type { components } from '../../../../client/schema.ts';
import { durationMs } from '../../parts/duration.ts';
import { DurationField } from '../../parts/duration-field.tsx';
import { Check, Select, TextArea, TextField } from '../../parts/field.tsx';
import { Note } from '../../parts/note.tsx';
import { licenseName } from '../../parts/license-words.ts';
import { durationWords } from '../../parts/words.ts';
import * as t from '../../texts/renewals.tsx';
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
    return t.theFeeIsANumberAbove;
  }
  const [extension, prepare, settle] = [form.extension, form.prepare, form.settle].map(durationMs);
  if (!extension || !prepare || !settle) return t.enterAllTimesEachTimeMust;
  if (settle <= prepare) return t.theTimeToCompleteMustBe;
  return form.description.trim() === '' ? t.enterADescriptionTheUserReads : null;
}

/** Returns what is wrong with the form; null if it can be sent. */
function mistakeIn(form: Form, isOpen: boolean): string | null {
  const mistake = form.planId === '' ? mistakeInTerms(form) : null;
  if (mistake !== null) return mistake;
  return isOpen && !form.isConcurrent ? t.confirmThatYouWantASecond : null;
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
        label={t.feeInAmulet}
        value={form.fee}
        inputMode="decimal"
        required
        autoFocus
        hint={t.atMost10DigitsAfterThe}
        onChange={(fee) => onChange({ fee: fee.trim() })}
      />
      <DurationField
        label={t.extendsTheLicenceBy}
        value={form.extension}
        onChange={(extension) => onChange({ extension })}
      />
      <TextArea
        label={t.description}
        value={form.description}
        required
        maxLength={4_096}
        rows={2}
        hint={t.theUserReadsItInThe}
        onChange={(description) => onChange({ description })}
      />
      <DurationField
        label={t.timeToPay}
        value={form.prepare}
        hint={t.fromNowLaterTheLedgerAccepts}
        onChange={(prepare) => onChange({ prepare })}
      />
      <DurationField
        label={t.timeToComplete}
        value={form.settle}
        hint={t.fromNowThisMustBeLonger}
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
  const first = ['', t.noPlanYourOwnTerms] as const;
  const isOpen = openReason !== undefined;
  const title = t.offerRenewalOf(licenseName(license));
  return (
    <AskDialog
      form={name}
      title={title}
      label={title}
      verb={t.offer}
      done={t.renewalOffered}
      url={href}
      body={() => mistakeIn(form, isOpen) ?? bodyOf(form)}
      onClose={onClose}
      renderDone={() => (
        <p>{t.theUserCanPayInThe(durationWords(plan?.prepareUntilDuration ?? form.prepare))}</p>
      )}
    >
      <Select
        label={t.plan}
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
          {t.theUserHasToPayAnd(
            durationWords(plan.prepareUntilDuration),
            durationWords(plan.settleBeforeDuration),
          )}
        </p>
      )}
      {isOpen ? (
        <Note tone="warn" title={t.thisLicenceAlreadyHasAnOpen}>
          <p>{t.usuallyCompleteOrWithdrawIt}</p>
          <Check
            label={t.offerASecondRenewal}
            isChecked={form.isConcurrent}
            onChange={(isConcurrent) => setForm({ ...form, isConcurrent })}
          />
        </Note>
      ) : null}
    </AskDialog>
  );
}
