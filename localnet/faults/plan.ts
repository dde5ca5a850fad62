import { ConnectionLost } from '../faults.ts';
import type { ElementFate, ElementSubject, FaultCall, FaultPlan } from '../faults.ts';
import type { FaultSubmission } from '../faults.ts';
import type { ErrorCode } from '../ledger/ledger-error.ts';
import type { Misfortune } from '../ledger/participant-node.ts';
import type { ParticipantName } from '../ports.ts';
import { canAnswer, canReject, errorOf, isSequenced, rejectionOf } from './codes.ts';
import { Conditions } from './conditions.ts';
import { codesOfFault, endOf } from './fault.ts';
import type { Fault, FaultView } from './fault.ts';
import { isCallFit, isTargetFit } from './matching.ts';
import { FaultRegistry, isOf } from './registry.ts';
import type { FaultPlanOptions } from './registry.ts';
import { BadFault, FaultConflict } from './rules.ts';
import type { FaultKind, FaultRule, FaultRuleOf } from './rules.ts';
import { cutBefore, cutNow, shuffle, Withheld } from './stream-faults.ts';
import type { OpenStream } from './stream-faults.ts';

/**
 * Effects of a plan on the network as a whole, in contrast to effects on individual calls. Refusals are thrown as
 * `BadFault` or `FaultConflict`. Without a participant, an effect concerns all participants.
 */
export interface FaultActs {
  /** Restarts participants. Returns once they have stopped answering. */
  restart(participant: ParticipantName | undefined, downMs: number): void;
  prune(participant: ParticipantName | undefined, upTo: string | undefined): void;
  /** Applies changed conditions of participants: see {@link Conditions}. */
  settle(): void;
  /** Must be called before a fault makes the ledger's clock differ from wall time. */
  moveClock(): void;
}

/** Kinds of faults that set a condition on participants. The condition holds until it is changed. */
const SETTLED = ['behind', 'stopped', 'down'] as const;
/** Kinds of faults whose condition holds while the fault lasts. */
const CONDITIONS = ['skew', 'deduplication-window', 'slow-ledger', ...SETTLED] as const;
/** How long a participant is down, unless the fault says otherwise. */
const DOWN_MS = 1_000;
/**
 * The maximum number of calls and streams that are delayed or silent at the same time. Further ones are ended at once.
 */
const HELD_MAX = 1_000;

/** Resolves when the signal is aborted. */
const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/**
 * A fault plan that can be changed while it runs. It has no clock and no randomness of its own: with a given `random`,
 * or if faults have a seed, the same faults are applied to the same calls in the same order.
 */
export class ScriptedFaults implements FaultPlan {
  readonly #options: FaultPlanOptions & { readonly acts?: FaultActs };
  readonly #registry: FaultRegistry;
  readonly conditions: Conditions;
  readonly #withheld = new WeakMap<Fault, Withheld>();
  readonly #streams = new Map<FaultCall, OpenStream>();
  readonly #closed = new AbortController();
  #heldCount = 0;

