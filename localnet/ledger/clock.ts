import { LedgerError } from './ledger-error.ts';
import type { LedgerStore } from './ledger-store.ts';
import { timestampText } from './lf-values.ts';

/** The maximum difference between the ledger time and the record time of one transaction. */
export const LEDGER_TIME_TOLERANCE_MICROS = 60_000_000n;

const wallMicros = (): bigint => BigInt(Date.now()) * 1000n;

/**
 * The key of a mark that is stored once the clock has been moved. After this, the ledger's time may be later than wall
 * time.
 */
const MOVED = 'clock/moved';
/**
 * The key of the microseconds by which the ledger's clock is permanently ahead of wall time. Stored once wall time
 * has been advanced.
 */
const AHEAD = 'clock/ahead';

/**
 * The ledger's time, which is the same for all participants. It is either the wall clock, or a static time that changes
 * only when it is set. If wall time is set back, the ledger's time stands still until wall time has caught up.
 */
export class LedgerClock {
  readonly isStatic: boolean;
  readonly #store: LedgerStore;
  readonly #startMicros: bigint;
  readonly #offsetMicros: () => bigint;
  #aheadMicros: bigint;

  /**
   * Starts the clock. On a new ledger, static time begins at `staticStart`; on a ledger that already had a static time,
   * static time continues from its last value.
   * @throws Error if the ledger's record time is already later than the clock's time, because nothing could be
   *   committed
   */
  constructor(
    store: LedgerStore,
    staticStart: bigint | undefined,
    offsetMicros: () => bigint = () => 0n,
  ) {
    this.#store = store;
    this.#offsetMicros = offsetMicros;
    this.isStatic = staticStart !== undefined;
    this.#startMicros = staticStart ?? 0n;
    this.#aheadMicros = BigInt(store.state.kept.get(AHEAD) ?? 0);
    const { recordTime } = store.state;
    if (recordTime > this.nowMicros() + LEDGER_TIME_TOLERANCE_MICROS) {
      throw new Error(
        `the ledger has come to ${timestampText(recordTime)}, later than its clock, ${timestampText(this.nowMicros())}; start it with a static time that is not earlier`,
      );
    }
  }

  nowMicros(): bigint {
    if (this.isStatic) return this.#store.state.staticTime ?? this.#startMicros;
    const now = wallMicros() + this.#aheadMicros + this.#offsetMicros();
    const { recordTime } = this.#store.state;
    return this.#isMoved && now < recordTime ? recordTime : now;
  }

  /** Must be called before the ledger's time differs from wall time for the first time. */
  move(): void {
    if (!this.#isMoved) this.#store.commit({ kind: 'kept', name: MOVED, text: 'true' });
  }

  get #isMoved(): boolean {
    return this.#store.state.kept.has(MOVED);
  }

  /** Moves time forward. Static time changes to a later time and stays there; wall time jumps ahead and continues. */
  advance(micros: bigint): void {
    if (this.isStatic) {
      this.set(this.nowMicros() + micros);
      return;
    }
    if (micros < 0n) throw new RangeError('time goes forward only');
    const ahead = this.#aheadMicros + micros;
    this.#store.commit({ kind: 'kept', name: AHEAD, text: String(ahead) });
    this.#aheadMicros = ahead;
  }

  /** Sets static time to a later time. Throws INVALID_ARGUMENT for an earlier time, or if time is not static. */
  set(micros: bigint): void {
    if (!this.isStatic) {
      throw new LedgerError(
        'INVALID_ARGUMENT',
        'The submitted request has invalid arguments: the ledger runs on wall time',
      );
    }
    const now = this.nowMicros();
    if (micros < now) {
      throw new LedgerError(
        'INVALID_ARGUMENT',
        `The submitted request has invalid arguments: new_time [${timestampText(micros)}] is before current_time [${timestampText(now)}]. Setting time backwards is not allowed.`,
      );
    }
    if (micros > now) this.#store.commit({ kind: 'time', micros });
  }

  /** Returns a record time that is later than all earlier ones, and not in the past. */
  nextRecordTime(): bigint {
    const now = this.nowMicros();
    const { recordTime } = this.#store.state;
    return now > recordTime ? now : recordTime + 1n;
  }
}
