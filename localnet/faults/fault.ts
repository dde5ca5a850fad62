import { ConnectionLost } from '../faults.ts';
import type { ConnectionEnd, FaultTarget } from '../faults.ts';
import type { ErrorCode } from '../ledger/ledger-error.ts';
import { errorOf } from './codes.ts';
import { seededRandom } from './draws.ts';
import type { Random } from './draws.ts';
import { codesOf } from './rules.ts';
import type { FaultKind, FaultRule, FaultRuleOf } from './rules.ts';

/**
 * - `active`: the fault may still be applied
 * - `spent`: the fault was applied its maximum number of times; completions and streams that it holds back remain held
 *   back
 * - `over`: the fault's time has passed
 */
export type FaultState = 'active' | 'spent' | 'over';

/** A fault as clients see it. */
export type FaultView = FaultRule & {
  readonly id: string;
  /** ID of the script to which the fault belongs. */
  readonly script?: string;
  readonly state: FaultState;
  /** The number of calls, streams or completions that matched while the fault was active. */
  readonly matched: number;
  /** The number of these matches to which the fault was applied. */
  readonly struck: number;
  /** Completions that a fault of kind `withhold` has kept back so far, each as `<participant>/<offset>`. */
  readonly withheld?: readonly string[];
};

export interface FaultOptions<R extends FaultRule> {
  readonly id: string;
  readonly script: string | undefined;
  readonly rule: R;
  readonly random: Random;
  readonly onStrike: (kind: FaultKind) => void;
}

/** Fields of faults that are applied to individual calls or elements. Conditions have none of these fields. */
interface Chance {
  readonly skip?: number;
  readonly times?: number;
  readonly chance?: number;
  readonly seed?: string;
}

/** A requested fault, with the counts of its matches. */
export class Fault<R extends FaultRule = FaultRule> {
  readonly id: string;
  readonly script: string | undefined;
  readonly rule: R;
  readonly #onStrike: (kind: FaultKind) => void;
  readonly #random: Random;
  readonly #ended = new AbortController();
  #matched = 0;
  #struck = 0;
  #isSpent = false;

  constructor({ id, script, rule, random, onStrike }: FaultOptions<R>) {
    this.id = id;
    this.script = script;
    this.rule = rule;
    this.#onStrike = onStrike;
    // Each fault has its own random sequence. So adding another fault does not change to which calls this one is
    // applied.
    const { seed } = rule as Chance;
    this.#random = seed === undefined ? random : seededRandom(`${seed}/${rule.kind}`);
  }

  /** Aborted when the fault is removed or its time has passed. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  get state(): FaultState {
    if (this.#ended.signal.aborted) return 'over';
    return this.#isSpent ? 'spent' : 'active';
  }

  end(): void {
    this.#ended.abort();
  }

  /** Ends the application of the fault: it affects no further matches. */
  spend(): void {
    this.#isSpent = true;
  }

  /** Returns whether the fault is applied to the next matching call or element. Must be called once for each match. */
  strikes(): boolean {
    if (this.state !== 'active') return false;
    const { skip = 0, chance, times = Infinity } = this.rule as Chance;
    this.#matched += 1;
    if (this.#matched <= skip) return false;
    if (chance !== undefined && this.#random() >= chance) return false;
    this.#struck += 1;
    if (this.#struck >= times) this.#isSpent = true;
    this.#onStrike(this.rule.kind);
    return true;
  }

  /** Returns random milliseconds between two bounds. */
  drawMs({ ms, msMax = ms }: { readonly ms: number; readonly msMax?: number }): number {
    return msMax === ms ? ms : ms + Math.floor(this.#random() * (msMax - ms + 1));
  }

  /** Returns a random item. For a single item, no random number is drawn. */
  draw<T>(of: readonly T[]): T | undefined {
    return of.length > 1 ? of[Math.floor(this.#random() * of.length)] : of[0];
  }

  view(): FaultView {
    return {
      id: this.id,
      ...(this.script === undefined ? {} : { script: this.script }),
      state: this.state,
      matched: this.#matched,
      struck: this.#struck,
      ...this.rule,
    };
  }
}

/** Returns the codes among which a fault chooses. They were checked when the fault was read. */
export const codesOfFault = ({
  rule,
}: Fault<FaultRuleOf<'error' | 'reject' | 'drop-after' | 'cut' | 'cut-at'>>) =>
  codesOf(rule) as readonly ErrorCode[];

/** Returns the error with which a fault ends a call or a stream: one of the given codes, or a broken connection. */
export function endOf(
  fault: Fault<FaultRuleOf<'drop-after' | 'cut' | 'cut-at'>>,
  site: FaultTarget,
  codes: readonly ErrorCode[],
): Error {
  const code = fault.draw(codes);
  if (code !== undefined) return errorOf(code, site);
  return new ConnectionLost((fault.rule.how ?? 'unavailable') as ConnectionEnd);
}
