import type { FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '../../domain/problems.ts';
import { isForNavigation } from './accept.ts';
import type { HttpApp } from './request-context.ts';

/** Records which methods each path has. Call this before the first route, and the returned function after the last. */
export function refuseOtherMethods(app: HttpApp): () => void {
  const taken = new Map<string, Set<string>>();
  let isOpen = true;
  app.addHook('onRoute', (route) => {
    if (!isOpen || isForNavigation(route.constraints)) return;
    const methods = taken.get(route.url) ?? new Set(['OPTIONS']);
    for (const method of [route.method].flat()) methods.add(method);
    taken.set(route.url, methods);
  });
  return () => {
    isOpen = false;
    for (const [url, methods] of taken) addRefusal(app, url, methods);
  };
}

/** Answers other methods with `405` and `Allow`, and `OPTIONS` with the methods, before a token or a body is read. */
function addRefusal(app: HttpApp, url: string, methods: ReadonlySet<string>): void {
  const allow = [...methods].sort().join(', ');
  app.route({
    url,
    method: app.supportedMethods.filter((method) => method === 'OPTIONS' || !methods.has(method)),
    schema: { hide: true },
    onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
      void reply.header('allow', allow);
      if (request.method === 'OPTIONS') return reply.code(204).send();
      return fail('METHOD_NOT_ALLOWED', `${request.method} is not allowed here, only ${allow}`);
    },
    handler: async (_request, reply) => reply.code(204).send(),
  });
}
