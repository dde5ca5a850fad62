import type { ElementFate, ElementSubject, FaultCall } from '../faults.ts';
import { codesOfFault, endOf } from './fault.ts';
import type { Fault } from './fault.ts';
import { fitsPattern, isCallFit, isCompletionFit } from './matching.ts';
import type { FaultKind, FaultRuleOf } from './rules.ts';

/** An open stream, as the plan tracks it. */
export interface OpenStream {
  readonly call: FaultCall;
  readonly end: (error: Error) => void;
  /** The number of delivered elements, not counting checkpoints. */
  delivered: number;
  /** Whether the stream delivers nothing any more. */
  isSilent: boolean;
  /** Completions that are held back until `left` later completions have been delivered. */
  readonly held: { readonly element: unknown; left: number }[];
}

export type FaultsOf = <K extends FaultKind>(kind: K) => readonly Fault<FaultRuleOf<K>>[];

/** The maximum number of withheld completions that a fault remembers, and of completions that it has let pass. */
const REMEMBERED_MAX = 10_000;

/** The completions that a fault withholds. It withholds the same completions on every stream. */
export class Withheld {
  readonly #struck = new Set<string>();
  readonly #passed = new Set<string>();

  /** The withheld completions, each as `<participant>/<offset>`. */
  get all(): readonly string[] {
    return [...this.#struck];
  }

  isWithheld(fault: Fault<FaultRuleOf<'withhold'>>, key: string): boolean {
    const { times, skip, chance } = fault.rule;
    const isRemembered = times !== undefined || skip !== undefined || chance !== undefined;
    if (this.#struck.has(key)) return true;
    if (this.#passed.has(key)) return false;
    // The memory is limited: when a fault has withheld this many completions, it lets all others pass.
    if (this.#struck.size >= REMEMBERED_MAX) return !isRemembered;
    const strikes = fault.strikes();
    const memory = strikes ? this.#struck : this.#passed;
    memory.add(key);
    if (this.#passed.size > REMEMBERED_MAX) forgetOldest(this.#passed);
    return strikes;
  }
}

function forgetOldest(keys: Set<string>): void {
  for (const key of keys) {
    keys.delete(key);
    return;
  }
}

/** Ends at once the open streams that match a fault. */
export function cutNow(fault: Fault<FaultRuleOf<'cut'>>, streams: Iterable<OpenStream>): void {
  for (const { call, end } of streams) {
    if (!isCallFit(fault.rule.where ?? {}, call) || !fault.strikes()) continue;
    end(endOf(fault, call, codesOfFault(fault)));
  }
}

/** Returns the error that ends a stream before this element, or `undefined` if it continues. */
export function cutBefore(
  faults: readonly Fault<FaultRuleOf<'cut-at'>>[],
  { call, delivered }: OpenStream,
  subject: ElementSubject,
): Error | undefined {
  if (subject.kind === 'checkpoint') return undefined;
  for (const fault of faults) {
    const { where = {}, afterElements = 0 } = fault.rule;
    const { commandId, ...ofCall } = where;
    if (delivered < afterElements || !isCallFit(ofCall, call)) continue;
    if (commandId !== undefined && !fitsPattern(commandId, subject.commandId ?? '')) continue;
    if (fault.strikes()) return endOf(fault, call, codesOfFault(fault));
  }
  return undefined;
}

/**
 * Returns the elements to deliver instead of this one: a completion may be delivered twice, after later ones, or not at
 * all.
 */
export function shuffle<T>(
  element: T,
  subject: ElementSubject,
  stream: OpenStream,
  faultsOf: FaultsOf,
  withheld: (fault: Fault<FaultRuleOf<'withhold'>>) => Withheld,
): ElementFate<T> {
  // A checkpoint means that all earlier elements were delivered, so completions that are held back are delivered before
  // it.
  if (subject.kind === 'checkpoint') return deliver([...release<T>(stream, Infinity), element]);
  if (subject.kind === 'data') return deliver([element]);
  const { call } = stream;
  const fits = ({ rule: { where = {} } }: Fault) => isCompletionFit(where, call, subject);
  const key = `${call.participant}/${subject.offset}`;
  // Every fault of this kind is evaluated, also after one has matched, so that each remembers the completions that it
  // lets pass.
  const hiding = faultsOf('withhold').filter(
    (fault) => fits(fault) && withheld(fault).isWithheld(fault, key),
  );
  if (hiding.length > 0) return deliver([]);
  const late = faultsOf('reorder').find((fault) => fits(fault) && fault.strikes());
  if (late !== undefined) {
    stream.held.push({ element, left: late.rule.by ?? 1 });
    return deliver([]);
  }
  const ready = release<T>(stream, 1);
  const isTwice = faultsOf('duplicate').some((fault) => fits(fault) && fault.strikes());
  return deliver(isTwice ? [element, element, ...ready] : [element, ...ready]);
}

const deliver = <T>(elements: readonly T[]): ElementFate<T> => ({ kind: 'deliver', elements });

/** Returns the held completions that have waited long enough, after `more` others were delivered. */
function release<T>({ held }: OpenStream, more: number): T[] {
  for (const waiting of held) waiting.left -= more;
  const ready = held.filter(({ left }) => left <= 0);
  const rest = held.filter(({ left }) => left > 0);
  held.splice(0, held.length, ...rest);
  return ready.map(({ element }) => element as T);
}
