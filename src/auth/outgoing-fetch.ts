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
 * Like the global `fetch`. Rejects with a TimeoutError when the whole exchange takes too long. If a cause of the
 * rejection is an AddressNotAllowedError, nothing was sent.
 */
export type OutgoingFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** HTTP to other hosts, with limits on time, size and connections. */
export interface OutgoingHttp {
  readonly fetch: OutgoingFetch;
  /** Closes idle connections and waits for the others. */
  close(): Promise<void>;
}

export interface OutgoingHttpOptions {
  /** For one whole exchange, body included. @default 5000 */
  readonly timeoutMs?: number;
  /** A longer body is an error, measured also after decompression. @default 1 MiB */
  readonly bodyBytesMax?: number;
  /**
   * Concurrent connections to one origin. Further requests wait, and the wait counts towards their timeout. @default 8
   */
  readonly connections?: number;
  /** The allowed addresses; without it all are allowed, for addresses of the configuration. */
  readonly policy?: AddressPolicy;
  /** Resolves host names. @default the system's resolver, or with a policy a time-limited one */
  readonly names?: ResolveName;
}

/** The policy does not allow the host's address. */
export class AddressNotAllowedError extends Error {
  override readonly name = 'AddressNotAllowedError';
  constructor(hostname: string) {
    super(`${hostname} is at an address that is not allowed`);
  }
}

/** The body exceeds the limit. */
export class BodyTooLongError extends Error {
  override readonly name = 'BodyTooLongError';
}

/** The current addresses of a host name, or the host itself if it is an address. */
export const addressesOf = async (host: string, names: ResolveName): Promise<readonly string[]> =>
  isIP(host) === 0 ? (await names(host)).map(({ address }) => address) : [host];

/** @param choose filters the addresses that may be connected to; it may throw */
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

/** Connects only to allowed addresses, so that the checked address is the connected one. */
const allowedBy =
  (policy: AddressPolicy) =>
  (hostname: string, found: readonly LookupAddress[]): readonly LookupAddress[] => {
    const allowed = found.filter(({ address }) => policy.allows(hostname, address));
    if (allowed.length === 0) throw new AddressNotAllowedError(hostname);
    return allowed;
  };

/** Every connection is made here, including those of redirects. */
function guardedConnector(
  policy: AddressPolicy,
  names: ResolveName,
  timeoutMs: number,
): buildConnector.connector {
  const lookup = lookupBy(names, allowedBy(policy));
  const connect = buildConnector({ lookup, timeout: timeoutMs });
  return (options, callback) => {
    // Undici resolves no host that is an IP address.
    const host = options.hostname.replace(/^\[|\]$/gu, '');
    if (isIP(host) !== 0 && !policy.allows(host, host)) {
      return callback(new AddressNotAllowedError(host), null);
    }
    return connect(options, callback);
  };
}

/** The agent limits the bytes received; this limits the bytes after decompression. */
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

/** One pool of connections for requests of this process to authorization servers and similar hosts. */
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
      // Unchanged: only the types of the two libraries differ, in what may be `undefined`.
      const outgoing = { ...init, signal, dispatcher: agent } as UndiciRequestInit;
      const response = (await fetch(url, outgoing)) as unknown as Response;
      return bounded(response, bodyBytesMax);
    },
    close: () => agent.close(),
  };
}
