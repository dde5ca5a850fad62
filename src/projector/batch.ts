import { orNull, readDuplicate } from '../app/engine/attempts/record-answer.ts';
import type { LedgerBatch } from '../app/engine/follow/apply-ledger.ts';
import type { Io } from '../app/ports/io.ts';
import type { LedgerGateway } from '../app/ports/ledger.ts';
import type { CursorMove, Landmark } from '../app/ports/writes.ts';
import { UPDATES_STREAM, completionsStream } from '../app/ports/streams.ts';
import type { LedgerCompletion, LedgerTransaction, SynchronizerTimes } from '../domain/ledger.ts';
import type { StreamElement } from './inbox.ts';
import { PROJECTOR_LIMITS } from './limits.ts';

const { batchElementsMin, batchElementsMax, batchElementsAtFirst, batchMs, batchMsMax } =
  PROJECTOR_LIMITS;

/**
 * How many elements one transaction applies. The number grows while there is a backlog and transactions are short,
 * because each transaction costs a commit and a dozen statements, whatever its size. It shrinks when transactions
 * become long, because locks are held and callers wait for the whole transaction.
 */
export class BatchSize {
  #elements: number = batchElementsAtFirst;

  get elements(): number {
    return this.#elements;
  }

  /** Records how long a transaction with this number of elements took. */
  took(elements: number, ms: number): void {
    const now = this.#elements;
    if (ms > batchMsMax) this.#elements = Math.min(now, Math.max(batchElementsMin, now / 2));
    else if (elements >= now && ms < batchMs) this.#elements = Math.min(batchElementsMax, 2 * now);
  }

  /**
   * Records that a batch could not be applied. If it was too large for the available time, a batch of the same size
   * would fail again, so the size is halved.
   */
  failed(): void {
    this.#elements = Math.max(1, Math.floor(this.#elements / 2));
  }
}

/** How long elements of the streams have waited while no batch was applied, over all terms of the lease. */
export class Stall {
  readonly #nowMs: () => number;
  #sinceMs: number | null = null;
  #reason: string | null = null;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Duration of the stall in milliseconds; 0 while no element waits. */
  get ms(): number {
    return this.#sinceMs === null ? 0 : this.#nowMs() - this.#sinceMs;
  }

  /** Why the last batch was not applied. */
  get reason(): string | null {
    return this.#reason;
  }

  /** Records that elements have arrived that are not applied yet. */
  waits(): void {
    this.#sinceMs ??= this.#nowMs();
  }

  failed(reason: string): void {
    if (this.#sinceMs !== null) this.#reason = reason;
  }

  /** Records that a batch was applied, or that another process follows the ledger now. */
  ended(): void {
    this.#sinceMs = null;
    this.#reason = null;
  }
}

/** Returns the name of the stream from which an element came. */
export const streamOf = (from: StreamElement): string =>
  from.stream === 'updates' ? UPDATES_STREAM : completionsStream(from.element.participant);

/**
 * Returns the update by which the ledger can be recognised later. An accepted completion names the update at its
 * offset.
 */
function landmarkOf({ element }: StreamElement): Landmark | null {
  if (element.kind === 'position' || element.updateId === null) return null;
  return { offset: element.offset, updateId: element.updateId };
}

/** Returns the record times of synchronizers that an element reports. */
function timesOf({ element }: StreamElement): SynchronizerTimes {
  return element.kind === 'transaction'
    ? new Map([[element.synchronizerId, element.recordTime]])
    : element.times;
}

const recordTimeOf = (from: StreamElement): string | null =>
  from.stream === 'updates' ? from.element.recordTime : null;

/** Returns the new cursor of each stream after these elements. */
function movesOf(
  elements: readonly StreamElement[],
  cursors: ReadonlyMap<string, bigint>,
): CursorMove[] {
  const moves = new Map<string, CursorMove & { readonly times: SynchronizerTimes }>();
  for (const from of elements) {
    const stream = streamOf(from);
    const before = cursors.get(stream) ?? 0n;
    const earlier = moves.get(stream);
    const recordTime = recordTimeOf(from) ?? earlier?.recordTime ?? null;
    const landmark = landmarkOf(from) ?? earlier?.landmark ?? null;
    const reached = earlier?.to ?? before;
    // A completion may be sent twice.
    const isNews = from.element.offset > reached;
    const to = isNews ? from.element.offset : reached;
    // A checkpoint may repeat the stream's current offset and name additional synchronizers.
    const isTold = from.element.offset >= reached;
    const times = new Map([...(earlier?.times ?? []), ...(isTold ? timesOf(from) : [])]);
    moves.set(stream, { stream, from: before, to, recordTime, times, landmark });
  }
  return [...moves.values()].filter(({ to, from, times }) => to !== from || times.size > 0);
}

/** Converts stream elements to a batch for the store. Updates of duplicate answers must be read separately. Pure. */
export function batchOf(
  elements: readonly StreamElement[],
  cursors: ReadonlyMap<string, bigint>,
  replays: ReadonlyMap<string, bigint> = new Map(),
): Omit<LedgerBatch, 'duplicates' | 'ledgerEnds'> {
  const transactions: LedgerTransaction[] = [];
  const completions: LedgerCompletion[] = [];
  for (const from of elements) {
    if (from.element.kind === 'transaction') transactions.push(from.element);
    if (from.element.kind === 'completion') completions.push(from.element);
  }
  const moves = movesOf(elements, cursors);
  const after = new Map(cursors);
  for (const move of moves) after.set(move.stream, move.to);
  const replaying = [...replays].filter(([stream, to]) => (after.get(stream) ?? 0n) < to);
  const names = new Set(replaying.map(([stream]) => stream));
  return { transactions, completions, moves, cursors: after, replaying: names };
}

/** Returns the ledger end of each participant that refused a command; omits unreachable participants. */
export async function readLedgerEnds(
  gateway: LedgerGateway,
  completions: readonly LedgerCompletion[],
  io: Io,
): Promise<LedgerBatch['ledgerEnds']> {
  const refusing = new Set(
    completions.filter(({ answer }) => answer !== null).map(({ participant }) => participant),
  );
  const asked = [...refusing].map(async (participant) => {
    const end = await orNull(gateway.ledgerEnd(participant, io));
    return end === null ? [] : [[participant, end] as const];
  });
  return new Map((await Promise.all(asked)).flat());
}

/** Reads the updates that duplicate answers refer to, before any lock is taken. */
export async function readDuplicates(
  gateway: LedgerGateway,
  completions: readonly LedgerCompletion[],
  io: Io,
): Promise<LedgerBatch['duplicates']> {
  const asked = completions.map(async ({ answer, participant, submissionId }) => {
    if (answer?.class !== 'done') return [];
    const duplicate = await orNull(readDuplicate(gateway, participant, answer, io));
    return duplicate === null ? [] : [[submissionId, duplicate] as const];
  });
  return new Map((await Promise.all(asked)).flat());
}
