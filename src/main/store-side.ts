import type { Pool } from 'pg';
import type { Log } from '../app/ports/io.ts';
import type { Store, StoreObserver } from '../app/ports/transaction.ts';
import { OutcomeWaiters } from '../http/kit/outcome-waiters.ts';
import { observeOutcomes } from '../ops/observed.ts';
import type { LocalSignals } from '../queue/signals.ts';
import { createSignals, wakingRelay } from '../queue/signals.ts';
import { createPostgresStore } from '../store/engine/postgres-store.ts';
import type { Observation } from './observation.ts';

/** The store, and this process's observers of its commits. The observers include the relay of this process. */
export interface StoreSide {
  /**
   * The store for work whose outcomes are neither counted nor traced; waiting callers in this process get them only by
   * database notification.
   */
  readonly store: Store;
  /**
   * Returns a store whose outcomes are counted, traced and reported to the callers that wait in this process.
   *
   * @param spanName names the store's transactions in the traces of changes that end in them
   */
  readonly observedStore: (spanName: string) => Store;
  /** Returns the observer of `observedStore`, for transactions of the core that do not use a store. */
  readonly observer: (spanName: string) => StoreObserver;
  readonly outcomes: OutcomeWaiters;
  /** Signals that wake the relay of this process. */
  readonly signals: LocalSignals;
}

interface StoreParts {
  readonly pool: Pool;
  /** The name of this process. */
  readonly holder: string;
  readonly observation: Observation;
  readonly log: Log;
  /** Wraps the store. The result is used in place of the store. */
  readonly through: (store: Store) => Store;
}

export function openStoreSide({ pool, holder, observation, log, through }: StoreParts): StoreSide {
  const signals = createSignals();
  const waking = (observer?: StoreObserver): StoreObserver =>
    wakingRelay(holder, signals, observer);
  const store = through(createPostgresStore(pool, waking()));
  const outcomes = new OutcomeWaiters({
    reads: store.reads,
    onError: (error) => log.warn({ error: String(error) }, 'outcomes could not be read'),
  });
  const observer = (spanName: string): StoreObserver =>
    waking(observeOutcomes(spanName, observation, outcomes));
  return {
    store,
    observedStore: (spanName) => through(createPostgresStore(pool, observer(spanName))),
    observer,
    outcomes,
    signals,
  };
}
