import { hash } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fail, problem } from '../../domain/problems.ts';
import { HTTP_LIMITS } from '../limits.ts';
import { forwardedOf, readForwarded } from './public-address.ts';
import { PROBLEM_JSON, problemBody } from './problem.ts';
import type { ToldPolicy } from './tenant-limits.ts';
import { exceededHeaders, tellLimits, tellRetry } from './tenant-limits.ts';
import type { HttpApp } from './request-context.ts';
import { callerOf, isSafeMethod } from './request-context.ts';
import type { RatePolicy } from './tenant-limits.ts';
import { BodyRoom, Places, Rates, ReadTime, RefusalPace } from './tenant-limits.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `false`: requests of the route are not counted. */
    readonly rateLimit?: false;
  }
  interface FastifyInstance {
    readonly refusalPace: RefusalPace | null;
  }
}

/** The limits of requests. `null`: unlimited. */
export interface RateLimits {
  /** Requests per minute of one tenant, and of one caller of the tenant. */
  readonly perTenant: number | null;
  readonly perCaller: number | null;
  /** Requests per minute of an address, on routes that need no token. */
  readonly perAddress: number | null;
  /** Open requests of one tenant. One caller may have half of this number. */
  readonly readsPerTenant: number | null;
  readonly writesPerTenant: number | null;
  /** The percentage of a process's time that callers' reads, refusals and large bodies may use. */
  readonly readTimePercent: number | null;
  /** Open event streams of one tenant. */
  readonly streamsPerTenant: number | null;
  /** Failed authentications of one address. They are not counted as requests. */
  readonly failuresPerAddress: number | null;
  /** Open connections of one address that is not a trusted proxy. */
  readonly connectionsPerAddress: number | null;
}

/** Returns the share that this process has of a limit of the whole deployment. */
export type LimitShare = (limit: number) => number;

/** Returns all eight groups of an IPv6 address, without leading zeros. */
function groupsOf(address: string): readonly string[] {
  const [bare = ''] = address.split('%');
  const [left = [], right = []] = new URL(`http://[${bare}]`).hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => '0'), ...right];
}

/** Returns the unit that is counted: an IPv4 address, also if written as IPv6, or an IPv6 network of 64 bits. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const groups = groupsOf(address);
  if (groups.slice(0, 6).join(':') !== '0:0:0:0:0:ffff') return `${groups.slice(0, 4).join(':')}::`;
  const bytes = groups.slice(6).flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 255];
  });
  return bytes.join('.');
}

/**
 * Returns the name under which an address is counted. Addresses that are not IP addresses share one count, because a
 * proxy may forward any text.
 */
const countedAs = (address: string): string =>
  isIP(address) === 0 ? 'nowhere' : networkOf(address);

/** Returns the origin of a request, as trusted proxies report it: an IPv4 address or an IPv6 network. */
export const addressOf = (request: FastifyRequest): string =>
  countedAs(forwardedOf(request).address);

interface RateLimit {
  readonly policy: string;
  readonly key: string;
  readonly quota: number | null;
}

const TOLD_AS = {
  tenant: 'of your tenant',
  caller: 'of one caller',
  address: 'of one address',
  process: 'of this process',
} as const;

/** Counts a request against its rate limits. @throws ProblemError `RATE_LIMITED` before any work is done */
function countRate(
  rates: Rates,
  share: LimitShare,
  reply: FastifyReply,
  limits: readonly RateLimit[],
): void {
  const set = limits.flatMap((limit) =>
    limit.quota === null ? [] : [{ ...limit, quota: limit.quota }],
  );
  const policies = set.map<RatePolicy>(({ policy, key, quota }) => ({
    policy,
    key,
    perMinute: share(quota),
  }));
  const allowance = rates.take(policies);
  if (allowance === null) return;
  const told = set.map<ToldPolicy>(({ policy, quota }) => ({ policy, quota, unit: 'requests' }));
  if (allowance.left >= 0) {
    tellLimits(reply, told, allowance);
    return;
  }
  const afterS = tellRetry(reply, told, allowance.policy, allowance.afterMs);
  const { quota = 0 } = set.find(({ policy }) => policy === allowance.policy) ?? {};
  const whose = TOLD_AS[allowance.policy as keyof typeof TOLD_AS];
  fail(
    'RATE_LIMITED',
    `no more than ${quota} requests ${whose} a minute; the next is taken in ${afterS} s`,
  );
}

interface OpenRequests {
  readonly kind: 'reads' | 'writes';
  readonly places: Places;
  readonly max: number | null;
}

