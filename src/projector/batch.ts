import { orNull, readDuplicate } from '../app/engine/record-answer.ts';
import type { LedgerBatch } from '../app/engine/apply-ledger.ts';
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
 * How many elements one transaction takes. It grows while there is a backlog and transactions are short: each costs a
 * commit and a dozen statements, whatever is in it. It shrinks when they become long: locks are held, and callers wait,
 * for as long as they take.
 */
export class BatchSize {
  #elements: number = batchElementsAtFirst;

  get elements(): number {
    return this.#elements;
  }

  /** A transaction of so many elements took so long. */
  took(elements: number, ms: number): void {
    const now = this.#elements;
    if (ms > batchMsMax) this.#elements = Math.min(now, Math.max(batchElementsMin, now / 2));
    else if (elements >= now && ms < batchMs) this.#elements = Math.min(batchElementsMax, 2 * now);
  }

  /** The database did not take it. Where it was too much for the time that there is, the same would fail again. */
  failed(): void {
    this.#elements = Math.max(1, Math.floor(this.#elements / 2));
  }
}

/** How long elements of the streams have waited without a batch being applied, over all terms of the lease. */
export class Stall {
  readonly #nowMs: () => number;
  #sinceMs: number | null = null;
  #reason: string | null = null;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** In milliseconds; 0 while nothing waits. */
  get ms(): number {
    return this.#sinceMs === null ? 0 : this.#nowMs() - this.#sinceMs;
  }

  /** Why the last batch was not applied. */
  get reason(): string | null {
    return this.#reason;
  }

  /** Elements have arrived that are not applied yet. */
  waits(): void {
    this.#sinceMs ??= this.#nowMs();
  }

  failed(reason: string): void {
    if (this.#sinceMs !== null) this.#reason = reason;
  }

  /** A batch was applied, or another process follows. */
  ended(): void {
    this.#sinceMs = null;
    this.#reason = null;
  }
}

/** The name of the stream that an element came on. */
export const streamOf = (from: StreamElement): string =>
  from.stream === 'updates' ? UPDATES_STREAM : completionsStream(from.element.participant);

/** By what its ledger can be recognised: an accepted completion names the update at its offset. */
function landmarkOf({ element }: StreamElement): Landmark | null {
  if (element.kind === 'position' || element.updateId === null) return null;
  return { offset: element.offset, updateId: element.updateId };
}

/** How far an element tells of synchronizers. */
function timesOf({ element }: StreamElement): SynchronizerTimes {
  return element.kind === 'transaction'
    ? new Map([[element.synchronizerId, element.recordTime]])
    : element.times;
}

const recordTimeOf = (from: StreamElement): string | null =>
  from.stream === 'updates' ? from.element.recordTime : null;

/** Where each stream goes with these elements. */
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
    // A completion may come again.
    const isNews = from.element.offset > reached;
    const to = isNews ? from.element.offset : reached;
    // A checkpoint may stand where the stream has been, and name other synchronizers than what was told there.
    const isTold = from.element.offset >= reached;
    const times = new Map([...(earlier?.times ?? []), ...(isTold ? timesOf(from) : [])]);
    moves.set(stream, { stream, from: before, to, recordTime, times, landmark });
  }
  return [...moves.values()].filter(({ to, from, times }) => to !== from || times.size > 0);
}

/** What stream elements mean for the store; duplicates still to be read back. Pure. */
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

/** Where the participants end from which a refusal came; one that cannot be asked is left out. */
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

/** Reads the updates that duplicate answers point at, before anything is locked. */
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
