import type { components } from '../../../../client/schema.ts';
import { useRead } from '../../api/use-read.ts';
import { Select } from '../../parts/field.tsx';
import { amount, durationWords } from '../../parts/words.ts';
import * as t from '../../texts/lifecycles.tsx';

export type Plan = components['schemas']['Plan'];

/** Only one page of plans is read. It has all plans from which a provider can reasonably choose. */
const PLANS_MAX = 1_000;

/** Returns the plans that are on sale; empty while they are being read. */
export const usePlans = (): readonly Plan[] =>
  useRead('/plans', { query: { limit: PLANS_MAX } }, { topics: ['plan'] }).data?.data ?? [];

/** Returns a plan in words: "Pro: 100 Amulet for 1 month". */
export const planWords = ({ name, fee, instrument, period }: Plan): string =>
  t.planTerms(name, amount(fee, instrument), durationWords(period));

interface PlanSelectProps {
  readonly plans: readonly Plan[];
  /** The option above the plans. */
  readonly first: readonly [id: string, words: string];
  readonly hint?: string | undefined;
  readonly value: string;
  readonly onChange: (id: string) => void;
}

/** A field for choosing a plan, with the prices. */
export function PlanSelect({ plans, first, hint, value, onChange }: PlanSelectProps) {
  return (
    <Select
      label={t.plan}
      hint={hint}
      value={value}
      options={[first, ...plans.map((plan) => [plan.id, planWords(plan)] as const)]}
      onChange={onChange}
    />
  );
}
