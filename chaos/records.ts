import type { Operated, Who } from './caller.ts';

/** One operation as its caller saw it. Times are milliseconds since the load began. */
export interface OperationRecord {
  readonly commandId: string;
  readonly what: string;
  readonly who: Who;
  readonly path: string;
  readonly body: object;
  readonly beganMs: number;
  /** `null` while there is no answer. */
  answer: OperationAnswer | null;
}

export interface OperationAnswer {
  readonly atMs: number;
  readonly status: number;
  /** The problem's code, where it was refused. */
  readonly code: string | null;
  readonly body: string;
  readonly sent: number;
}

/** All operations of a load, and what was answered to each. */
export class Records {
  readonly #beganMs = performance.now();
  readonly #records: OperationRecord[] = [];

  get all(): readonly OperationRecord[] {
    return this.#records;
  }

  nowMs(): number {
    return performance.now() - this.#beganMs;
  }

  begin(
    asked: Pick<OperationRecord, 'commandId' | 'what' | 'who' | 'path' | 'body'>,
  ): OperationRecord {
    const record: OperationRecord = { ...asked, beganMs: this.nowMs(), answer: null };
    this.#records.push(record);
    return record;
  }

  end(record: OperationRecord, operated: Operated): void {
    const { status, body, sent } = operated;
    const code = status < 400 ? null : String(body?.code ?? status);
    record.answer = { atMs: this.nowMs(), status, code, body: JSON.stringify(body), sent };
  }

  /** Operations that were on their way at a moment. */
  inFlightAt(atMs: number): OperationRecord[] {
    return this.#records.filter(
      ({ beganMs, answer }) => beganMs <= atMs && (answer === null || answer.atMs > atMs),
    );
  }

  /** How long after a moment everything that was on its way then had its answer; `null` when nothing was, or has. */
  recoveryMs(atMs: number): number | null {
    const ends = this.inFlightAt(atMs).map(
      ({ answer }) => answer?.atMs ?? Number.POSITIVE_INFINITY,
    );
    const last = Math.max(...ends);
    return Number.isFinite(last) ? last - atMs : null;
  }

  /** How long after a moment the first answer came to anybody; `null` when none did. */
  stallMs(atMs: number): number | null {
    const after = this.#records.flatMap(({ answer }) =>
      answer !== null && answer.atMs > atMs ? [answer.atMs - atMs] : [],
    );
    return after.length === 0 ? null : Math.min(...after);
  }
}

export const isGood = ({ answer }: OperationRecord): boolean =>
  answer !== null && answer.status < 400;
