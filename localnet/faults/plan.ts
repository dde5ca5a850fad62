import { ConnectionLost } from '../faults.ts';
import type { ElementFate, ElementSubject, FaultCall, FaultPlan } from '../faults.ts';
import type { FaultSubmission } from '../faults.ts';
import type { ErrorCode } from '../ledger/ledger-error.ts';
import type { Rejection } from '../ledger/update.ts';
import { canAnswer, canReject, errorOf, rejectionOf } from './codes.ts';
import type { Random } from './draws.ts';
import { codesOfFault, endOf, Fault } from './fault.ts';
import type { FaultView } from './fault.ts';
import { isCallFit, isTargetFit } from './matching.ts';
import { FaultConflict } from './rules.ts';
import type { FaultKind, FaultRule, FaultRuleOf } from './rules.ts';
import { cutBefore, cutNow, shuffle, Withheld } from './stream-faults.ts';
import type { OpenStream } from './stream-faults.ts';

export interface FaultPlanOptions {
  /** Decides what faults without a seed leave to chance. */
  readonly random: Random;
  /** Resolves when so many milliseconds have passed or the signal aborts; never rejects. */
  readonly pause: (delayMs: number, signal: AbortSignal) => Promise<void>;
}

/** Faults that are listed at a time, those that are over among them. */
const FAULTS_MAX = 200;
/** Calls and streams that are kept waiting or silent at a time. More are ended. */
const HELD_MAX = 1_000;

/** Resolves when the signal aborts. */
const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/**
 * A fault plan that is told what to do while it runs. It has no clock and no chance of its own: with a given `random`,
 * or faults that bring a seed, the same calls in the same order meet the same fate.
 */
export class ScriptedFaults implements FaultPlan {
  readonly #options: FaultPlanOptions;
  /** In the order in which they were asked for, which is the order in which they strike. */
  readonly #faults = new Map<string, Fault>();
  readonly #withheld = new WeakMap<Fault, Withheld>();
  readonly #streams = new Map<FaultCall, OpenStream>();
  readonly #totals = new Map<FaultKind, number>();
  readonly #closed = new AbortController();
  #lastId = 0;
  #heldCount = 0;

  constructor(options: FaultPlanOptions) {
    this.#options = options;
  }

  /** No fault is there. Streams that have fallen silent stay silent. */
  get isQuiet(): boolean {
    return this.#faults.size === 0;
  }

