import type { TestApi } from './http-api.ts';

/* The terms of a plan, as the database stores them. */

export interface SoldPlan {
  readonly trial?: string;
  readonly grace?: string;
  readonly seats?: number | null;
  readonly heartbeatTime?: string;
  readonly offlineTime?: string;
  readonly entitlements?: Readonly<Record<string, string>>;
}

/** Puts a licence under a new plan of its own. */
export async function sellUnderPlan(api: TestApi, lifecycleId: string, sold: SoldPlan) {
  const { trial = 'PT0S', grace = 'PT0S', seats = null, entitlements = {} } = sold;
  const id = `plan-${lifecycleId.slice(-8)}`;
  const terms = {
    name: 'Team',
    period: 'P30D',
    fee: '100',
    instrument: 'Amulet',
    prepareUntilDuration: 'PT10M',
    settleBeforeDuration: 'PT20M',
    trial,
    grace,
    offlineTime: sold.offlineTime ?? 'P7D',
    heartbeatTime: sold.heartbeatTime ?? 'P1D',
    seats,
    entitlements,
  };
  const provider = api.deps.hosting.provider;
  await api.pool.query('insert into plan (provider, id, version) values ($1, $2, 1)', [
    provider,
    id,
  ]);
  await api.pool.query(
    `insert into plan_version (provider, plan_id, version, terms, trial_ms, grace_ms)
     values ($1, $2, 1, $3::jsonb, extract(epoch from $4::interval) * 1000, extract(epoch from $5::interval) * 1000)`,
    [provider, id, JSON.stringify(terms), trial, grace],
  );
  await api.pool.query(
    'update license_record set plan_id = $2, plan_version = 1, plan_since = began_at where lifecycle_id = $1',
    [lifecycleId, id],
  );
}
