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
  updateParts,
} from './gather.ts';
import { violationsIn } from './invariants/check.ts';
import type { Evidence } from './invariants/evidence.ts';
import { cursorOf } from './invariants/evidence.ts';
import type { Violation } from './invariants/violation.ts';
import { keyOf } from './invariants/violation.ts';
import { DOCTOR_LIMITS } from './limits.ts';

export interface InspectOptions {
  /** Compares with the ledger only what is after this offset; all that the store has followed unless told. */
  readonly since?: bigint;
  /** Also asks the participant for its active contracts. */
  readonly deep?: boolean;
  /** See `withoutStatedWait`. */
  readonly overdueMs?: number;
  /** False where the participants may have withheld completions. */
  readonly areCompletionsReliable?: boolean;
  /** Told after each part what is being looked at and how much of it has been. */
  readonly onProgress?: (what: Looked, count: number) => void;
  readonly signal: AbortSignal;
}

/** What an inspection counts. */
export type Looked = 'changes' | 'lifecycles' | 'updates' | 'completions' | 'active contracts';

export interface Inspection {
  /** The first {@link DOCTOR_LIMITS.violationsMax}. */
  readonly violations: readonly Violation[];
  readonly isTruncated: boolean;
  readonly looked: ReadonlyMap<Looked, number>;
  /** What was left out, and why. */
  readonly notes: readonly string[];
  /** The snapshot's head: when it was taken and where the streams stood. */
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

  /** Checks every part, until enough has been found. */
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

/** Where a participant's history begins now, if that is why it did not answer. */
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
    findings.notes.push('the query store has not followed any updates yet');
    return;
  }
  const from = since !== undefined && since > cursor.oldest ? since : cursor.oldest;
  await judgeWhatIsLeft(from, findings, 'the participant has pruned its updates', (after) =>
    findings.judge('updates', updateParts(store, ledger, head, after, signal)),
  );
}

/** Judges what is after an offset, or what the participant still has of it. */
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
    findings.notes.push(`${pruned} up to offset ${earliest}: what is before was not compared`);
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
    const pruned = `participant ${participant} has pruned its completions`;
    await judgeWhatIsLeft(cursor.oldest, findings, pruned, (after) => {
      const span = { participant, after, upTo: cursor.offset, isReliable };
      return findings.judge('completions', completionParts(store, ledger, head, span, signal));
    });
  }
}

/** What the participant calls active, and that the store calls nothing else so. */
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
      what: `the store holds ${held} active rows, and the participant's active contracts make ${rows}`,
      subjects: { stream: UPDATES_STREAM },
      todo: 'Keep a copy for the analysis, then `tenure projection rebuild`.',
    },
  ]);
}

/**
 * Checks every invariant of a store of any size, and of the ledger as far as it can be asked. What happens meanwhile is
 * none of its business: the store is read as it was at one moment, the ledger up to where the store stood then.
 *
 * @param ledger `null`: the store alone
 * @throws what the sources throw
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
