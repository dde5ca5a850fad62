import type { ErrorCode } from '../../../localnet/ledger/ledger-error.ts';
import type { Random } from './random.ts';

/** The fate of one call over a network. Times are in milliseconds. */
export interface CallFate {
  readonly requestMs: number;
  readonly answerMs: number;
  /** After `requestMs`, the server waits for this promise before it reads the request. */
  readonly until?: Promise<void>;
  /**
   * - `unsent`: there was no connection, and the caller knows this.
   * - `request`: the request never arrives.
   * - `answer`: the request has its effect, but the answer never arrives.
   */
  readonly lost?: 'unsent' | 'request' | 'answer';
  /** Whether the caller of a lost call gets an error. Otherwise, it waits until its own deadline. */
  readonly resets?: boolean;
  /** The error with which the server answers instead of doing anything. */
  readonly refusal?: ErrorCode;
  /** The error with which the server completes the command after it has accepted it. */
  readonly completion?: ErrorCode;
  /** The error with which the server answers after it has executed the command. */
  readonly refusalAfter?: ErrorCode;
  /** If set, the server reads a second copy of the request when this resolves. The answer to the copy is lost. */
  readonly copy?: Promise<void>;
  /** The work that the server does instead of the requested work. It answers as if it had done the requested work. */
  readonly instead?: () => Promise<object>;
}

type ElementFate = 'deliver' | 'duplicate' | 'cut' | 'silent';

/** The fate of an open stream. */
export interface StreamFate {
  readonly openMs: number;
  /** Returns a new delay for each element. The order of elements does not change. */
  elementMs(): number;
  /**
   * Called before each element. With `duplicate`, the element is delivered twice. With `silent`, nothing is delivered
   * any more.
   */
  onElement(): ElementFate;
  /** The error with which the stream cannot be opened; absent if it can be opened. */
  readonly refusal?: ErrorCode | 'unsent';
}

/** All random faults. Each has a probability, which applies at every opportunity in a bad history. */
export const FAULT_RATES = {
  // Faults of a call to a participant.
  'call-unsent': 0.04,
  'call-lost': 0.03,
  'answer-lost': 0.05,
  'answer-late': 0.03,
  'refused-sync': 0.06,
  'refused-async': 0.06,
  'answer-ambiguous': 0.03,
  // Faults of the next attempt of a command whose previous attempt is in doubt.
  'refused-after-doubt': 0.5,
  'submitted-twice': 0.5,
  // Faults of a stream of a participant.
  'stream-cut': 0.03,
  'stream-silent': 0.01,
  'stream-refused': 0.15,
  'element-duplicated': 0.05,
  'element-withheld': 0.05,
  'token-expired': 0.05,
  'tokens-away': 0.01,
  // Faults of the database, at each step.
  'database-slow': 0.01,
  'database-lost-before': 0.004,
  'database-lost-before-commit': 0.01,
  'database-lost-after-commit': 0.02,
  'notification-lost': 0.3,
  // Faults of the queue.
  'queue-lost-before': 0.02,
  'queue-lost-after': 0.05,
  // In the whole history, an accepted update can rarely be read.
  'update-unreadable': 0.3,
  // Faults of the token registry.
  'registry-away': 0.2,
  'registry-unknowing': 0.1,
  // Faults of the target of a webhook.
  'target-away': 0.05,
  'target-refuses': 0.1,
  'target-hangs': 0.03,
  // Faults of the clock of a machine, decided when the machine is set up.
  'clock-skew': 0.4,
  'clock-far-off': 0.02,
  // Faults of a process, at a named step of its work.
  'kill-at-step': 0.003,
  'pause-at-step': 0.002,
  'kill-around-submit': 0.03,
  // Events in the life of a process or a machine: see `disasters.ts`.
  'participant-away': 0.5,
  'participant-behind': 0.7,
  'participant-stopped': 0.7,
  'traffic-out': 0.5,
  'synchronizer-left': 0.2,
  kill: 1,
  restart: 0.5,
  pause: 1,
  'database-restart': 0.5,
  'database-restored': 0.25,
  // Once in a history with this fault: see `long-mailbox.ts`.
  'long-mailbox': 0.02,
  // Whether a person confirms policies, which then take effect after a delay: see `policy-delay.ts`.
  'policy-delayed': 0.25,
  // Whether licences renew themselves: see `subscriber.ts`.
  subscribed: 0.25,
  'queue-wiped': 0.7,
  'job-duplicated': 3,
  'ledger-away': 0.5,
  'ledger-restart': 0.3,
  'user-rotated': 0.5,
  'connections-broken': 0.7,
  pruned: 0.3,
  'time-leap': 0.2,
} as const;
export type Fault = keyof typeof FAULT_RATES;

