import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { Leases } from '../../src/app/ports/leases.ts';
import type { NewEvent } from '../../src/domain/event.ts';
import { trusted } from '../../src/domain/ids.ts';
import type { Party } from '../../src/domain/ids.ts';
import { EventFeed } from '../../src/http/kit/event-feed.ts';
import type { Sequencer } from '../../src/ops/sequencer.ts';
import { startSequencer } from '../../src/ops/sequencer.ts';
import { ARRIVALS_CHANNEL, EVENTS_CHANNEL } from '../../src/store/sql/channels.ts';
import { createEventLog } from '../../src/store/webhooks/events.ts';
import { createLeases } from '../../src/store/engine/lease.ts';
import { openListener } from '../../src/store/sql/listen.ts';
import type { EventStream } from './event-stream.ts';
import { openEventStream } from './event-stream.ts';
import type { TestApi } from './http-api.ts';
import { PROVIDER, USER, startApi } from './http-api.ts';
import type { TokenOptions } from './issuer.ts';

/** An event about a lifecycle of the user, unless `over` says otherwise. */
export const eventOf = (subject: string, over: Partial<NewEvent> = {}): NewEvent => ({
  type: 'tenure.lifecycle.changed',
  subject,
  lifecycleId: trusted(subject),
  parties: [PROVIDER, USER],
  data: { lifecycleId: subject, state: 'active' },
  ...over,
});

/** A server whose events are numbered and sent to followers as in production. */
export interface EventWorld extends AsyncDisposable {
  readonly api: TestApi;
  readonly base: string;
  readonly feed: EventFeed;
  /** Starts a process that numbers events. If another process holds the lease, it stands by. */
  sequencer(fanOut?: Parameters<typeof startSequencer>[0]['fanOut'], leases?: Leases): Sequencer;
  /** Opens an event stream. Resolves once it is connected and has received the position at which it begins. */
  follow(
    party: Party,
    more?: { query?: string; after?: string; token?: TokenOptions },
  ): Promise<EventStream>;
  /** Ends every stream that was opened, and waits until the server has noticed. */
  closeStreams(): Promise<void>;
}

export async function startEventWorld(heartbeatMs = 200, stallMs = 400): Promise<EventWorld> {
  const stack = new AsyncDisposableStack();
  const feeds: EventFeed[] = [];
  const streams: EventStream[] = [];
  const api = await startApi((deps) => {
    const feed = new EventFeed({
      log: { read: (query, io) => log.read(query, io), span: (io) => log.span(io) },
      onError: (error) => deps.log.warn({ error }),
      heartbeatMs,
      stallMs,
    });
    feeds.push(feed);
    return { events: feed };
  });
  stack.use(api);
  const log = createEventLog(api.pool);
  const feed = feeds[0]!;
  const listener = openListener({ url: api.database.url, applicationName: 'test-events' });
  stack.defer(() => listener.stop());
  const hear = (channel: string, onNews: () => void) =>
    listener.on(channel, { onMessage: onNews, onGap: onNews });
  hear(EVENTS_CHANNEL, () => feed.onNews());
  await api.app.listen({ host: '127.0.0.1', port: 0 });
  stack.defer(() => {
    for (const stream of streams) stream.close();
  });
  const base = `http://127.0.0.1:${(api.app.server.address() as AddressInfo).port}`;
  return {
    api,
    base,
    feed,
    sequencer(fanOut, leases = createLeases(api.pool)) {
      const sequencer = startSequencer({
        events: log,
        ...(fanOut === undefined ? {} : { fanOut }),
        leases,
        log: api.deps.log,
        random: () => 0,
        holder: randomUUID(),
      });
      stack.defer(() => sequencer.stop());
      stack.defer(hear(ARRIVALS_CHANNEL, () => sequencer.wake()));
      return sequencer;
    },
    async follow(party, { query = '', after, token } = {}) {
      const stream = await openEventStream(`${base}/events${query}`, {
        authorization: await api.as(party, token),
        ...(after === undefined ? {} : { 'last-event-id': after }),
      });
      streams.push(stream);
      return stream;
    },
    async closeStreams() {
      for (const stream of streams.splice(0)) stream.close();
      while (feed.size > 0) await setImmediate();
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** A feed whose streams end at once. */
export function endedFeed(log: ConstructorParameters<typeof EventFeed>[0]['log']): EventFeed {
  const feed = new EventFeed({ log, onError() {} });
  feed.close();
  return feed;
}
