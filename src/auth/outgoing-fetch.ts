import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Agent, fetch } from 'undici';
import type { RequestInit as UndiciRequestInit } from 'undici';

/** As the global `fetch`. Rejects with a TimeoutError when the whole exchange takes too long. */
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
  /** A longer body is an error. @default 1 MiB */
  readonly bodyBytesMax?: number;
}

const LOOPBACK_NAME = /(?:^|\.)localhost\.?$/i;

/**
 * Names under `localhost` mean this machine (RFC 6761, 6.3), whatever the system's resolver thinks: musl and some
 * macOS set-ups do not know them.
 */
const lookup: LookupFunction = (hostname, options, callback) => {
  if (!LOOPBACK_NAME.test(hostname)) return systemLookup(hostname, options, callback);
  if (options.all !== true) return callback(null, '127.0.0.1', 4);
  return callback(null, [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ]);
};

/** One pool of connections for everything that this process asks of authorization servers and the like. */
export function createOutgoingHttp(options: OutgoingHttpOptions = {}): OutgoingHttp {
  const { timeoutMs = 5_000, bodyBytesMax = 1024 * 1024 } = options;
  const agent = new Agent({
    connect: { lookup, timeout: timeoutMs },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxResponseSize: bodyBytesMax,
    connections: 8,
  });
  return {
    fetch: (url, init = {}) => {
      const limit = AbortSignal.timeout(timeoutMs);
      const signal = init.signal == null ? limit : AbortSignal.any([limit, init.signal]);
      // The same init: the two libraries' types differ in what may be `undefined`.
      return fetch(url, { ...init, signal, dispatcher: agent } as UndiciRequestInit);
    },
    close: () => agent.close(),
  };
}
