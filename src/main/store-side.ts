import type { Pool } from 'pg';
import type { Log } from '../app/ports/io.ts';
import type { Store } from '../app/ports/transaction.ts';
import { OutcomeWaiters } from '../http/kit/outcome-waiters.ts';
import { observeOutcomes, wakingRelay } from '../ops/observed.ts';
import type { LocalSignals } from '../queue/signals.ts';
import { createSignals } from '../queue/signals.ts';
import { createPostgresStore } from '../store/engine/postgres-store.ts';
import type { Observation } from './observation.ts';

/** The store, and who hears in this process of what is committed through it. */
export interface StoreSide {
  /** What this one commits is told by notification alone. */
  readonly store: Store;
  /**
   * Outcomes are counted and traced, and those who wait for them here are told; the relay of this process looks.
   *
   * @param spanName what its transactions do, in the traces of the changes that end in them
   */
  readonly observedStore: (spanName: string) => Store;
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
  const store = through(createPostgresStore(pool));
  const outcomes = new OutcomeWaiters({
    reads: store.reads,
    onError: (error) => log.warn({ error: String(error) }, 'outcomes could not be read'),
  });
  const signals = createSignals();
  return {
    store,
    outcomes,
    signals,
    observedStore: (spanName) => {
      const counting = observeOutcomes(spanName, observation, outcomes);
      const observer = wakingRelay(holder, () => signals.effectsDue(), counting);
      return through(createPostgresStore(pool, observer));
    },
  };
}
