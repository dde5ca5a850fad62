import type { LicenseFacts, LicenseTerms } from '../../domain/license-validation.ts';
import { WITHOUT_PLAN } from '../../domain/license-validation.ts';
import type { LicenseRecord } from '../../domain/license-record.ts';
import { soldTermsOf } from '../../domain/license-record.ts';

const milliseconds = (term: string): string =>
  `(extract(epoch from upper(v.terms ->> '${term}')::interval) * 1000)::bigint`;

/** SQL: the heartbeat time of the plan. A machine that was last seen longer before `$3` than this frees its seat. */
export const HEARTBEAT_TIME = `upper(v.terms ->> 'heartbeatTime')::interval`;

/** SQL: the times that the plan's version `v` defines. */
export const TIMES = `v.trial_ms, v.grace_ms, ${milliseconds('offlineTime')} as offline_ms,
  ${milliseconds('heartbeatTime')} as heartbeat_ms`;

export interface TimesRow {
  readonly trial_ms: bigint | null;
  readonly grace_ms: bigint | null;
  readonly offline_ms: bigint | null;
  readonly heartbeat_ms: bigint | null;
}

const orElse = (ms: bigint | null, otherwise: number): number =>
  ms === null ? otherwise : Number(ms);

function termsOf(record: LicenseRecord, times: TimesRow): LicenseTerms {
  const { plan, planTerms } = record;
  if (plan === null) return WITHOUT_PLAN;
  const { seats, entitlements, from } = soldTermsOf(record) ?? WITHOUT_PLAN;
  return {
    plan: { id: plan.id, version: plan.version, name: planTerms?.name ?? null },
    seats,
    entitlements,
    from,
    trialMs: orElse(times.trial_ms, 0),
    graceMs: orElse(times.grace_ms, 0),
    offlineMs: orElse(times.offline_ms, WITHOUT_PLAN.offlineMs),
    heartbeatMs: times.heartbeat_ms === null ? null : Number(times.heartbeat_ms),
  };
}

type FromRecord = Pick<LicenseFacts, 'terms' | 'suspendedFor' | 'reference'>;

/**
 * Returns the facts of a licence's record that a validation needs. @param record `null` if the licence has no record
 */
export const factsOfRecord = (record: LicenseRecord | null, times: TimesRow): FromRecord =>
  record === null
    ? { terms: WITHOUT_PLAN, suspendedFor: null, reference: null }
    : {
        terms: termsOf(record, times),
        suspendedFor: record.suspension?.reason ?? null,
        reference: record.reference,
      };