/** Counts a request as open until it is answered. @throws ProblemError `RATE_LIMITED` before any work is done */
function holdPlace(
  { kind, places, max }: OpenRequests,
  share: LimitShare,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  if (max === null) return;
  const ofTenant = share(max);
  const place = places.take(callerOf(request), { ofTenant, ofCaller: Math.ceil(ofTenant / 2) });
  if (typeof place === 'function') {
    reply.raw.once('finish', place).once('close', place);
    return;
  }
  const quota = place === 'tenant' ? max : Math.ceil(max / 2);
  const policy = `${place}-${kind}`;
  const told: ToldPolicy = { policy, quota, unit: 'concurrent-requests' };
  const afterS = tellRetry(reply, [told], policy, HTTP_LIMITS.retryAfterMs);
  fail(
    'RATE_LIMITED',
    `no more than ${quota} ${kind} ${TOLD_AS[place]} at a time; come again in ${afterS} s`,
  );
}

/** Returns the size of a request's body: the declared length or, without one, the maximum of its route. */
function bodyBytesOf({ headers, routeOptions }: FastifyRequest): number {
  const max = routeOptions.bodyLimit ?? HTTP_LIMITS.httpBodyBytesMax;
  if (headers['transfer-encoding'] !== undefined) return max;
  const bytes = Number(headers['content-length'] ?? 0);
  // A longer body is refused without being read.
  return bytes > max ? 0 : bytes;
}

/**
 * Reserves memory for the body of a request until the answer is sent, because the body is in memory until then.
 *
 * @throws ProblemError `RATE_LIMITED` before the body is read
 */
function holdBodyRoom(rooms: BodyRoom, request: FastifyRequest, reply: FastifyReply): void {
  const bytes = bodyBytesOf(request);
  if (bytes === 0) return;
  const max = {
    ofTenant: HTTP_LIMITS.bodiesBytesPerTenantMax,
    ofProcess: HTTP_LIMITS.bodiesBytesMax,
  };
  const room = rooms.take(callerOf(request).party, bytes, max);
  if (typeof room === 'object') {
    request.bodyRoom = room;
    reply.raw.once('finish', () => room.release()).once('close', () => room.release());
    return;
  }
  const quota = room === 'tenant' ? max.ofTenant : max.ofProcess;
  const policy = `${room}-bodies`;
  const told: ToldPolicy = { policy, quota, unit: 'content-bytes' };
  const afterS = tellRetry(reply, [told], policy, HTTP_LIMITS.retryAfterMs);
  fail(
    'RATE_LIMITED',
    `no more than ${quota} bytes in bodies ${TOLD_AS[room]} at a time; come again in ${afterS} s`,
  );
}

/** Returns the limiter of the time that callers' reads, refusals and large bodies use. */
export const readTimeOf = ({ readTimePercent }: RateLimits): ReadTime | null =>
  readTimePercent === null ? null : new ReadTime(readTimePercent);

/**
 * Counts a request against its limits. A read waits until the process has time to answer. A refusal waits too, because
 * a caller that retries at once could otherwise use all the time with refusals.
 */
async function inReadTime(
  time: ReadTime | null,
  [request, reply]: readonly [FastifyRequest, FastifyReply],
  count: () => void,
): Promise<void> {
  const enter = async () => time?.enter(callerOf(request), reply.raw);
  try {
    count();
  } catch (error) {
    (await enter())?.();
    throw error;
  }
  if (isSafeMethod(request.method)) request.leaveReadTime = (await enter()) ?? null;
  else if (time !== null) request.bodyTurn = () => time.enter(callerOf(request), reply.raw);
}

/** Limits the callers of a scope, first by tenant, after the caller is known and before a body is read. */
export function limitCallers(
  app: HttpApp,
  limits: RateLimits,
  share: LimitShare,
  time: ReadTime | null,
): void {
  const rates = new Rates();
  const [reads, writes] = [new Places(), new Places()];
  const rooms = new BodyRoom();
  const count = (request: FastifyRequest, reply: FastifyReply): void => {
    const { party, subject } = callerOf(request);
    countRate(rates, share, reply, [
      { policy: 'tenant', key: party, quota: limits.perTenant },
      { policy: 'caller', key: `${party} ${subject}`, quota: limits.perCaller },
    ]);
    // Streams stay open, and have their own limit.
    if (request.routeOptions.config.produces === 'text/event-stream') return;
    const open: OpenRequests = isSafeMethod(request.method)
      ? { kind: 'reads', places: reads, max: limits.readsPerTenant }
      : { kind: 'writes', places: writes, max: limits.writesPerTenant };
    holdPlace(open, share, request, reply);
    if (open.kind === 'writes') holdBodyRoom(rooms, request, reply);
  };
  app.addHook('onRequest', async (request, reply) =>
    inReadTime(time, [request, reply], () => count(request, reply)),
  );
}

