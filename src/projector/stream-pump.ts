import type { ContractModel } from '../app/contract/model.ts';
import { defectOf } from '../app/engine/lanes/facts.ts';
import { errorLine } from '../domain/error-text.ts';
import type { Party } from '../domain/ids.ts';
import type { LedgerUpdate } from '../domain/ledger.ts';
import type { StreamElement } from './inbox.ts';
import { LeaseLostError } from '../app/engine/lanes/leased.ts';
import type { Log } from '../app/ports/io.ts';
import { sleep } from '../app/ports/wakeup.ts';
import type { StreamRetry } from '../app/ports/streams.ts';
import type { Backoff } from '../domain/backoff.ts';
import { backoffDelayMs } from '../domain/backoff.ts';
import { PROJECTOR_LIMITS } from './limits.ts';

/** An element of a stream. One without content is a position: only the ledger's offset, with nothing to apply. */
export interface StreamItem {
  readonly kind: string;
  readonly offset: bigint;
}

/** A stream of the ledger that can be opened again after any offset. */
export interface PumpSource<Element extends StreamItem> {
  readonly name: string;
  /**
   * Returns the offset after which to open the stream. Called before every opening, so it also checks that the ledger
   * is still the one that was followed.
   *
   * @param received the offset of the last element; `null` before the first opening
   */
  begin(received: bigint | null, signal: AbortSignal): Promise<bigint>;
  open(afterOffset: bigint, signal: AbortSignal): AsyncIterable<Element>;
  /**
   * Returns whether the participant has reached an offset. Called if an element's offset is far beyond the previous
   * one: if the offset was damaged in transit, all elements between the two would be skipped.
   */
  readonly hasReached?: (offset: bigint, signal: AbortSignal) => Promise<boolean>;
  /** Whether elements at or below the last received offset are dropped, or handed on because they may be new. */
  readonly repeated: 'drop' | 'hand-on';
}

/**
 * The reason, found by Tenure, for which a stream cannot continue. Errors of the ledger's streams have the same
 * members.
 */
export class StreamStopped extends Error {
  override readonly name: string = 'StreamStopped';
  readonly code: string;
  readonly retry: StreamRetry;
  constructor(code: string, message: string, retry: StreamRetry, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.retry = retry;
  }
}

/** Why a stream cannot continue, in a form for people. */
export interface Trouble {
  /** The ledger's error code, or one of Tenure's. */
  readonly code: string;
  /** One line that says what is wrong and where. */
  readonly reason: string;
  /** Whether only a person can fix it. */
  readonly needsPerson: boolean;
  /** The offset up to which everything has been received; `null` if nothing was ever received. */
  readonly after: bigint | null;
  /** ISO 8601. */
  readonly since: string;
}

export interface PumpDeps<Element> {
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Accepts an element; throws to stop the stream before this element. */
  readonly hand: (element: Element) => void;
  /** Waits while the reader is behind, so that the number of elements in memory is limited. */
  readonly room: (signal: AbortSignal) => Promise<void>;
  /** Called when the stream cannot continue, and with `null` when it continues again. */
  readonly onTrouble: (name: string, trouble: Trouble | null) => void;
  readonly nowMs: () => number;
  /** A stream that sends nothing for this long, not even a checkpoint, is opened again. */
  readonly silenceMs: number;
}

/** Delays before a stream is opened again, by the number of endings in a row. */
const BACKOFF: Readonly<Record<Exclude<StreamRetry, 'now'>, Backoff>> = {
  away: { firstMs: 40, maxMs: 250, jitter: 0 },
  backoff: { firstMs: 40, maxMs: 1_000, jitter: 0 },
  person: { firstMs: 5_000, maxMs: 30_000, jitter: 0 },
};
/**
 * Errors in an element, which may come from damage in transit. An element is read several times before its error is
 * accepted as real, and is still read again later, so that damage stops a stream hardly longer than it lasts.
 */
const OF_ELEMENTS: ReadonlySet<string> = new Set([
  'BEYOND_END',
  'UNREADABLE_ELEMENT',
  'UNREADABLE_UPDATE',
  'CANNOT_APPLY',
]);
const READ_AGAIN: Backoff = { firstMs: 100, maxMs: 5_000, jitter: 0 };

/** How a stream ended, according to its error. */
interface Ended {
  readonly code: string;
  readonly reason: string;
  readonly retry: StreamRetry;
}

