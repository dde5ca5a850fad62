import { readFileSync } from 'node:fs';
import type { ClusterOptions, RedisOptions } from 'ioredis';
import type { Redis } from 'ioredis';
import { Cluster } from 'ioredis';
import { errorText } from '../domain/error-text.ts';
import { bounded } from './bounded.ts';
import { QUEUE_LIMITS } from './limits.ts';
import { EndingCluster, EndingRedis } from './redis-clients.ts';

interface Node {
  readonly host: string;
  readonly port: number;
}

/** Options of a client, except its address. */
export type RedisSettings = Pick<
  RedisOptions,
  | 'lazyConnect'
  | 'connectTimeout'
  | 'socketTimeout'
  | 'commandTimeout'
  | 'reconnectOnError'
  | 'retryStrategy'
  | 'maxRetriesPerRequest'
  | 'enableOfflineQueue'
  | 'autoResendUnfulfilledCommands'
  | 'connectionName'
>;

interface Authorities {
  /** The file with trusted certificate authorities. @default Node's own */
  readonly rootCertificates?: string;
}

type Login = Pick<RedisOptions, 'username' | 'password' | 'db' | 'tls'> & Authorities;

/** How Redis or Valkey is deployed, with the addresses of the nodes to contact first. */
export type RedisAddress =
  | ({ readonly kind: 'one'; readonly url: string } & Authorities)
  | {
      readonly kind: 'cluster';
      readonly nodes: readonly Node[];
      readonly login: Login;
    }
  | {
      readonly kind: 'sentinel';
      readonly nodes: readonly Node[];
      /** The name by which the sentinels know the primary. */
      readonly name: string;
      readonly login: Login;
    };

export type RedisClient = Redis | Cluster;

const PORT = { redis: 6_379, sentinel: 26_379 } as const;
const SCHEME = /^(redis|rediss|redis\+sentinel|rediss\+sentinel):\/\/(.+)$/iu;

