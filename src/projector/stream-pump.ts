import type { ContractModel } from '../app/contract/model.ts';
import { defectOf } from '../app/engine/facts.ts';
import { errorLine } from '../domain/error-text.ts';
import type { Party } from '../domain/ids.ts';
import type { LedgerUpdate } from '../domain/ledger.ts';
import type { StreamElement } from './inbox.ts';
import { LeaseLostError } from '../app/engine/leased.ts';
import type { Log } from '../app/ports/io.ts';
import { sleep } from '../app/ports/wakeup.ts';
import type { StreamRetry } from '../app/ports/streams.ts';
import type { Backoff } from '../domain/backoff.ts';
import { backoffDelayMs } from '../domain/backoff.ts';
import { PROJECTOR_LIMITS } from './limits.ts';

/** An element without content is a position: how far the ledger is, with nothing to apply. */
export interface StreamItem {
  readonly kind: string;
  readonly offset: bigint;
}

/** A stream of the ledger that can be opened again after an offset. */
export interface PumpSource<Element extends StreamItem> {
  readonly name: string;
  /**
   * After which offset to open. Asked before every opening, so it is also where the ledger is looked at: whether it is
   * still the one that has been followed.
   *
   * @param received the offset of the last element; `null` before the first opening
   */
  begin(received: bigint | null, signal: AbortSignal): Promise<bigint>;
  open(afterOffset: bigint, signal: AbortSignal): AsyncIterable<Element>;
  /**
   * Whether the participant has come to an offset. Asked of one that is far from the last: damaged on the way, it would
   * have everything between them passed over.
   */
  readonly hasReached?: (offset: bigint, signal: AbortSignal) => Promise<boolean>;
  /** What arrives at or below what was received already: dropped, or handed on because it may be news all the same. */
  readonly repeated: 'drop' | 'hand-on';
}

/** Why a stream cannot go on, as this side sees it. Ledger streams end by errors of the same shape. */
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

/** What keeps a stream from going on, for people. */
export interface Trouble {
  /** The ledger's reason, or one of ours. */
  readonly code: string;
  /** One line: what is wrong and where. */
  readonly reason: string;
  /** It will not mend itself. */
  readonly needsPerson: boolean;
  /** Everything up to here has been received; `null` where nothing ever was. */
  readonly after: bigint | null;
  /** ISO 8601. */
  readonly since: string;
}

export interface PumpDeps<Element> {
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Takes an element; throws to stop the stream before it. */
  readonly hand: (element: Element) => void;
  /** Waits while the reader is behind, so that memory stays bounded. */
  readonly room: (signal: AbortSignal) => Promise<void>;
  /** Told when the stream cannot go on, and `null` when it does again. */
  readonly onTrouble: (name: string, trouble: Trouble | null) => void;
  readonly nowMs: () => number;
  /** A stream that says nothing for so long, not even a checkpoint, is opened again. */
  readonly silenceMs: number;
}

/** By endings in a row. */
const BACKOFF: Readonly<Record<Exclude<StreamRetry, 'now'>, Backoff>> = {
  away: { firstMs: 40, maxMs: 250, jitter: 0 },
  backoff: { firstMs: 40, maxMs: 1_000, jitter: 0 },
  person: { firstMs: 5_000, maxMs: 30_000, jitter: 0 },
};
/**
 * What is wrong with an element may have happened to it on the way. So it is read so often before it is believed, and
 * goes on being read: damage that is over must not stop anything for much longer than it came.
 */
const OF_ELEMENTS: ReadonlySet<string> = new Set([
  'BEYOND_END',
  'UNREADABLE_ELEMENT',
  'UNREADABLE_UPDATE',
  'CANNOT_APPLY',
]);
const READ_AGAIN: Backoff = { firstMs: 100, maxMs: 5_000, jitter: 0 };

/** How a stream ended, as far as the error tells. */
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
 * Reads one stream for ever: hands every element on, and when the stream ends opens it again after the last
 * element received, with pauses that grow. Nothing is skipped and nothing is handed on twice. What only a person can
 * mend is tried again rarely, and the stream is in trouble until then: the other streams go on.
 */
