import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fail, problem } from '../../domain/problems.ts';
import type { TenantCaller } from '../../domain/turns.ts';
import { HTTP_LIMITS } from '../limits.ts';
import { Holders } from './holders.ts';
import { forwardedOf, readForwarded } from './public-address.ts';
import { PROBLEM_JSON, problemBody } from './problem.ts';
import type { ToldPolicy } from './tenant-limits.ts';
import { exceededHeaders, tellLimits, tellRetry } from './tenant-limits.ts';
import type { HttpApp } from './request-context.ts';
import { isSafeMethod, payerOf } from './request-context.ts';
import type { RatePolicy } from './tenant-limits.ts';
import { BodyRoom, Places, Rates, ReadTime, RefusalPace } from './tenant-limits.ts';

declare module 'fastify' {
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
  files: 'for files of one address',
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
    // A file is cached together with its headers.
    if (allowance.policy !== 'files') tellLimits(reply, told, allowance);
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
  const place = places.take(payerOf(request), { ofTenant, ofCaller: Math.ceil(ofTenant / 2) });
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
  const room = rooms.take(payerOf(request).party, bytes, max);
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

/** Counts one request. @throws ProblemError `RATE_LIMITED` before any work is done */
export type CountRequest = (request: FastifyRequest, reply: FastifyReply) => void;

/** Returns the counter of requests that need no token, by the address of the client. */
export function addressCounter({ perAddress }: RateLimits, share: LimitShare): CountRequest {
  const rates = new Rates();
  return (request, reply) =>
    countRate(rates, share, reply, [
      { policy: 'address', key: addressOf(request), quota: perAddress },
    ]);
}

/** Returns the counter of requests for files of the web application, of which a page needs dozens. */
export function fileCounter({ perAddress }: RateLimits, share: LimitShare): CountRequest {
  const rates = new Rates();
  const quota = perAddress === null ? null : perAddress * HTTP_LIMITS.filesPerRequest;
  return (request, reply) =>
    countRate(rates, share, reply, [{ policy: 'files', key: addressOf(request), quota }]);
}

/** Limits the requests of a scope by the address of the client. */
export function limitAddresses(app: HttpApp, count: CountRequest): void {
  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404) count(request, reply);
  });
}

/** The limits of callers, which apply first by tenant and then by subject. All scopes with callers share the counts. */
export class CallerLimits {
  readonly #limits: RateLimits;
  readonly #share: LimitShare;
  readonly #time: ReadTime | null;
  readonly #countAddress: CountRequest;
  readonly #rates = new Rates();
  readonly #places = { reads: new Places(), writes: new Places() };
  readonly #rooms = new BodyRoom();
  readonly #holders = new Holders();

  constructor(limits: RateLimits, share: LimitShare, countAddress: CountRequest) {
    this.#limits = limits;
    this.#share = share;
    const { readTimePercent: percent } = limits;
    this.#time = percent === null ? null : new ReadTime(percent);
    this.#countAddress = countAddress;
  }

  /**
   * Counts a request before its session or licence key is looked up: against the limits of the holder if this process
   * has found the credential before, otherwise against the limit of the address.
   */
  async countUnseen(
    request: FastifyRequest,
    reply: FastifyReply,
    credential: string,
  ): Promise<void> {
    const holder = this.#holders.get(credential);
    if (holder === null) this.#countAddress(request, reply);
    else await this.#countHolder(request, reply, holder);
  }

  /** Remembers whose credential was found, and counts the request against the limits of the holder. */
  async countFound(
    request: FastifyRequest,
    reply: FastifyReply,
    credential: string,
    holder: TenantCaller,
  ): Promise<void> {
    this.#holders.remember(credential, holder);
    if (request.holder === null) await this.#countHolder(request, reply, holder);
  }

  /** Limits the callers of a scope after the caller is known and before a body is read. */
  apply(app: HttpApp): void {
    app.addHook('onRequest', async (request, reply) => {
      await this.#refuseInTime(request, reply, () => this.#count(request, reply));
      const time = this.#time;
      if (time === null) return;
      const enter = () => time.enter(payerOf(request), reply.raw);
      if (isSafeMethod(request.method)) request.leaveReadTime = await enter();
      else request.bodyTurn = enter;
    });
  }

  async #countHolder(
    request: FastifyRequest,
    reply: FastifyReply,
    holder: TenantCaller,
  ): Promise<void> {
    request.holder = holder;
    await this.#refuseInTime(request, reply, () => this.#countRates(holder, reply));
  }

  #countRates({ party, subject }: TenantCaller, reply: FastifyReply): void {
    const { perTenant, perCaller } = this.#limits;
    countRate(this.#rates, this.#share, reply, [
      { policy: 'tenant', key: party, quota: perTenant },
      { policy: 'caller', key: `${party} ${subject}`, quota: perCaller },
    ]);
  }

  #count(request: FastifyRequest, reply: FastifyReply): void {
    if (request.holder === null) this.#countRates(payerOf(request), reply);
    // Streams stay open, and have their own limit.
    if (request.routeOptions.config.produces === 'text/event-stream') return;
    const { readsPerTenant, writesPerTenant } = this.#limits;
    const open: OpenRequests = isSafeMethod(request.method)
      ? { kind: 'reads', places: this.#places.reads, max: readsPerTenant }
      : { kind: 'writes', places: this.#places.writes, max: writesPerTenant };
    holdPlace(open, this.#share, request, reply);
    if (open.kind === 'writes') holdBodyRoom(this.#rooms, request, reply);
  }

  /**
   * Delays a refusal until the process has time for reads, because a caller that retries at once could otherwise use
   * all the time with refusals.
   */
  async #refuseInTime(
    request: FastifyRequest,
    reply: FastifyReply,
    count: () => void,
  ): Promise<void> {
    try {
      count();
    } catch (error) {
      (await this.#time?.enter(payerOf(request), reply.raw))?.();
      throw error;
    }
  }
}

/** Returns the limiter of refusals without a caller: per second, 1/60 of an address's requests per minute. */
export function refusalPaceOf({ perAddress }: RateLimits): RefusalPace | null {
  if (perAddress === null) return null;
  const ofAddress = Math.ceil(perAddress / 60);
  return new RefusalPace({ ofAddress, ofAll: HTTP_LIMITS.refusingAddresses * ofAddress });
}

/** Counts a request that was refused without a known caller. */
export function countRefusal(request: FastifyRequest): void {
  if (request.caller === null && request.holder === null)
    request.server.refusalPace?.count(addressOf(request));
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
