import type { Client } from 'pg';
import { Wakeup, sleep } from '../../app/ports/wakeup.ts';
import type { Backoff } from '../../domain/backoff.ts';
import { backoffDelayMs } from '../../domain/backoff.ts';
import { asError } from '../../domain/error-text.ts';
import { asUnreachable } from './database-unreachable.ts';
import { SHOW_LIFE } from './life.ts';
import { ServerClient } from './server-client.ts';
import { STORE_LIMITS } from '../limits.ts';

export interface ListenOptions {
  readonly url: string;
  /** Shows in `pg_stat_activity`. */
  readonly applicationName: string;
  /** While it listens, its session shows that what has this name lives: see `life.ts`. */
  readonly lifeOf?: string;
  /** Told when the connection breaks or cannot be made, for the log. */
  readonly onBreak?: (error: Error) => void;
}

/** Who hears of one channel. Neither may throw. */
export interface Ear {
  /** Called for each notification. */
  readonly onMessage: (payload: string) => void;
  /**
   * Called when listening has begun, the first time and after every break: whatever was notified before has been
   * missed, so look.
   */
  readonly onGap: () => void;
}

/**
 * - `connecting`: no connection; the first one is being made, or one after a break.
 * - `listening`: notifications arrive.
 * - `stopped`: ended on request.
 */
export type ListenerState = 'connecting' | 'listening' | 'stopped';

export interface Listener {
  readonly state: ListenerState;
  /** Hears of a channel from now on, beside whoever else does. @returns what ends it */
  on(channel: string, ear: Ear): () => void;
  /** Other connections to the server have died in silence: asks for a sign of life now. */
  check(): void;
  /** Resolves when the connection is closed. Nothing is called any more. */
  stop(): Promise<void>;
}

const RETRY: Backoff = { firstMs: 50, maxMs: 2_000, jitter: 0 };

interface Subscription extends Ear {
  readonly channel: string;
}

/**
 * Listens to any number of channels on one connection, which is made again whenever it breaks. Starts at once and never
 * fails: while there is no connection nothing is heard, and `onGap` says when that was.
 */
export function openListener(options: ListenOptions): Listener {
  const stopping = new AbortController();
  const subscriptions = new Set<Subscription>();
  let state: ListenerState = 'connecting';
  let joined: ((subscription: Subscription) => void) | null = null;
  const doubt = new Wakeup();

  const keepListening = async (): Promise<void> => {
    let failures = 0;
    while (!stopping.signal.aborted) {
      state = 'connecting';
      const heard = await listenOnce(options, subscriptions, doubt, stopping.signal, (join) => {
        state = 'listening';
        joined = join;
      });
      joined = null;
      failures = heard ? 0 : failures + 1;
      await sleep(backoffDelayMs(RETRY, failures), stopping.signal);
    }
    state = 'stopped';
  };
  const ended = keepListening();
  return {
    get state() {
      return state;
    },
    on(channel, ear) {
      const subscription = { ...ear, channel };
      subscriptions.add(subscription);
      joined?.(subscription);
      return () => subscriptions.delete(subscription);
    },
    check: () => doubt.wake(),
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

/**
 * Listens until the connection breaks or the signal fires. Never rejects; tells whether it listened at all.
 *
 * @param doubt woken to ask for a sign of life
 * @param onListening is given what to call with a subscription that comes later
 */
async function listenOnce(
  options: ListenOptions,
  subscriptions: ReadonlySet<Subscription>,
  doubt: Wakeup,
  signal: AbortSignal,
  onListening: (join: (subscription: Subscription) => void) => void,
): Promise<boolean> {
  const client = new ServerClient({
    connectionString: options.url,
    application_name: options.applicationName,
    connectionTimeoutMillis: STORE_LIMITS.connectMs,
    query_timeout: STORE_LIMITS.connectMs,
    keepAlive: true,
  });
  const broken = Promise.withResolvers<never>();
  broken.promise.catch(() => {});
  client.on('error', broken.reject);
  client.on('end', () => broken.reject(new Error('Connection terminated unexpectedly')));
  const onAbort = (): void => broken.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  // One question at a time, as the driver wants it.
  let last: Promise<unknown> = Promise.resolve();
  const ask = (
    text: string,
    values: readonly string[] = [],
    withinMs: number = STORE_LIMITS.connectMs,
  ): Promise<unknown> =>
    (last = last.then(() => {
      const question = { text, values: [...values], query_timeout: withinMs };
      return Promise.race([client.query(question), broken.promise]);
    }));
  const hear = async (heard: Iterable<Subscription>): Promise<void> => {
    const these = [...heard];
    const channels = [...new Set(these.map(({ channel }) => channel))];
    const words = channels.map((channel) => `listen ${client.escapeIdentifier(channel)}`);
    if (words.length > 0) await ask(words.join('; '));
    for (const one of these) if (subscriptions.has(one) && !signal.aborted) one.onGap();
  };
  let heard = false;
  try {
    client.on('notification', ({ channel, payload }) => {
      if (signal.aborted) return;
      for (const one of subscriptions) if (one.channel === channel) one.onMessage(payload ?? '');
    });
    last = Promise.race([client.connect(), broken.promise]);
    await last;
    if (options.lifeOf !== undefined) await ask(SHOW_LIFE, [options.lifeOf]);
    // Whoever comes while the question is under way asks one of its own.
    onListening((late) => void hear([late]).catch(broken.reject));
    await hear(subscriptions);
    heard = true;
    await beat((withinMs) => ask(HEARTBEAT, [], withinMs), doubt, broken.promise);
  } catch (error) {
    const words = asError(error);
    if (!signal.aborted) options.onBreak?.(asUnreachable(words, options.url) ?? words);
  } finally {
    signal.removeEventListener('abort', onAbort);
    if (signal.aborted) await closed(client);
    // One that said nothing would not take leave either.
    else client.connection.stream.destroy();
  }
  return heard;
}

/**
 * PostgreSQL frees the NOTIFY queue when a transaction notifies, and every such transaction fails while the queue is
 * full. Reading its usage frees what every listener has read, so that a full queue has space again.
 */
const HEARTBEAT = 'select pg_notification_queue_usage()';

/** Asks for a sign of life now and then; ends by throwing when there is none or the connection is over. */
async function beat(
  ask: (withinMs: number) => Promise<unknown>,
  doubt: Wakeup,
  broken: Promise<never>,
): Promise<never> {
  for (;;) {
    const stop = new AbortController();
    const pause = doubt.wait(STORE_LIMITS.listenHeartbeatMs, stop.signal);
    let isDoubted: boolean;
    try {
      isDoubted = await Promise.race([pause, broken]);
    } finally {
      stop.abort();
    }
    // Where others have died, and the server works, it has no reason to take long.
    await ask(isDoubted ? STORE_LIMITS.silenceMs : STORE_LIMITS.connectMs);
  }
}

/** A server that does not take leave of us must not keep us. */
async function closed(client: Client): Promise<void> {
  const stop = new AbortController();
  const late = sleep(STORE_LIMITS.connectMs, stop.signal);
  await Promise.race([client.end().catch(() => {}), late]);
  stop.abort();
}
