import type { Logger } from 'pino';
import type { EventLog, Leases } from '../app/ports.ts';
import { EventFeed } from '../http/event-feed.ts';
import { startSequencer } from '../ops/sequencer.ts';
import { ARRIVALS_CHANNEL, EVENTS_CHANNEL } from '../store/channels.ts';
import { listen } from '../store/listen.ts';
import type { Config } from './config.ts';

interface EventParts {
  readonly config: Config;
  readonly log: Logger;
  readonly events: EventLog;
  readonly leases: Leases;
  /** Names this process in leases. */
  readonly holder: string;
}

/** The one that numbers events; others of its kind stand by. */
export function startNumbering(parts: EventParts, stack: AsyncDisposableStack): void {
  const { config, log, leases, events, holder } = parts;
  const sequencer = startSequencer({ events, leases, log, random: Math.random, holder });
  stack.defer(() => sequencer.stop());
  const wake = () => sequencer.wake();
  const listener = listen({
    url: config.databaseUrl,
    channel: ARRIVALS_CHANNEL,
    applicationName: 'tenure-arrivals',
    onMessage: wake,
    onGap: wake,
    onBreak: (error) => log.warn({ error: error.message }, 'arrivals listener lost its connection'),
  });
  stack.defer(() => listener.stop());
}

/** Hears of events as soon as they are numbered, once for all who follow them here. */
export function openFeed(parts: EventParts, stack: AsyncDisposableStack): EventFeed {
  const { config, log, events } = parts;
  const feed = new EventFeed({
    log: events,
    onError: (error) => log.warn({ error: String(error) }, 'events could not be read'),
  });
  if (!config.roles.has('api')) return feed;
  const listener = listen({
    url: config.databaseUrl,
    channel: EVENTS_CHANNEL,
    applicationName: 'tenure-events',
    onMessage: () => feed.onNews(),
    onGap: () => feed.onNews(),
    onBreak: (error) => log.warn({ error: error.message }, 'events listener lost its connection'),
  });
  stack.defer(() => listener.stop());
  return feed;
}
