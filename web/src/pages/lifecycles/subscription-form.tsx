import { useState } from 'react';
import { FormDialog } from '../../acts/form-dialog.tsx';
import type { components } from '../../../../client/schema.ts';
import { inDays } from '../../parts/duration.ts';
import { DurationField } from '../../parts/duration-field.tsx';
import { Check, Select, TextField } from '../../parts/field.tsx';
import { cliFlags } from '../../parts/flags.ts';
import { licenseName } from '../../parts/license-words.ts';
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
  return [['', `The plan of the licence: ${own.name ?? own.id}`] as const, ...all];
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
  const words = before === null ? 'Set up' : before.cancelledAt === null ? 'Change' : 'Resume';
  const { planId, offerBefore, tries, endUnpaid } = bodyOf(terms);
  return (
    <FormDialog
      title={`${words} the subscription of ${name}`}
      verb={before === null ? 'Set up' : before.cancelledAt === null ? 'Save' : 'Resume'}
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
      fault={options.length === 0 ? 'Create a plan first: it has the price.' : undefined}
      onClose={onClose}
    >
      {(faultOf) => (
        <>
          <p>
            Tenure offers the next period before the licence ends, and the user pays each offer.
          </p>
          <Select
            label="Plan"
            value={terms.planId}
            options={options}
            fault={faultOf('planId')}
            onChange={(chosen) => setTerms({ ...terms, planId: chosen })}
          />
          <DurationField
            label="Offer before the end"
            value={terms.offerBefore}
            fault={faultOf('offerBefore')}
            onChange={(iso) => setTerms({ ...terms, offerBefore: iso })}
          />
          <TextField
            label="Offers of one period"
            hint="The number of offers that may stay unpaid, from 1 to 10."
            type="number"
            min={1}
            max={10}
            required
            value={terms.tries}
            fault={faultOf('tries')}
            onChange={(count) => setTerms({ ...terms, tries: count })}
          />
          <Check
            label="End the licence after the last unpaid offer and the grace of the plan"
            isChecked={terms.endUnpaid}
            onChange={(isChecked) => setTerms({ ...terms, endUnpaid: isChecked })}
          />
        </>
      )}
    </FormDialog>
  );
}
