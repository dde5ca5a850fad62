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
  readonly room: () => Promise<void>;
  /** Told when the stream is open and when it broke. */
  readonly onState: (name: string, state: 'open' | 'broken', reason?: string) => void;
}

const BACKOFF_MS_MIN = 20;
const BACKOFF_MS_MAX = 5_000;

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

/** The stream cannot go on without a person: for one, the ledger has pruned what the projection still needs. */
export class StreamLostError extends Error {
  override readonly name = 'StreamLostError';
}

/**
 * Reads one stream for ever: hands every element on, and when the stream ends opens it again after the last
 * element received, with backoff. Nothing is skipped and nothing is handed on twice.
 *
 * @throws StreamLostError when only a person can make it go on.
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
        await deps.room();
      }
    } catch (error) {
      if (deps.signal.aborted) return;
      const { code, retry } = endedBy(error);
      deps.onState(source.name, 'broken', code);
      deps.log.warn({ stream: source.name, code, offset: String(received) }, 'stream broken');
      if (retry === 'person')
        throw new StreamLostError(`${source.name}: ${code}`, { cause: error });
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
