import { SCHEDULER_LEASE } from '../../../src/app/ports/leases.ts';
import { UPDATES_STREAM } from '../../../src/app/ports/streams.ts';
import type { Io } from '../../../src/app/ports/io.ts';
import type {
  LicenseFacts,
  RenewalFact,
  Subscriptions,
} from '../../../src/app/ports/subscriptions.ts';
import { isOpen } from '../../../src/domain/change.ts';
import type { CommandId, LifecycleId } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import { textAt } from '../../../src/domain/json.ts';
import type { Lifecycle } from '../../../src/domain/lifecycle.ts';
import { LIMITS } from '../../../src/domain/limits.ts';
import type { Subscription } from '../../../src/domain/subscription.ts';
import { isoToMs } from '../../../src/domain/time.ts';
import type { Connection } from './connection.ts';
import { query, transact } from './connection.ts';
import { byText } from './find.ts';
import { instant } from './instants.ts';
import type { SubscriptionRow } from './rows.ts';
import type { ServerTransaction } from './server.ts';
import type { Tables } from './tables.ts';
import { commandText } from './tables.ts';
import { allocationsNaming, allocationsOf, payloadOf } from './views.ts';
import { wakeSubscription } from './subscription-rows.ts';
import { ownsLease } from './write.ts';

/* Subscriptions, with the operations of `src/store/subscriptions` that the clock uses. */

/** The port without lists, and with suspensions of licences, which decide whether money may be taken. */
export interface MemorySubscriptions extends Omit<Subscriptions, 'page' | 'count'> {
  suspend(license: LifecycleId, isSuspended: boolean, io: Io): Promise<void>;
}

const FOREVER = Number.POSITIVE_INFINITY;
const endMs = ({ endedAt }: { readonly endedAt: string | null }): number =>
  endedAt === null ? FOREVER : isoToMs(endedAt);

function renewalFact(tables: Tables, renewal: Lifecycle): RenewalFact {
  const payload = payloadOf(tables, null, renewal.contractId) ?? {};
  return {
    renewalId: renewal.id,
    state: renewal.state,
    endedAt: renewal.endedAt,
    settleBefore: textAt(renewal.context, 'settleBefore') ?? '',
    payload,
    allocations:
      renewal.endedAt === null
        ? allocationsOf(tables, renewal, payload).map(({ contractId, view }) => ({
            contractId,
            view,
          }))
        : [],
  };
}

function factsOf(tables: Tables, license: LifecycleId): LicenseFacts | null {
  const row = tables.lifecycles.get(null, license);
  if (row === undefined || row.expiresAt === null) return null;
  const { lane, expiresAt, createdAt, endedAt } = row;
  const renewals = tables.lifecycles
    .find(null, 'lane', lane)
    .filter(({ kind, originId }) => kind === 'renewal' && originId === license)
    .toSorted((a, b) => endMs(b) - endMs(a) || byText(a.id, b.id));
  return {
    expiresAt,
    createdAt,
    endedAt,
    isUnderWay: tables.changes
      .all(null)
      .some(({ change }) => change.lane === lane && isOpen(change.state)),
    renewals: renewals.map((renewal) => renewalFact(tables, renewal)),
  };
}

const isDue = (tables: Tables, { dueAtMs, offerId }: SubscriptionRow, nowMs: number): boolean =>
  (dueAtMs !== null && dueAtMs <= nowMs) ||
  (offerId !== null && allocationsNaming(tables, offerId).length > 0);

