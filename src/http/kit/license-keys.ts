import type { FastifyReply, FastifyRequest } from 'fastify';
import { hashOfKey, isLicenseKey, licenseKeyIn } from '../../domain/license-key.ts';
import { fail } from '../../domain/problems.ts';
import type { Io } from '../../app/ports/io.ts';
import type { HttpDeps } from './deps.ts';
import { checkCredential } from './guesses.ts';
import type { CallerLimits } from './rate-limits.ts';
import { addressOf } from './rate-limits.ts';
import type { HttpApp } from './request-context.ts';
import { readIo, turnOf } from './request-context.ts';

/** Returns the licence key that a program sent as `Authorization: License …`. */
export function keyOf(request: FastifyRequest): string {
  return licenseKeyIn(request.headers.authorization) ?? fail('UNAUTHENTICATED', 'Unauthorized');
}

/**
 * Makes all routes of the scope require a licence key, which is looked up before a body is read.
 *
 * @param answerUnknown answers a request whose key is unknown
 */
export function requireLicenseKey(
  app: HttpApp,
  { validation }: HttpDeps,
  limits: CallerLimits,
  answerUnknown: (request: FastifyRequest, reply: FastifyReply) => FastifyReply,
): void {
  app.addHook('onRequest', async (request, reply) => {
    const key = keyOf(request);
    await limits.countUnseen(request, reply, key);
    if (request.holder !== null) return;
    const holder = await withKey(request, reply, (found, io) =>
      validation.keys.holderOf(hashOfKey(found), io),
    );
    if (holder === null) await answerUnknown(request, reply);
    else await limits.countFound(request, reply, key, holder);
  });
}

/** Returns the limits of a key lookup. As long as the holder is unknown, lookups of one address wait in one queue. */
function lookupIo(request: FastifyRequest, reply: FastifyReply): Io {
  const { share, of } = turnOf(request);
  const address = { party: '', subject: addressOf(request) };
  return { ...readIo(reply), turn: { share, of: request.holder === null ? address : of } };
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
    isLicenseKey(key) ? find(key, lookupIo(request, reply)) : null,
  );
};
