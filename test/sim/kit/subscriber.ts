import type { Plans } from '../../../src/app/ports/plans.ts';
import { OWN_COMMAND_PREFIX } from '../../../src/domain/ids.ts';
import type { Lifecycle } from '../../../src/domain/lifecycle.ts';
import { LicenseRenewalRequest } from '../../../localnet/ledger/licensing/license.ts';
import type { LedgerEvent } from '../../../localnet/ledger/update.ts';
import type { Cluster } from './cluster.ts';
import type { Finding } from './judge.ts';
import type { Api } from './roles.ts';
import type { World } from './world.ts';

/*
 * In a history with this fault, the provider makes licences renew themselves, and later changes or cancels
 * subscriptions, or suspends licences. Users pay offers as they pay all other renewals.
 */

const ASK_MS = 40_000;
/** The mean time between two acts. */
const MEAN_MS = 2_000;
const PLAN = 'team';

/** The only plan. Its periods are short, because a history takes a few minutes. */
export const PLANS: Pick<Plans, 'byId'> = {
  byId: async (id) => ({
    id,
    revision: 1,
    version: 1,
    createdAt: '2026-01-01T00:00:00.000000Z',
    archivedAt: null,
    terms: {
      name: 'Team',
      period: 'PT40S',
      fee: '1.0',
      instrument: 'Amulet',
      prepareUntilDuration: 'PT15S',
      settleBeforeDuration: 'PT30S',
      trial: 'PT0S',
      grace: 'PT0S',
      offlineTime: 'P7D',
      heartbeatTime: 'PT1H',
      seats: null,
      entitlements: {},
    },
  }),
};

type Act = (world: World, license: Lifecycle) => (api: Api) => Promise<unknown>;

const ACTS: Readonly<Record<string, readonly [number, Act]>> = {
  subscribe: [
    6,
    ({ subscribing: random }, license) => {
      const terms = {
        planId: PLAN,
        offerBeforeMs: random.pick([1_000, 20_000]),
        tries: random.pick([1, 2, 3]),
        endsUnpaid: random.chance(0.3),
      };
      return (api) => api.subscribe(license, terms);
    },
  ],
  cancel: [1, (_world, license) => (api) => api.cancelSubscription(license)],
  suspend: [1, (_world, license) => (api) => api.suspend(license, true)],
  reinstate: [1, (_world, license) => (api) => api.suspend(license, false)],
};

/** Acts on licences until the faults end. */
export async function subscribe(world: World, cluster: Cluster): Promise<void> {
  const { subscribing: random, clock, database, weather } = world;
  if (weather.rateOf('subscribed') === 0) return;
  const weights = Object.fromEntries(
    Object.entries(ACTS).map(([name, [weight]]) => [name, weight]),
  );
  while (!weather.isFair) {
    await clock.pass(-Math.log(1 - random.fraction()) * MEAN_MS);
    const licenses = database.contents
      .lifecycles()
      .filter(({ kind, endedAt }) => kind === 'license' && endedAt === null);
    const act = ACTS[random.weighted(weights)]?.[1];
    if (licenses.length === 0 || act === undefined || weather.isFair) continue;
    const called = await cluster.callApi(act(world, random.pick(licenses)), ASK_MS);
    if (called.kind === 'value') weather.count('subscribed');
  }
}

/** Returns the request ID of an offer; `null` for the events of all other contracts. */
function offerIn({ contract: { template, payload } }: LedgerEvent): string | null {
  if (template !== LicenseRenewalRequest) return null;
  const { requestId } = payload as { readonly requestId: string };
  return requestId.startsWith(`${OWN_COMMAND_PREFIX}offer:`) ? requestId : null;
}

/** Returns the licence and the end of the period that an offer is for, without the number of the try. */
const periodOf = (requestId: string): string => requestId.slice(0, requestId.lastIndexOf(':'));

/**
 * Checks the ledger's own record: at most one offer of a licence's period is open at a time, and at most one is paid.
 */
export function judgeOffers({ truth, weather }: World): Finding[] {
  const findings: Finding[] = [];
  const open = new Map<string, Set<string>>();
  const paid = new Map<string, string>();
  const say = (what: string): void => void findings.push({ invariant: 'offers', what });
  for (const event of truth.transactions.flatMap(({ events }) => events)) {
    const requestId = offerIn(event);
    if (requestId === null) continue;
    const period = periodOf(requestId);
    const offers = open.get(period) ?? new Set();
    open.set(period, offers);
    if (event.kind === 'created') {
      weather.count('offers', 'made');
      if (offers.size > 0) say(`${requestId} was offered while ${[...offers].join()} was open`);
      offers.add(requestId);
    } else if (event.consuming) {
      offers.delete(requestId);
      if (event.choice !== 'LicenseRenewalRequest_CompleteRenewal') continue;
      weather.count('offers', 'paid');
      if (paid.has(period)) say(`${requestId} was paid after ${paid.get(period)}`);
      paid.set(period, requestId);
    }
  }
  return findings;
}
