import { Type } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { cloudEvent, eventSource } from '../../../app/engine/lanes/events.ts';
import { may } from '../../../domain/caller.ts';
import { EVENT_TYPES } from '../../../domain/event.ts';
import { HTTP_LIMITS } from '../../limits.ts';
import { fail } from '../../../domain/problems.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import type { EventFilter, Told } from '../../kit/event-feed.ts';
import { STREAM_ITEMS } from './event-schemas.ts';
import { eventBody } from './event-body.ts';
import { readEventTypes, readLifecycleId, readPosition } from './event-query.ts';
import { readOneOf } from '../../kit/list-query.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { callerOf, goneSignal, readIo } from '../../kit/request-context.ts';
import type { ToldPolicy } from '../../kit/tenant-limits.ts';
import { tellRetry, Places } from '../../kit/tenant-limits.ts';
import { route } from '../../kit/route.ts';
import { optionalText } from '../../kit/schema.ts';
import { loggedError } from '../../kit/request-log.ts';
import { Stays } from './stays.ts';

const EVENT_STREAM = 'text/event-stream';

/** Counts a stream of the caller as open. @throws ProblemError `STREAMS_LIMITED` if there are too many streams */
function takePlace(
  places: Places,
  { rateLimits: { streamsPerTenant }, limitShare }: HttpDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): () => void {
  const { eventStreamsMax, eventStreamsPerCallerMax: ofCaller } = HTTP_LIMITS;
  if (places.size >= eventStreamsMax)
    fail('STREAMS_EXHAUSTED', `no more than ${eventStreamsMax} streams are served here`);
  const ofTenant = streamsPerTenant === null ? Infinity : limitShare(streamsPerTenant);
  const place = places.take(callerOf(request), { ofTenant, ofCaller });
  if (typeof place === 'function') return place;
  const quota = place === 'tenant' ? (streamsPerTenant ?? 0) : ofCaller;
  const policy = `${place}-streams`;
  const told: ToldPolicy = { policy, quota, unit: 'concurrent-requests' };
  tellRetry(reply, [told], policy, HTTP_LIMITS.retryAfterMs);
  return fail('STREAMS_LIMITED', `no more than ${quota} streams of one ${place} at once`);
}

/**
 * Returns a heartbeat with the position after which a client resumes: either an event, or a comment and an `id` line.
 * No blank line follows the `id` line, because a blank line dispatches an event, in some clients even one without data.
 * So a client that follows the standard takes over the position with the next event, and a client that reads line by
 * line takes it over at once.
 */
const signOfLife = (upTo: bigint, isEvent: boolean): string =>
  isEvent ? `event: position\nid: ${upTo}\ndata: {}\n\n` : `:\nid: ${upTo}\n`;

/** Formats the events as an event stream (WHATWG HTML, 9.2). Returns an empty text if no event is for the follower. */
function textOf(told: Exclude<Told, { readonly kind: 'quiet' }>, source: string): string {
  if (told.kind === 'events') {
    return told.events
      .map((event) => `id: ${event.seq}\ndata: ${JSON.stringify(cloudEvent(event, source))}\n\n`)
      .join('');
  }
  const data = JSON.stringify({ after: String(told.after), upTo: String(told.upTo) });
  return `event: gap\nid: ${told.upTo}\ndata: ${data}\n\n`;
}

interface Following {
  readonly deps: HttpDeps;
  readonly request: FastifyRequest;
  readonly after: bigint;
  readonly filter: EventFilter;
  /** Whether a heartbeat is sent as an event. Browsers need that, because they resume only after their newest event. */
  readonly tellsPosition: boolean;
  /** Aborted when the client has disconnected, or its caller's token, session or tenant has ended. */
  readonly ended: AbortSignal;
}

/** Yields the text for a follower until `ended` is aborted, the server closes, or events cannot be read. */
async function* texts(following: Following): AsyncGenerator<string> {
  const { deps, request, after, filter, tellsPosition, ended } = following;
  const { events } = deps;
  const source = eventSource(deps.hosting.provider);
  yield `retry: ${HTTP_LIMITS.eventRetryMs}\n${signOfLife(after, false)}`;
  let spokeMs = performance.now();
  try {
    for await (const told of events.follow(after, filter, ended)) {
      if (ended.aborted) return;
      const isSilent = performance.now() - spokeMs >= events.heartbeatMs;
      const news = told.kind === 'quiet' ? '' : textOf(told, source);
      const isLifeShown = isSilent || told.kind === 'quiet';
      const text = news || (isLifeShown ? signOfLife(told.upTo, tellsPosition) : '');
      if (text === '') continue;
      yield text;
      spokeMs = performance.now();
    }
  } catch (error) {
    if (!ended.aborted) request.log.warn({ error: loggedError(error) }, 'a stream of events ended');
  }
}

const EventsQuery = Type.Object({
  after: optionalText(
    'Begin after the event of this id. Header Last-Event-ID counts before it; without both: now',
  ),
  type: optionalText(
    `Only these types, separated by commas; * stands for the rest of one. Types: ${EVENT_TYPES.join(', ')}`,
    'tenure.operation.succeeded,tenure.lifecycle.*',
  ),
  lifecycleId: optionalText('Only those of this lifecycle'),
  positions: Type.Optional(
    Type.Unsafe<string>({
      type: 'string',
      enum: ['true', 'false'],
      description:
        'true: an event named position follows each silence, with the id to resume after. For browsers, whose ' +
        'EventSource resumes after the newest event; other clients read the id without it',
    }),
  ),
});

/** Registers the stream of Server-Sent Events. A caller sees the events of its own party; an operator sees all. */
export function registerEvents(app: HttpApp, deps: HttpDeps): void {
  const places = new Places();
  const stays = new Stays(deps);
  route(app, 'GET', '/events', {
    operationId: 'followEvents',
    summary: 'Follow what happens to operations and lifecycles, as Server-Sent Events',
    description:
      'Each event is a CloudEvent 1.0 in JSON. Its id is its number: a stream that begins after one misses nothing. ' +
      'An event named gap comes where events are not kept any more.',
    tag: 'events',
    query: EventsQuery,
    headers: Type.Object({ 'Last-Event-ID': optionalText() }),
    reply: {
      200: {
        description: 'Events, until either side ends it',
        content: {
          [EVENT_STREAM]: {
            schema: { type: 'string', description: 'WHATWG HTML, 9.2', ...STREAM_ITEMS },
          },
        },
      },
    },
    problems: [400, 401, 406, 503],
    produces: EVENT_STREAM,
    // A HEAD request would never end.
    exposeHeadRoute: false,
    handle: async (request, reply) => {
      const caller = callerOf(request);
      const query = request.query;
      const seesAll = may(caller, 'operate') && caller.party === deps.hosting.provider;
      const filter: EventFilter = {
        party: seesAll ? null : caller.party,
        types: readEventTypes(query),
        lifecycleId: readLifecycleId(query),
      };
      const position = readPosition(request.headers['last-event-id'], query);
      reply.raw.once('close', takePlace(places, deps, request, reply));
      const after = position ?? (await deps.events.span(readIo(reply))).last;
      const ended = AbortSignal.any([goneSignal(reply), stays.watch(request, reply)]);
      const tellsPosition = readOneOf(query, 'positions', ['true', 'false']) === 'true';
      const following = { deps, request, after, filter, tellsPosition, ended };
      return reply
        .headers({
          'content-type': EVENT_STREAM,
          'cache-control': 'no-store',
          // Keeps proxies from buffering the answer.
          'x-accel-buffering': 'no',
        })
        .send(eventBody(texts(following), deps.events.stallMs, ended));
    },
  });
}
