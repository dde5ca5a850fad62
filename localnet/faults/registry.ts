import type { Random } from './draws.ts';
import { Fault } from './fault.ts';
import { FaultConflict } from './rules.ts';
import type { FaultKind, FaultRule, FaultRuleOf } from './rules.ts';

export interface FaultPlanOptions {
  /** The source of randomness for faults without a seed. */
  readonly random: Random;
  /** Resolves after `delayMs` milliseconds, or when the signal is aborted. Never rejects. */
  readonly pause: (delayMs: number, signal: AbortSignal) => Promise<void>;
}

/** The maximum number of faults in the list, including ended ones. */
const FAULTS_MAX = 200;
/** Kinds of faults that still hold back completions or streams after they were applied for the last time. */
const LASTING: ReadonlySet<FaultKind> = new Set(['withhold', 'hold']);

export const isOf = <K extends FaultKind>(fault: Fault, kind: K): fault is Fault<FaultRuleOf<K>> =>
  fault.rule.kind === kind;

/** The requested faults in order of their requests, which is also the order in which they are applied. */
export class FaultRegistry {
  readonly #options: FaultPlanOptions;
  readonly #faults = new Map<string, Fault>();
  readonly #totals = new Map<FaultKind, number>();
  #lastId = 0;

  constructor(options: FaultPlanOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#faults.size === 0;
  }

  /** How often each kind of fault was applied since the start, including removed faults. */
  get totals(): Readonly<Partial<Record<FaultKind, number>>> {
    return Object.fromEntries(this.#totals);
  }

  /** Adds a fault, whose time begins now. @throws FaultConflict if there are too many */
  add(rule: FaultRule, script: string | undefined): Fault {
    this.#makeRoom();
    const fault = new Fault({
      id: this.nextId(),
      script,
      rule,
      random: this.#options.random,
      onStrike: (kind) => this.#totals.set(kind, (this.#totals.get(kind) ?? 0) + 1),
    });
    this.#faults.set(fault.id, fault);
    if (rule.seconds !== undefined) {
      const isOver = this.#options.pause(rule.seconds * 1000, fault.ended);
      void isOver.then(() => fault.end());
    }
    return fault;
  }

  /** Returns an unused ID. */
  nextId(): string {
    this.#lastId += 1;
    return `f${this.#lastId}`;
  }

  list(): readonly Fault[] {
    return [...this.#faults.values()];
  }

  get(id: string): Fault | undefined {
    return this.#faults.get(id);
  }

  /** Returns the faults of a kind whose time has not passed. */
  of<K extends FaultKind>(kind: K): Fault<FaultRuleOf<K>>[] {
    return [...this.#faults.values()]
      .filter((fault) => isOf(fault, kind))
      .filter((fault) => fault.state !== 'over');
  }

  /**
   * Removes a fault, or all faults of a script, and releases what they have held back. Returns how many were removed.
   */
  remove(id: string): number {
    const found = [...this.#faults.values()].filter(
      (fault) => fault.id === id || fault.script === id,
    );
    for (const fault of found) {
      fault.end();
      this.#faults.delete(fault.id);
    }
    return found.length;
  }

  /** Removes all faults. Returns how many were removed. */
  clear(): number {
    const count = this.#faults.size;
    for (const fault of this.#faults.values()) fault.end();
    this.#faults.clear();
    return count;
  }

  /** Drops finished faults if the list is full, the oldest first. */
  #makeRoom(): void {
    if (this.#faults.size < FAULTS_MAX) return;
    for (const fault of this.#faults.values()) {
      if (fault.state === 'active') continue;
      if (fault.state === 'spent' && LASTING.has(fault.rule.kind)) continue;
      this.#faults.delete(fault.id);
      return;
    }
    throw new FaultConflict(`there are ${FAULTS_MAX} faults already; remove some`);
  }
}
