import { UPDATES_STREAM, completionsStream } from '../app/ports/streams.ts';
import type { LedgerSource, Ownership, StoreSource } from './evidence-source.ts';
import type { Part } from './gather.ts';
import {
  activeParts,
  changeParts,
  completionParts,
  headOf,
  lifecycleParts,
  mailboxParts,
  rowsOfActive,
  subscriptionParts,
  updateParts,
} from './gather.ts';
import { violationsIn } from './invariants/check.ts';
import type { Evidence } from './invariants/evidence.ts';
import { cursorOf } from './invariants/evidence.ts';
import type { Violation } from './invariants/violation.ts';
import { keyOf } from './invariants/violation.ts';
import { DOCTOR_LIMITS } from './limits.ts';

export interface InspectOptions {
  /** Only rows after this offset are compared with the ledger. @default all rows */
  readonly since?: bigint;
  /** Whether the active contracts are also read from the participant. */
  readonly deep?: boolean;
  /** An effect that has been due for longer counts as not dispatched: see `withoutStatedWait`. */
  readonly overdueMs?: number;
  /** False if the participants may have withheld completions. */
  readonly areCompletionsReliable?: boolean;
  /** Called after each part with the kind of rows and the number checked so far. */
  readonly onProgress?: (what: Looked, count: number) => void;
  readonly signal: AbortSignal;
}

/** The kinds of rows that an inspection counts for its progress. */
export type Looked =
  | 'changes'
  | 'lifecycles'
  | 'subscriptions'
  | 'updates'
  | 'completions'
  | 'active contracts';

export interface Inspection {
  /** The violations that were found, at most {@link DOCTOR_LIMITS.violationsMax}. */
  readonly violations: readonly Violation[];
  readonly isTruncated: boolean;
  readonly looked: ReadonlyMap<Looked, number>;
  /** The checks that were omitted, each with the reason. */
  readonly notes: readonly string[];
  /** The head of the snapshot: its time, and the positions of the streams. */
  readonly head: Evidence;
}

class Findings {
  readonly found = new Map<string, Violation>();
  readonly looked = new Map<Looked, number>();
  readonly notes: string[] = [];
  readonly #options: InspectOptions;

  constructor(options: InspectOptions) {
    this.#options = options;
  }

  get isFull(): boolean {
    return this.found.size >= DOCTOR_LIMITS.violationsMax;
  }

  add(violations: readonly Violation[]): void {
    for (const violation of violations) {
      if (this.isFull) return;
      this.found.set(keyOf(violation), violation);
    }
  }

  /** Checks every part, or stops at the maximum number of violations. */
  async judge(
    what: Looked,
    parts: AsyncIterable<Part>,
    onPart?: (evidence: Evidence) => void,
  ): Promise<void> {
    for await (const { evidence, count } of parts) {
      this.#options.signal.throwIfAborted();
      this.add(violationsIn(evidence, this.#options));
      onPart?.(evidence);
      const sum = (this.looked.get(what) ?? 0) + count;
      this.looked.set(what, sum);
      this.#options.onProgress?.(what, sum);
      if (this.isFull) return;
    }
  }
}

/** Returns the first offset that a participant still has, if the error says that it has pruned the range. */
function prunedUpTo(error: unknown): bigint | null {
  if (!(error instanceof Error) || !('earliestOffset' in error)) return null;
  return typeof error.earliestOffset === 'bigint' ? error.earliestOffset : null;
}

async function replay(
  store: StoreSource,
  ledger: LedgerSource | null,
  head: Evidence,
  findings: Findings,
  { since, signal }: InspectOptions,
): Promise<void> {
  const cursor = cursorOf(head, UPDATES_STREAM);
  if (cursor === undefined) {
    findings.notes.push(
      'the projector has stored no updates yet, so the updates were not compared',
    );
    return;
  }
  const from = since !== undefined && since > cursor.oldest ? since : cursor.oldest;
  await judgeWhatIsLeft(from, findings, 'the participant has pruned the updates', (after) =>
    findings.judge('updates', updateParts(store, ledger, head, after, signal)),
  );
}

/** Judges the range after an offset or, if the participant has pruned its beginning, the remaining range. */
async function judgeWhatIsLeft(
  from: bigint,
  findings: Findings,
  pruned: string,
  judge: (after: bigint) => Promise<void>,
): Promise<void> {
  try {
    await judge(from);
  } catch (error) {
    const earliest = prunedUpTo(error);
    if (earliest === null || earliest <= from) throw error;
    findings.notes.push(`${pruned} up to offset ${earliest}: older data was not compared`);
    await judge(earliest);
  }
}

async function compareCompletions(
  store: StoreSource,
  ledger: LedgerSource,
  head: Evidence,
  findings: Findings,
  { areCompletionsReliable: isReliable = true, signal }: InspectOptions,
): Promise<void> {
  for (const participant of ledger.participants) {
    const cursor = cursorOf(head, completionsStream(participant));
    if (cursor === undefined) continue;
    const pruned = `participant ${participant} has pruned the completions`;
    await judgeWhatIsLeft(cursor.oldest, findings, pruned, (after) => {
      const span = { participant, after, upTo: cursor.offset, isReliable };
      return findings.judge('completions', completionParts(store, ledger, head, span, signal));
    });
  }
}

/** Checks that participant and store have the same active contracts. */
async function compareActive(
  store: StoreSource,
  ledger: LedgerSource,
  head: Evidence,
  findings: Findings,
  { signal }: InspectOptions,
): Promise<void> {
  let rows = 0;
  const before = findings.found.size;
  const parts = activeParts(store, ledger, head, signal);
  await findings.judge('active contracts', parts, (evidence) => {
    rows += rowsOfActive(evidence);
  });
  const held = await store.activeRows(ledger.types);
  if (findings.isFull || findings.found.size > before || held === BigInt(rows)) return;
  findings.add([
    {
      invariant: 'I6',
      what: `the query store holds ${held} active rows, but the participant's active contracts require ${rows} rows`,
      subjects: { stream: UPDATES_STREAM },
      todo: 'Keep a copy of the database for analysis, then run `tenure projection rebuild`.',
    },
  ]);
}

/**
 * Checks every invariant of a store of any size, and of the ledger as far as the ledger can be read. Changes made
 * during the check do not matter: the store is read in one snapshot, and the ledger up to the offset of that snapshot.
 *
 * @param ledger `null`: only the store is checked
 * @throws the errors of the sources
 */
export async function inspect(
  store: StoreSource,
  ledger: LedgerSource | null,
  ownership: Ownership,
  options: InspectOptions,
): Promise<Inspection> {
  const head = await headOf(store, ownership);
  const findings = new Findings(options);
  await findings.judge('changes', mailboxParts(store, head));
  await findings.judge('changes', changeParts(store, head));
  await findings.judge('lifecycles', lifecycleParts(store, head));
  await findings.judge('subscriptions', subscriptionParts(store, head));
  await replay(store, ledger, head, findings, options);
  if (ledger !== null) {
    await compareCompletions(store, ledger, head, findings, options);
    if (options.deep === true) await compareActive(store, ledger, head, findings, options);
  }
  return {
    violations: [...findings.found.values()],
    isTruncated: findings.isFull,
    looked: findings.looked,
    notes: findings.notes,
    head,
  };
}
