import { Client } from 'pg';
import type { Signals } from '../app/ports.ts';
import { closeQuietly, pause } from './bounded.ts';
import { errorText } from './queue-error.ts';
import { QUEUE_LIMITS } from './queue-limits.ts';
import type { QueueLog } from './queue-log.ts';
import { complaintsTo } from './queue-log.ts';

/** The store notifies this channel in the transaction that makes effects due; the payload is empty. */
export const EFFECTS_CHANNEL = 'tenure_effects';

/** In-process signals that somebody may listen to. */
export interface LocalSignals extends Signals {
  /** Returns what ends the listening. */
  onEffectsDue(listener: () => void): () => void;
}

/** For a process that both records changes and relays them: no way round through the database. */
export function createSignals(): LocalSignals {
  const listeners = new Set<() => void>();
  return {
    effectsDue() {
      for (const listener of listeners) listener();
    },
    onEffectsDue(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}

export interface EffectsListener {
  /** False while there is no connection; the relay's own polling covers that time. */
  readonly connected: boolean;
  stop(): Promise<void>;
}

export interface EffectsListenerOptions {
  readonly databaseUrl: string;
  /** Called for every notification, and after every connect for those that were missed. */
  readonly wake: () => void;
  readonly log: QueueLog;
}

async function listen(client: Client, wake: () => void): Promise<void> {
  await client.connect();
  client.on('notification', ({ channel }) => {
    if (channel === EFFECTS_CHANNEL) wake();
  });
  await client.query(`listen ${EFFECTS_CHANNEL}`);
}

/**
 * Hears of due effects that other processes record, on a connection of its own that is made again whenever it breaks.
 * Starts at once and never fails: what it misses costs a poll interval of the relay.
 */
export function listenForEffects(options: EffectsListenerOptions): EffectsListener {
  const complain = complaintsTo(options.log, 'effects listener');
  const stop = new AbortController();
  let connected = false;

  const listenOnce = async (): Promise<void> => {
    const over = Promise.withResolvers<void>();
    const end = () => {
      over.resolve();
    };
    const client = new Client({
      connectionString: options.databaseUrl,
      application_name: 'tenure-effects',
      connectionTimeoutMillis: QUEUE_LIMITS.connectMs,
      query_timeout: QUEUE_LIMITS.commandMs,
      // Nothing is ever sent on it: only probes can tell that the other side is gone.
      keepAlive: true,
      keepAliveInitialDelayMillis: QUEUE_LIMITS.complaintMs,
    });
    client.on('error', (error) => {
      if (!stop.signal.aborted) complain(error);
      end();
    });
    client.on('end', end);
    stop.signal.addEventListener('abort', end, { once: true });
    try {
      await listen(client, options.wake);
      connected = true;
      options.wake();
      await over.promise;
    } catch (error) {
      if (!stop.signal.aborted) complain(error);
    } finally {
      connected = false;
      stop.signal.removeEventListener('abort', end);
      await closeQuietly(client.end(), QUEUE_LIMITS.connectMs);
    }
  };
  const keepListening = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await listenOnce();
      await pause(QUEUE_LIMITS.retryMs, stop.signal);
    }
  };
  const ended = keepListening().catch((error: unknown) => {
    options.log.error({ error: errorText(error) }, 'no longer listening for effects');
  });
  return {
    get connected() {
      return connected;
    },
    async stop() {
      stop.abort();
      await ended;
    },
  };
}
