import { LedgerError } from '../ledger/ledger-error.ts';
import { indexAfter } from '../ledger/participant-state.ts';
import type { ParticipantState, Reached } from '../ledger/participant-state.ts';
import { negativeOffset } from '../ledger/submission-checks.ts';
import { TIMER_MS_MAX } from '../ledger/wakeup.ts';

export interface OffsetRange {
  readonly beginExclusive: bigint;
  /** Absent: for ever. */
  readonly endInclusive: bigint | undefined;
}

/** OFFSET_AFTER_LEDGER_END, OFFSET_OUT_OF_RANGE, NEGATIVE_OFFSET, PARTICIPANT_PRUNED_DATA_ACCESSED. */
export function checkRange(
  { beginExclusive, endInclusive }: OffsetRange,
  state: ParticipantState,
): void {
  if (beginExclusive < 0n) throw negativeOffset('begin_exclusive', beginExclusive);
  if (endInclusive !== undefined && endInclusive < 0n) {
    throw negativeOffset('end_inclusive', endInclusive);
  }
  if (endInclusive !== undefined && endInclusive < beginExclusive) {
    throw new LedgerError(
      'OFFSET_OUT_OF_RANGE',
      `End offset ${endInclusive} is before begin offset ${beginExclusive}`,
    );
  }
  requireNotAfterEnd('Begin', beginExclusive, state);
  if (endInclusive !== undefined) requireNotAfterEnd('End', endInclusive, state);
  // Nothing is asked for there, so nothing is missing.
  if (endInclusive === beginExclusive) return;
  requireNotPruned(beginExclusive, state);
}

export function requireNotAfterEnd(what: string, offset: bigint, state: ParticipantState): void {
  if (offset <= state.ledgerEnd) return;
  throw new LedgerError(
    'OFFSET_AFTER_LEDGER_END',
    `${what} offset (${offset}) is after ledger end (${state.ledgerEnd})`,
    { resources: [{ type: 'OFFSET', name: offset.toString() }] },
  );
}

/** `beginExclusive` may be where pruning ended, and not before. */
export function requireNotPruned(beginExclusive: bigint, state: ParticipantState): void {
  if (beginExclusive >= state.prunedUpTo) return;
  throw new LedgerError(
    'PARTICIPANT_PRUNED_DATA_ACCESSED',
    `Request from ${beginExclusive} precedes pruned offset ${state.prunedUpTo}`,
    { metadata: { earliest_offset: state.prunedUpTo.toString() } },
  );
}

export interface TailOptions<Item, Message> {
  readonly state: ParticipantState;
  readonly range: OffsetRange;
  /** All items of the participant, ascending. Asked again on each pass: pruning replaces the array. */
  readonly items: () => readonly Item[];
  /** The item as the reader may see it; `undefined` when it may not. */
  readonly project: (item: Item) => Message | undefined;
  readonly checkpoint: (reached: Reached) => Message;
  /** Checkpoints come no sooner one after the other. */
  readonly checkpointIntervalMs: number;
  readonly stop: AbortSignal;
  readonly endOfStream: () => Error;
}

/**
 * Elements of a range in order of offset; without an end, also everything that comes, for ever. A stream that has
 * caught up says so with a checkpoint, at once, and again when the participant has gone on: a reader whose filter
 * matches nothing still learns how far it has read. Where nothing happens nothing is said. One element is made at a
 * time: a slow reader costs no memory.
 */
export async function* tail<Item extends { readonly offset: bigint }, Message>(
  options: TailOptions<Item, Message>,
): AsyncGenerator<Message, void, undefined> {
  const { state, range, stop } = options;
  checkRange(range, state);
  let position = range.beginExclusive;
  let told: bigint | undefined;
  let checkpointDueMs = performance.now();
  for (;;) {
    // Offset and time are taken together: while a slow reader reads, both go on.
    const { reached } = state;
    const target = range.endInclusive ?? reached.offset;
    yield* pass(options, position, target);
    position = target;
    if (range.endInclusive !== undefined) return;
    if (told !== position && performance.now() >= checkpointDueMs) {
      yield options.checkpoint(reached);
      told = position;
      checkpointDueMs = performance.now() + options.checkpointIntervalMs;
    }
    if (stop.aborted) throw options.endOfStream();
    if (state.ledgerEnd > position) continue;
    const isToldSoon = told !== position;
    const waitMs = isToldSoon ? Math.max(1, checkpointDueMs - performance.now()) : TIMER_MS_MAX;
    await state.published.wait(stop, waitMs);
    if (stop.aborted) throw options.endOfStream();
  }
}

/** The elements between two offsets, both already reached. */
function* pass<Item extends { readonly offset: bigint }, Message>(
  { state, items, project, stop, endOfStream }: TailOptions<Item, Message>,
  beginExclusive: bigint,
  endInclusive: bigint,
): Generator<Message, void, undefined> {
  let position = beginExclusive;
  let all = items();
  let index = indexAfter(all, position);
  for (;;) {
    if (stop.aborted) throw endOfStream();
    // While the reader was slow the participant may have been pruned.
    const current = items();
    if (current !== all) {
      requireNotPruned(position, state);
      all = current;
      index = indexAfter(all, position);
    }
    const item = all[index];
    if (item === undefined || item.offset > endInclusive) return;
    index += 1;
    position = item.offset;
    const message = project(item);
    if (message !== undefined) yield message;
  }
}

/** Elements of a range that has an end, last first. */
export function* descending<Item extends { readonly offset: bigint }, Message>(
  items: readonly Item[],
  {
    beginExclusive,
    endInclusive,
  }: { readonly beginExclusive: bigint; readonly endInclusive: bigint },
  project: (item: Item) => Message | undefined,
): Generator<Message, void, undefined> {
  for (let index = indexAfter(items, endInclusive) - 1; index >= 0; index -= 1) {
    const item = items[index];
    if (item === undefined || item.offset <= beginExclusive) return;
    const message = project(item);
    if (message !== undefined) yield message;
  }
}
