import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { LeftOut, PreviewedDialog } from '../../acts/previewed-dialog.tsx';
import type { components, operations } from '../../../../client/schema.ts';
import { Button } from '../../parts/button.tsx';
import { quoted } from '../../parts/copy.tsx';
import { Dialog, DialogFoot } from '../../parts/dialog.tsx';
import { Radios, TextArea } from '../../parts/field.tsx';
import { Time } from '../../parts/time.tsx';

import { PATHS } from '../../paths.ts';
import * as t from '../../texts/licenses.tsx';
import { PlanSelect, usePlans } from './plan-select.tsx';

type Preview = components['schemas']['LicenseActPreview'];
type Result = components['schemas']['LicenseActResult'];
type Body = operations['previewLicenseAct']['requestBody']['content']['application/json'];
export type LicenseFilter = Body['filter'];
type Action = Body['action'];

interface ActWords {
  readonly verb: string;
  readonly about: string;
  /** `does`: text that follows the number of licences in a preview. `did`: text that follows it in a result. */
  readonly does: string;
  readonly did: string;
}

const WORDS: Readonly<Record<Action, ActWords>> = {
  offer: {
    verb: t.offerRenewal,
    about: t.asksEachUserToPayThe,
    does: t.toBeOfferedARenewalAt,
    did: t.offeredARenewal,
  },
  suspend: {
    verb: t.suspend,
    about: t.checksOfTheLicenceFailAt,
    does: t.toSuspendAtOnce,
    did: 'suspended',
  },
  reinstate: {
    verb: t.reinstate,
    about: t.endsTheSuspensionAtOnce,
    does: t.toReinstateAtOnce,
    did: 'reinstated',
  },
  'change-plan': {
    verb: t.changePlan,
    about: t.licencesThatRenewThemselvesGet,
    does: t.toMoveToThePlanAt,
    did: t.movedToThePlanFromTheir,
  },
  expire: {
    verb: t.end,
    about: t.endsExpiredLicencesAnEnded,
    does: t.toEndNowThisCannotBe,
    did: t.beingEnded,
  },
};

const ACTIONS = Object.entries(WORDS).map(
  ([action, { verb, about }]) => [action as Action, verb, about] as const,
);

interface Form {
  readonly action: Action;
  readonly planId: string;
  readonly reason: string;
}

interface FieldsProps {
  readonly form: Form;
  /** Whether the form shows its mistakes. */
  readonly isTried: boolean;
  readonly onChange: (form: Form) => void;
}

function Fields({ form, isTried, onChange }: FieldsProps) {
  const plans = usePlans();
  return (
    <>
      <Radios
        label={t.whatToDo}
        value={form.action}
        options={ACTIONS}
        onChange={(action) => onChange({ ...form, action })}
      />
      {form.action === 'change-plan' ? (
        <PlanSelect
          plans={plans}
          first={['', t.chooseAPlan]}
          hint={isTried && form.planId === '' ? t.chooseThePlanOfLaterRenewals : undefined}
          value={form.planId}
          onChange={(planId) => onChange({ ...form, planId })}
        />
      ) : null}
      <TextArea
        label={t.reason}
        hint={form.action === 'suspend' ? t.keptAndShown : t.keptInTheAuditLog}
        required
        rows={2}
        maxLength={2_000}
        value={form.reason}
        fault={isTried && form.reason.trim() === '' ? t.giveAReason : undefined}
        onChange={(reason) => onChange({ ...form, reason })}
      />
    </>
  );
}

interface DoneProps {
  readonly action: Action;
  readonly result: Result;
  readonly onClose: () => void;
}

/** The result of an act, and the next step. */
function Done({ action, result: { done, refused }, onClose }: DoneProps) {
  return (
    <Dialog title={t.licencesDid(done, WORDS[action].did)} onClose={onClose}>
      {action === 'offer' ? (
        <p>{t.usersPayInTheirWalletsAnd(<Link to={PATHS.renewals}>{t.toTheRenewals}</Link>)}</p>
      ) : (
        <p>{t.theAuditLogKeepsTheAct}</p>
      )}
      <LeftOut title={t.leftOut} refused={refused} />
      <DialogFoot>
        <Button look="primary" onClick={onClose}>
          {t.close}
        </Button>
      </DialogFoot>
    </Dialog>
  );
}

const FIRST_SHOWN = 5;

const firstOf = ({ sample }: Preview): readonly ReactNode[] =>
  sample.slice(0, FIRST_SHOWN).map(({ licenseId, reference, expiresAt }) => (
    <li key={licenseId} title={licenseId}>
      <span>{reference ?? t.licenceWithoutAReference}</span>
      {expiresAt === null ? null : (
        <span>{t.validUntilTime(<Time at={expiresAt} as="short" />)}</span>
      )}
    </li>
  ));

/**
 * Returns the command line for an act; undefined for licences that were selected one by one, because no command line
 * can name them.
 */
function cliOf({ action, planId, reason }: Form, filter: LicenseFilter): string | undefined {
  const { licenseIds, ...narrowing } = filter;
  if (licenseIds !== undefined) return undefined;
  const conditions = Object.entries(narrowing).map(([name, value]) =>
    quoted(`${name}=${String(value)}`),
  );
  const plan = action === 'change-plan' && planId !== '' ? ` --plan-id ${quoted(planId)}` : '';
  const why = quoted(reason.trim() || 'why');
  return `tenure licenses bulk ${action} --where ${conditions.join(' ')}${plan} --reason ${why}`;
}

interface LicenseActsProps {
  readonly filter: LicenseFilter;
  /** A description of the filter: "3 selected licences". */
  readonly words: string;
  readonly onClose: () => void;
}

/** The dialog for an act of the provider on all licences of a filter. */
export function LicenseActsDialog({ filter, words, onClose }: LicenseActsProps) {
  const [form, setForm] = useState<Form>({ action: 'offer', planId: '', reason: '' });
  const [isTried, setTried] = useState(false);
  const [result, setResult] = useState<Result | null>(null);
  const { action, planId } = form;
  if (result !== null) return <Done action={action} result={result} onClose={onClose} />;
  const asked = { action, ...(action === 'change-plan' ? { planId } : {}), filter };
  const { verb, does } = WORDS[action];
  return (
    <PreviewedDialog<Preview>
      title={t.actOnLicences}
      lead={t.on(<strong>{words}</strong>)}
      topics={['license', 'renewal', 'subscription']}
      fields={<Fields form={form} isTried={isTried} onChange={setForm} />}
      isWhole={() => {
        setTried(true);
        return form.reason.trim() !== '' && (action !== 'change-plan' || planId !== '');
      }}
      look={{ method: 'POST', url: '/licenses/preview-bulk', body: asked }}
      words={({ count }) => t.licencesTo(count, does)}
      first={firstOf}
      apply={({ token, count }) => ({
        method: 'POST',
        url: '/licenses/bulk',
        body: { ...asked, reason: form.reason.trim(), confirmation: { token, count } },
      })}
      verb={verb}
      isDanger={action === 'expire' || action === 'suspend'}
      isFinal={action === 'expire'}
      cli={cliOf(form, filter)}
      onDone={(answer) => setResult(answer as Result)}
      onClose={onClose}
    />
  );
}
