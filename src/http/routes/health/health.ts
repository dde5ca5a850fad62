import { Type } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AskReadiness } from '../../kit/readiness.ts';
import type { HttpApp } from '../../kit/request-context.ts';
import { plain, problems } from '../../kit/responses.ts';
import { refuseUndeclaredQueries } from '../../kit/validation.ts';

const TAG = 'health';

const ReadinessQuery = Type.Object({
  exclude: Type.Optional(
    Type.String({
      pattern: '^[a-z]+(,[a-z]+)*$',
      maxLength: 100,
      description:
        'Checks that do not count, by name and separated by commas: `ledger` for a process that is to be sent reads while the participant is away',
      examples: ['ledger'],
    }),
  ),
});

/** Returns the checks to exclude. A repeated parameter is a list; unknown names are ignored. */
export function excludedIn(request: FastifyRequest): ReadonlySet<string> {
  const { exclude = [] } = request.query as { readonly exclude?: string | readonly string[] };
  return new Set([exclude].flat().join(',').split(','));
}

/** Registers the probe for load balancers. It needs no token, so only the management port shows the reasons. */
export function registerHealth(app: HttpApp, readiness: AskReadiness): void {
  refuseUndeclaredQueries(app);
  app.get(
    '/livez',
    {
      schema: {
        operationId: 'livez',
        summary: 'Whether the process runs',
        tags: [TAG],
        security: [],
        response: {
          200: {
            description: 'It does',
            content: { 'text/plain': { schema: { type: 'string' } } },
          },
          ...problems(400),
        },
      },
    },
    async (_request: FastifyRequest, reply: FastifyReply) => reply.type('text/plain').send('ok'),
  );
  app.get(
    '/readyz',
    {
      schema: {
        operationId: 'readyz',
        summary: 'Whether it can take requests; the management port says why not',
        tags: [TAG],
        security: [],
        querystring: ReadinessQuery,
        response: {
          200: plain('Readiness', 'Ready'),
          503: plain('Readiness', 'Not ready'),
          ...problems(400),
        },
      },
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      const { isReady, status } = await readiness(excludedIn(request));
      return reply.code(isReady ? 200 : 503).send({ status });
    },
  );
  registerServing(app, readiness);
}

/** The text that probes of `/health` search for. Answers of a process that is not ready must not contain it. */
const SERVING = 'SERVING';

/** Registers the readiness as a value of gRPC's health protocol, for probes that search the answer for this value. */
function registerServing(app: HttpApp, readiness: AskReadiness): void {
  const text = (description: string) => ({
    description,
    content: { 'text/plain': { schema: { type: 'string' } } },
  });
  app.get(
    '/health',
    {
      schema: {
        operationId: 'health',
        summary: `${SERVING} when it can take requests`,
        tags: [TAG],
        security: [],
        response: { 200: text(SERVING), 503: text('Not ready'), ...problems(400) },
      },
    },
    async (_request: FastifyRequest, reply: FastifyReply) => {
      const { isReady } = await readiness();
      void reply.code(isReady ? 200 : 503).type('text/plain');
      return reply.send(isReady ? SERVING : 'not ready');
    },
  );
}

/** Registers the reference application's probe, which needs a token. Some clients compare its complete answer. */
export function registerActuatorHealth(app: HttpApp, readiness: AskReadiness): void {
  app.get(
    '/actuator/health',
    { schema: { hide: true } },
    async (_request: FastifyRequest, reply: FastifyReply) => {
      const { isReady } = await readiness();
      return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'UP' : 'DOWN' });
    },
  );
}
