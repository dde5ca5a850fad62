import type { Term } from '../app/engine/lanes/leased.ts';
import { LeaseLostError } from '../app/engine/lanes/leased.ts';
import type { Io, Log } from '../app/ports/io.ts';
import type { Retention } from '../app/ports/retention.ts';
import { sleep } from '../app/ports/wakeup.ts';
import { OPS_LIMITS } from './limits.ts';
import { LIMITS } from '../domain/limits.ts';
import type { Duty } from './scheduler.ts';

/** How long finished rows are kept, in milliseconds; `null` keeps them for ever. */
export interface RetentionPolicy {
  readonly changesMs: number | null;
  readonly eventsMs: number | null;
  readonly contractsMs: number | null;
  readonly auditMs: number | null;
}

export interface RetentionDeps {
  readonly retention: Retention;
  readonly policy: RetentionPolicy;
  readonly log: Log;
}

const LIMIT = OPS_LIMITS.retentionBatchMax;

/** Returns the answer of a write. @throws LeaseLostError if another process holds the lease */
const counted = <T>(answer: T | null): T => {
  if (answer === null) throw new LeaseLostError();
  return answer;
};

/** Runs batches until one is not full, with a pause after each so that other work can run. */
async function prune(
  term: Term,
  batch: (io: Io) => Promise<{ readonly pruned: number; readonly isLast: boolean }>,
): Promise<number> {
  for (let sum = 0; ;) {
    const { pruned, isLast } = await batch({
      signal: term.signal,
      deadlineMs: LIMITS.databaseStatementMs,
    });
    sum += pruned;
    if (isLast || term.signal.aborted) return sum;
    await sleep(OPS_LIMITS.retentionPauseMs, term.signal);
  }
}

function pruneOld(
  { retention }: RetentionDeps,
  what: 'changes' | 'events' | 'deliveries' | 'acts' | 'audit',
  olderThanMs: number | null,
  term: Term,
): Promise<number> {
  if (olderThanMs === null) return Promise.resolve(0);
  return prune(term, async (io) => {
    const pruned = counted(await retention[what]({ olderThanMs, limit: LIMIT }, term.epoch, io));
    return { pruned, isLast: pruned < LIMIT };
  });
}

/**
 * Deletes old archived contracts. First advances the offset from which the projection tells its readers that it is
 * complete, and then deletes the rows before that offset.
 */
async function pruneArchived(
  { retention }: RetentionDeps,
  olderThanMs: number,
  term: Term,
): Promise<number> {
  const io: Io = { signal: term.signal, deadlineMs: LIMITS.databaseStatementMs };
  const cut = await retention.cut(olderThanMs, io);
  if (cut === null) return 0;
  if (!(await retention.beginAt(cut, term.epoch, io))) throw new LeaseLostError();
  let sum = 0;
  for (const what of ['contracts', 'exercises', 'updates'] as const) {
    let after = -1n;
    sum += await prune(term, async (each) => {
      const batch = { cut, after, limit: LIMIT };
      const { pruned, at } = counted(await retention.archived(what, batch, term.epoch, each));
      if (at !== null) after = at;
      return { pruned, isLast: at === null };
    });
  }
  return sum;
}

/** Makes one pass that deletes the rows that the policy no longer keeps. @throws LeaseLostError */
async function tidy(deps: RetentionDeps, term: Term): Promise<void> {
  const { changesMs, eventsMs, contractsMs, auditMs } = deps.policy;
  const pruned = {
    changes: await pruneOld(deps, 'changes', changesMs, term),
    acts: await pruneOld(deps, 'acts', changesMs, term),
    events: await pruneOld(deps, 'events', eventsMs, term),
    deliveries: await pruneOld(deps, 'deliveries', eventsMs, term),
    audit: await pruneOld(deps, 'audit', auditMs, term),
    archived: contractsMs === null ? 0 : await pruneArchived(deps, contractsMs, term),
  };
  if (Object.values(pruned).some((count) => count > 0)) {
    deps.log.info(pruned, 'deleted old rows of finished operations');
  }
}

/** Returns the duty that deletes old rows when a term begins, and then every hour. */
export const keepTidy = (deps: RetentionDeps): Duty => ({
  name: 'retention',
  async run(term) {
    while (!term.signal.aborted) {
      await tidy(deps, term);
      await sleep(OPS_LIMITS.retentionLookMs, term.signal);
    }
  },
});
