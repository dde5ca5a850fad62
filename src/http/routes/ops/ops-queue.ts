import type { FastifyReply, FastifyRequest } from 'fastify';
import { HTTP_LIMITS } from '../../limits.ts';
import { fail } from '../../../domain/problems.ts';
import { OPS_QUEUE } from '../../kit/address.ts';
import { prefixOf } from '../../kit/public-address.ts';
import type { HttpDeps } from '../../kit/deps.ts';
import { opsScope } from './ops-access.ts';
import type { HttpApp } from '../../kit/request-context.ts';

/*
 * Bull Board shows the raw queue. Only its reading routes are registered, so calls that would change the queue get
 * `405` as anywhere else. The board itself is also set to read-only.
 */

const BASE = `<base href="/${OPS_QUEUE}/" />`;
/** Links to web fonts of a content delivery network. They are removed; the browser's own fonts suffice. */
const FOREIGN = /<link href="https?:[^>]*>/gu;

/** All content comes from this server. The policy does not treat the board's configuration, JSON, as a script. */
const POLICY = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self' 'unsafe-inline'`,
  `img-src 'self' data:`,
  `font-src 'self' data:`,
  `connect-src 'self'`,
  `base-uri 'self'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ');

/** Requires an operator of the provider, because the raw queue contains all tenants' jobs. */
function requireOwnOperator(deps: HttpDeps, request: FastifyRequest): void {
  if (opsScope(deps, request).of === 'provider') return;
  fail('FORBIDDEN', 'only an operator of the deployment may look at its queue');
}

async function answer(
  deps: HttpDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  requireOwnOperator(deps, request);
  const below = request.url.slice(OPS_QUEUE.length + 1);
  const { status, type, body } = await deps.queueBoard.get(below).catch((error: unknown) => {
    request.log.warn({ error: String(error) }, 'the queue cannot be shown');
    return fail('QUEUE_UNAVAILABLE', 'the queue is unreachable, so its page cannot be shown');
  });
  if (status >= 500) fail('QUEUE_UNAVAILABLE', 'the queue did not answer in time');
  void reply.code(status).header('content-type', type);
  if (!type.startsWith('text/html')) {
    if (below.startsWith('/static/')) void reply.header('cache-control', CACHED);
    return reply.send(body);
  }
  const base = `<base href="${prefixOf(request)}/${OPS_QUEUE}/" />`;
  const page = body.toString().replace(FOREIGN, '').replace(BASE, base);
  return reply.header('content-security-policy', POLICY).send(page);
}

/** The caching of files whose names contain their version. */
const CACHED = `private, max-age=${HTTP_LIMITS.boardAssetsS}`;

/** Registers the pages of the queue as BullMQ stores it, for details that Tenure itself does not show. */
export function registerQueueBoard(app: HttpApp, deps: HttpDeps): void {
  // The board has its own query parameters.
  const schema = { hide: true, querystring: { type: 'object', additionalProperties: true } };
  app.get(`/${OPS_QUEUE}`, { schema }, async (request: FastifyRequest, reply: FastifyReply) => {
    requireOwnOperator(deps, request);
    return reply.redirect(`${prefixOf(request)}/${OPS_QUEUE}/`, 308);
  });
  app.get(`/${OPS_QUEUE}/*`, { schema }, (request: FastifyRequest, reply: FastifyReply) =>
    answer(deps, request, reply),
  );
  app.addHook('onClose', () => deps.queueBoard.close());
}
