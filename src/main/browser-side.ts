import { fileURLToPath } from 'node:url';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { WallClock } from '../app/ports/clocks.ts';
import type { Io } from '../app/ports/io.ts';
import type { KeptAnswers } from '../app/ports/kept-answers.ts';
import type { RefusalLog } from '../app/ports/refusals.ts';
import type { TrustedTenants } from '../app/callers/trusted-tenants.ts';
import type { Sessions, SignIn } from '../app/callers/sign-in.ts';
import { trustPartyClaim } from '../auth/bearer.ts';
import { createOidcClients } from '../auth/oidc-clients.ts';
import type { IssuerDirectory } from '../auth/issuer-directory.ts';
import { createSessions } from '../auth/sessions.ts';
import { createSignIn } from '../auth/sign-in.ts';
import { MAIN_LIMITS } from './limits.ts';
import { LIMITS } from '../domain/limits.ts';
import { createSealer } from '../domain/sealing.ts';
import type { Tenant } from '../domain/tenant.ts';
import { startRefusalLog } from '../ops/refusals.ts';
import { createRefusals } from '../store/desk/refusals.ts';
import { createSessionStore } from '../store/callers/sessions.ts';
import type { Config } from './config.ts';

/** The folder into which `make build-frontend` writes the web application. */
export const WEB_ROOT = fileURLToPath(new URL('../../web/dist', import.meta.url));

interface BrowserParts {
  readonly config: Config;
  readonly tenants: TrustedTenants;
  readonly provider: Tenant;
  readonly issuers: IssuerDirectory;
  readonly wallClock: WallClock;
  readonly pool: Pool;
  readonly log: Logger;
}

/** Sets up people's sign-in and their sessions. */
export function openBrowserSide(parts: BrowserParts): {
  readonly signIn: SignIn;
  readonly sessions: Sessions;
} {
  const { config, tenants, provider, issuers, wallClock, pool, log } = parts;
  const clients = createOidcClients({
    issuers,
    addresses: config.issuers,
    leewayMs: config.proof.clockDifferenceMs,
  });
  const signIn = createSignIn({
    mode: config.authMode,
    tenants,
    provider,
    grants: config.grants,
    rolesClaim: config.rolesClaim,
    refusesSubject: config.refusesSubject,
    clients,
    log,
    ...(config.testMode ? { [trustPartyClaim]: true } : {}),
  });
  return {
    signIn,
    sessions: createSessions({
      store: createSessionStore(pool, createSealer(config.secretKeys)),
      signIn,
      wallClock,
      log,
    }),
  };
}

/** Opens the log in which refused requests of strangers and callers are audited. */
export function openRefusalLog(
  { pool, wallClock, log, provider }: Pick<BrowserParts, 'pool' | 'wallClock' | 'log' | 'provider'>,
  stack: AsyncDisposableStack,
): RefusalLog {
  const refusals = startRefusalLog({ store: createRefusals(pool, provider.party), wallClock, log });
  stack.defer(() => refusals.stop());
  return refusals;
}

/** Deletes ended sessions and old stored answers every minute, in batches. Any number of processes may do so. */
export function startPruning(
  sessions: Sessions,
  answers: KeptAnswers,
  log: Logger,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const io: Io = { signal: stopping.signal, deadlineMs: LIMITS.databaseStatementMs };
  let running = Promise.resolve();
  const prune = async (): Promise<void> => {
    try {
      while ((await sessions.prune(io)) === LIMITS.sessionPruneMax)
        stopping.signal.throwIfAborted();
      while (await answers.prune(io)) stopping.signal.throwIfAborted();
    } catch (error) {
      if (stopping.signal.aborted) return;
      log.warn({ error: String(error) }, 'ended sessions and old answers could not be deleted');
    }
  };
  const timer = setInterval(() => {
    running = running.then(prune);
  }, MAIN_LIMITS.sessionPruneMs);
  return {
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await running;
    },
  };
}
