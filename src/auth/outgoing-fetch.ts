import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import { Agent, buildConnector, fetch } from 'undici';
import type { RequestInit as UndiciRequestInit } from 'undici';
import type { AddressPolicy } from './address-policy.ts';
import type { ResolveName } from './names.ts';
import { boundedNames, systemNames } from './names.ts';
import { asError } from '../domain/error-text.ts';

/**
 * Like the global `fetch`. Rejects with a TimeoutError if the whole exchange takes too long. If the rejection has an
 * AddressNotAllowedError among its causes, nothing was sent.
 */
export type OutgoingFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** HTTP client for other hosts, with limits on time, size and connections. */
export interface OutgoingHttp {
  readonly fetch: OutgoingFetch;
  /** Closes idle connections, and waits until the other connections are idle. */
  close(): Promise<void>;
}

export interface OutgoingHttpOptions {
  /** The timeout of one whole exchange, including the body. @default 5000 */
  readonly timeoutMs?: number;
  /** The maximum size of a body, also after decompression; a longer body is an error. @default 1 MiB */
  readonly bodyBytesMax?: number;
  /**
   * The maximum number of concurrent connections to one origin. Further requests wait; the wait counts towards their
   * timeout. @default 8
   */
  readonly connections?: number;
  /**
   * Limits the addresses that may be connected to. Without a policy all addresses are allowed: use that only for
   * configured addresses.
   */
  readonly policy?: AddressPolicy;
  /** Resolves host names. @default the system's resolver or, if there is a policy, a resolver with a time limit */
  readonly names?: ResolveName;
}

/** Thrown if the policy does not allow the host's address. */
export class AddressNotAllowedError extends Error {
  override readonly name = 'AddressNotAllowedError';
  constructor(hostname: string) {
    super(`${hostname} is at an address that is not allowed`);
  }
}

/** Thrown if a body exceeds the limit. */
export class BodyTooLongError extends Error {
  override readonly name = 'BodyTooLongError';
}

/** Returns the current addresses of a host name. A host that is an IP address is returned itself. */
export const addressesOf = async (host: string, names: ResolveName): Promise<readonly string[]> =>
  isIP(host) === 0 ? (await names(host)).map(({ address }) => address) : [host];

/**
 * Returns a lookup for connections that uses only chosen addresses of a host.
 *
 * @param choose returns those of the addresses that may be connected to; it may throw
 */
const lookupBy =
  (
    names: ResolveName,
    choose: (hostname: string, found: readonly LookupAddress[]) => readonly LookupAddress[],
  ): LookupFunction =>
  (hostname, options, callback) => {
    const tell = (chosen: readonly LookupAddress[]): void => {
      const [first] = chosen;
      if (first === undefined) callback(new Error(`${hostname} has no address`), []);
      else if (options.all === true) callback(null, [...chosen]);
      else callback(null, first.address, first.family);
    };
    const failed = (error: unknown): void => callback(asError(error), []);
    void names(hostname)
      .then((found) => choose(hostname, found))
      .then(tell, failed);
  };

/** Returns only the allowed addresses of a host, so that no connection is made to an address that was not checked. */
const allowedBy =
  (policy: AddressPolicy) =>
  (hostname: string, found: readonly LookupAddress[]): readonly LookupAddress[] => {
    const allowed = found.filter(({ address }) => policy.allows(hostname, address));
    if (allowed.length === 0) throw new AddressNotAllowedError(hostname);
    return allowed;
  };

/** Makes all connections, including those for redirects, and checks each. */
function guardedConnector(
  policy: AddressPolicy,
  names: ResolveName,
  timeoutMs: number,
): buildConnector.connector {
  const lookup = lookupBy(names, allowedBy(policy));
  const connect = buildConnector({ lookup, timeout: timeoutMs });
  return (options, callback) => {
    // Undici does not look up a host that is an IP address, so the lookup cannot check it.
    const host = options.hostname.replace(/^\[|\]$/gu, '');
    if (isIP(host) !== 0 && !policy.allows(host, host)) {
      return callback(new AddressNotAllowedError(host), null);
    }
    return connect(options, callback);
  };
}

/** Limits the bytes of a body after decompression; the agent limits only the received bytes. */
function bounded(response: Response, bytesMax: number): Response {
  if (response.body === null) return response;
  let bytes = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > bytesMax) controller.error(new BodyTooLongError('the body is too long'));
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(counter), { status, statusText, headers });
}

/** Creates one pool of connections for requests of this process to authorization servers and similar hosts. */
export function createOutgoingHttp(options: OutgoingHttpOptions = {}): OutgoingHttp {
  const { timeoutMs = 5_000, bodyBytesMax = 1024 * 1024, connections = 8, policy } = options;
  const names = options.names ?? (policy === undefined ? systemNames : boundedNames());
  const agent = new Agent({
    connect:
      policy === undefined
        ? { lookup: lookupBy(names, (_hostname, found) => found), timeout: timeoutMs }
        : guardedConnector(policy, names, timeoutMs),
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxResponseSize: bodyBytesMax,
    connections,
  });
  return {
    fetch: async (url, init = {}) => {
      const limit = AbortSignal.timeout(timeoutMs);
      const signal = init.signal == null ? limit : AbortSignal.any([limit, init.signal]);
      // The casts change nothing: the types of the two libraries differ only in which members may be `undefined`.
      const outgoing = { ...init, signal, dispatcher: agent } as UndiciRequestInit;
      const response = (await fetch(url, outgoing)) as unknown as Response;
      return bounded(response, bodyBytesMax);
    },
    close: () => agent.close(),
  };
}
