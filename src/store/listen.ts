import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { asUnreachable } from './database-unreachable.ts';

export interface ListenOptions {
  readonly url: string;
  readonly channel: string;
  /** Shows in `pg_stat_activity`. */
  readonly applicationName: string;
  /** Called for each notification. Must not throw. */
  readonly onMessage: (payload: string) => void;
  /**
   * Called when listening has begun, the first time and after every break: whatever was notified before has been
   * missed, so look. Must not throw.
   */
  readonly onGap: () => void;
  /** Told when the connection breaks or cannot be made, for the log. */
  readonly onBreak?: (error: Error) => void;
}

/**
 * - `connecting`: no connection; the first one is being made, or one after a break.
 * - `listening`: notifications arrive.
 * - `stopped`: ended on request.
 */
export type ListenerState = 'connecting' | 'listening' | 'stopped';

export interface Listener {
  readonly state: ListenerState;
  /** Resolves when the connection is closed. Nothing is called any more. */
  stop(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 5_000;
const RETRY_MS_MIN = 50;
const RETRY_MS_MAX = 2_000;
/** A network that has gone silent looks like a channel on which nothing happens; a question tells them apart. */
const HEARTBEAT_MS = 10_000;

/**
 * Listens to one channel on a connection of its own, which is made again whenever it breaks. Starts at once and never
 * fails: while there is no connection nothing is heard, and `onGap` says when that was.
 */
export function listen(options: ListenOptions): Listener {
  const stopping = new AbortController();
  let state: ListenerState = 'connecting';

  const onListening = (): void => {
    state = 'listening';
    options.onGap();
  };
  const keepListening = async (): Promise<void> => {
    let failures = 0;
    while (!stopping.signal.aborted) {
      state = 'connecting';
      const heard = await listenOnce(options, stopping.signal, onListening);
      failures = heard ? 0 : failures + 1;
      const pauseMs = Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** Math.min(failures, 10));
      await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
    state = 'stopped';
  };
  const ended = keepListening();
  return {
    get state() {
      return state;
    },
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

/** Listens until the connection breaks or the signal fires. Never rejects; tells whether it listened at all. */
async function listenOnce(
  options: ListenOptions,
  signal: AbortSignal,
  onListening: () => void,
): Promise<boolean> {
  const client = new Client({
    connectionString: options.url,
    application_name: options.applicationName,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  });
  const broken = Promise.withResolvers<never>();
  broken.promise.catch(() => {});
  client.on('error', broken.reject);
  client.on('end', () => broken.reject(new Error('Connection terminated unexpectedly')));
  const onAbort = (): void => broken.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  let heard = false;
  try {
    client.on('notification', ({ channel, payload }) => {
      if (channel === options.channel && !signal.aborted) options.onMessage(payload ?? '');
    });
    await Promise.race([client.connect(), broken.promise]);
    await Promise.race([
      client.query(`listen ${client.escapeIdentifier(options.channel)}`),
      broken.promise,
    ]);
    heard = true;
    onListening();
    await beat(client, broken.promise);
  } catch (error) {
    const words = error instanceof Error ? error : new Error(String(error));
    if (!signal.aborted) options.onBreak?.(asUnreachable(words, options.url) ?? words);
  } finally {
    signal.removeEventListener('abort', onAbort);
    await closed(client);
  }
  return heard;
}

/** Asks for a sign of life now and then; ends by throwing when there is none or the connection is over. */
async function beat(client: Client, broken: Promise<never>): Promise<never> {
  for (;;) {
    const stop = new AbortController();
    const pause = delay(HEARTBEAT_MS, undefined, { signal: stop.signal }).catch(() => {});
    try {
      await Promise.race([pause, broken]);
    } finally {
      stop.abort();
    }
    await Promise.race([client.query('select 1'), broken]);
  }
}

/** A server that does not take leave of us must not keep us. */
async function closed(client: Client): Promise<void> {
  const stop = new AbortController();
  const late = delay(CONNECT_TIMEOUT_MS, undefined, { signal: stop.signal }).catch(() => {});
  await Promise.race([client.end().catch(() => {}), late]);
  stop.abort();
}