/** Limits requests that need no token, by the address of the client. */
export function createAddressLimit(
  { perAddress }: RateLimits,
  share: LimitShare,
): (app: HttpApp) => void {
  const rates = new Rates();
  return (app) => {
    app.addHook('onRequest', async (request, reply) => {
      if (request.routeOptions.config.rateLimit === false || request.is404) return;
      const key = addressOf(request);
      countRate(rates, share, reply, [{ policy: 'address', key, quota: perAddress }]);
    });
  };
}

/** Returns the limiter of refusals without a caller: per second, 1/60 of an address's requests per minute. */
export function refusalPaceOf({ perAddress }: RateLimits): RefusalPace | null {
  if (perAddress === null) return null;
  const ofAddress = Math.ceil(perAddress / 60);
  return new RefusalPace({ ofAddress, ofAll: HTTP_LIMITS.refusingAddresses * ofAddress });
}

/** Counts a request that was refused without a caller. */
export function countRefusal(request: FastifyRequest): void {
  if (request.caller === null) request.server.refusalPace?.count(addressOf(request));
}

/** Paths of probes for load balancers, which may share an address with others. The answers come from memory. */
const PROBES = /^(?:\/api)?\/(?:livez|readyz)(?:$|\?)/u;

const AFTER_S = HTTP_LIMITS.retryAfterMs / 1_000;
const TURNED_AWAY = JSON.stringify(
  problemBody(
    problem('RATE_LIMITED', `too many requests are refused; come again in ${AFTER_S} s`),
    { instance: '', prefix: '', traceId: '', commandId: null },
  ),
);

/** Answers without Fastify. Closes the connection unless it belongs to a proxy. */
function turnAway(
  request: IncomingMessage,
  response: ServerResponse,
  told: ToldPolicy,
  isProxy: boolean,
): void {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers;
  const isEmpty = length === '0' && coding === undefined;
  response.writeHead(429, {
    'content-type': `${PROBLEM_JSON}; charset=utf-8`,
    'content-length': Buffer.byteLength(TURNED_AWAY),
    ...exceededHeaders(told, HTTP_LIMITS.retryAfterMs),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(isProxy && isEmpty ? {} : { connection: 'close' }),
  });
  response.end(TURNED_AWAY);
}

/** Decides which requests are refused before they are read. */
export interface RequestGuard {
  readonly pace: RefusalPace | null;
  readonly trustsProxy: (address: string) => boolean;
  /** Whether a request carries a credential that was verified within the last minute. */
  readonly isGenuine: (request: IncomingMessage) => boolean;
}

/** Returns the limit because of which a request is refused before it is read, or `null`. */
function turnsAway(
  request: IncomingMessage,
  remote: string,
  { pace, trustsProxy, isGenuine }: RequestGuard,
): ToldPolicy | null {
  if (pace === null || !pace.isNear || PROBES.test(request.url ?? '')) return null;
  const { address } = readForwarded(request, remote, trustsProxy);
  return pace.isSpent(countedAs(address)) && !isGenuine(request) ? pace.told : null;
}

type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Limits which requests a server accepts.
 *
 * Closes connections with too many requests that wait for their answers. Node begins each request of a connection as
 * soon as it has arrived, even while earlier requests are unanswered, and one packet can contain thousands of requests.
 *
 * Refuses requests from addresses whose requests are refused too often.
 */
export function guardRequests(server: Server, guard: RequestGuard): void {
  const listeners = server.listeners('request') as RequestListener[];
  const waiting = new WeakMap<Socket, number>();
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    const { socket } = request;
    // The rest of the packet that exceeded the limit is ignored.
    if (socket.destroyed) return;
    const count = (waiting.get(socket) ?? 0) + 1;
    if (count > HTTP_LIMITS.pipelinedMax) {
      socket.destroy();
      return;
    }
    waiting.set(socket, count);
    response.once('finish', () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1));
    const remote = socket.remoteAddress ?? '';
    const told = turnsAway(request, remote, guard);
    if (told !== null) turnAway(request, response, told, guard.trustsProxy(remote));
    else for (const listener of listeners) listener.call(server, request, response);
  });
}

/** Limits the licence keys of a scope, each like one caller, before a key is looked up. */
export function limitLicenseKeys(app: HttpApp, { perCaller }: RateLimits, share: LimitShare): void {
  const rates = new Rates();
  app.addHook('onRequest', async (request, reply) => {
    const key = hash('sha256', request.headers.authorization ?? '', 'base64');
    countRate(rates, share, reply, [{ policy: 'caller', key, quota: perCaller }]);
  });
}
