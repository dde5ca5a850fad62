import type { FastifyReply, FastifyRequest } from 'fastify';
import { isLicenseKey, licenseKeyIn } from '../../domain/license-key.ts';
import { fail } from '../../domain/problems.ts';
import type { Io } from '../../app/ports/io.ts';
import { checkCredential } from './guesses.ts';
import { addressOf } from './rate-limits.ts';
import type { HttpApp } from './request-context.ts';
import { readIo, turnOf } from './request-context.ts';

/** Returns the licence key that a program sent as `Authorization: License …`. */
export function keyOf(request: FastifyRequest): string {
  return licenseKeyIn(request.headers.authorization) ?? fail('UNAUTHENTICATED', 'Unauthorized');
}

/** Makes all routes of the scope require a licence key. A request without one is refused before its body is read. */
export function requireLicenseKey(app: HttpApp): void {
  app.addHook('onRequest', async (request) => {
    keyOf(request);
  });
}

/**
 * Returns the limits of a key lookup. The tenant of a key is not known before the lookup, so lookups of one address
 * wait in one queue.
 */
function addressIo(request: FastifyRequest, reply: FastifyReply): Io {
  const { share } = turnOf(request);
  return { ...readIo(reply), turn: { share, of: { party: '', subject: addressOf(request) } } };
}

/**
 * Looks a key up, unless too many keys from its address were unknown. A text that cannot be a key counts as unknown
 * without a lookup.
 *
 * @throws ProblemError `RATE_LIMITED`
 */
export const withKey = <Found>(
  request: FastifyRequest,
  reply: FastifyReply,
  find: (key: string, io: Io) => Promise<Found | null>,
): Promise<Found | null> => {
  const key = keyOf(request);
  return checkCredential(request, reply, 'license-key', key, async () =>
    isLicenseKey(key) ? find(key, addressIo(request, reply)) : null,
  );
};
