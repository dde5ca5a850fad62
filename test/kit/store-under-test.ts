import type { Alarms } from '../../src/app/ports/alarms.ts';
import type { Leases } from '../../src/app/ports/leases.ts';
import type { Outbox } from '../../src/app/ports/outbox.ts';
import type { Store, Tx } from '../../src/app/ports/transaction.ts';
import type { BulkActs } from '../../src/app/desk/bulk-acts.ts';
import type { ClockReports, TimeWanted } from '../../src/app/ports/clocks.ts';
import type { EventLog } from '../../src/app/ports/event-log.ts';
import type { Pauses } from '../../src/app/ports/pauses.ts';
import type { Rebuilds } from '../../src/app/ports/rebuilds.ts';
import type { Retention } from '../../src/app/ports/retention.ts';
import type { Deliveries, Webhooks } from '../../src/app/ports/webhooks.ts';
import type { Policies, PolicyDelays, Timers } from '../../src/app/ports/policies.ts';
import type { Change } from '../../src/domain/change.ts';
import type { ChangeId } from '../../src/domain/ids.ts';
import { arrival, io, newLane, writes } from './store-rows.ts';

/** Functions that a store calls after commits. */
export interface Ear {
  readonly onChanges: (ids: readonly ChangeId[]) => void;
  readonly onEffects: () => void;
  readonly onTimers?: () => void;
}

/** The ports of a store that the core uses. */
export interface StorePorts {
  readonly store: Store;
  readonly outbox: Outbox;
  readonly leases: Leases;
  readonly alarms: Alarms;
  readonly bulkActs: BulkActs;
  readonly events: EventLog;
  readonly pauses: Pauses;
  readonly policies: Policies & Pick<PolicyDelays, 'undo'>;
  readonly timers: Timers;
  readonly retention: Retention;
  readonly webhooks: Webhooks;
  readonly deliveries: Deliveries;
  readonly processClocks: ClockReports;
  readonly timeWanted: TimeWanted;
  readonly rebuilds: Rebuilds;
}

/** An empty store, and the ports that belong to it. */
export interface StoreUnderTest extends StorePorts, AsyncDisposable {
  /** Makes the database server look as if it had been restarted since the store's last write. */
  startAnew(): Promise<void>;
  /** Begins a session that shows that its process is alive: see `src/store/sql/life.ts`. */
  beginSession(): Promise<AsyncDisposable & { readonly name: string }>;
  /** Resolves once every later commit is reported to `ear`. */
  listen(ear: Ear): Promise<AsyncDisposable>;
}

export type MakeStore = () => Promise<StoreUnderTest>;

/** Saves in one transaction. */
export const save = (store: Store, some: Parameters<typeof writes>[0]): Promise<void> =>
  store.transact(io(), (tx) => tx.save(writes(some)));

/** Records a change at the head of its lane, with an effect that is due. */
export async function arrive(store: Store, change: Change): Promise<void> {
  await store.transact(io(), async (tx) => {
    await tx.lock([change.lane]);
    await tx.save(writes(arrival(change)));
  });
}

export const read = <T>(store: Store, work: (tx: Tx) => Promise<T>): Promise<T> =>
  store.transact(io(), work);

/** Dispatches all due effects and returns them. */
export async function dispatchAll(
  outbox: Outbox,
): Promise<readonly { readonly id: string; readonly dispatchNo: number }[]> {
  const taken: { id: string; dispatchNo: number }[] = [];
  const put = async (effects: readonly { id: string; dispatchNo: number }[]): Promise<void> => {
    taken.push(...effects.map(({ id, dispatchNo }) => ({ id, dispatchNo })));
  };
  await outbox.dispatchDue(100, put, io());
  return taken;
}

/** A transaction that has done its work and waits until the test commits it or makes it fail. */
export interface HeldTransaction<T> {
  /** The result of the work; rejects if the work failed. */
  readonly worked: Promise<T>;
  /** Commits the transaction, and waits until it is committed. */
  commit(): Promise<T>;
  /** Makes the transaction fail, and waits until it has failed. */
  fail(): Promise<void>;
}

export function held<T>(store: Store, work: (tx: Tx) => Promise<T>): HeldTransaction<T> {
  const worked = Promise.withResolvers<T>();
  const gate = Promise.withResolvers<void>();
  const done = store.transact(io(), async (tx) => {
    const value = await work(tx);
    worked.resolve(value);
    await gate.promise;
    return value;
  });
  done.catch(worked.reject);
  worked.promise.catch(() => undefined);
  gate.promise.catch(() => undefined);
  return {
    worked: worked.promise,
    commit() {
      gate.resolve();
      return done;
    },
    async fail() {
      gate.reject(new Error('told to fail'));
      await done.catch(() => undefined);
    },
  };
}

const lockWaits = new WeakMap<Store, () => Promise<boolean>>();

/** Registers a function that tells whether a transaction of a store waits for a lock of another one. */
export function tellLockWaits(store: Store, look: () => Promise<boolean>): void {
  lockWaits.set(store, look);
}

/**
 * How many turns of the event loop must pass before a call counts as waiting: at least, and at most if the store cannot
 * see locks.
 */
const TURNS = { least: 8, most: 1_000 };

/**
 * Returns whether a call waits for a lock: the call is pending, although the store has meanwhile had time to answer
 * several others. A call that is merely slow, because of a commit or a new connection, does not wait for a lock.
 */
export async function isWaiting(promise: Promise<unknown>, store: Store): Promise<boolean> {
  const state = { isOver: false };
  const over = () => {
    state.isOver = true;
  };
  promise.then(over, over);
  const isLocked = lockWaits.get(store);
  for (let turns = 1; !state.isOver && turns <= TURNS.most; turns += 1) {
    await store.reads.headOf(newLane(), io());
    if (turns >= TURNS.least && (await isLocked?.())) break;
  }
  return !state.isOver;
}
