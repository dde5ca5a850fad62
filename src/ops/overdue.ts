import { LeaseLostError } from '../app/engine/leased.ts';
import type { ForeignLedger } from '../app/ports/foreign-ledgers.ts';
import type { Alarm, Alarms } from '../app/ports/alarms.ts';
import type { WallClock } from '../app/ports/clocks.ts';
import type { Io, Log } from '../app/ports/io.ts';
import type { Reads } from '../app/ports/reads.ts';
import { orCircuit } from '../app/engine/circuit-wait.ts';
import { orStandstill } from '../app/engine/ledger-wait.ts';
import type { Change, Wait, WaitingFor } from '../domain/change.ts';
import { LIMITS } from '../domain/limits.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Duty } from './clock.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/**
 * How long a change may wait for one thing before somebody should hear of it: a few times what the slowest honest case
 * takes. A person is told at once.
 */
export const PATIENCE_MS: Readonly<Record<Wait, number>> = {
  mailbox: 10 * MINUTE_MS,
  queue: 15 * SECOND_MS,
  ledger: 2 * LIMITS.redispatchMs,
  registry: MINUTE_MS,
  participant: 2 * MINUTE_MS,
  backoff: 2 * LIMITS.unavailableBackoffMsMax,
  // Nobody gets any by waiting.
  traffic: 15 * SECOND_MS,
  projection: 30 * SECOND_MS,
  lease: 3 * LIMITS.leaseMs,
  person: 0,
  foreign: 0,
  // What is paused is not looked at: whoever has stopped it knows.
  pause: 10 * MINUTE_MS,
  // One that was restarted has caught up by then.
  behind: 5 * MINUTE_MS,
  // Twice what a bound takes to pass, and something is made to happen every half a minute.
  quiet: 5 * MINUTE_MS,
  // It is told when it has been missing for long.
  gone: 0,
  // It goes on when a person has put the clock right.
  clock: 0,
};

/** However it has spent its time: nothing takes this long in the ordinary course. */
export const AGE_MS_MAX = 10 * MINUTE_MS;

const SHORTEST_MS = Math.min(...Object.values(PATIENCE_MS).filter((ms) => ms > 0));

/**
 * What is to be raised about a change at the head of its lane, or `null`. Pure; wall time.
 *
 * @param foreign ledgers that are not the store's: what would go there waits for a person, whatever it says
 */
export function overdue(
  change: Change,
  nowMs: number,
  foreign: readonly ForeignLedger[] = [],
): Omit<Alarm, 'raisedAt'> | null {
  const found = foreign.find(({ participant }) => participant === change.submitter.participant);
  if (found !== undefined && change.state !== 'in-doubt') {
    return { changeId: change.id, kind: 'foreign', since: found.since, detail: found.reason };
  }
  const { waitingFor } = change;
  const since = waitingFor?.since ?? change.acceptedAt;
  const kind = waitingFor?.kind ?? 'queue';
  // What knows when it goes on is late from then on.
  const fromMs = Math.max(Date.parse(since), Date.parse(waitingFor?.until ?? since));
  const isLate = nowMs - fromMs > PATIENCE_MS[kind];
  const ageMs = nowMs - Date.parse(change.acceptedAt);
  if (!isLate && kind !== 'person' && ageMs <= AGE_MS_MAX) return null;
  return { changeId: change.id, kind, since, detail: waitingFor?.detail ?? 'nothing is stated' };
}

export interface DetectorDeps {
  readonly reads: Reads;
  readonly alarms: Alarms;
  readonly wallClock: WallClock;
  readonly log: Log;
}

/** What is recorded once for many. */
type SharedReads = Pick<Reads, 'circuitOf' | 'leaseOf' | 'standstillOf'>;

/** One answer for each name that is asked about. */
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

/** Of each participant, however many wait for it. */
const askedOnce = (reads: SharedReads): SharedReads => ({
  circuitOf: remembered((participant, io) => reads.circuitOf(participant, io)),
  leaseOf: remembered((name, io) => reads.leaseOf(name, io)),
  standstillOf: remembered((participant, io) => reads.standstillOf(participant, io)),
});

/** What is not recorded with the change itself. */
async function whatFor(reads: SharedReads, change: Change, waiting: WaitingFor, io: Io) {
  return orStandstill(reads, change, await orCircuit(reads, change, waiting, io), io);
}

/** Looks once: raises what has waited too long and takes back what waits no longer. */
async function look(deps: DetectorDeps, epoch: bigint, io: Io): Promise<void> {
  const nowMs = deps.wallClock.nowMs();
  const before = (ms: number): string => new Date(nowMs - ms).toISOString();
  const limit = LIMITS.alarmsMax;
  const [waiting, inDoubt, foreign] = await Promise.all([
    deps.reads.longestWaiting(
      { since: before(SHORTEST_MS), acceptedBefore: before(AGE_MS_MAX), limit },
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
    deps.log.info({ changeId }, 'an operation goes on after it had waited too long');
  }
}

/** Looks every few seconds. */
export const watchOverdue = (deps: DetectorDeps): Duty => ({
  name: 'what waits too long',
  async run({ epoch, signal }) {
    while (!signal.aborted) {
      await look(deps, epoch, { signal, deadlineMs: LIMITS.databaseStatementMs });
      await sleep(LIMITS.alarmLookMs, undefined, { signal }).catch(() => undefined);
    }
  },
});
