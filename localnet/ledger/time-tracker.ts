import type { ParticipantName } from '../ports.ts';
import type { LedgerClock } from './clock.ts';
import type { LedgerStore } from './ledger-store.ts';
import { unsequencedOf } from './time-outs.ts';
import { TIMER_MS_MAX } from './wakeup.ts';

export interface TimeTrackerOptions {
  readonly store: LedgerStore;
  readonly clock: LedgerClock;
  /**
   * Milliseconds without a message from the synchronizer after which a participant requests its time; `0` means never.
   */
  readonly timeProofMs: number;
  /** Makes the synchronizer send its time to a participant, and calls `done` afterwards. */
  readonly prove: (name: ParticipantName, done: () => void) => void;
  /** Returns whether a participant can reach the synchronizer now. */
  readonly canAsk: (name: ParticipantName) => boolean;
}

/**
 * How long a participant waits, after the deadline of a submission, for an event that proves that this time has passed.
 * After that, it requests the synchronizer's time.
 */
const OBSERVATION_LATENCY_MS = 250;
const MICROS_PER_MS = 1_000;

/**
 * Advances the time of a quiet synchronizer. A participant requests the time if one of its submissions was not
 * sequenced before its deadline. Otherwise, it does so only after a long time without a message from the synchronizer.
 */
export class TimeTracker {
  readonly #options: TimeTrackerOptions;
  readonly #timers = new Map<ParticipantName, NodeJS.Timeout>();
  /** The time of the ledger's clock at the start, in microseconds. */
  readonly #startedAt: bigint;
  readonly #asking = new Set<ParticipantName>();
  #isClosed = false;

  constructor(options: TimeTrackerOptions) {
    this.#options = options;
    this.#startedAt = options.clock.nowMicros();
  }

  /** Starts to watch all participants. */
  start(): void {
    for (const name of this.#options.store.state.names) this.watch(name);
  }

  /**
   * Checks again whether a participant waits for a time to pass, and whether it can request the synchronizer's time
   * now.
   */
  watch(name: ParticipantName): void {
    clearTimeout(this.#timers.get(name));
    if (this.#isClosed) return;
    const waitMs = this.#waitMs(name);
    if (waitMs === Infinity) return;
    const timer = setTimeout(() => this.#check(name), Math.min(Math.max(0, waitMs), TIMER_MS_MAX));
    this.#timers.set(name, timer.unref());
  }

  /** Called when static time is set. Static time advances in no other way. */
  onTimeSet(): void {
    for (const name of this.#options.store.state.names) this.#check(name);
  }

  close(): void {
    this.#isClosed = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
  }

  #check(name: ParticipantName): void {
    if (this.#isClosed || this.#asking.has(name)) return;
    if (this.#waitMs(name) > 0) {
      this.watch(name);
      return;
    }
    // A participant that is cut off requests the time later: `watch` is called again when it is released.
    if (!this.#options.canAsk(name)) return;
    this.#asking.add(name);
    this.#options.prove(name, () => {
      this.#asking.delete(name);
      this.watch(name);
    });
  }

  #waitMs(name: ParticipantName): number {
    return Math.min(this.#untilTimeOutMs(name), this.#untilQuietMs(name));
  }

  #untilTimeOutMs(name: ParticipantName): number {
    const { store, clock } = this.#options;
    const { received } = store.state.participants[name];
    const first = unsequencedOf(store.state, name).find(
      ({ maxSequencingTime }) => maxSequencingTime > received.recordTime,
    );
    if (first === undefined) return Infinity;
    const left = first.maxSequencingTime - clock.nowMicros();
    if (clock.isStatic) return left > 0n ? Infinity : 0;
    return Number(left) / MICROS_PER_MS + OBSERVATION_LATENCY_MS;
  }

  #untilQuietMs(name: ParticipantName): number {
    const { store, clock, timeProofMs } = this.#options;
    if (timeProofMs === 0 || clock.isStatic) return Infinity;
    const { recordTime } = store.state.participants[name].received;
    const since = recordTime > this.#startedAt ? recordTime : this.#startedAt;
    return timeProofMs - Number(clock.nowMicros() - since) / MICROS_PER_MS;
  }
}
