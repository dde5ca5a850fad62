import type { LedgerGateway } from '../../src/app/ports/ledger.ts';
import type { Outbox } from '../../src/app/ports/outbox.ts';
import type { Store, Tx } from '../../src/app/ports/transaction.ts';
import type { Writes } from '../../src/app/ports/writes.ts';
import { isOpen } from '../../src/domain/change.ts';
import type { Instruments } from '../../src/main/system.ts';
import type { JobQueue } from '../../src/queue/backend.ts';

/**
 * Points in the path of an operation at which a test can end the process, and the role of the process that reaches each
 * point. At `before-commit` PostgreSQL has done everything in the transaction except the commit; at `after-commit` no
 * process has been notified.
 */
export const CRASH_POINTS = {
  'change:before-commit': 'api',
  'change:after-commit': 'api',
  'queue:before-add': 'worker',
  'queue:after-add': 'worker',
  'dispatch:after-commit': 'worker',
  'submit:before': 'worker',
  'submit:after': 'worker',
  'answer:before-commit': 'worker',
  'answer:after-commit': 'worker',
  'batch:updates-written': 'projector',
  'outcome:before-commit': 'projector',
  'outcome:after-commit': 'projector',
} as const;
export type CrashPoint = keyof typeof CRASH_POINTS;

/** Called at every crash point; does not return if the process ends there. */
export type Reach = (point: CrashPoint) => Promise<void>;

type Transaction = 'change' | 'answer' | 'outcome';

/** Returns the kind of a transaction of the engine, which follows from what it writes. */
function transactionOf(writes: Writes | null, movesCursors: boolean): Transaction | null {
  if (writes === null) return null;
  if (movesCursors) return writes.changes.some(({ state }) => !isOpen(state)) ? 'outcome' : null;
  if (writes.attempts.length > 0) return 'answer';
  return writes.changes.length > 0 ? 'change' : null;
}

/** Waits until PostgreSQL has executed all statements that were sent: writes are sent without waiting for an answer. */
const answered = async (tx: Tx): Promise<void> => {
  await tx.cursors();
};

/** Returns the transaction with some of its methods replaced. */
export const instead = (tx: Tx, methods: Partial<Tx>): Tx =>
  new Proxy(tx, {
    get: (target, name) => {
      const member: unknown = Reflect.get(methods, name) ?? Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });

function aroundStore(store: Store, reach: Reach): Store {
  return {
    reads: store.reads,
    transact: async (io, work) => {
      let kind: Transaction | null = null;
      const value = await store.transact(io, async (tx) => {
        let writes: Writes | null = null;
        let movesCursors = false;
        const done = await work(
          instead(tx, {
            save: (wanted) => {
              writes = wanted;
              return tx.save(wanted);
            },
            startFirst: (wanted, ...asked) => {
              writes = wanted;
              return tx.startFirst(wanted, ...asked);
            },
            moveCursors: (moves, epoch) => {
              movesCursors = true;
              return tx.moveCursors(moves, epoch);
            },
            insertUpdates: async (updates, readAs) => {
              await tx.insertUpdates(updates, readAs);
              if (updates.length === 0) return;
              await answered(tx);
              await reach('batch:updates-written');
            },
          }),
        );
        kind = transactionOf(writes, movesCursors);
        if (kind !== null) {
          await answered(tx);
          await reach(`${kind}:before-commit`);
        }
        return done;
      });
      // The variable is assigned inside the transaction, which the compiler cannot see.
      const committed = kind as Transaction | null;
      if (committed !== null) await reach(`${committed}:after-commit`);
      return value;
    },
  };
}

const aroundOutbox = (outbox: Outbox, reach: Reach): Outbox => ({
  nextDueInMs: (io) => outbox.nextDueInMs(io),
  dispatchDue: async (limit, put, io) => {
    const taken = await outbox.dispatchDue(limit, put, io);
    if (taken > 0) await reach('dispatch:after-commit');
    return taken;
  },
  startAttempt: (...asked) => outbox.startAttempt(...asked),
  startAttempts: (...asked) => outbox.startAttempts(...asked),
  putOff: (...asked) => outbox.putOff(...asked),
  participantReached: (...asked) => outbox.participantReached(...asked),
  completionsBack: (...asked) => outbox.completionsBack(...asked),
  isCurrent: (...asked) => outbox.isCurrent(...asked),
  giveUp: (...asked) => outbox.giveUp(...asked),
});

const aroundQueue = (queue: JobQueue, reach: Reach): JobQueue => ({
  counts: (io) => queue.counts(io),
  close: () => queue.close(),
  add: async (...asked) => {
    await reach('queue:before-add');
    await queue.add(...asked);
    await reach('queue:after-add');
  },
});

const aroundGateway = (gateway: LedgerGateway, reach: Reach): LedgerGateway => ({
  ...gateway,
  submit: async (request, io) => {
    await reach('submit:before');
    const answer = await gateway.submit(request, io);
    await reach('submit:after');
    return answer;
  },
});

/** Instruments for {@link startSystem} that report when the process is at a crash point. */
export const crashInstruments = (reach: Reach): Instruments => ({
  store: (store) => aroundStore(store, reach),
  outbox: (outbox) => aroundOutbox(outbox, reach),
  queue: (queue) => aroundQueue(queue, reach),
  gateway: (gateway) => aroundGateway(gateway, reach),
});