  /** How often each kind has struck since the start, by faults that are gone too. */
  get totals(): Readonly<Partial<Record<FaultKind, number>>> {
    return Object.fromEntries(this.#totals);
  }

  /** In force from now on. @throws FaultConflict when there are too many */
  add(rule: FaultRule, script?: string): FaultView {
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
    this.#begin(fault);
    return fault.view();
  }

  /** An ID that nothing else has. */
  nextId(): string {
    this.#lastId += 1;
    return `f${this.#lastId}`;
  }

  list(): readonly FaultView[] {
    return [...this.#faults.values()].map((fault) => fault.view());
  }

  get(id: string): FaultView | undefined {
    return this.#faults.get(id)?.view();
  }

  /** Removes a fault, or all those of a script. What it kept waiting goes on. Gives how many there were. */
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

  /** Removes all. Gives how many there were. */
  clear(): number {
    const count = this.#faults.size;
    for (const id of this.#faults.keys()) this.remove(id);
    return count;
  }

  /** Lets go of everything: what waits is ended, and no fault strikes any more. */
  close(): void {
    this.clear();
    this.#closed.abort();
  }

  async onEnter(call: FaultCall, signal: AbortSignal): Promise<void> {
    for (const fault of this.#fitting('hold', call)) {
      if (fault.strikes()) await this.#holdBack(AbortSignal.any([fault.ended, signal]), signal);
    }
    if (this.#streams.has(call)) return this.#enterStream(call, signal);
    for (const fault of this.#fitting('delay', call)) {
      if (fault.rule.at !== 'after' && fault.strikes()) await this.#delay(fault);
    }
    await this.#refuse(call, signal);
  }

  async onLeave(call: FaultCall, signal: AbortSignal): Promise<void> {
    for (const fault of this.#fitting('delay', call)) {
      if (fault.rule.at === 'after' && fault.strikes()) await this.#delay(fault);
    }
    for (const fault of this.#fitting('drop-after', call)) {
      const all = codesOfFault(fault);
      const codes = all.filter((code) => canAnswer(code, call));
      if ((all.length > 0 && codes.length === 0) || !fault.strikes()) continue;
      if (fault.rule.how === 'silence') await this.#neverAnswer(signal);
      throw endOf(fault, call, codes);
    }
  }

  isRepeated(call: FaultCall): boolean {
    if (call.commandId === undefined) return false;
    return this.#fitting('repeat', call).some((fault) => fault.strikes());
  }

  onOpen(call: FaultCall, end: (error: Error) => void): () => void {
    const stream: OpenStream = { call, end, delivered: 0, isSilent: false, held: [] };
    this.#streams.set(call, stream);
    for (const fault of this.#fitting('silence', call)) {
      if (fault.strikes()) stream.isSilent = true;
    }
    return () => this.#streams.delete(call);
  }

  onElement<T>(
    call: FaultCall,
    element: T,
    subject: ElementSubject,
    signal: AbortSignal,
  ): ElementFate<T> | Promise<ElementFate<T>> {
    const stream = this.#streams.get(call);
    if (stream !== undefined && !(this.isQuiet && isUndisturbed(stream))) {
      return this.#disturb(stream, element, subject, signal);
    }
    if (stream !== undefined && subject.kind !== 'checkpoint') stream.delivered += 1;
    return { kind: 'deliver', elements: [element] };
  }

  async #disturb<T>(
    stream: OpenStream,
    element: T,
    subject: ElementSubject,
    signal: AbortSignal,
  ): Promise<ElementFate<T>> {
    if (!this.isQuiet) await this.#holdUp(stream, subject, signal);
    if (stream.isSilent) {
      await this.#holdBack(signal, signal);
      return { kind: 'deliver', elements: [] };
    }
    const error = cutBefore(this.#of('cut-at'), stream, subject);
    if (error !== undefined) return { kind: 'cut', error };
    const faultsOf = <K extends FaultKind>(kind: K) => this.#of(kind);
    const fate = shuffle(element, subject, stream, faultsOf, (fault) => this.#memoryOf(fault));
    if (subject.kind !== 'checkpoint') stream.delivered += 1;
    return fate;
  }

  /** A half open stream does not end either. */
  async onEnd(call: FaultCall, signal: AbortSignal): Promise<void> {
    if (this.#streams.get(call)?.isSilent === true) await this.#holdBack(signal, signal);
  }

  onSubmission(submission: FaultSubmission): Rejection | undefined {
    for (const fault of this.#of('reject')) {
      if (!isTargetFit(fault.rule.where ?? {}, submission)) continue;
      const codes = codesOfFault(fault).filter((code) => canReject(code, submission));
      if (codes.length === 0 || !fault.strikes()) continue;
      return rejectionOf(fault.draw(codes) as ErrorCode, submission);
    }
    return undefined;
  }

  /** A refusal at the door: lost on the way, or an error. */
  async #refuse(call: FaultCall, signal: AbortSignal): Promise<void> {
    for (const fault of this.#fitting('drop-before', call)) {
      if (!fault.strikes()) continue;
      const { how = 'unavailable' } = fault.rule;
      if (how === 'silence') await this.#neverAnswer(signal);
      throw new ConnectionLost(how === 'reset' ? 'reset' : 'unavailable');
    }
    for (const fault of this.#fitting('error', call)) {
      const codes = codesOfFault(fault).filter((code) => canAnswer(code, call));
      if (codes.length === 0 || !fault.strikes()) continue;
      throw errorOf(fault.draw(codes) as ErrorCode, call);
    }
  }

  /** Streams are lost and refused like any call; half open ones have been opened all the same. */
  #enterStream(call: FaultCall, signal: AbortSignal): Promise<void> {
    return this.#streams.get(call)?.isSilent === true
      ? Promise.resolve()
      : this.#refuse(call, signal);
  }

  /** What makes a stream wait before an element. */
  async #holdUp(stream: OpenStream, subject: ElementSubject, signal: AbortSignal): Promise<void> {
    for (const fault of this.#fitting('hold', stream.call)) {
      if (fault.strikes()) await this.#holdBack(AbortSignal.any([fault.ended, signal]), signal);
    }
    if (subject.kind === 'checkpoint') return;
    for (const fault of this.#fitting('slow-stream', stream.call)) {
      if (fault.strikes()) await this.#options.pause(fault.drawMs(fault.rule), signal);
    }
  }

  /** The caller may be gone before it is over: what it asked for happens anyway. */
  async #delay(fault: Fault<FaultRuleOf<'delay'>>): Promise<void> {
    await this.#counted(() => this.#options.pause(fault.drawMs(fault.rule), this.#closed.signal));
    if (this.#closed.signal.aborted) throw new ConnectionLost('unavailable');
  }

  async #neverAnswer(signal: AbortSignal): Promise<never> {
    await this.#holdBack(signal, signal);
    throw new ConnectionLost('unavailable');
  }

  /** Waits for `until`; throws once the caller is gone, and when the plan is closed. */
  async #holdBack(until: AbortSignal, caller: AbortSignal): Promise<void> {
    await this.#counted(() => aborted(AbortSignal.any([until, this.#closed.signal])));
    caller.throwIfAborted();
    if (this.#closed.signal.aborted) throw new ConnectionLost('unavailable');
  }

  async #counted(wait: () => Promise<void>): Promise<void> {
    if (this.#heldCount >= HELD_MAX) throw new ConnectionLost('unavailable');
    this.#heldCount += 1;
    try {
      await wait();
    } finally {
      this.#heldCount -= 1;
    }
  }

  /** What a fault does at once. */
  #begin(fault: Fault): void {
    if (isOf(fault, 'silence')) {
      for (const stream of this.#streams.values()) {
        const isFit = !stream.isSilent && isCallFit(fault.rule.where ?? {}, stream.call);
        if (isFit && fault.strikes()) stream.isSilent = true;
      }
    }
    if (isOf(fault, 'cut')) void this.#cutAgain(fault);
  }

  async #cutAgain(fault: Fault<FaultRuleOf<'cut'>>): Promise<void> {
    const { everySeconds } = fault.rule;
    for (;;) {
      cutNow(fault, this.#streams.values());
      if (everySeconds === undefined) fault.spend();
      if (everySeconds === undefined || fault.state !== 'active') return;
      await this.#options.pause(everySeconds * 1000, fault.ended);
    }
  }

  /** Faults of a kind whose time has not passed. */
  #of<K extends FaultKind>(kind: K): Fault<FaultRuleOf<K>>[] {
    return [...this.#faults.values()]
      .filter((fault) => isOf(fault, kind))
      .filter((fault) => fault.state !== 'over');
  }

  #fitting<K extends FaultKind>(kind: K, call: FaultCall): Fault<FaultRuleOf<K>>[] {
    return this.#of(kind).filter(({ rule }) => isCallFit(rule.where ?? {}, call));
  }

  #memoryOf(fault: Fault<FaultRuleOf<'withhold'>>): Withheld {
    const known = this.#withheld.get(fault);
    if (known !== undefined) return known;
    const memory = new Withheld();
    this.#withheld.set(fault, memory);
    return memory;
  }

  /** Those that do nothing more make room for new ones, the oldest first. */
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

/** Nothing that has struck this stream goes on. */
const isUndisturbed = ({ isSilent, held }: OpenStream): boolean => !isSilent && held.length === 0;

/** Kinds that keep something back after their last strike. */
const LASTING: ReadonlySet<FaultKind> = new Set(['withhold', 'hold']);

const isOf = <K extends FaultKind>(fault: Fault, kind: K): fault is Fault<FaultRuleOf<K>> =>
  fault.rule.kind === kind;

/** A plan without faults, to be told what goes wrong. */
export const createFaultPlan = (options: FaultPlanOptions): ScriptedFaults =>
  new ScriptedFaults(options);
