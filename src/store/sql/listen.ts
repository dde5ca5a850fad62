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
  /** Appears in `pg_stat_activity`. */
  readonly applicationName: string;
  /** While it listens, its session shows that the process of this name is alive: see `life.ts`. */
  readonly lifeOf?: string;
  /** Each session also holds the lock of a name of its own, which `Listener.session` tells. Needs `lifeOf`. */
  readonly namesSessions?: boolean;
  /** Called when the connection breaks or cannot be opened, for the log. */
  readonly onBreak?: (error: Error) => void;
}

/** Callbacks for one channel. Neither may throw. */
export interface Ear {
  /** Called for each notification. */
  readonly onMessage: (payload: string) => void;
  /**
   * Called when listening has begun, the first time and after every break. Earlier notifications were missed, so read
   * again.
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
  /** Name of the current session; `null` without a session that has a name. */
  readonly session: string | null;
  /** Subscribes to a channel, in addition to other subscriptions. @returns a function that unsubscribes */
  on(channel: string, ear: Ear): () => void;
  /** Checks now whether the connection works, because other connections to the server have died silently. */
  check(): void;
  /** Resolves when the connection is closed. No callback is called after that. */
  stop(): Promise<void>;
}

const RETRY: Backoff = { firstMs: 50, maxMs: 2_000, jitter: 0 };

interface Subscription extends Ear {
  readonly channel: string;
}

/**
 * Listens to any number of channels on one connection, which is reopened whenever it breaks. Starts at once and never
 * fails: notifications are lost while there is no connection, and `onGap` is called afterwards.
 */
export function openListener(options: ListenOptions): Listener {
  const stopping = new AbortController();
  const subscriptions = new Set<Subscription>();
  let state: ListenerState = 'connecting';
  let session: string | null = null;
  let sessions = 0;
  let joined: ((subscription: Subscription) => void) | null = null;
  const doubt = new Wakeup();

  const keepListening = async (): Promise<void> => {
    let failures = 0;
    while (!stopping.signal.aborted) {
      state = 'connecting';
      sessions += 1;
      const lives = livesOf(options, sessions);
      const heard = await listenOnce(
        { ...options, lives, onEnd: () => (session = null) },
        subscriptions,
        doubt,
        stopping.signal,
        (join) => {
          state = 'listening';
          session = lives[1] ?? null;
          joined = join;
        },
      );
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
    get session() {
      return session;
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

/** Returns the names whose locks a session holds: the process's, and its own. */
const livesOf = ({ lifeOf, namesSessions = false }: ListenOptions, no: number): readonly string[] =>
  lifeOf === undefined ? [] : [lifeOf, ...(namesSessions ? [`${lifeOf}/${no}`] : [])];

interface OneSession extends ListenOptions {
  readonly lives: readonly string[];
  /** Called at the moment in which the connection breaks. */
  readonly onEnd: () => void;
}

/**
 * Listens until the connection breaks or the signal fires. Never rejects.
 *
 * @param doubt wakes the check of the connection
 * @param onListening receives a function that adds later subscriptions
 * @returns whether it listened at all
 */
async function listenOnce(
  options: OneSession,
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
  broken.promise.catch(options.onEnd);
  client.on('error', broken.reject);
  client.on('end', () => broken.reject(new Error('Connection terminated unexpectedly')));
  const onAbort = (): void => broken.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  // One query at a time, as the driver requires.
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
    for (const name of options.lives) await ask(SHOW_LIFE, [name]);
    // A subscription added during the query starts its own query.
    onListening((late) => void hear([late]).catch(broken.reject));
    await hear(subscriptions);
    heard = true;
    await beat((withinMs) => ask(HEARTBEAT, [], withinMs), doubt, broken.promise);
  } catch (error) {
    options.onEnd();
    const words = asError(error);
    if (!signal.aborted) options.onBreak?.(asUnreachable(words, options.url) ?? words);
  } finally {
    signal.removeEventListener('abort', onAbort);
    if (signal.aborted) await closed(client);
    // A silent server would not answer a goodbye either.
    else client.connection.stream.destroy();
  }
  return heard;
}

/**
 * PostgreSQL frees the NOTIFY queue when a transaction notifies, and every such transaction fails while the queue is
 * full. Reading its usage frees what every listener has read, so that a full queue has space again.
 */
const HEARTBEAT = 'select pg_notification_queue_usage()';

/** Checks the connection periodically; throws when the check fails or the connection has ended. */
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
    // If other connections have died and the server works, it should answer quickly.
    await ask(isDoubted ? STORE_LIMITS.silenceMs : STORE_LIMITS.connectMs);
  }
}

/** Waits a bounded time for the server to close the connection. */
async function closed(client: Client): Promise<void> {
  const stop = new AbortController();
  const late = sleep(STORE_LIMITS.connectMs, stop.signal);
  await Promise.race([client.end().catch(() => {}), late]);
  stop.abort();
}
