import { fail } from '../../domain/problems.ts';
import type { HttpDeps } from './deps.ts';
import type { HttpApp } from './request-context.ts';

/**
 * For all routes of the scope, before anything is judged by the time: with a wrong clock genuine tokens have expired.
 */
export function requireTrueClock(app: HttpApp, { clocks }: Pick<HttpDeps, 'clocks'>): void {
  app.addHook('onRequest', async () => {
    const why = clocks.ownDefect();
    if (why !== null) fail('CLOCK_WRONG', why);
  });
}

/** For all routes of the scope, reads too: what is here is what it was when the provider left. */
export function refuseMoved(app: HttpApp, { provider }: Pick<HttpDeps, 'provider'>): void {
  if (provider === undefined) return;
  app.addHook('onRequest', async () => {
    if (provider.movedTo !== null) fail('PROVIDER_MOVED', provider.movedTo);
  });
}