export function createSubscriptions(connection: Connection): MemorySubscriptions {
  const { tables } = connection.server;
  const read = <T>(call: string, io: Io, of: () => T): Promise<T> =>
    query(connection, io, `subscriptions.${call}`, of);
  const write = <T>(
    call: string,
    io: Io,
    work: (tx: ServerTransaction) => Promise<T>,
  ): Promise<T> =>
    transact(connection, io, (session) => session.run(`subscriptions.${call}`, work), {
      call: `subscriptions.${call}`,
    });
  return {
    of: (license, io) =>
      read('of', io, () => tables.subscriptions.get(null, license)?.subscription ?? null),
    facts: (license, io) => read('facts', io, () => factsOf(tables, license)),
    tried: (provider, prefixes, io) =>
      read(
        'tried',
        io,
        () =>
          new Map(
            prefixes.map((prefix) => [
              prefix,
              Array.from({ length: LIMITS.subscriptionStepsMax }, (_, n) => n + 1).flatMap(
                (number) =>
                  tables.changes
                    .find(
                      null,
                      'key',
                      commandText({
                        commandId: trusted<CommandId>(`${prefix}${number}`),
                        actAs: provider,
                      }),
                    )
                    .map(({ change }) => ({
                      number,
                      isFailed: !isOpen(change.state) && change.state !== 'succeeded',
                      finishedAt: change.finishedAt,
                    })),
              ),
            ]),
          ),
      ),
    projectedUpTo: (io) =>
      read('projectedUpTo', io, () => tables.cursors.get(null, UPDATES_STREAM)?.offset ?? null),
    due: (provider, ledgerNow, limit, leaseEpoch, io) =>
      write('due', io, async (tx) => {
        if (!(await ownsLease(tx, SCHEDULER_LEASE, leaseEpoch))) return null;
        return tables.subscriptions
          .all(tx)
          .filter(({ subscription }) => subscription.provider === provider)
          .filter((row) => isDue(tables, row, isoToMs(ledgerNow)))
          .toSorted((a, b) => (a.dueAtMs ?? FOREVER) - (b.dueAtMs ?? FOREVER))
          .slice(0, limit)
          .map(({ subscription, wakes }) => ({ subscription, wakes }));
      }),
    announcePrices: async () => false,
    looked: ({ licenseId, wakes, dueAt, offerId, anchor }, leaseEpoch, io) =>
      write('looked', io, async (tx) => {
        if (!(await ownsLease(tx, SCHEDULER_LEASE, leaseEpoch))) return false;
        const dueAtMs = dueAt === null ? null : isoToMs(dueAt);
        await tx.update(tables.subscriptions, licenseId, (row) =>
          row.wakes === wakes
            ? { ...row, dueAtMs, offerId, subscription: { ...row.subscription, anchor } }
            : null,
        );
        return true;
      }),
    set: (license, terms, _versions, _by, io) =>
      write('set', io, async (tx) => {
        const subscription: Subscription = {
          ...license,
          ...terms,
          anchor: null,
          cancelledAt: null,
          version: 1,
        };
        const row = {
          subscription,
          wakes: 0n,
          dueAtMs: Number.NEGATIVE_INFINITY,
          offerId: null,
          isSuspended: false,
        };
        await tx.upsert(tables.subscriptions, row, (now) => ({
          ...now,
          subscription: {
            ...now.subscription,
            ...terms,
            cancelledAt: null,
            version: now.subscription.version + 1,
          },
          dueAtMs: Number.NEGATIVE_INFINITY,
          wakes: now.wakes + 1n,
        }));
        return tables.subscriptions.get(tx, license.licenseId)?.subscription ?? null;
      }),
    cancel: (license, _by, io) =>
      write('cancel', io, async (tx) => {
        const row = tables.subscriptions.get(tx, license);
        if (row === undefined) return null;
        const { subscription } = row;
        const cancelledAt = instant(new Date(tx.server.now()).toISOString());
        const changed = { ...subscription, cancelledAt, version: subscription.version + 1 };
        return (
          (await wakeSubscription(tx, license, { subscription: changed }))?.subscription ?? null
        );
      }),
    suspend: (license, isSuspended, io) =>
      write('suspend', io, async (tx) => {
        await wakeSubscription(tx, license, { isSuspended });
      }),
  };
}
