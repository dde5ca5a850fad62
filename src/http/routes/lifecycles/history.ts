import type { Caller } from '../../../domain/caller.ts';
import type { ContractView } from '../../../app/ports/views.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import { textAt } from '../../../domain/json.ts';
import { foreign, parsed } from '../../kit/cursor.ts';
import type { HistoryEntry } from '../../../domain/lifecycle.ts';
import { isoToMs } from '../../../domain/time.ts';

/** Hides the other party's command ID, and which of its people made the request. */
function withoutTheirs(entry: HistoryEntry, caller: Caller): HistoryEntry {
  if (entry.by === null || entry.by === caller.party) return entry;
  const { subject: _subject, ...detail } = entry.detail;
  return { ...entry, commandId: null, detail };
}

/** One entry of a lifecycle's history as this caller may read it. */
export function historyBody(entry: HistoryEntry, caller: Caller): JsonRecord {
  const seen = withoutTheirs(entry, caller);
  return {
    at: seen.at,
    kind: seen.kind,
    state: seen.state,
    ...(seen.by === null ? {} : { by: seen.by }),
    ...(seen.commandId === null ? {} : { commandId: seen.commandId }),
    ...(seen.offset === null ? {} : { offset: Number(seen.offset) }),
    ...(seen.updateId === null ? {} : { updateId: seen.updateId }),
    ...(seen.contractId === null ? {} : { contractId: seen.contractId }),
    detail: seen.detail,
  };
}

const commented = (comment: ContractView, before: HistoryEntry): HistoryEntry => ({
  lifecycleId: before.lifecycleId,
  seq: before.seq,
  at: comment.createdAt,
  kind: 'ledger.commented',
  state: before.state,
  by: textAt(comment.payload, 'commenter') ?? null,
  commandId: null,
  offset: comment.createdAtOffset,
  updateId: null,
  contractId: comment.contractId,
  // Another client's comment may belong to another licence with the same number.
  detail: comment.originId === null ? { licenseLifecycleId: null } : {},
});

/**
 * A position in a history with comments: how many history lines and how many comments a reader has received. Lines have
 * wall time and comments have ledger time. So a comment may be projected after a later line was already sent; it is
 * then on the next page.
 */
export interface HistoryPosition {
  readonly lines: number;
  readonly comments: number;
}

export interface PlacedEntry {
  readonly entry: HistoryEntry;
  readonly position: HistoryPosition;
}

const COUNT = /^\d{1,9}$/u;

/** @throws ProblemError `REQUEST_INVALID` if no list issued the cursor */
export function readHistoryPosition(cursor: string): HistoryPosition {
  const [lines, comments] = parsed(cursor);
  const isOurs = [lines, comments].every((n) => typeof n === 'string' && COUNT.test(n));
  return isOurs ? { lines: Number(lines), comments: Number(comments) } : foreign();
}

/**
 * Yields a licence's history with the comments made during its life, in order of time. History and comments must come
 * oldest first. Lines of the history keep their order, which is that of the lifecycle's versions.
 */
export async function* withComments(
  history: AsyncIterable<HistoryEntry>,
  comments: AsyncIterable<ContractView>,
  passed: HistoryPosition = { lines: 0, comments: 0 },
): AsyncGenerator<PlacedEntry, void, undefined> {
  const waiting = comments[Symbol.asyncIterator]();
  for (let n = 0; n < passed.comments; n += 1) await waiting.next();
  let next = await waiting.next();
  const position = { lines: 0, comments: passed.comments };
  /** Yields the comments made before a time, each with the lifecycle's state after the given line. */
  async function* madeBefore(ms: number, line: HistoryEntry) {
    while (next.done !== true && isoToMs(next.value.createdAt) < ms) {
      position.comments += 1;
      yield { entry: commented(next.value, line), position: { ...position } };
      next = await waiting.next();
    }
  }
  let before: HistoryEntry | undefined;
  for await (const entry of history) {
    const isPassed = position.lines < passed.lines;
    if (before !== undefined && !isPassed) yield* madeBefore(isoToMs(entry.at), before);
    position.lines += 1;
    if (!isPassed) yield { entry, position: { ...position } };
    before = entry;
  }
  if (before !== undefined) yield* madeBefore(Infinity, before);
}