  constructor(options: FaultPlanOptions & { readonly acts?: FaultActs }) {
    this.#options = options;
    this.#registry = new FaultRegistry(options);
    this.conditions = new Conditions(this.#registry);
  }

  /** Whether there are no faults. Streams that have become silent remain silent even then. */
  get isQuiet(): boolean {
    return this.#registry.isEmpty;
  }

  /** How often each kind of fault was applied since the start, including removed faults. */
  get totals(): Readonly<Partial<Record<FaultKind, number>>> {
    return this.#registry.totals;
  }

  /**
   * Adds a fault, which takes effect at once. A one-time effect has happened, or has begun, when this method returns.
   *
   * @throws BadFault, FaultConflict if the fault is invalid, or impossible at present; it is then not added
   */
  add(rule: FaultRule, script?: string): FaultView {
    const fault = this.#registry.add(rule, script);
    try {
      this.#begin(fault);
    } catch (error) {
      this.#registry.remove(fault.id);
      throw error;
    }
    return this.#viewOf(fault);
  }

  /** Adds the faults of one script. They are removed together, by the script's ID. */
  addScript(rules: readonly FaultRule[]): { id: string; faults: readonly FaultView[] } {
    const id = this.#registry.nextId();
    try {
      return { id, faults: rules.map((rule) => this.add(rule, id)) };
    } catch (error) {
      this.remove(id);
      throw error;
    }
  }

  list(): readonly FaultView[] {
    return this.#registry.list().map((fault) => this.#viewOf(fault));
  }

  get(id: string): FaultView | undefined {
    const fault = this.#registry.get(id);
    return fault === undefined ? undefined : this.#viewOf(fault);
  }

  /**
   * Removes a fault, or all faults of a script, and releases what they have held back. Returns how many were removed.
   */
  remove(id: string): number {
    return this.#registry.remove(id);
  }

  /** Removes all faults. Returns how many were removed. */
  clear(): number {
    return this.#registry.clear();
  }

  /** Removes all faults and ends everything that they hold back. No fault is applied after that. */
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
    const error = cutBefore(this.#registry.of('cut-at'), stream, subject);
    if (error !== undefined) return { kind: 'cut', error };
    const faultsOf = <K extends FaultKind>(kind: K) => this.#registry.of(kind);
    const fate = shuffle(element, subject, stream, faultsOf, (fault) => this.#memoryOf(fault));
    if (subject.kind !== 'checkpoint') stream.delivered += 1;
    return fate;
  }

  /** A half-open stream does not report its end either, so the end is held back. */
  async onEnd(call: FaultCall, signal: AbortSignal): Promise<void> {
    if (this.#streams.get(call)?.isSilent === true) await this.#holdBack(signal, signal);
  }

  onSubmission(submission: FaultSubmission): Misfortune | undefined {
    for (const fault of this.#registry.of('lose')) {
      if (isTargetFit(fault.rule.where ?? {}, submission) && fault.strikes())
        return { kind: 'lost' };
    }
    for (const fault of this.#registry.of('reject')) {
      if (!isTargetFit(fault.rule.where ?? {}, submission)) continue;
      const codes = codesOfFault(fault).filter((code) => canReject(code, submission));
      if (codes.length === 0 || !fault.strikes()) continue;
      const code = fault.draw(codes) as ErrorCode;
      const rejection = rejectionOf(code, submission);
      return { kind: 'rejected', rejection, isSequenced: isSequenced(code) };
    }
    return undefined;
  }

  /** Refuses a call before it begins: the call is lost, or gets an error. */
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

  /**
   * Applies faults to the beginning of a stream's call. A half-open stream skips this step, because its call counts as
   * opened.
   */
  #enterStream(call: FaultCall, signal: AbortSignal): Promise<void> {
    return this.#streams.get(call)?.isSilent === true
      ? Promise.resolve()
      : this.#refuse(call, signal);
  }

  /** Delays a stream before an element, if a fault requires this. */
  async #holdUp(stream: OpenStream, subject: ElementSubject, signal: AbortSignal): Promise<void> {
    for (const fault of this.#fitting('hold', stream.call)) {
      if (fault.strikes()) await this.#holdBack(AbortSignal.any([fault.ended, signal]), signal);
    }
    if (subject.kind === 'checkpoint') return;
    for (const fault of this.#fitting('slow-stream', stream.call)) {
      if (fault.strikes()) await this.#options.pause(fault.drawMs(fault.rule), signal);
    }
  }

  /** Delays a call. If the caller disconnects during the delay, the request is executed nevertheless. */
  async #delay(fault: Fault<FaultRuleOf<'delay'>>): Promise<void> {
    await this.#counted(() => this.#options.pause(fault.drawMs(fault.rule), this.#closed.signal));
    if (this.#closed.signal.aborted) throw new ConnectionLost('unavailable');
  }

  async #neverAnswer(signal: AbortSignal): Promise<never> {
    await this.#holdBack(signal, signal);
    throw new ConnectionLost('unavailable');
  }

  /** Waits until `until` is aborted. Throws if the caller disconnects or the plan is closed. */
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

