import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../app/ports.ts';

/** A stream of the ledger that can be opened again after an offset. */
export interface PumpSource<Element extends { readonly offset: bigint }> {
  readonly name: string;
  open(afterOffset: bigint, signal: AbortSignal): AsyncIterable<Element>;
}

export interface PumpDeps {
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Waits while the reader is behind, so that memory stays bounded. */
  readonly room: (signal: AbortSignal) => Promise<void>;
  /** Told when the stream is open and when it broke. */
  readonly onState: (name: string, state: 'open' | 'broken', reason?: string) => void;
}

const BACKOFF_MS_MIN = 20;
const BACKOFF_MS_MAX = 5_000;
/** As if it had failed so often: the longest backoff from the start. */
const PERSON_FAILURES = 10;

/** How a stream ended, as far as the error tells: ledger streams carry a code and what to do about it. */
interface Ended {
  readonly code: string;
  readonly retry: 'now' | 'backoff' | 'person';
}

function endedBy(error: unknown): Ended {
  if (!(error instanceof Error)) return { code: String(error), retry: 'backoff' };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.message;
  const retry = 'retry' in error ? error.retry : 'backoff';
  return { code, retry: retry === 'now' || retry === 'person' ? retry : 'backoff' };
}

/**
 * Reads one stream for ever: hands every element on, and when the stream ends opens it again after the last
 * element received, with backoff. Nothing is skipped and nothing is handed on twice. What only a person can mend (the
 * ledger has pruned what comes next, or has taken our rights) is tried again rarely, and is broken until then: the
 * other streams go on.
 */
export async function pump<Element extends { readonly offset: bigint }>(
  source: PumpSource<Element>,
  afterOffset: bigint,
  hand: (element: Element) => void,
  deps: PumpDeps,
): Promise<void> {
  let received = afterOffset;
  let failures = 0;
  while (!deps.signal.aborted) {
    try {
      for await (const element of source.open(received, deps.signal)) {
        if (failures >= 0) deps.onState(source.name, 'open');
        failures = -1;
        // A checkpoint may repeat a position; an element with content never does.
        if (element.offset < received) continue;
        received = element.offset;
        hand(element);
        await deps.room(deps.signal);
      }
    } catch (error) {
      if (deps.signal.aborted) return;
      const { code, retry } = endedBy(error);
      deps.onState(source.name, 'broken', code);
      // A stream that is to be opened again at once has ended in the order of things: its token ran out.
      const ended = { stream: source.name, code, offset: String(received) };
      if (retry === 'now') deps.log.debug(ended, 'stream ended');
      else deps.log.warn(ended, 'stream broken');
      if (retry === 'person') failures = Math.max(failures, PERSON_FAILURES);
      // A token that ran out, for example: open again at once, unless that is all that ever happens.
      if (retry === 'now' && failures < 0) {
        failures = 0;
        continue;
      }
    }
    failures = Math.max(0, failures) + 1;
    const delayMs = Math.min(BACKOFF_MS_MAX, BACKOFF_MS_MIN * 2 ** Math.min(failures, 10));
    await sleep(delayMs, undefined, { signal: deps.signal }).catch(() => undefined);
  }
}
