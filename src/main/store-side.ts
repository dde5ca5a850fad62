import type { Pool } from 'pg';
import type { Log } from '../app/ports/io.ts';
import type { Store, StoreObserver } from '../app/ports/transaction.ts';
import { OutcomeWaiters } from '../http/kit/outcome-waiters.ts';
import { observeOutcomes } from '../ops/observed.ts';
import type { LocalSignals } from '../queue/signals.ts';
import { createSignals, wakingRelay } from '../queue/signals.ts';
import { createPostgresStore } from '../store/engine/postgres-store.ts';
import type { Observation } from './observation.ts';

/** The store, and the observers in this process of its commits. The relay of this process always is one. */
export interface StoreSide {
  /** The waiting callers get its outcomes by database notification alone. */
  readonly store: Store;
  /**
   * A store whose outcomes are counted, traced, and reported to the waiting callers in this process.
   *
   * @param spanName names its transactions in the traces of the changes that end in them
   */
  readonly observedStore: (spanName: string) => Store;
  /** The observer of `observedStore`, for transactions of the core that do not use a store. */
  readonly observer: (spanName: string) => StoreObserver;
  readonly outcomes: OutcomeWaiters;
  /** Wakes the relay. */
  readonly signals: LocalSignals;
}

interface StoreParts {
  readonly pool: Pool;
  /** Names this process. */
  readonly holder: string;
  readonly observation: Observation;
  readonly log: Log;
  /** Wraps the store; its result is used in the store's place. */
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