/** Faults whose rates are the same however severe a history is. */
const AS_STATED: ReadonlySet<Fault> = new Set<Fault>(['refused-after-doubt', 'submitted-twice']);

/**
 * The separate random sources of some faults. Because of them, a history without these faults is the same as before
 * they were added.
 */
type Apart = ReadonlyMap<Fault, Random>;

export const FAULTS = Object.keys(FAULT_RATES) as Fault[];

/** @throws RangeError if there is no fault with this name */
export function faultNamed(name: string): Fault {
  const found = FAULTS.find((fault) => fault === name);
  if (found === undefined) throw new RangeError(`no fault ${name}; there are ${FAULTS.join(', ')}`);
  return found;
}

/** Refusals with which a participant may answer at once. It has not registered the command. */
const SYNC_REFUSALS: readonly ErrorCode[] = [
  'PARTICIPANT_BACKPRESSURE',
  'SERVICE_NOT_RUNNING',
  'SUBMISSION_ALREADY_IN_FLIGHT',
  'UNKNOWN_CONTRACT_SYNCHRONIZERS',
  'CONTRACT_NOT_FOUND',
  'INVALID_ARGUMENT',
  'PERMISSION_DENIED',
  'LEDGER_API_INTERNAL_ERROR',
  'REQUEST_TIME_OUT',
];

/** Refusals that a completion reports. */
export const ASYNC_REFUSALS: readonly ErrorCode[] = [
  'LOCAL_VERDICT_LOCKED_CONTRACTS',
  'LOCAL_VERDICT_INACTIVE_CONTRACTS',
  'LOCAL_VERDICT_TIMEOUT',
  'LOCAL_VERDICT_LEDGER_TIME_OUT_OF_BOUND',
  'MEDIATOR_SAYS_TX_TIMED_OUT',
  'NOT_SEQUENCED_TIMEOUT',
  'SEQUENCER_BACKPRESSURE',
  'SEQUENCER_REQUEST_FAILED',
  'PARTICIPANT_BACKPRESSURE',
  'INCONSISTENT',
];

/** Error codes with which a participant may answer although the command is in flight. */
const AMBIGUOUS: readonly ErrorCode[] = [
  'REQUEST_TIME_OUT',
  'REQUEST_DEADLINE_EXCEEDED',
  'LEDGER_API_INTERNAL_ERROR',
];

export type CommandKind = 'create' | 'exercise';

/** Error codes that only a command with input contracts can get. */
const ABOUT_INPUTS: ReadonlySet<ErrorCode> = new Set([
  'CONTRACT_NOT_FOUND',
  'UNKNOWN_CONTRACT_SYNCHRONIZERS',
  'LOCAL_VERDICT_LOCKED_CONTRACTS',
  'LOCAL_VERDICT_INACTIVE_CONTRACTS',
  'INCONSISTENT',
]);

export const possible = (codes: readonly ErrorCode[], command: CommandKind): readonly ErrorCode[] =>
  command === 'exercise' ? codes : codes.filter((code) => !ABOUT_INPUTS.has(code));

/** The faults of a history, their rates, and the speed of its network. All of them depend only on the seed. */
export class Weather {
  readonly random: Random;
  readonly injected = new Map<string, number>();
  readonly #rates: ReadonlyMap<Fault, number>;
  readonly #networkMs: number;
  #isFair = false;