export class StreamPump<Element extends StreamItem> {
  readonly #source: PumpSource<Element>;
  readonly #deps: PumpDeps<Element>;
  #received: bigint | null = null;
  #opening = new AbortController();
  /** Endings in a row without an element between them. */
  #failures = 0;
  #trouble: Trouble | null = null;
  /** What was wrong with the element behind an offset, and how often in a row that one could not be taken. */
  #doubt: { readonly after: bigint | null; readonly reason: string; readonly readings: number } = {
    after: null,
    reason: '',
    readings: 0,
  };
  /** What had been received when the stream repeated itself and was opened again, to see whether it means that. */
  #repeatedAfter: bigint | null = null;

  constructor(source: PumpSource<Element>, deps: PumpDeps<Element>) {
    this.#source = source;
    this.#deps = deps;
  }

  /** Until the signal fires. @throws LeaseLostError when the stream may not be followed any more */
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

  /** What was handed on after `resumeAfter` was not taken: it is to be read again, once the reason is mended. */
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
        // What was handed on before may have been refused meanwhile: then this is not what comes next.
        opening.signal.throwIfAborted();
        this.#take(next.value);
        await this.#deps.room(signal);
      }
    } finally {
      clearTimeout(opened);
      opening.abort();
      // The stream hears of the signal; whether it can end in good order is not awaited.
      Promise.resolve(elements.return?.()).catch(() => undefined);
    }
  }

  /** A connection may be dead, or the other side stuck, without anybody being told. */
  #next(
    elements: AsyncIterator<Element>,
    signal: AbortSignal,
  ): Promise<IteratorResult<Element, unknown>> {
    const { silenceMs } = this.#deps;
    const { promise, resolve, reject } = Promise.withResolvers<IteratorResult<Element, unknown>>();
    const onAbort = () => reject(signal.reason);
    const timer = setTimeout(() => {
      const reason = `nothing was heard for ${silenceMs} ms, not even a checkpoint`;
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
    const reason = `an element came at offset ${offset}, which the participant has not reached`;
    throw new StreamStopped('BEYOND_END', reason, 'backoff');
  }

  #take(element: Element): void {
    const received = this.#received ?? 0n;
    const isPosition = element.kind === 'position';
    if (isPosition ? element.offset < received : element.offset <= received) {
      if (isPosition) return;
      const { name: stream, repeated } = this.#source;
      const { kind, offset } = element;
      // Were it dropped for an offset that was damaged on the way, nobody would ever tell it again.
      if (repeated === 'drop' && this.#repeatedAfter !== received) {
        this.#repeatedAfter = received;
        const reason = `${kind} at offset ${offset} came after ${received}: it is read again`;
        throw new StreamStopped('REPEATED', reason, 'now');
      }
      const at = { stream, kind, offset: String(offset), received: String(received) };
      this.#deps.log.warn(at, 'a stream repeated itself');
      if (repeated === 'hand-on') this.#deps.hand(element);
      return;
    }
    this.#deps.hand(element);
    this.#received = element.offset;
  }

  /** Damage is another one each time; what is so is the same. */
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
    this.#deps.log.info({ stream: this.#source.name }, 'stream goes on');
    this.#deps.onTrouble(this.#source.name, null);
  }

  /** Tells the trouble, once while it stays the same, and how long to wait. */
  #restMs({ code, reason, retry }: Ended): number {
    const { log, nowMs, onTrouble } = this.#deps;
    const after = this.#received;
    const isOfElement = OF_ELEMENTS.has(code);
    if (isOfElement) this.#read(after, reason);
    if (isOfElement && this.#doubt.readings < PROJECTOR_LIMITS.readings) {
      const at = { stream: this.#source.name, code, reason, after: String(after) };
      log.info(at, 'an element is read again before it is believed');
      return READ_AGAIN.firstMs;
    }
    const fields = { stream: this.#source.name, code, reason, after: String(after) };
    const isFirst = this.#failures === 0;
    this.#failures += 1;
    // A token that ran out, for example: unless that is all that ever happens.
    if (retry === 'now' && isFirst) {
      log.debug(fields, 'stream ended');
      return 0;
    }
    const isKnown = this.#trouble?.code === code && this.#trouble.reason === reason;
    if (isKnown) log.debug(fields, 'stream is still broken');
    else log.warn(fields, 'stream broken');
    const since = isKnown ? (this.#trouble?.since ?? '') : new Date(nowMs()).toISOString();
    this.#trouble = { code, reason, needsPerson: retry === 'person', after, since };
    onTrouble(this.#source.name, this.#trouble);
    if (isOfElement)
      return backoffDelayMs(READ_AGAIN, this.#doubt.readings - PROJECTOR_LIMITS.readings);
    return backoffDelayMs(BACKOFF[retry === 'now' ? 'backoff' : retry], this.#failures - 1);
  }
}

/*
 * What arrived and cannot be taken. It is not skipped, because then the store would no longer be the ledger's: its
 * stream stops before it, says why, and is tried again rarely, until a version that can take it runs.
 */

/** @throws StreamStopped when an update says something about our contracts that cannot be meant */
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
