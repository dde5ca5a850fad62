import { useState } from 'react';
import { FormDialog } from '../../acts/form-dialog.tsx';
import type { components } from '../../../../client/schema.ts';
import { inDays } from '../../parts/duration.ts';
import { DurationField } from '../../parts/duration-field.tsx';
import { Check, Select, TextField } from '../../parts/field.tsx';
import { cliFlags } from '../../parts/flags.ts';
import { licenseName } from '../../parts/license-words.ts';
import * as t from '../../texts/subscriptions.tsx';
import { stableId } from './life.tsx';
import { planWords, usePlans } from './plan-select.tsx';
import type { Plan } from './plan-select.tsx';

type License = components['schemas']['License'];
type Subscription = components['schemas']['Subscription'];

const MARKED = ['planId', 'offerBefore', 'tries'] as const;

interface Terms {
  /** The ID of a plan. Empty: the plan of the licence. */
  readonly planId: string;
  readonly offerBefore: string;
  readonly tries: string;
  readonly endUnpaid: boolean;
}

const FIRST: Terms = { planId: '', offerBefore: 'P7D', tries: '3', endUnpaid: false };

const termsOf = ({ planId, offerBefore, tries, endUnpaid }: Subscription): Terms => ({
  planId: planId ?? '',
  offerBefore: inDays(offerBefore),
  tries: String(tries),
  endUnpaid,
});

const bodyOf = ({ planId, offerBefore, tries, endUnpaid }: Terms) => ({
  planId: planId === '' ? null : planId,
  offerBefore,
  tries: Number(tries),
  endUnpaid,
});

function planOptions(license: License, plans: readonly Plan[]) {
  const all = plans.map((plan) => [plan.id, planWords(plan)] as const);
  const own = license.plan;
  if (own === null || own === undefined) return all;
  return [['', t.thePlanOfTheLicence(own.name ?? own.id)] as const, ...all];
}

interface SubscriptionFormProps {
  readonly license: License;
  /** The subscription to change; null if the licence has none. */
  readonly subscription: Subscription | null;
  readonly onClose: () => void;
}

/** A form that creates a subscription, changes its terms, or resumes a cancelled one. */
export function SubscriptionForm({ license, subscription, onClose }: SubscriptionFormProps) {
  // The form keeps its initial values, even if another person changes the subscription in the meantime.
  const [before] = useState(subscription);
  const [edited, setTerms] = useState<Terms>(before === null ? FIRST : termsOf(before));
  const options = planOptions(license, usePlans());
  // If the plan is not in the list, for example because the licence has none, the form starts with the first plan.
  const isListed = options.some(([id]) => id === edited.planId);
  const terms = isListed ? edited : { ...edited, planId: options[0]?.[0] ?? '' };
  const id = stableId(license);
  const name = licenseName(license);
  const words = before === null ? t.setUp : before.cancelledAt === null ? t.change : t.resume;
  const { planId, offerBefore, tries, endUnpaid } = bodyOf(terms);
  return (
    <FormDialog
      title={t.theSubscriptionOf(words, name)}
      verb={before === null ? t.setUp : before.cancelledAt === null ? t.save : t.resume}
      write={{
        method: 'PUT',
        url: `/licenses/${encodeURIComponent(id)}/subscription`,
        body: bodyOf(terms),
        ...(before === null ? {} : { headers: { 'if-match': `"${before.version}"` } }),
      }}
      cli={`tenure subscriptions set ${id}${cliFlags({
        planId: planId ?? undefined,
        offerBefore: /^P\d+D$/u.test(offerBefore) ? offerBefore.slice(1).toLowerCase() : undefined,
        tries: String(tries),
        endUnpaid: String(endUnpaid),
      })}`}
      topics={['license', 'subscription']}
      marked={MARKED}
      fault={options.length === 0 ? t.createAPlanFirstItHas : undefined}
      onClose={onClose}
    >
      {(faultOf) => (
        <>
          <p>{t.tenureOffersTheNextPeriod}</p>
          <Select
            label={t.plan}
            value={terms.planId}
            options={options}
            fault={faultOf('planId')}
            onChange={(chosen) => setTerms({ ...terms, planId: chosen })}
          />
          <DurationField
            label={t.offerBeforeTheEnd}
            value={terms.offerBefore}
            fault={faultOf('offerBefore')}
            onChange={(iso) => setTerms({ ...terms, offerBefore: iso })}
          />
          <TextField
            label={t.offersOfOnePeriod}
            hint={t.theNumberOfOffersThatMay}
            type="number"
            min={1}
            max={10}
            required
            value={terms.tries}
            fault={faultOf('tries')}
            onChange={(count) => setTerms({ ...terms, tries: count })}
          />
          <Check
            label={t.endTheLicenceAfterTheLast}
            isChecked={terms.endUnpaid}
            onChange={(isChecked) => setTerms({ ...terms, endUnpaid: isChecked })}
          />
        </>
      )}
    </FormDialog>
  );
}
