import { LedgerError } from '../ledger/ledger-error.ts';
import type { ParticipantState, Reached } from '../ledger/participant-state.ts';
import type { Placed } from '../ledger/placed.ts';
import { negativeOffset, nonPositiveOffset } from '../ledger/submission-checks.ts';
import { TIMER_MS_MAX } from '../ledger/wakeup.ts';

export interface OffsetRange {
  readonly beginExclusive: bigint;
  /** If absent, the stream has no end. */
  readonly endInclusive: bigint | undefined;
}

/** Throws NEGATIVE_OFFSET, OFFSET_AFTER_LEDGER_END. */
export function requireReached(beginExclusive: bigint, state: ParticipantState): void {
  if (beginExclusive < 0n) throw negativeOffset('begin_exclusive', beginExclusive);
  requireNotAfterEnd('Begin', beginExclusive, state);
}

const POSITIVE_OR_ABSENT =
  'the offset has to be either a positive integer (>0) or not defined at all';

/** Checks only the offsets themselves. Throws NEGATIVE_OFFSET, NON_POSITIVE_OFFSET, OFFSET_AFTER_LEDGER_END. */
export function checkOffsets(
  { beginExclusive, endInclusive }: OffsetRange,
  state: ParticipantState,
): void {
  if (beginExclusive < 0n) throw negativeOffset('begin_exclusive', beginExclusive);
  if (endInclusive !== undefined && endInclusive <= 0n) {
    throw nonPositiveOffset('end_inclusive', endInclusive, POSITIVE_OR_ABSENT);
  }
  requireNotAfterEnd('Begin', beginExclusive, state);
  if (endInclusive !== undefined) requireNotAfterEnd('End', endInclusive, state);
}

/** Throws OFFSET_OUT_OF_RANGE, OFFSET_AFTER_LEDGER_END, PARTICIPANT_PRUNED_DATA_ACCESSED. */
export function checkRange(
  { beginExclusive, endInclusive }: OffsetRange,
  state: ParticipantState,
): void {
  if (endInclusive !== undefined && endInclusive < beginExclusive) {
    throw new LedgerError(
      'OFFSET_OUT_OF_RANGE',
      `End offset ${endInclusive} is before begin offset ${beginExclusive}.`,
    );
  }
  requireNotAfterEnd('Begin', beginExclusive, state);
  // An empty range needs no data, so it can be read even after pruning.
  if (endInclusive === beginExclusive) return;
  requireNotPruned(beginExclusive, state);
}

export function requireNotAfterEnd(what: string, offset: bigint, state: ParticipantState): void {
  if (offset <= state.ledgerEnd) return;
  throw new LedgerError(
    'OFFSET_AFTER_LEDGER_END',
    `${what} offset (${offset}) is after ledger end (${state.ledgerEnd})`,
  );
}

/** Throws if data after `beginExclusive` has been pruned. */
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
  /** All items of the participant, in ascending order of offset. */
  readonly items: Placed<Item>;
  /** Returns the item as the reader sees it; `undefined` if the reader may not see it. */
  readonly project: (item: Item) => Message | undefined;
  readonly checkpoint: (reached: Reached) => Message;
  /** The minimum time between two checkpoints. */
  readonly checkpointIntervalMs: number;
  readonly stop: AbortSignal;
  readonly endOfStream: () => Error;
}

/**
 * Yields the elements of a range in order of offset. Without an end, the stream continues with new elements. A stream
 * that has caught up sends a checkpoint at once, and another one whenever the participant has advanced. So a reader
 * whose filter matches nothing still sees how far the stream has read. Without new events, no checkpoints are sent.
 * Elements are created one at a time, so that a slow reader does not cost memory.
 */
export async function* tail<Item, Message>(
  options: TailOptions<Item, Message>,
): AsyncGenerator<Message, void, undefined> {
  const { state, range, stop } = options;
  checkRange(range, state);
  let position = range.beginExclusive;
  let told: bigint | undefined;
  let checkpointDueMs = performance.now();
  for (;;) {
    // Offset and time are read together, because both advance while a slow reader reads.
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

/** How many entries are read from the journal without a pause. One read takes less than a tenth of a millisecond. */
const READS_AT_ONCE = 50;

/**
 * Interrupts reads from the journal after every {@link READS_AT_ONCE} entries, counted over all streams, so that other
 * tasks can run.
 */
export class Turns {
  readonly #state: ParticipantState;
  #readsBefore: number;

  constructor(state: ParticipantState) {
    this.#state = state;
    this.#readsBefore = state.reads;
  }

  /** Returns whether a pause is due. If nothing was read since the last pause, none is due. */
  isOver(): boolean {
    return this.#state.reads - this.#readsBefore >= READS_AT_ONCE;
  }

  async next(): Promise<void> {
    await new Promise(setImmediate);
    this.#readsBefore = this.#state.reads;
  }
}

/** Yields the elements between two offsets, both of which have been reached. */
async function* pass<Item, Message>(
  { state, items, project, stop, endOfStream }: TailOptions<Item, Message>,
  beginExclusive: bigint,
  endInclusive: bigint,
): AsyncGenerator<Message, void, undefined> {
  let position = beginExclusive;
  let index = items.indexAfter(position);
  let { version } = items;
  const turns = new Turns(state);
  for (;;) {
    if (turns.isOver()) await turns.next();
    if (stop.aborted) throw endOfStream();
    // The participant may have been pruned while the reader was slow.
    if (items.version !== version) {
      requireNotPruned(position, state);
      index = items.indexAfter(position);
      ({ version } = items);
    }
    const offset = items.offsetAt(index);
    if (offset === undefined || offset > endInclusive) return;
    const item = items.at(index);
    index += 1;
    position = offset;
    const message = item === undefined ? undefined : project(item);
    if (message !== undefined) yield message;
  }
}

interface BoundedRange {
  readonly beginExclusive: bigint;
  readonly endInclusive: bigint;
}

/** Yields the elements of a finite range. @param isDescending whether the last element comes first */
export async function* between<Item, Message>(
  { state, items, project }: Pick<TailOptions<Item, Message>, 'state' | 'items' | 'project'>,
  { beginExclusive, endInclusive }: BoundedRange,
  isDescending: boolean,
): AsyncGenerator<Message, void, undefined> {
  const turns = new Turns(state);
  let { version } = items;
  let position = isDescending ? endInclusive + 1n : beginExclusive;
  let index = isDescending ? items.indexAfter(endInclusive) - 1 : items.indexAfter(beginExclusive);
  for (;;) {
    if (turns.isOver()) await turns.next();
    if (items.version !== version) {
      requireNotPruned(beginExclusive, state);
      index = isDescending ? items.indexAfter(position - 1n) - 1 : items.indexAfter(position);
      ({ version } = items);
    }
    const offset = items.offsetAt(index);
    if (offset === undefined || offset <= beginExclusive || offset > endInclusive) return;
    const item = items.at(index);
    index += isDescending ? -1 : 1;
    position = offset;
    const message = item === undefined ? undefined : project(item);
    if (message !== undefined) yield message;
  }
}
