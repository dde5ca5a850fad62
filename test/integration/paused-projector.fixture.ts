/*
 * A projector in a process of its own, for a test that pauses it: `node paused-projector.fixture.ts <database>
 * <provider's participant> <users' participant>`. It prints `in batch` when a transaction with updates has written
 * everything but has not committed, and then waits for a moment, so that the test can pause the process; it prints
 * `committed` after the commit; and it prints its state.
 */
import { NEWEST_MODEL } from '../../src/app/licensing/model.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '../../src/app/ports/transaction.ts';
import { startProjector } from '../../src/projector/projector.ts';
import { createLeases } from '../../src/store/engine/lease.ts';
import { openPool } from '../../src/store/sql/pool.ts';
import { createPostgresStore } from '../../src/store/engine/postgres-store.ts';
import { P, U, ledgerDeps, openPeer } from '../kit/projector-world.ts';
import { PATIENCE_MS } from '../kit/patience.ts';

const [url, provider, users] = process.argv.slice(2);
if (url === undefined || provider === undefined || users === undefined)
  throw new Error('usage: paused-projector.fixture.ts <database> <participant> <participant>');
const say = (word: string): void => {
  process.stdout.write(`${word}\n`);
};

const pool = await openPool({
  url,
  max: 4,
  pipelined: true,
  applicationName: 'tenure paused projector',
  statementTimeoutMs: 30_000,
  idleInTransactionTimeoutMs: 30_000,
  signal: AbortSignal.timeout(PATIENCE_MS),
});
const store = createPostgresStore(pool);
/** This time is long enough for a signal to arrive. */
const OPEN_MS = 500;

const watched: Store = {
  reads: store.reads,
  transact: async (io, work) => {
    let hasUpdates = false;
    const value = await store.transact(io, async (tx) => {
      const insertUpdates = tx.insertUpdates.bind(tx);
      tx.insertUpdates = async (updates, readAs) => {
        hasUpdates = updates.length > 0;
        await insertUpdates(updates, readAs);
      };
      const done = await work(tx);
      if (hasUpdates) {
        // When this read is answered, every statement that was sent before has been executed.
        await tx.cursors();
        say('in batch');
        await sleep(OPEN_MS);
      }
      return done;
    });
    if (hasUpdates) say('committed');
    return value;
  },
};

const quiet = () => undefined;
startProjector({
  model: NEWEST_MODEL,
  ...ledgerDeps([openPeer(P, provider), openPeer(U, users)]),
  store: watched,
  leases: createLeases(pool),
  log: {
    debug: quiet,
    info: (fields, message) => {
      if (message === 'projector' && 'state' in fields) say(String(fields.state));
    },
    warn: quiet,
    error: quiet,
  },
  holder: `paused-${process.pid}`,
});
