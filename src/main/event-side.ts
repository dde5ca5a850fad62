import type { Logger } from 'pino';
import type { WallClock } from '../app/ports/clocks.ts';
import type { Leases } from '../app/ports/leases.ts';
import type { AuditChain } from '../app/ports/audit-chain.ts';
import type { EventLog } from '../app/ports/event-log.ts';
import type { Deliveries } from '../app/ports/webhooks.ts';
import type { WebhookTargets } from '../auth/webhook-targets.ts';
import { createWebhookTargets } from '../auth/webhook-targets.ts';
import type { Party } from '../domain/ids.ts';
import { MAIN_LIMITS } from './limits.ts';
import type { MailParts } from './mail-side.ts';
import { openMail, withMail } from './mail-side.ts';
import { EventFeed } from '../http/kit/event-feed.ts';
import { startDeliverer } from '../ops/deliverer.ts';
import type { Metrics } from '../ops/metrics.ts';
import { observeDeliveries } from '../ops/observed.ts';
import { startSequencer } from '../ops/sequencer.ts';
import { ARRIVALS_CHANNEL, DELIVERIES_CHANNEL, EVENTS_CHANNEL } from '../store/sql/channels.ts';
import type { Listener } from '../store/sql/listen.ts';
import type { Config } from './config.ts';

interface DeliveringParts {
  readonly log: Logger;
  readonly deliveries: Deliveries;
  readonly targets: WebhookTargets;
  readonly listener: Listener;
  readonly wallClock: WallClock;
  readonly metrics: Metrics;
}

interface EventParts {
  readonly config: Config;
  readonly log: Logger;
  readonly events: EventLog;
  readonly listener: Listener;
  readonly leases: Leases;
  /** The name of this process in leases. */
  readonly holder: string;
}

/** Starts to number events. Only one process at a time does so; the others stand by. */
export function startNumbering(
  parts: EventParts & Pick<DeliveringParts, 'deliveries'> & { readonly auditChain: AuditChain },
  source: string,
  stack: AsyncDisposableStack,
): void {
  const { log, leases, events, deliveries, listener, holder } = parts;
  const sequencer = startSequencer({
    events,
    audit: parts.auditChain,
    fanOut: (epoch, io) => deliveries.fanOut(source, epoch, io),
    leases,
    log,
    random: Math.random,
    holder,
  });
  stack.defer(() => sequencer.stop());
  const wake = () => sequencer.wake();
  stack.defer(listener.on(ARRIVALS_CHANNEL, { onMessage: wake, onGap: wake }));
}

/** Starts to deliver events to webhooks. All processes with this role share the work. */
export function startDelivering(
  parts: DeliveringParts & MailParts,
  stack: AsyncDisposableStack,
): void {
  const { log, deliveries, targets, listener, wallClock, metrics } = parts;
  const deliverer = startDeliverer({
    deliveries: observeDeliveries(deliveries, metrics),
    post: (url, headers, body, signal) => targets.post(url, headers, body, signal),
    mail: openMail(parts),
    wallClock,
    random: Math.random,
    log,
  });
  stack.defer(() => deliverer.stop());
  const wake = () => deliverer.wake();
  stack.defer(listener.on(DELIVERIES_CHANNEL, { onMessage: wake, onGap: wake }));
}

export function openTargets(
  config: Config,
  provider: Party,
  stack: AsyncDisposableStack,
): WebhookTargets {
  const targets = createWebhookTargets({
    ...config.webhookTargets,
    timeoutMs: MAIN_LIMITS.webhookExchangeMs,
    bodyBytesMax: MAIN_LIMITS.webhookAnswerBytesMax,
  });
  stack.defer(() => targets.close());
  return withMail(targets, config, provider);
}

/** Opens the feed that reads events as soon as they have numbers, once for all followers in this process. */
export function openFeed(parts: EventParts, stack: AsyncDisposableStack): EventFeed {
  const { config, log, events, listener } = parts;
  const feed = new EventFeed({
    log: events,
    onError: (error) => log.warn({ error: String(error) }, 'events could not be read'),
  });
  if (!config.roles.has('api')) return feed;
  const onNews = () => feed.onNews();
  stack.defer(listener.on(EVENTS_CHANNEL, { onMessage: onNews, onGap: onNews }));
  return feed;
}
