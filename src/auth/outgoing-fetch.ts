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
 * As the global `fetch`. Rejects with a TimeoutError when the whole exchange takes too long, and when there is an
 * AddressNotAllowedError among the causes of what it rejects with, nothing was sent.
 */
export type OutgoingFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** HTTP to the outside, with bounds on everything. */
export interface OutgoingHttp {
  readonly fetch: OutgoingFetch;
  /** Closes idle connections and waits for the others. */
  close(): Promise<void>;
}

export interface OutgoingHttpOptions {
  /** Of one whole exchange, body included. @default 5000 */
  readonly timeoutMs?: number;
  /** A longer body is an error, also one that becomes longer when it is unpacked. @default 1 MiB */
  readonly bodyBytesMax?: number;
  /** To one origin at a time: who asks beyond that waits, and its time runs meanwhile. @default 8 */
  readonly connections?: number;
  /** Where it may go; anywhere when absent, for addresses that configuration has named. */
  readonly policy?: AddressPolicy;
  /** How names are looked up. @default the system's, and with a policy no longer than is good */
  readonly names?: ResolveName;
}

/** The host is at an address where nothing may be asked. */
export class AddressNotAllowedError extends Error {
  override readonly name = 'AddressNotAllowedError';
  constructor(hostname: string) {
    super(`${hostname} is at an address that is not allowed`);
  }
}

/** The body is longer than what is read of one. */
export class BodyTooLongError extends Error {
  override readonly name = 'BodyTooLongError';
}

/** All that a host name stands for at this moment, or the address that it is. */
export const addressesOf = async (host: string, names: ResolveName): Promise<readonly string[]> =>
  isIP(host) === 0 ? (await names(host)).map(({ address }) => address) : [host];

/** @param choose which of the addresses may be connected to; it may throw */
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

/** Addresses that are allowed, so that the one which is connected to is one that was looked at. */
const allowedBy =
  (policy: AddressPolicy) =>
  (hostname: string, found: readonly LookupAddress[]): readonly LookupAddress[] => {
    const allowed = found.filter(({ address }) => policy.allows(hostname, address));
    if (allowed.length === 0) throw new AddressNotAllowedError(hostname);
    return allowed;
  };

/** Every connection comes through here, whatever led to it. */
function guardedConnector(
  policy: AddressPolicy,
  names: ResolveName,
  timeoutMs: number,
): buildConnector.connector {
  const lookup = lookupBy(names, allowedBy(policy));
  const connect = buildConnector({ lookup, timeout: timeoutMs });
  return (options, callback) => {
    // Addresses are not looked up.
    const host = options.hostname.replace(/^\[|\]$/gu, '');
    if (isIP(host) !== 0 && !policy.allows(host, host)) {
      return callback(new AddressNotAllowedError(host), null);
    }
    return connect(options, callback);
  };
}

/** The agent counts what arrives; this counts what it unpacks to. */
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

/** One pool of connections for everything that this process asks of authorization servers and the like. */
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
      // The same init: the two libraries' types differ in what may be `undefined`.
      const outgoing = { ...init, signal, dispatcher: agent } as UndiciRequestInit;
      const response = (await fetch(url, outgoing)) as unknown as Response;
      return bounded(response, bodyBytesMax);
    },
    close: () => agent.close(),
  };
}
