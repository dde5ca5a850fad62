import type { FastifyRequest, RouteOptions } from 'fastify';
import type { Permission } from '../../domain/caller.ts';
import { may } from '../../domain/caller.ts';
import { fail } from '../../domain/problems.ts';
import type { HttpDeps } from './deps.ts';
import type { HttpApp } from './request-context.ts';
import { callerOf, isSafeMethod } from './request-context.ts';

/* Each route that needs a caller has one permission in its config. The OpenAPI document shows the permission. */

const need = (route: RouteOptions, needs: Permission): void => {
  route.config = { ...route.config, needs };
};

/** Makes routes of the scope require `read` for safe methods and `write` for others. Inner scopes may override this. */
export function needByMethod(app: HttpApp): void {
  app.addHook('onRoute', (route) => {
    need(route, [route.method].flat().every(isSafeMethod) ? 'read' : 'write');
  });
}

/** Makes all routes of the scope require the permission. */
export function needPermission(app: HttpApp, permission: Permission): void {
  app.addHook('onRoute', (route) => need(route, permission));
}

const WORDS: Readonly<Record<Permission, string>> = {
  read: 'the caller may not read here',
  write: 'the caller may only read here',
  policy: 'policies are the provider’s alone',
  operate: 'only an operator may look here',
  admin: 'the provider alone administers tenants',
};

/** Refuses a caller without the permission of the route. @throws ProblemError `FORBIDDEN` */
export function requirePermission(request: FastifyRequest): void {
  const { needs } = request.routeOptions.config;
  if (needs === undefined || may(callerOf(request), needs)) return;
  fail('FORBIDDEN', `${WORDS[needs]}: permission ${needs} is needed`);
}

/** Refuses all requests of the scope while this process's clock is wrong, because valid tokens would seem expired. */
export function requireTrueClock(app: HttpApp, { clocks }: Pick<HttpDeps, 'clocks'>): void {
  app.addHook('onRequest', async () => {
    const why = clocks.ownDefect();
    if (why !== null) fail('CLOCK_WRONG', why);
  });
}

/** Refuses all requests of the scope, including reads, once the provider has moved, because the data here is old. */
export function refuseMoved(app: HttpApp, { provider }: Pick<HttpDeps, 'provider'>): void {
  if (provider === undefined) return;
  app.addHook('onRequest', async () => {
    if (provider.movedTo !== null) fail('PROVIDER_MOVED', provider.movedTo);
  });
}
