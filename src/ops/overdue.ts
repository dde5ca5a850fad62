import { LeaseLostError } from '../app/engine/lanes/leased.ts';
import type { Alarms } from '../app/ports/alarms.ts';
import type { WallClock } from '../app/ports/clocks.ts';
import type { Io, Log } from '../app/ports/io.ts';
import type { Reads } from '../app/ports/reads.ts';
import { sleep } from '../app/ports/wakeup.ts';
import { PROJECTOR_LEASE } from '../app/ports/leases.ts';
import { orParticipant } from '../app/engine/lanes/participant-wait.ts';
import { OPS_LIMITS } from './limits.ts';
import { LIMITS } from '../domain/limits.ts';
import { SHORTEST_MS, overdue } from '../app/desk/overdue.ts';
import type { Duty } from './scheduler.ts';

export interface DetectorDeps {
  readonly reads: Reads;
  readonly alarms: Alarms;
  readonly wallClock: WallClock;
  readonly log: Log;
}

/** Makes one pass: raises alarms for overdue changes, and clears the alarms of changes that no longer wait. */
async function look(deps: DetectorDeps, epoch: bigint, io: Io): Promise<void> {
  const nowMs = deps.wallClock.nowMs();
  const before = (ms: number): string => new Date(nowMs - ms).toISOString();
  const limit = LIMITS.alarmsMax;
  const [waiting, inDoubt, causes, lease] = await Promise.all([
    deps.reads.longestWaiting(
      { since: before(SHORTEST_MS), acceptedBefore: before(LIMITS.ageMsMax), limit },
      io,
    ),
    deps.reads.inDoubt(limit, io),
    deps.reads.participantCauses(io),
    deps.reads.leaseOf(PROJECTOR_LEASE, io),
  ]);
  const reads = { leaseOf: () => Promise.resolve(lease) };
  const told = await Promise.all(
    waiting.map(async (change) => ({
      ...change,
      waitingFor:
        change.waitingFor && (await orParticipant(reads, causes, change, change.waitingFor, io)),
    })),
  );
  const heads = new Map([...told, ...inDoubt].map((change) => [change.id, change]));
  const raised = [...heads.values()].flatMap((change) => overdue(change, nowMs, causes) ?? []);
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
