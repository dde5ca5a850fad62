import type { FastifyRequest } from 'fastify';
import { fail } from '../../domain/problems.ts';
import { apiPrefixOf } from './address.ts';
import { forwardedOf } from './forwarded.ts';
import type { HttpApp } from './request-context.ts';

/* Under which address the caller reached Tenure: trusted proxies know it, or the request itself. */

/** A name or an IPv4 address, or an IPv6 address in brackets, with or without a port. */
const HOST = /^(?:[a-z0-9](?:[\w.-]{0,253})|\[[\da-f:.]{2,45}\])(?::(\d{1,5}))?$/iu;

export const isSecure = (request: FastifyRequest): boolean =>
  forwardedOf(request).protocol === 'https';

/** A port that the host itself names says more; without a forwarded host that one is only the proxy's name for us. */
function hostOf(request: FastifyRequest): string {
  const { host: forwarded, port } = forwardedOf(request);
  const host = forwarded ?? request.host;
  const [, named] = HOST.exec(host) ?? fail('REQUEST_INVALID', 'the Host header names no host');
  if (port === undefined) return host;
  if (named === undefined) return `${host}:${port}`;
  return forwarded === undefined ? host.replace(/:\d+$/u, `:${port}`) : host;
}

/**
 * `http://host:port`, without the port where it is the scheme's own.
 *
 * @throws ProblemError `REQUEST_INVALID` when the request names no host that can be one
 */
export function publicOrigin(request: FastifyRequest): string {
  const url = `${isSecure(request) ? 'https' : 'http'}://${hostOf(request)}`;
  return URL.canParse(url)
    ? new URL(url).origin
    : fail('REQUEST_INVALID', 'the Host header names no host');
}

/** RFC 9112, 3.2: a proxy that reads the other one would have checked another host. */
export function refuseTwoHosts(app: HttpApp): void {
  app.addHook('onRequest', async ({ raw: { rawHeaders } }) => {
    const isHost = (text: string, at: number) => at % 2 === 0 && text.toLowerCase() === 'host';
    if (rawHeaders.filter(isHost).length > 1) {
      fail('REQUEST_INVALID', 'the request has more than one Host header');
    }
  });
}

/**
 * What addresses in an answer begin with, so that a caller stays where it came in: the prefix that a trusted proxy took
 * away, and `/api`.
 */
export const prefixOf = (request: FastifyRequest): string =>
  forwardedOf(request).prefix + apiPrefixOf(request.originalUrl);
