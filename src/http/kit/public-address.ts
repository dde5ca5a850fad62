import { BlockList, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { fail } from '../../domain/problems.ts';

/*
 * Under which address the caller reached us. Behind a proxy only the proxy knows, and says so in X-Forwarded-Proto,
 * -Host and -Port; it is believed when it is at a private address, as the reference does.
 */

const PRIVATE = new BlockList();
PRIVATE.addSubnet('127.0.0.0', 8, 'ipv4');
PRIVATE.addSubnet('10.0.0.0', 8, 'ipv4');
PRIVATE.addSubnet('172.16.0.0', 12, 'ipv4');
PRIVATE.addSubnet('192.168.0.0', 16, 'ipv4');
PRIVATE.addSubnet('169.254.0.0', 16, 'ipv4');
PRIVATE.addAddress('::1', 'ipv6');
PRIVATE.addSubnet('fc00::', 7, 'ipv6');
PRIVATE.addSubnet('fe80::', 10, 'ipv6');

/** Whether what a proxy at this address says about its own client is believed. */
export const isPrivateAddress = (address: string): boolean =>
  PRIVATE.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');

/** A name or an IPv4 address, or an IPv6 address in brackets, with or without a port. */
const HOST = /^(?:[a-z0-9](?:[\w.-]{0,253})|\[[\da-f:.]{2,45}\])(?::(\d{1,5}))?$/iu;
const PORT = /^\d{1,5}$/u;

export const isSecure = (request: FastifyRequest): boolean => request.protocol === 'https';

function forwardedPort(request: FastifyRequest): string | null {
  const given = request.headers['x-forwarded-port'];
  const from = request.socket.remoteAddress;
  if (typeof given !== 'string' || from === undefined || !isPrivateAddress(from)) return null;
  const port = given.split(',').at(-1)?.trim() ?? '';
  return PORT.test(port) ? port : null;
}

/** A port that the host itself names says more; without a forwarded host that one is only the proxy's name for us. */
function hostOf(request: FastifyRequest): string {
  const host = request.host;
  const [, named] = HOST.exec(host) ?? fail('REQUEST_INVALID', 'the Host header names no host');
  const port = forwardedPort(request);
  if (port === null) return host;
  if (named === undefined) return `${host}:${port}`;
  return request.headers['x-forwarded-host'] === undefined
    ? host.replace(/:\d+$/u, `:${port}`)
    : host;
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
