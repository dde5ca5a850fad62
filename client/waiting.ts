import type { Operation } from './document.ts';
import { followEvents } from './events.ts';
import type { Transport } from './transport.ts';
import { queryOf, sleep } from './transport.ts';

/*
 * Waits for operations to end. Events trigger the check of an operation; without an event stream, operations are
 * polled.
 */

const LOOK_MS = 500;
const LOOK_MS_MAX = 5_000;
/** Polling interval while the event stream is open. */
const LIVE_LOOK_MS = 15_000;
/** Wait before a refused stream is tried again. */
const REFUSED_MS = 60_000;

const ENDS = ['succeeded', 'rejected', 'failed', 'cancelled'] as const;
const END_TYPES = ENDS.map((state) => `tenure.operation.${state}`);

export const isEnded = ({ state }: Operation): boolean => ENDS.some((end) => end === state);

/** One event stream for all waiting callers. It is open only while there are waiting callers. */
class EndStream {
  readonly #transport: Transport;
  readonly #waiting = new Map<string, Set<() => void>>();
  #following: AbortController | null = null;
  isLive = false;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Starts to follow an operation. `look` is called whenever the operation may have ended. @returns a function that
   * ends the wait
   */
  join(commandId: string, look: () => void): () => void {
    const looks = this.#waiting.get(commandId) ?? new Set();
    this.#waiting.set(commandId, looks.add(look));
    if (this.#following === null) {
      this.#following = new AbortController();
      void this.#follow(this.#following.signal);
    }
    return () => {
      looks.delete(look);
      if (looks.size === 0) this.#waiting.delete(commandId);
      if (this.#waiting.size > 0) return;
      this.#following?.abort();
      this.#following = null;
      this.isLive = false;
    };
  }

  async #follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        for await (const told of followEvents(this.#transport, { types: END_TYPES, signal })) {
          if (signal.aborted) return;
          this.#hear(told);
        }
      } catch {
        // The stream was aborted or refused: polling finds the end of operations too.
        await sleep(REFUSED_MS, signal).catch(() => undefined);
      }
    }
  }

  #hear(told: Awaited<ReturnType<ReturnType<typeof followEvents>['next']>>['value']): void {
    const commandId =
      typeof told === 'object' && told.kind === 'event' ? told.event.data['commandId'] : null;
    if (typeof commandId === 'string') {
      for (const look of this.#waiting.get(commandId) ?? []) look();
      return;
    }
    // Checks all operations, because events before the stream opened, and those of a gap, were not received.
    this.isLive = told !== 'lost';
    for (const look of [...this.#waiting.values()].flatMap((looks) => [...looks])) look();
  }
}

export interface WaitOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called with the operation after each check, so that a program can show its progress. */
  readonly onLook?: ((operation: Operation) => void) | undefined;
}

/** Waits for the end of an operation. @throws ProblemError, NoAnswerError; the signal's reason if it was aborted */
export type Wait = (commandId: string, options?: WaitOptions) => Promise<Operation>;

/** Creates the function that waits for operations. @param withEvents if false, operations are only polled */
export function createWait(transport: Transport, withEvents: boolean): Wait {
  const stream = new EndStream(transport);
  return async (commandId, { signal, onLook } = {}) => {
    let wake = new AbortController();
    const leave = withEvents ? stream.join(commandId, () => wake.abort()) : () => undefined;
    try {
      for (let waitMs = LOOK_MS; ; waitMs = Math.min(waitMs * 1.5, LOOK_MS_MAX)) {
        wake = new AbortController();
        const response = await transport.call({
          method: 'GET',
          path: '/operations',
          query: queryOf({ commandId }),
          signal,
          repeats: 'passing',
        });
        const operation = (await response.json()) as Operation;
        onLook?.(operation);
        if (isEnded(operation)) return operation;
        const ms = stream.isLive ? LIVE_LOOK_MS : waitMs;
        const either = signal === undefined ? wake.signal : AbortSignal.any([signal, wake.signal]);
        await sleep(ms, either).catch(() => undefined);
        signal?.throwIfAborted();
      }
    } finally {
      leave();
    }
  };
}
