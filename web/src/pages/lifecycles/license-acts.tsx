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
import { countWords } from '../../parts/words.ts';
import { PATHS } from '../../paths.ts';
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
    verb: 'Offer renewal',
    about: 'Asks each user to pay the next period of the plan, now. You can withdraw an offer.',
    does: 'to be offered a renewal at once',
    did: 'offered a renewal',
  },
  suspend: {
    verb: 'Suspend',
    about:
      'Checks of the licence fail at once, and its user sees the reason. You can reinstate it.',
    does: 'to suspend at once',
    did: 'suspended',
  },
  reinstate: {
    verb: 'Reinstate',
    about: 'Ends the suspension at once.',
    does: 'to reinstate at once',
    did: 'reinstated',
  },
  'change-plan': {
    verb: 'Change plan',
    about: 'Licences that renew themselves get another plan from their next renewal on.',
    does: 'to move to the plan at their next renewal',
    did: 'moved to the plan from their next renewal on',
  },
  expire: {
    verb: 'End',
    about: 'Ends expired licences. An ended licence cannot be restored.',
    does: 'to end now; this cannot be undone',
    did: 'being ended',
  },
};

const ACTIONS = Object.entries(WORDS).map(
  ([action, { verb, about }]) => [action as Action, verb, about] as const,
);

const licences = (count: number): string => (count === 1 ? 'licence' : 'licences');

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
        label="What to do"
        value={form.action}
        options={ACTIONS}
        onChange={(action) => onChange({ ...form, action })}
      />
      {form.action === 'change-plan' ? (
        <PlanSelect
          plans={plans}
          first={['', 'Choose a plan']}
          hint={isTried && form.planId === '' ? 'Choose the plan of later renewals.' : undefined}
          value={form.planId}
          onChange={(planId) => onChange({ ...form, planId })}
        />
      ) : null}
      <TextArea
        label="Reason"
        hint={`Kept in the audit log${form.action === 'suspend' ? ', and shown to the users' : ''}.`}
        required
        rows={2}
        maxLength={2_000}
        value={form.reason}
        fault={isTried && form.reason.trim() === '' ? 'Give a reason.' : undefined}
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
    <Dialog title={`${countWords(done)} ${licences(done)} ${WORDS[action].did}`} onClose={onClose}>
      {action === 'offer' ? (
        <p>
          Users pay in their wallets, and you complete the renewals:{' '}
          <Link to={PATHS.renewals}>to the renewals</Link>.
        </p>
      ) : (
        <p>The audit log keeps the act and its reason. The list shows the current licences.</p>
      )}
      <LeftOut title="Left out" refused={refused} />
      <DialogFoot>
        <Button look="primary" onClick={onClose}>
          Close
        </Button>
      </DialogFoot>
    </Dialog>
  );
}

const FIRST_SHOWN = 5;

const firstOf = ({ sample }: Preview): readonly ReactNode[] =>
  sample.slice(0, FIRST_SHOWN).map(({ licenseId, reference, expiresAt }) => (
    <li key={licenseId} title={licenseId}>
      <span>{reference ?? 'Licence without a reference'}</span>
      {expiresAt === null ? null : (
        <span>
          valid until <Time at={expiresAt} as="short" />
        </span>
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
      title="Act on licences"
      lead={
        <>
          On <strong>{words}</strong>.
        </>
      }
      topics={['license', 'renewal', 'subscription']}
      fields={<Fields form={form} isTried={isTried} onChange={setForm} />}
      isWhole={() => {
        setTried(true);
        return form.reason.trim() !== '' && (action !== 'change-plan' || planId !== '');
      }}
      look={{ method: 'POST', url: '/licenses/preview-bulk', body: asked }}
      words={({ count }) => `${licences(count)} ${does}`}
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
