import type { LookupAddress } from 'node:dns';
import { Resolver, lookup } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { AUTH_LIMITS } from './limits.ts';

/** Returns the current addresses of a host name. */
export type ResolveName = (hostname: string) => Promise<readonly LookupAddress[]>;

/** Thrown if a lookup took too long. */
export class NameUnresolvedError extends Error {
  override readonly name = 'NameUnresolvedError';
}

/** Thrown if the lookup was not made because too many lookups are running; the name may be valid. */
export class NamesBusyError extends Error {
  override readonly name = 'NamesBusyError';
  readonly limit: number;
  constructor(limit: number, message: string) {
    super(message);
    this.limit = limit;
  }
}

const LOOPBACK_NAME = /(?:^|\.)localhost\.?$/i;
const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * Resolves names with the system's resolver. Names under `localhost` always resolve to this machine (RFC 6761, 6.3),
 * because musl and some macOS set-ups do not know them.
 */
export const systemNames: ResolveName = async (hostname) =>
  LOOPBACK_NAME.test(hostname) ? LOOPBACK : lookup(hostname, { all: true });

const bare = (name: string): string => name.toLowerCase().replace(/\.$/u, '');

/** Returns the addresses of a host name in a hosts file. @param hosts in the format of hosts(5) */
function inHosts(hosts: string, hostname: string): LookupAddress[] {
  const wanted = bare(hostname);
  return hosts.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*$/u, '').trim().split(/\s+/u);
    const family = isIP(address);
    return family !== 0 && names.some((name) => bare(name) === wanted) ? [{ address, family }] : [];
  });
}

export interface NameServers {
  /** Addresses of name servers, with a port if it is not 53. @default the system's name servers */
  readonly servers?: readonly string[];
  /** @default /etc/hosts */
  readonly hostsFile?: string;
  /** The timeout of the lookup. @default `AUTH_LIMITS.nameServersMs` */
  readonly timeoutMs?: number;
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

async function askServers(hostname: string, options: NameServers): Promise<LookupAddress[]> {
  const { servers, timeoutMs = AUTH_LIMITS.nameServersMs } = options;
  // There is one resolver for each lookup, so that cancelling one lookup does not cancel others.
  const resolver = new Resolver({ timeout: AUTH_LIMITS.nameTryMs, tries: AUTH_LIMITS.nameTries });
  if (servers !== undefined) resolver.setServers(servers);
  const timer = setTimeout(() => resolver.cancel(), timeoutMs);
  const answers = await Promise.allSettled([
    resolver.resolve4(hostname).then((found) => found.map((address) => ({ address, family: 4 }))),
    resolver.resolve6(hostname).then((found) => found.map((address) => ({ address, family: 6 }))),
  ]).finally(() => clearTimeout(timer));
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (found.length > 0) return found;
  const reasons = answers.flatMap((answer) => (answer.status === 'rejected' ? answer.reason : []));
  if (reasons.some((reason) => ['ECANCELLED', 'ETIMEOUT'].includes(String(codeOf(reason))))) {
    throw new NameUnresolvedError(`no name server says in time what ${hostname} stands for`);
  }
  if (reasons.every((reason) => ['ENOTFOUND', 'ENODATA'].includes(String(codeOf(reason))))) {
    throw new Error(`${hostname} has no address`);
  }
  throw reasons[0];
}

/**
 * Resolves names that other parties chose. The system's resolver runs only two lookups at a time for the whole process
 * and cannot be cancelled, so name servers are asked directly: this blocks no other lookup and ends in time. Names are
 * absolute, so no search domains apply. Only a name without a dot, which belongs to the local network, goes to the
 * system's resolver.
 *
 * @throws NameUnresolvedError if no server answers in time
 */
export const dnsNames =
  (options: NameServers = {}): ResolveName =>
  async (hostname) => {
    if (LOOPBACK_NAME.test(hostname)) return LOOPBACK;
    const hosts = await readFile(options.hostsFile ?? '/etc/hosts', 'utf8').catch(() => '');
    const known = inHosts(hosts, hostname);
    if (known.length > 0) return known;
    if (!hostname.includes('.')) return lookup(hostname, { all: true });
    return askServers(hostname, options);
  };

/**
 * Limits lookups of names that other parties chose: no caller waits longer than the timeout, and callers of one name
 * share one lookup.
 *
 * @param most the maximum number of concurrent lookups
 * @throws NameUnresolvedError if there is no answer in time
 * @throws NamesBusyError if too many lookups are running
 */
export function boundedNames(
  resolve: ResolveName = dnsNames(),
  timeoutMs: number = AUTH_LIMITS.nameLookupMs,
  most: number = AUTH_LIMITS.nameLookupsMax,
): ResolveName {
  const asked = new Map<string, Promise<readonly LookupAddress[]>>();
  const ask = (hostname: string): Promise<readonly LookupAddress[]> => {
    const question = resolve(hostname).finally(() => asked.delete(hostname));
    asked.set(hostname, question);
    // Prevents an unhandled rejection if the lookup fails after its caller has stopped waiting.
    question.catch(() => undefined);
    return question;
  };
  return async (hostname) => {
    const known = asked.get(hostname);
    if (known === undefined && asked.size >= most) {
      throw new NamesBusyError(most, `too many names are looked up now to look up ${hostname}`);
    }
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(
      () =>
        late.reject(new NameUnresolvedError(`${hostname} has no address within ${timeoutMs} ms`)),
      timeoutMs,
    );
    return Promise.race([known ?? ask(hostname), late.promise]).finally(() => clearTimeout(timer));
  };
}

/**
 * Limits the concurrent lookups of each asker, so that one asker cannot use up the limit that all share.
 *
 * @param most the maximum for each asker
 */
export function namesPerAsker(
  resolve: ResolveName,
  most: number = AUTH_LIMITS.nameLookupsPerAskerMax,
): (asker: string, hostname: string) => Promise<readonly LookupAddress[]> {
  const underWay = new Map<string, number>();
  const count = (asker: string, by: 1 | -1): void => {
    const now = (underWay.get(asker) ?? 0) + by;
    if (now === 0) underWay.delete(asker);
    else underWay.set(asker, now);
  };
  return async (asker, hostname) => {
    if ((underWay.get(asker) ?? 0) >= most) {
      throw new NamesBusyError(most, 'too many names are looked up for you at the moment');
    }
    count(asker, 1);
    return resolve(hostname).finally(() => count(asker, -1));
  };
}
