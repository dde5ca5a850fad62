import { LeaseLostError } from '../app/engine/lanes/leased.ts';
import type { Alarms } from '../app/ports/alarms.ts';
import type { WallClock } from '../app/ports/clocks.ts';
import type { Io, Log } from '../app/ports/io.ts';
import type { Reads } from '../app/ports/reads.ts';
import { sleep } from '../app/ports/wakeup.ts';
import { orCircuit } from '../app/engine/lanes/circuit-wait.ts';
import { orStandstill } from '../app/engine/attempts/ledger-wait.ts';
import type { Change, WaitingFor } from '../domain/change.ts';
import { OPS_LIMITS } from './limits.ts';
import { LIMITS } from '../domain/limits.ts';
import { SHORTEST_MS, overdue } from '../app/desk/overdue.ts';
import type { Duty } from './clock.ts';

export interface DetectorDeps {
  readonly reads: Reads;
  readonly alarms: Alarms;
  readonly wallClock: WallClock;
  readonly log: Log;
}

/** Reads whose results apply to many changes. */
type SharedReads = Pick<Reads, 'circuitOf' | 'leaseOf' | 'standstillOf'>;

/** Returns a function that reads the value for each name once and then returns the same value again. */
function remembered<Name extends string, T>(
  read: (name: Name, io: Io) => Promise<T>,
): (name: Name, io: Io) => Promise<T> {
  const asked = new Map<Name, Promise<T>>();
  return (name, io) => {
    const known = asked.get(name) ?? read(name, io);
    asked.set(name, known);
    return known;
  };
}

/** Returns reads that ask for the state of each participant once, even if it delays many changes. */
const askedOnce = (reads: SharedReads): SharedReads => ({
  circuitOf: remembered((participant, io) => reads.circuitOf(participant, io)),
  leaseOf: remembered((name, io) => reads.leaseOf(name, io)),
  standstillOf: remembered((participant, io) => reads.standstillOf(participant, io)),
});

/** Returns what a change waits for, including causes that are not stored with the change. */
async function whatFor(reads: SharedReads, change: Change, waiting: WaitingFor, io: Io) {
  return orStandstill(reads, change, await orCircuit(reads, change, waiting, io), io);
}

/** Makes one pass: raises alarms for overdue changes, and clears the alarms of changes that no longer wait. */
async function look(deps: DetectorDeps, epoch: bigint, io: Io): Promise<void> {
  const nowMs = deps.wallClock.nowMs();
  const before = (ms: number): string => new Date(nowMs - ms).toISOString();
  const limit = LIMITS.alarmsMax;
  const [waiting, inDoubt, foreign] = await Promise.all([
    deps.reads.longestWaiting(
      { since: before(SHORTEST_MS), acceptedBefore: before(LIMITS.ageMsMax), limit },
      io,
    ),
    deps.reads.inDoubt(limit, io),
    deps.reads.foreignLedgers(io),
  ]);
  const shared = askedOnce(deps.reads);
  const told = await Promise.all(
    waiting.map(async (change) => ({
      ...change,
      waitingFor: change.waitingFor && (await whatFor(shared, change, change.waitingFor, io)),
    })),
  );
  const heads = new Map([...told, ...inDoubt].map((change) => [change.id, change]));
  const raised = [...heads.values()].flatMap((change) => overdue(change, nowMs, foreign) ?? []);
  const news = await deps.alarms.replace(raised, epoch, io);
  if (news === null) throw new LeaseLostError();
  for (const { changeId, kind, since, detail } of news.raised) {
    const commandId = heads.get(changeId)?.commandId;
    deps.log.warn({ changeId, commandId, kind, since, detail }, 'an operation waits too long');
  }
  for (const changeId of news.cleared) {
    deps.log.info({ changeId }, 'an operation that had waited too long continues');
  }
}

/** Returns the duty that checks for overdue changes every few seconds. */
export const watchOverdue = (deps: DetectorDeps): Duty => ({
  name: 'check for operations that wait too long',
  async run({ epoch, signal }) {
    while (!signal.aborted) {
      await look(deps, epoch, { signal, deadlineMs: LIMITS.databaseStatementMs });
      await sleep(OPS_LIMITS.alarmLookMs, signal);
    }
  },
});
