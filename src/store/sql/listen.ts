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
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string;
  /** While the listener is connected, its session shows that the process with this name is alive: see `life.ts`. */
  readonly lifeOf?: string;
  /** Whether each session also holds the lock of its own name, which `Listener.session` returns. Needs `lifeOf`. */
  readonly namesSessions?: boolean;
  /** Called when the connection breaks or cannot be opened, for the log. */
  readonly onBreak?: (error: Error) => void;
}

/** The callbacks for one channel. They must not throw. */
export interface Ear {
  /** Called for each notification. */
  readonly onMessage: (payload: string) => void;
  /**
   * Called whenever listening begins: at first, and after every break. Earlier notifications were missed, so the
   * receiver must read its data again.
   */
  readonly onGap: () => void;
}

/**
 * - `connecting`: there is no connection; one is being opened.
 * - `listening`: notifications arrive.
 * - `stopped`: the listener was stopped.
 */
export type ListenerState = 'connecting' | 'listening' | 'stopped';

export interface Listener {
  readonly state: ListenerState;
  /** The name of the current session; `null` if there is no session, or if sessions have no names. */
  readonly session: string | null;
  /** Subscribes to a channel; other subscriptions stay. @returns a function that unsubscribes */
  on(channel: string, ear: Ear): () => void;
  /** Checks now whether the connection works. Called when other connections to the server have died silently. */
  check(): void;
  /** Closes the connection, and resolves when it is closed. After that, no callback is called. */
  stop(): Promise<void>;
}

const RETRY: Backoff = { firstMs: 50, maxMs: 2_000, jitter: 0 };

interface Subscription extends Ear {
  readonly channel: string;
}

/**
 * Opens a listener for any number of channels on one connection, which is reopened whenever it breaks. The listener
 * starts at once and never fails: notifications are lost while there is no connection, and `onGap` is called
 * afterwards.
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

/** Returns the names whose locks a session holds: the name of the process, and the session's own name. */
const livesOf = ({ lifeOf, namesSessions = false }: ListenOptions, no: number): readonly string[] =>
  lifeOf === undefined ? [] : [lifeOf, ...(namesSessions ? [`${lifeOf}/${no}`] : [])];

interface OneSession extends ListenOptions {
  readonly lives: readonly string[];
  /** Called at the moment at which the connection breaks. */
  readonly onEnd: () => void;
}

/**
 * Listens until the connection breaks or the signal fires. Never rejects.
 *
 * @param doubt wakes the check of the connection
 * @param onListening called with a function that adds later subscriptions
 * @returns whether listening began
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
  // Runs only one query at a time, as the driver requires.
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
    // A silent server would not answer an orderly end of the connection either.
    else client.connection.stream.destroy();
  }
  return heard;
}

/**
 * The query that checks the connection. PostgreSQL frees the NOTIFY queue when a transaction notifies, but while the
 * queue is full every such transaction fails. Reading the usage of the queue also frees what every listener has read,
 * so that a full queue gets space again.
 */
const HEARTBEAT = 'select pg_notification_queue_usage()';

/** Checks the connection periodically. Throws if a check fails or if the connection has ended. */
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
    // When other connections have died, a server that works should answer quickly.
    await ask(isDoubted ? STORE_LIMITS.silenceMs : STORE_LIMITS.connectMs);
  }
}

/** Waits a limited time until the server has closed the connection. */
async function closed(client: Client): Promise<void> {
  const stop = new AbortController();
  const late = sleep(STORE_LIMITS.connectMs, stop.signal);
  await Promise.race([client.end().catch(() => {}), late]);
  stop.abort();
}