  constructor(random: Random, apart: Apart, only?: readonly Fault[]) {
    this.random = random;
    // A few histories have no faults. Each of the others has its own selection of faults, so that faults also occur
    // alone.
    const severity = random.chance(0.05) ? 0 : random.pick([0.3, 1, 1, 2]);
    const share = random.pick([0.15, 0.35, 0.7, 1]);
    this.#rates = new Map(
      FAULTS.map((fault) => {
        const isDrawn = (): boolean =>
          apart.get(fault)?.chance(FAULT_RATES[fault]) ?? random.chance(share);
        const isIn = only === undefined ? isDrawn() : only.includes(fault);
        const times = AS_STATED.has(fault) ? Math.min(1, Math.ceil(severity)) : severity;
        return [fault, isIn ? FAULT_RATES[fault] * times : 0];
      }),
    );
    this.#networkMs = random.pick([0.5, 2, 20]);
  }

  /** Ends all faults. */
  clearUp(): void {
    this.#isFair = true;
  }

  get isFair(): boolean {
    return this.#isFair;
  }

  rateOf(fault: Fault): number {
    return this.#isFair ? 0 : (this.#rates.get(fault) ?? 0);
  }

  /** Decides whether a fault happens now, and counts it if it does. */
  strikes(fault: Fault, detail = ''): boolean {
    const rate = this.rateOf(fault);
    if (rate === 0 || !this.random.chance(Math.min(rate, 0.9))) return false;
    this.count(fault, detail);
    return true;
  }

  count(fault: string, detail = ''): void {
    const name = detail === '' ? fault : `${fault}: ${detail}`;
    this.injected.set(name, (this.injected.get(name) ?? 0) + 1);
  }

  /** Returns how long one message is in flight. */
  hopMs(): number {
    const base = this.random.between(0.1, this.#networkMs);
    return this.random.chance(0.02) ? base * 10 : base;
  }

  #code(fault: Fault, codes: readonly ErrorCode[]): ErrorCode | null {
    const rate = this.rateOf(fault);
    if (rate === 0 || !this.random.chance(rate)) return null;
    const code = this.random.pick(codes);
    this.count(fault, code);
    return code;
  }

  refusalAfterDoubt(codes: readonly ErrorCode[]): ErrorCode | null {
    return this.#code('refused-after-doubt', codes);
  }

  /** Returns how long a request and its answer are in flight. */
  hops(): { readonly requestMs: number; readonly answerMs: number } {
    return { requestMs: this.hopMs(), answerMs: this.hopMs() };
  }

  asyncRefusal(command: CommandKind): ErrorCode | null {
    return this.#code('refused-async', possible(ASYNC_REFUSALS, command));
  }

  /**
   * @param command the kind of the submitted command, or `null` for other calls. Only a command can take effect
   *   although its answer leaves that open
   */
  call(command: CommandKind | null): CallFate {
    const times = this.hops();
    if (this.strikes('call-unsent')) return { ...times, lost: 'unsent' };
    if (this.strikes('call-lost')) return { ...times, lost: 'request', ...this.#resets() };
    if (this.strikes('answer-lost')) return { ...times, lost: 'answer', ...this.#resets() };
    if (this.strikes('answer-late')) {
      return this.random.chance(0.5)
        ? { ...times, answerMs: this.random.between(8_000, 20_000) }
        : { ...times, requestMs: this.random.between(8_000, 100_000) };
    }
    if (command === null) return times;
    const refusal = this.#code('refused-sync', possible(SYNC_REFUSALS, command));
    if (refusal !== null) return { ...times, refusal };
    const refusalAfter = this.#code('answer-ambiguous', AMBIGUOUS);
    return refusalAfter === null ? times : { ...times, refusalAfter };
  }

  #resets(): { readonly resets: boolean } {
    return { resets: this.random.chance(0.6) };
  }

  stream(): StreamFate {
    const refused = this.strikes('stream-refused');
    return {
      openMs: this.hopMs(),
      elementMs: () =>
        this.hopMs() + (this.strikes('element-withheld') ? this.random.between(100, 6_000) : 0),
      onElement: () => this.#element(),
      ...(refused ? { refusal: this.random.pick(['unsent', 'SERVICE_NOT_RUNNING'] as const) } : {}),
    };
  }

  #element(): ElementFate {
    if (this.strikes('stream-cut')) return 'cut';
    if (this.strikes('stream-silent')) return 'silent';
    return this.strikes('element-duplicated') ? 'duplicate' : 'deliver';
  }
}
