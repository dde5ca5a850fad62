import { HTTP_LIMITS } from '../../limits.ts';
import { SECOND_MS } from '../../../domain/time.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { readIo } from '../../kit/request-context.ts';
import { plain } from '../../kit/responses.ts';
import { route } from '../../kit/route.ts';

const CACHE = `public, max-age=${HTTP_LIMITS.publicKeysKeptMs / SECOND_MS}`;

/** Registers the route of the keys that verify licence files. Everybody may read them. */
export function registerPublicKeys(app: HttpApp, deps: HttpDeps): void {
  route(app, 'GET', '/.well-known/jwks.json', {
    operationId: 'listPublicKeys',
    summary: 'The public keys of licence files',
    description: 'A key stays here until its last file ends.',
    tag: 'validation',
    security: [],
    reply: { 200: plain('JwkSet', 'The newest key first') },
    problems: [400, 429, 503],
    handle: async (_request, reply) => {
      const keys = await deps.validation.files.published(deps.ledgerClock.nowMs(), readIo(reply));
      return reply.header('cache-control', CACHE).send({ keys });
    },
  });
}
