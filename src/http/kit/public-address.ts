import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { fail } from '../../domain/problems.ts';
import { apiPrefixOf } from './address.ts';
import type { HttpApp } from './request-context.ts';

/*
 * The client's address, and the address under which the caller reached Tenure, as reported by trusted proxies or by the
 * request itself.
 *
 * Proxies report a request in X-Forwarded-For, -Proto, -Host, -Port and -Prefix, or in Forwarded (RFC 7239). Each proxy
 * appends a value to a list. Only values that trusted proxies wrote count: with n trusted proxies in a row, the last n
 * values. The first of these n values is used, because the outermost proxy wrote it. Forwarded counts only if a request
 * has none of the other headers.
 */

declare module 'fastify' {
  interface FastifyInstance {
    readonly trustsProxy: (address: string) => boolean;
  }
}

/** The report of trusted proxies about a request; without such proxies, the data of the connection. */
export interface Forwarded {
  /** The address of the client, or of the first proxy that is not trusted. It need not be an IP address. */
  readonly address: string;
  readonly protocol: 'http' | 'https';
  /** `undefined`: the Host header is used. */
  readonly host: string | undefined;
  readonly port: string | undefined;
  /** Without a trailing slash; empty if there is no prefix. */
  readonly prefix: string;
}

type Lists = Readonly<Record<'for' | 'proto' | 'host' | 'port' | 'prefix', readonly string[]>>;

const PORT = /^\d{1,5}$/u;
const PREFIX = /^(?:\/[\w~-][\w.~-]*){1,16}$/u;
/** Matches `1.2.3.4:80`, `[2001:db8::1]:80`, or either without a port. */
const NODE = /^(?:\[(?<six>[\da-f:.]+)\]|(?<four>[\d.]+))(?::\d{1,5})?$/iu;

/** Returns the index of the closing quote; -1 if there is none. */
function endOfQuoted(text: string, begin: number): number {
  let at = begin + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at < text.length ? at : -1;
}

/** Splits a text at separators outside quotes. An unclosed quote separates too. */
function parts(text: string, separator: ',' | ';'): string[] {
  const found: string[] = [];
  let from = 0;
  let at = 0;
  // After an unclosed quote no later quote is closed either, so texts of any content are scanned only once.
  let hasEnd = true;
  const cut = () => {
    found.push(text.slice(from, at).trim());
    from = at + 1;
  };
  while (at < text.length) {
    const isQuote = text[at] === '"';
    const end: number = isQuote && hasEnd ? endOfQuoted(text, at) : -1;
    hasEnd &&= !isQuote || end !== -1;
    if (end !== -1) at = end;
    else if (isQuote || text[at] === separator) cut();
    at += 1;
  }
  cut();
  return found.filter((part) => part !== '');
}

const unquoted = (text: string): string =>
  text.startsWith('"') ? text.slice(1, -1).replaceAll(/\\(.)/gu, '$1') : text;

function addressIn(text: string): string {
  if (isIP(text) !== 0) return text;
  const { six, four } = NODE.exec(text)?.groups ?? {};
  return six ?? four ?? text;
}

function listsOfForwarded(text: string): Lists {
  const elements = parts(text, ',').map((element) => {
    const pairs = parts(element, ';').map((pair): [string, string] => {
      const at = pair.indexOf('=');
      return [
        pair.slice(0, Math.max(0, at)).trim().toLowerCase(),
        unquoted(pair.slice(at + 1).trim()),
      ];
    });
    return new Map(pairs);
  });
  const of = (name: string) => elements.map((element) => element.get(name) ?? '');
  return { for: of('for'), proto: of('proto'), host: of('host'), port: [], prefix: [] };
}

function listsOf({ headers }: Pick<FastifyRequest, 'headers'>): Lists {
  const list = (name: string) => parts([headers[`x-forwarded-${name}`] ?? ''].flat().join(), ',');
  const lists = {
    for: list('for'),
    proto: list('proto'),
    host: list('host'),
    port: list('port'),
    prefix: list('prefix'),
  };
  const given = headers['forwarded'];
  const isNew =
    typeof given === 'string' && Object.values(lists).every(({ length }) => length === 0);
  return isNew ? listsOfForwarded(given) : lists;
}

const NAMES = [
  'forwarded',
  ...['for', 'proto', 'host', 'port', 'prefix'].map((name) => `x-forwarded-${name}`),
];

