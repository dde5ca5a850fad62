import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Leases } from '../app/ports/leases.ts';
import { createLeases } from '../store/engine/lease.ts';
import type { Listener } from '../store/sql/listen.ts';
import { openListener } from '../store/sql/listen.ts';
import { SILENCE_EVENT, STANDBY_EVENT } from '../store/sql/silence.ts';
import type { Config } from './config.ts';
import { MAIN_LIMITS } from './limits.ts';

interface ListeningParts {
  readonly config: Config;
  readonly pool: Pool;
  /** The name of this process in leases. */
  readonly holder: string;
  readonly log: Logger;
}

/**
 * Opens one connection for all notifications to this process. Its session also shows that the process is alive: when
 * the session ends, the leases of the process become free.
 */
export function startListening(
  { config, pool, holder, log }: ListeningParts,
  stack: AsyncDisposableStack,
): { readonly listener: Listener; readonly leases: Leases } {
  const listener = openListener({
    url: config.databaseUrl,
    applicationName: 'tenure-listener',
    lifeOf: holder,
    namesSessions: config.eagerDispatch,
    onBreak: (error) => log.warn({ error: error.message }, 'listener lost its connection'),
  });
  stack.defer(() => listener.stop());
  pool.addListener(SILENCE_EVENT, (connections: number) => {
    log.warn({ connections }, 'database connections said nothing and were given up');
    listener.check();
  });
  let loggedAtMs = -Infinity;
  pool.addListener(STANDBY_EVENT, (commits: number) => {
    if (performance.now() - loggedAtMs < MAIN_LIMITS.standbyLogMs) return;
    loggedAtMs = performance.now();
    log.warn({ commits }, 'commits wait for a synchronous standby that does not answer');
  });
  return { listener, leases: createLeases(pool, () => listener.state === 'listening') };
}
