import { pino } from 'pino';
import { SCHEDULER_LEASE } from '../../src/app/ports/leases.ts';
import { NO_TRACER } from '../../src/app/ports/tracing.ts';
import type { LookDeps } from '../../src/app/subscriptions/look.ts';
import { lookAtSubscriptions } from '../../src/app/subscriptions/look.ts';
import { openDoor } from '../../src/app/engine/requests/request-change.ts';
import { createLeases } from '../../src/store/engine/lease.ts';
import { isDatabaseUnavailable } from '../../src/store/sql/deadline.ts';
import type { TestApi } from './http-api.ts';
import { IO, PROVIDER } from './http-api.ts';
import type { RenewalsWorld } from './http-renewals.ts';

/* Two instances of the background task that renews licences, as if in two processes, on the database of a world. */

export async function subscriptionsIn({ api }: RenewalsWorld) {
  const epoch = (await createLeases(api.pool).acquire(SCHEDULER_LEASE, 'clock', 600_000, IO))!;
  const process = (): LookDeps => ({
    ...api.deps,
    timeZone: 'UTC',
    provider: PROVIDER,
    door: openDoor({ ...api.deps, isUnavailable: isDatabaseUnavailable }),
    tracer: NO_TRACER,
    reads: api.store.reads,
    ledgerEnd: async (io) => (await api.deps.subscriptions.projectedUpTo(io))!,
    log: pino({ level: 'silent' }),
  });
  return {
    epoch,
    process,
    look: (over: Partial<LookDeps> = {}, asEpoch = epoch) =>
      lookAtSubscriptions({ ...process(), ...over }, { epoch: asEpoch, signal: IO.signal }),
  };
}

/** Makes a licence without a plan renew itself. @param url the address of its subscription */
export async function subscribeTo(api: TestApi, url: string): Promise<void> {
  const headers = { authorization: await api.as(PROVIDER) };
  const plan = { id: 'subscribed', name: 'Pro', period: 'P1M', fee: '12.5' };
  await api.app.inject({ method: 'POST', url: '/plans', headers, payload: plan });
  await api.app.inject({ method: 'PUT', url, headers, payload: { planId: plan.id } });
}

/** Returns the data of the events that announced a new price of a licence. */
export async function announcedPrices(api: TestApi, license: string): Promise<object[]> {
  const { rows } = await api.pool.query<{ data: object }>(
    `select e -> 'data' as data from arrival, jsonb_array_elements(events) e
     where e ->> 'type' = 'tenure.license.price-changed' and e ->> 'subject' = $1`,
    [license],
  );
  return rows.map(({ data }) => data);
}
