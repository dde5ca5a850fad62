import type { Pool } from 'pg';
import type { Log } from '../app/ports/io.ts';
import type { Store, StoreObserver } from '../app/ports/transaction.ts';
import { OutcomeWaiters } from '../http/kit/outcome-waiters.ts';
import { observeOutcomes } from '../ops/observed.ts';
import type { LocalSignals } from '../queue/signals.ts';
import { createSignals, wakingRelay } from '../queue/signals.ts';
import { createPostgresStore } from '../store/engine/postgres-store.ts';
import type { Observation } from './observation.ts';

/** The store, and who hears in this process of what is committed through it. The relay of this process always does. */
export interface StoreSide {
  /** Its outcomes are told by notification alone. */
  readonly store: Store;
  /**
   * Outcomes are counted and traced, and those who wait for them here are told.
   *
   * @param spanName what its transactions do, in the traces of the changes that end in them
   */
  readonly observedStore: (spanName: string) => Store;
  /** The same for what has transactions of the core and is no store. */
  readonly observer: (spanName: string) => StoreObserver;
  readonly outcomes: OutcomeWaiters;
  /** What has the relay look. */
  readonly signals: LocalSignals;
}

interface StoreParts {
  readonly pool: Pool;
  /** Names this process. */
  readonly holder: string;
  readonly observation: Observation;
  readonly log: Log;
  /** Puts before the store what has to stand there, and gives what is used in its place. */
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