const isForwarded = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  NAMES.some((name) => name in headers);

/** Returns how many of the last addresses were written by trusted proxies. */
function writtenBy(
  remote: string,
  addresses: readonly string[],
  trusts: (address: string) => boolean,
): number {
  let written = 0;
  let from = remote;
  while (written < addresses.length && trusts(from)) {
    written += 1;
    from = addressIn(addresses.at(-written) ?? '');
  }
  return written;
}

/**
 * Reads the headers of a request that are to be trusted.
 *
 * @param remote the address of the connection
 * @param trusts whether the proxy at an address is trusted
 */
export function readForwarded(
  request: Pick<FastifyRequest, 'headers'>,
  remote: string,
  trusts: (address: string) => boolean,
): Forwarded {
  if (!isForwarded(request) || !trusts(remote))
    return { address: remote, protocol: 'http', host: undefined, port: undefined, prefix: '' };
  const lists = listsOf(request);
  const written = writtenBy(remote, lists.for, trusts);
  const hops = Math.max(1, written);
  const value = (list: readonly string[]): string | undefined =>
    list[Math.max(0, list.length - hops)] || undefined;
  const port = value(lists.port);
  const prefix = value(lists.prefix)?.replace(/\/$/u, '') ?? '';
  return {
    address: written === 0 ? remote : addressIn(value(lists.for) ?? ''),
    protocol: value(lists.proto)?.toLowerCase() === 'https' ? 'https' : 'http',
    host: value(lists.host),
    port: port !== undefined && PORT.test(port) ? port : undefined,
    prefix: PREFIX.test(prefix) ? prefix : '',
  };
}

const read = new WeakMap<object, Forwarded>();

/** Like `readForwarded`, for a Fastify request; the headers of each request are read once. */
export function forwardedOf(request: FastifyRequest): Forwarded {
  const known = read.get(request.raw);
  if (known !== undefined) return known;
  const remote = request.socket.remoteAddress ?? '';
  const found = readForwarded(request, remote, request.server.trustsProxy);
  read.set(request.raw, found);
  return found;
}

/** A name or an IPv4 address, or an IPv6 address in brackets, with or without a port. */
const HOST = /^(?:[a-z0-9](?:[\w.-]{0,253})|\[[\da-f:.]{2,45}\])(?::(\d{1,5}))?$/iu;

export const isSecure = (request: FastifyRequest): boolean =>
  forwardedOf(request).protocol === 'https';

/**
 * Returns the host by which the caller reached Tenure. A port that is part of the forwarded host takes precedence over
 * the forwarded port. Without a forwarded host, the `Host` header is only the proxy's name for Tenure.
 */
function hostOf(request: FastifyRequest): string {
  const { host: forwarded, port } = forwardedOf(request);
  const host = forwarded ?? request.host;
  const [, named] = HOST.exec(host) ?? fail('REQUEST_INVALID', 'the Host header names no host');
  if (port === undefined) return host;
  if (named === undefined) return `${host}:${port}`;
  return forwarded === undefined ? host.replace(/:\d+$/u, `:${port}`) : host;
}

/**
 * Returns `http://host:port`, without the default port of the scheme.
 *
 * @throws ProblemError `REQUEST_INVALID` if the request has no valid host
 */
export function publicOrigin(request: FastifyRequest): string {
  const url = `${isSecure(request) ? 'https' : 'http'}://${hostOf(request)}`;
  return URL.canParse(url)
    ? new URL(url).origin
    : fail('REQUEST_INVALID', 'the Host header names no host');
}

/** Refuses two Host lines (RFC 9112, 3.2), because a proxy may have checked a different one than Tenure reads. */
export function refuseTwoHosts(app: HttpApp): void {
  app.addHook('onRequest', async ({ raw: { rawHeaders } }) => {
    const isHost = (text: string, at: number) => at % 2 === 0 && text.toLowerCase() === 'host';
    if (rawHeaders.filter(isHost).length > 1) {
      fail('REQUEST_INVALID', 'the request has more than one Host header');
    }
  });
}

/**
 * Returns the prefix of addresses in an answer, so that links lead through the same proxy and prefix as the request:
 * the prefix that a trusted proxy removed, plus `/api` if the caller used it.
 */
export const prefixOf = (request: FastifyRequest): string =>
  forwardedOf(request).prefix + apiPrefixOf(request.originalUrl);