  /** Applies the immediate effects of a new fault. */
  #begin(fault: Fault): void {
    this.conditions.begin(fault);
    if (isOf(fault, 'silence')) this.#silenceOpen(fault);
    if (isOf(fault, 'expire-tokens')) this.#endUnauthorized(fault);
    if (isOf(fault, 'cut')) this.#again(fault, () => cutNow(fault, this.#streams.values()));
    if (isOf(fault, 'prune')) this.#again(fault, () => this.#act(fault, 'prune'));
    if (isOf(fault, 'restart')) this.#again(fault, () => this.#act(fault, 'restart'));
    if (isOf(fault, 'skew') && fault.rule.where?.participant === undefined) {
      this.#acts.moveClock();
    }
    if (SETTLED.some((kind) => isOf(fault, kind))) this.#settle(fault);
    // Streams over HTTP that are already open are ended.
    if (isOf(fault, 'away')) this.#acts.settle();
    if (CONDITIONS.some((kind) => isOf(fault, kind))) fault.strikes();
  }

  /** Applies a fault's condition to participants now, and removes the condition when the fault is over. */
  #settle(fault: Fault): void {
    const acts = this.#acts;
    acts.settle();
    fault.ended.addEventListener('abort', () => acts.settle(), { once: true });
  }

  #silenceOpen(fault: Fault<FaultRuleOf<'silence'>>): void {
    for (const stream of this.#streams.values()) {
      const isFit = !stream.isSilent && isCallFit(fault.rule.where ?? {}, stream.call);
      if (isFit && fault.strikes()) stream.isSilent = true;
    }
  }

  /** Ends streams that were opened with a token that this fault makes expire. */
  #endUnauthorized(fault: Fault<FaultRuleOf<'expire-tokens'>>): void {
    for (const { call, end } of this.#streams.values()) {
      if (!isCallFit(fault.rule.where ?? {}, call) || !fault.strikes()) continue;
      end(errorOf('ACCESS_TOKEN_EXPIRED', call));
    }
  }

  /** Performs an act now, and repeatedly if the fault has an interval. Only the first act can be refused. */
  #again(fault: Fault<FaultRuleOf<'cut' | 'prune' | 'restart'>>, act: () => void): void {
    const { everySeconds } = fault.rule;
    act();
    if (everySeconds === undefined) fault.spend();
    else void this.#repeat(fault, everySeconds, act);
  }

  async #repeat(fault: Fault, everySeconds: number, act: () => void): Promise<void> {
    while (fault.state === 'active') {
      await this.#options.pause(everySeconds * 1000, fault.ended);
      try {
        if (fault.state === 'active') act();
      } catch (error) {
        if (!(error instanceof FaultConflict) && !(error instanceof BadFault)) throw error;
      }
    }
  }

  #act(fault: Fault<FaultRuleOf<'prune' | 'restart'>>, what: 'prune' | 'restart'): void {
    const acts = this.#acts;
    if (!fault.strikes()) return;
    const { participant } = fault.rule.where ?? {};
    if (what === 'prune') acts.prune(participant, (fault.rule as FaultRuleOf<'prune'>).upTo);
    else acts.restart(participant, (fault.rule as FaultRuleOf<'restart'>).downMs ?? DOWN_MS);
  }

  get #acts(): FaultActs {
    const { acts } = this.#options;
    if (acts === undefined) throw new FaultConflict('there is nobody here who could do that');
    return acts;
  }

  #fitting<K extends FaultKind>(kind: K, call: FaultCall): Fault<FaultRuleOf<K>>[] {
    return this.#registry.of(kind).filter(({ rule }) => isCallFit(rule.where ?? {}, call));
  }

  #viewOf(fault: Fault): FaultView {
    const view = fault.view();
    return isOf(fault, 'withhold') ? { ...view, withheld: this.#memoryOf(fault).all } : view;
  }

  #memoryOf(fault: Fault<FaultRuleOf<'withhold'>>): Withheld {
    const known = this.#withheld.get(fault);
    if (known !== undefined) return known;
    const memory = new Withheld();
    this.#withheld.set(fault, memory);
    return memory;
  }
}

/** Whether no fault holds back elements of the stream or silences it. */
const isUndisturbed = ({ isSilent, held }: OpenStream): boolean => !isSilent && held.length === 0;

/** Creates a plan without faults, to which faults can be added. */
export const createFaultPlan = (
  options: FaultPlanOptions & { readonly acts?: FaultActs },
): ScriptedFaults => new ScriptedFaults(options);
