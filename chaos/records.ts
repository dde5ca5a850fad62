import type { Answer, Operated, Who } from './caller.ts';

/** One operation as its caller saw it. Times are in milliseconds since the load began. */
export interface OperationRecord {
  readonly commandId: string;
  readonly what: string;
  readonly who: Who;
  readonly path: string;
  readonly body: object;
  readonly beganMs: number;
  /** The answer; `null` until there is one. */
  answer: OperationAnswer | null;
}

export interface OperationAnswer {
  readonly atMs: number;
  readonly status: number;
  /** The code of the problem; `null` if the operation was not refused. */
  readonly code: string | null;
  /** The content of the answer: see {@link contentOf}. */
  readonly body: string;
  readonly sent: number;
}

type Answered = Pick<Answer, 'status' | 'body'>;

/**
 * Returns the content of an answer for comparison with another answer to the same command. The trace ID of a problem is
 * omitted, because it identifies the request and not the operation.
 */
export function contentOf(body: unknown): string {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return JSON.stringify(body);
  const { traceId: _traceId, ...content } = body as Readonly<Record<string, unknown>>;
  return JSON.stringify(content);
}

export const saysTheSame = (one: Answered, other: Answered): boolean =>
  one.status === other.status && contentOf(one.body) === contentOf(other.body);

type Timed = Answered & Pick<Operated, 'answeredMs'>;

/**
 * Returns the answer that counts, of two answers to a command that was sent twice at the same time. A step that is
 * refused at once leaves no record and does not use up its command ID (docs/ERRORS.md). So one call may be refused and
 * the other accepted later. But a call may not be refused because of the effect of the other one.
 * @param finishedMs when the operation of this command ended, in milliseconds since 1970; `null` if there is no such
 *   operation
 * @returns `null` if the answers contradict each other
 */
export function standing<A extends Timed>(one: A, other: A, finishedMs: number | null): A | null {
  if (saysTheSame(one, other)) return one;
  const refused = [one, other].find(({ body }) => body?.code === 'STEP_NOT_ALLOWED');
  const accepted = [one, other].find(({ status }) => status < 400);
  if (refused === undefined || accepted === undefined || finishedMs === null) return null;
  return refused.answeredMs < finishedMs ? accepted : null;
}

/** All operations of a load, with the answer to each. */
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
    record.answer = { atMs: this.nowMs(), status, code, body: contentOf(body), sent };
  }

  /**
   * Returns the operations that had been sent at a moment but not yet answered. Comments are omitted, because the desk
   * pauses them from time to time.
   */
  inFlightAt(atMs: number): OperationRecord[] {
    return this.#records.filter(
      ({ what, beganMs, answer }) =>
        what !== 'comment' && beganMs <= atMs && (answer === null || answer.atMs > atMs),
    );
  }

  /**
   * Returns how long it took from a moment until all operations in flight at that moment were answered; `null` if there
   * were none, or if not all have been answered.
   */
  recoveryMs(atMs: number): number | null {
    const ends = this.inFlightAt(atMs).map(
      ({ answer }) => answer?.atMs ?? Number.POSITIVE_INFINITY,
    );
    const last = Math.max(...ends);
    return Number.isFinite(last) ? last - atMs : null;
  }

  /** Returns how long it took from a moment until any caller got an answer; `null` if none did. */
  stallMs(atMs: number): number | null {
    const after = this.#records.flatMap(({ answer }) =>
      answer !== null && answer.atMs > atMs ? [answer.atMs - atMs] : [],
    );
    return after.length === 0 ? null : Math.min(...after);
  }
}

/** Returns whether an operation took effect or was definitely refused. Tenure promises one of these two ends. */
export const isEnded = ({ answer }: OperationRecord): boolean =>
  answer !== null && answer.status < 500;

export const isGood = ({ answer }: OperationRecord): boolean =>
  answer !== null && answer.status < 400;
