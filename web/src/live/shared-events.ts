import { signal } from '../signal.ts';

/*
 * One EventSource for all tabs of a browser. A browser opens at most six connections to a server over HTTP/1.1, so
 * eight tabs with a stream each would block each other. The tab that holds a lock has the stream and forwards its
 * events to the other tabs. When that tab is closed, another one gets the lock and continues after the last event.
 */

export interface LiveEvent {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** `gap` means that events are missing, so everything must be read again. */
export type Told = { readonly kind: 'event'; readonly event: LiveEvent } | { readonly kind: 'gap' };

type Message =
  | { readonly kind: 'told'; readonly told: Told; readonly lastId: string }
  | { readonly kind: 'state'; readonly isLive: boolean }
  | { readonly kind: 'asked' };

/** Whether events arrive; null while that is not known yet. */
export const isLive = signal<boolean | null>(null);

const LOCK = 'tenure-events';
const RECONNECT_MS = 2_000;
const RECONNECT_MS_MAX = 30_000;

const asEvent = (text: string): LiveEvent | null => {
  try {
    return JSON.parse(text) as LiveEvent;
  } catch {
    return null;
  }
};

class SharedEvents {
  readonly #channel = new BroadcastChannel(LOCK);
  readonly #stopping = new AbortController();
  readonly #tell: (told: Told) => void;
  #source: EventSource | null = null;
  #lastId = '';
  #waitMs = RECONNECT_MS;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(tell: (told: Told) => void) {
    this.#tell = tell;
    this.#channel.addEventListener('message', ({ data }: MessageEvent<Message>) =>
      this.#hear(data),
    );
    this.#channel.postMessage({ kind: 'asked' } satisfies Message);
    void this.#lead();
  }

  /**
   * Waits for the lock, and holds it until the tab is closed. Each tab has its own stream if the browser has no locks.
   */
  async #lead(): Promise<void> {
    if (!('locks' in navigator)) {
      this.#open();
      return;
    }
    const { signal } = this.#stopping;
    const held = navigator.locks.request(LOCK, { signal }, async () => {
      // The feed was stopped between the grant of the lock and this call. Returning here releases the lock.
      if (signal.aborted) return;
      this.#open();
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    });
    await held.catch(() => {});
  }

  #open(): void {
    if (this.#stopping.signal.aborted) return;
    const after = this.#lastId === '' ? '' : `?after=${encodeURIComponent(this.#lastId)}`;
    const source = new EventSource(`/events${after}`);
    this.#source = source;
    source.addEventListener('open', () => {
      this.#waitMs = RECONNECT_MS;
      this.#setLive(true);
      // Without a position the stream begins now, so events since the page was read are missing.
      if (this.#lastId === '') this.#pass({ kind: 'gap' }, '');
    });
    source.addEventListener('message', ({ data, lastEventId }: MessageEvent<string>) => {
      const event = asEvent(data);
      if (event !== null) this.#pass({ kind: 'event', event }, lastEventId);
    });
    source.addEventListener('gap', ({ lastEventId }: MessageEvent<string>) =>
      this.#pass({ kind: 'gap' }, lastEventId),
    );
    source.addEventListener('error', () => this.#lost(source));
  }

  /**
   * Handles the loss of a stream. A browser reopens a stream itself, but gives up after an answer that is not a stream.
   */
  #lost(source: EventSource): void {
    this.#setLive(false);
    if (source.readyState !== EventSource.CLOSED) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#open(), this.#waitMs);
    this.#waitMs = Math.min(this.#waitMs * 2, RECONNECT_MS_MAX);
  }

  #setLive(live: boolean): void {
    isLive.set(live);
    this.#channel.postMessage({ kind: 'state', isLive: live } satisfies Message);
  }

  #pass(told: Told, lastId: string): void {
    this.#lastId = lastId;
    this.#tell(told);
    this.#channel.postMessage({ kind: 'told', told, lastId } satisfies Message);
  }

  #hear(message: Message): void {
    if (message.kind === 'asked') {
      if (this.#source !== null) this.#setLive(this.#source.readyState === EventSource.OPEN);
      return;
    }
    if (message.kind === 'state') {
      if (this.#source === null) isLive.set(message.isLive);
      return;
    }
    this.#lastId = message.lastId;
    this.#tell(message.told);
  }

  stop(): void {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    this.#source?.close();
    this.#channel.close();
    isLive.set(null);
  }
}

/**
 * Follows events about the signed-in caller's operations and lifecycles.
 *
 * @returns a function that stops this
 */
export function followEvents(tell: (told: Told) => void): () => void {
  const following = new SharedEvents(tell);
  return () => following.stop();
}