function endedBy(error: unknown): Ended {
  if (!(error instanceof Error)) return { code: 'FAILED', reason: String(error), retry: 'backoff' };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : 'FAILED';
  const retry = 'retry' in error ? error.retry : 'backoff';
  const [reason = ''] = error.message.split('\n', 1);
  return { code, reason, retry: isRetry(retry) ? retry : 'backoff' };
}

const isRetry = (retry: unknown): retry is StreamRetry =>
  retry === 'now' || (typeof retry === 'string' && Object.hasOwn(BACKOFF, retry));

/**
 * Reads one stream continuously: hands on every element and, when the stream ends, opens it again after the last
 * received element, with growing delays. No element is skipped or handed on twice. Errors that only a person can fix
 * are retried rarely, and meanwhile the stream is reported as in trouble; the other streams continue.
 */
export class StreamPump<Element extends StreamItem> {
  readonly #source: PumpSource<Element>;
  readonly #deps: PumpDeps<Element>;
  #received: bigint | null = null;
  #opening = new AbortController();
  /** Number of endings in a row without an element between them. */
  #failures = 0;
  #trouble: Trouble | null = null;
  /** The error of the element after an offset, and how many times in a row that element could not be read. */
  #doubt: { readonly after: bigint | null; readonly reason: string; readonly readings: number } = {
    after: null,
    reason: '',
    readings: 0,
  };
  /**
   * The last received offset at the time when an element was repeated and the stream was opened again to confirm the
   * repetition.
   */
  #repeatedAfter: bigint | null = null;

  constructor(source: PumpSource<Element>, deps: PumpDeps<Element>) {
    this.#source = source;
    this.#deps = deps;
  }

  /** Runs until the signal fires. @throws LeaseLostError if this process may no longer follow the stream */
  async run(): Promise<void> {
    const { signal } = this.#deps;
    while (!signal.aborted) {
      let ended: Ended;
      try {
        await this.#readOnce();
        ended = { code: 'ENDED', reason: 'the stream ended', retry: 'backoff' };
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof LeaseLostError) throw error;
        ended = endedBy(error);
      }
      await sleep(this.#restMs(ended), signal);
    }
  }

  /**
   * Handles elements that were handed on but could not be applied: those after `resumeAfter` are read again once the
   * reason no longer exists.
   */
  refuse(reason: StreamStopped, resumeAfter: bigint): void {
    this.#received = resumeAfter;
    this.#opening.abort(reason);
  }

  async #readOnce(): Promise<void> {
    const opening = new AbortController();
    this.#opening = opening;
    const signal = AbortSignal.any([this.#deps.signal, opening.signal]);
    const after = await this.#source.begin(this.#received, signal);
    opening.signal.throwIfAborted();
    this.#received = after;
    const elements = this.#source.open(after, signal)[Symbol.asyncIterator]();
    const opened = setTimeout(() => this.#mended(), PROJECTOR_LIMITS.openMs);
    try {
      for (;;) {
        const next = await this.#next(elements, signal);
        opening.signal.throwIfAborted();
        if (next.done === true) return;
        this.#mended();
        this.#failures = 0;
        await this.#checkJump(next.value, signal);
        // The reader may have refused elements that were handed on earlier; then this element is not the next one, so
        // the signal is checked.
        opening.signal.throwIfAborted();
        this.#take(next.value);
        await this.#deps.room(signal);
      }
    } finally {
      clearTimeout(opened);
      opening.abort();
      // The stream has received the signal; its orderly end is not awaited.
      Promise.resolve(elements.return?.()).catch(() => undefined);
    }
  }

  /** Limits the wait for an element, because a connection may be dead, or the other side stuck, without an error. */
  #next(
    elements: AsyncIterator<Element>,
    signal: AbortSignal,
  ): Promise<IteratorResult<Element, unknown>> {
    const { silenceMs } = this.#deps;
    const { promise, resolve, reject } = Promise.withResolvers<IteratorResult<Element, unknown>>();
    const onAbort = () => reject(signal.reason);
    const timer = setTimeout(() => {
      const reason = `the participant sent nothing for ${silenceMs} ms, not even a checkpoint`;
      reject(new StreamStopped('SILENT', reason, 'now'));
    }, silenceMs);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    elements.next().then(resolve, reject);
    return promise.finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    });
  }

  async #checkJump({ offset }: Element, signal: AbortSignal): Promise<void> {
    const { hasReached } = this.#source;
    if (hasReached === undefined || offset - (this.#received ?? 0n) <= PROJECTOR_LIMITS.jumpMax)
      return;
    if (await hasReached(offset, signal)) return;
    const reason = `the stream sent offset ${offset}, which is after the ledger end of the participant`;
    throw new StreamStopped('BEYOND_END', reason, 'backoff');
  }

  #take(element: Element): void {
    const received = this.#received ?? 0n;
    const isPosition = element.kind === 'position';
    if (isPosition ? element.offset < received : element.offset <= received) {
      if (isPosition) return;
      const { name: stream, repeated } = this.#source;
      const { kind, offset } = element;
      // If the offset was damaged in transit, dropping the element would lose it, so the stream is opened again first.
      if (repeated === 'drop' && this.#repeatedAfter !== received) {
        this.#repeatedAfter = received;
        const reason = `${kind} at offset ${offset} arrived after offset ${received}: the stream is read again`;
        throw new StreamStopped('REPEATED', reason, 'now');
      }
      const at = { stream, kind, offset: String(offset), received: String(received) };
      this.#deps.log.warn(at, 'a stream sent an element twice');
      if (repeated === 'hand-on') this.#deps.hand(element);
      return;
    }
    this.#deps.hand(element);
    this.#received = element.offset;
  }

  /** Counts equal errors: damage in transit differs each time, whereas a real defect stays the same. */
  #read(after: bigint | null, reason: string): void {
    const isSame = this.#doubt.after === after && this.#doubt.reason === reason;
    const isThere = this.#doubt.after === after;
    const { readings } = this.#doubt;
    const count = isSame
      ? readings + 1
      : isThere
        ? Math.min(readings + 1, PROJECTOR_LIMITS.readings)
        : 1;
    this.#doubt = { after, reason, readings: count };
  }

  #mended(): void {
    if (this.#trouble === null) return;
    this.#trouble = null;
    this.#deps.log.info({ stream: this.#source.name }, 'stream continues');
    this.#deps.onTrouble(this.#source.name, null);
  }

  /** Reports the trouble once, as long as it stays the same. Returns how long to wait. */
  #restMs({ code, reason, retry }: Ended): number {
    const { log, nowMs, onTrouble } = this.#deps;
    const after = this.#received;
    const isOfElement = OF_ELEMENTS.has(code);
    if (isOfElement) this.#read(after, reason);
    if (isOfElement && this.#doubt.readings < PROJECTOR_LIMITS.readings) {
      const at = { stream: this.#source.name, code, reason, after: String(after) };
      log.info(at, 'an element is read again before it is applied');
      return READ_AGAIN.firstMs;
    }
    const fields = { stream: this.#source.name, code, reason, after: String(after) };
    const isFirst = this.#failures === 0;
    this.#failures += 1;
    // For example an expired token. A stream that ends this way repeatedly is handled below.
    if (retry === 'now' && isFirst) {
      log.debug(fields, 'stream ended');
      return 0;
    }
    const isKnown = this.#trouble?.code === code && this.#trouble.reason === reason;
    if (isKnown) log.debug(fields, 'stream is still stopped by an error');
    else log.warn(fields, 'stream stopped by an error');
    const since = isKnown ? (this.#trouble?.since ?? '') : new Date(nowMs()).toISOString();
    this.#trouble = { code, reason, needsPerson: retry === 'person', after, since };
    onTrouble(this.#source.name, this.#trouble);
    if (isOfElement)
      return backoffDelayMs(READ_AGAIN, this.#doubt.readings - PROJECTOR_LIMITS.readings);
    return backoffDelayMs(BACKOFF[retry === 'now' ? 'backoff' : retry], this.#failures - 1);
  }
}

/*
 * Elements that arrived but cannot be applied. They are not skipped, because the store would then differ from the
 * ledger: the stream stops before the element, reports the reason, and is retried rarely, until a version of Tenure
 * runs that can apply the element.
 */

/** @throws StreamStopped if an update reports an impossible value about Tenure's contracts */
export function refuseDefective(
  model: ContractModel,
  update: LedgerUpdate,
  readAs: ReadonlySet<Party>,
): void {
  if (update.kind !== 'transaction') return;
  const defect = defectOf(model, update, readAs);
  if (defect === null) return;
  throw new StreamStopped('UNREADABLE_UPDATE', `${nameOf(update)} ${defect}`, 'person');
}

export function cannotApply({ element }: StreamElement, error: unknown): StreamStopped {
  const reason = `${nameOf(element)} cannot be applied: ${errorLine(error)}`;
  return new StreamStopped('CANNOT_APPLY', reason, 'person', { cause: error });
}

const nameOf = (element: StreamElement['element']): string => {
  const id = element.kind === 'position' ? null : element.updateId;
  return `${element.kind}${id === null ? '' : ` ${id}`} at offset ${element.offset}`;
};