/** Matches `user:password@a:1,b,[::1]:3/rest?query`; `URL` later validates the hosts. */
const AUTHORITY = /^(?:([^@/]*)@)?([^/?#@]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/u;

const decoded = (text: string): string => decodeURIComponent(text);

function nodeOf(text: string, portDefault: number): Node | null {
  if (!URL.canParse(`redis://${text}`)) return null;
  const { hostname, port, username, pathname } = new URL(`redis://${text}`);
  if (hostname === '' || username !== '' || pathname !== '') return null;
  return { host: hostname.replaceAll(/^\[|\]$/gu, ''), port: Number(port || portDefault) };
}

/** The parameter has the same name as in PostgreSQL URLs. */
const ROOT_CERTIFICATES = 'sslrootcert';

function loginOf(userinfo: string | undefined, query: string | undefined, isTls: boolean): Login {
  const [user = '', ...password] = (userinfo ?? '').split(':');
  const rootCertificates = new URLSearchParams(query).get(ROOT_CERTIFICATES);
  return {
    ...(user === '' ? {} : { username: decoded(user) }),
    ...(password.length === 0 ? {} : { password: decoded(password.join(':')) }),
    ...(isTls ? { tls: {} } : {}),
    ...(isTls && rootCertificates !== null ? { rootCertificates } : {}),
  };
}

const databaseOf = (text: string | undefined): Login | null => {
  if (text === undefined || text === '') return {};
  return /^\d{1,4}$/u.test(text) ? { db: Number(text) } : null;
};

/**
 * Parses the address of the queue's Redis:
 *
 * - `redis://[user:password@]host[:port][/database]`, `rediss://…` (TLS) or the path of a Unix socket: one server, or a
 *   node of a cluster, whose other nodes are then also used
 * - the same form with several comma-separated hosts: nodes of a cluster
 * - `redis+sentinel://[user:password@]host[:port],…/name[/database]`, `rediss+sentinel://…`: sentinels that know the
 *   primary by this name; user and password are those of the primary
 *
 * With TLS, `?sslrootcert=file` at the end names the authorities that sign the servers' certificates.
 *
 * @returns `null` for any other text
 */
export function parseRedisAddress(text: string): RedisAddress | null {
  if (text.startsWith('/')) return text.startsWith('//') ? null : { kind: 'one', url: text };
  const [, scheme = '', rest = ''] = SCHEME.exec(text) ?? [];
  const [, userinfo, hosts = '', path, query] = AUTHORITY.exec(rest) ?? [];
  if (scheme === '' || hosts === '') return null;
  const isSentinel = /\+sentinel$/iu.test(scheme);
  const nodes = hosts
    .split(',')
    .map((host) => nodeOf(host, isSentinel ? PORT.sentinel : PORT.redis));
  if (!nodes.every((node) => node !== null)) return null;
  try {
    const login = loginOf(userinfo, query, /^rediss/iu.test(scheme));
    if (isSentinel) {
      const [name = '', database, ...more] = (path ?? '').split('/');
      const db = databaseOf(database);
      if (name === '' || db === null || more.length > 0) return null;
      return { kind: 'sentinel', nodes, name: decoded(name), login: { ...login, ...db } };
    }
    if (nodes.length === 1)
      return URL.canParse(text) ? { kind: 'one', url: text, ...authoritiesOf(login) } : null;
    // A cluster has only database 0.
    return path === undefined || path === '' || path === '0'
      ? { kind: 'cluster', nodes, login }
      : null;
  } catch {
    return null; // The text is not percent-encoded correctly.
  }
}

/** Returns the address of the cluster that a single node belongs to. */
export function clusterAt(client: Redis): RedisAddress {
  const { host = 'localhost', port = PORT.redis, username, password, tls } = client.options;
  const login = {
    ...(username === undefined || username === null ? {} : { username }),
    ...(password === undefined || password === null ? {} : { password }),
    ...(tls === undefined || tls === null ? {} : { tls }),
  };
  return { kind: 'cluster', nodes: [{ host, port }], login };
}

/** Returns the delay before a reconnection: short at first, at most a second. */
export const reconnectAfterMs = (tries: number): number => Math.min(tries * 50, 1_000);

/**
 * Options of a cluster's client. The slots are refreshed regularly, because no other event may report the loss of a
 * primary.
 */
const CLUSTER: ClusterOptions = {
  lazyConnect: true,
  slotsRefreshInterval: QUEUE_LIMITS.lookMs,
  slotsRefreshTimeout: QUEUE_LIMITS.connectMs,
  // After a primary is lost, its slots have no primary until a replica has taken over.
  retryDelayOnFailover: 100,
  retryDelayOnClusterDown: 100,
};

/** Uses nodes by name, because certificates contain the nodes' names and not their IP addresses. */
const AS_NAMED: ClusterOptions = { dnsLookup: (address, callback) => callback(null, address) };

const authoritiesOf = ({ rootCertificates }: Authorities): Authorities =>
  rootCertificates === undefined ? {} : { rootCertificates };

/** Returns the client options of a login. @throws Error with a one-line message if the file cannot be read */
function credentialsOf({ rootCertificates, ...login }: Login): Login {
  if (rootCertificates === undefined) return login;
  try {
    return { ...login, tls: { ca: readFileSync(rootCertificates) } };
  } catch (cause) {
    throw new Error(`${ROOT_CERTIFICATES} cannot be read: ${errorText(cause)}`, { cause });
  }
}

/**
 * Creates a client without connecting it.
 *
 * @param settings with a `retryStrategy` that decides whether and when the client reconnects
 * @throws Error with a one-line message if the file with authorities cannot be read
 */
export function openRedis(address: RedisAddress, settings: RedisSettings): RedisClient {
  const login = credentialsOf(address.kind === 'one' ? authoritiesOf(address) : address.login);
  switch (address.kind) {
    case 'one':
      return new EndingRedis(address.url, {
        ...settings,
        ...(login.tls === undefined ? {} : { tls: login.tls }),
      });
    case 'sentinel':
      return new EndingRedis({
        ...settings,
        ...login,
        sentinels: address.nodes.map((node) => ({ ...node })),
        name: address.name,
        sentinelRetryStrategy: settings.retryStrategy ?? (() => null),
        ...(login.tls === undefined
          ? {}
          : { enableTLSForSentinelMode: true, sentinelTLS: login.tls }),
      });
    case 'cluster': {
      const { retryStrategy, enableOfflineQueue, ...ofNode } = settings;
      return new EndingCluster(
        address.nodes.map((node) => ({ ...node })),
        {
          ...CLUSTER,
          ...(login.tls === undefined ? {} : AS_NAMED),
          ...(enableOfflineQueue === undefined ? {} : { enableOfflineQueue }),
          clusterRetryStrategy: retryStrategy ?? (() => null),
          redisOptions: { ...ofNode, ...login },
        },
      );
    }
    default:
      return address satisfies never;
  }
}

const NOT_WHOLE = 'its cluster is incomplete';

/**
 * Connects a new client. In ioredis 6.0, `connect` never settles if a cluster was found but is incomplete: the client
 * closes, or continues to connect according to its `retryStrategy`. So this function listens to the client's events.
 *
 * @throws the error of ioredis, or a timeout; then the client is not closed
 */
export async function connectRedis(client: RedisClient): Promise<void> {
  if (!(client instanceof Cluster)) return client.connect();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const end = (): void => reject(new Error(NOT_WHOLE));
  client.once('ready', resolve);
  client.once('end', end);
  try {
    const io = { signal: new AbortController().signal, deadlineMs: QUEUE_LIMITS.startMs };
    await bounded(Promise.race([client.connect(), promise]), io, () => new Error(NOT_WHOLE));
  } finally {
    client.off('ready', resolve);
    client.off('end', end);
  }
  return undefined;
}

/** Returns every primary that holds some of the queue's keys, or the only server. */
export const primariesOf = (client: RedisClient): readonly Redis[] =>
  client instanceof Cluster ? client.nodes('master') : [client];
