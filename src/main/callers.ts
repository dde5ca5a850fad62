import type { Pool } from 'pg';
import type { WallClock } from '../app/ports/clocks.ts';
import type { Io, Log } from '../app/ports/io.ts';
import type { SignIn } from '../app/callers/sign-in.ts';
import type { TrustedTenants } from '../app/callers/trusted-tenants.ts';
import type { Authenticate } from '../auth/bearer.ts';
import { createBearerAuthentication, trustPartyClaim } from '../auth/bearer.ts';
import type { IssuerDirectory } from '../auth/issuer-directory.ts';
import { createSharedSecretBearer } from '../auth/shared-secret-bearer.ts';
import type { Config } from './config.ts';
import type { LedgerSide } from './ledger-side.ts';
import { homesOf, providerTenant } from './tenants.ts';
import type { LimitShare } from '../http/kit/rate-limits.ts';
import { readClocks } from '../store/desk/vitals.ts';
import { MAIN_LIMITS } from './limits.ts';

/** The parts on which authentication depends. */
export interface AuthenticationParts {
  readonly config: Config;
  readonly ledger: LedgerSide;
  readonly issuers: IssuerDirectory;
  readonly tenants: TrustedTenants;
  readonly wallClock: WallClock;
  readonly log: Log;
}

/** Returns the authentication of callers' programs for the configured mode. */
export function authentication(parts: AuthenticationParts, signIn: SignIn): Authenticate {
  const { config, ledger, issuers, tenants, wallClock, log } = parts;
  if (config.authMode === 'shared-secret') {
    return createSharedSecretBearer({
      secret: config.sharedSecret,
      audience: config.ledgerAudience,
      signIn,
      nowMs: () => wallClock.nowMs(),
      leewayMs: config.proof.clockDifferenceMs,
    });
  }
  return createBearerAuthentication({
    tenants,
    provider: providerTenant(config, ledger),
    grants: config.grants,
    rolesClaim: config.rolesClaim,
    refusesSubject: config.refusesSubject,
    homes: homesOf(config),
    audience: config.ledgerAudience,
    issuers,
    nowMs: () => wallClock.nowMs(),
    leewayMs: config.proof.clockDifferenceMs,
    onKeysUnavailable: (issuer, error) =>
      log.error({ issuer, error: String(error) }, 'no keys of an issuer'),
    ...(config.testMode ? { [trustPartyClaim]: true } : {}),
  });
}

/**
 * Divides the deployment's limits evenly among its processes that serve callers. The number of processes is read again
 * when a limit is applied, at most once a second; no request waits for the result.
 *
 * @param countProcesses returns the number of processes that serve callers, including this one
 * @param nowMs a monotonic clock
 */
export async function openLimitShare(
  countProcesses: (io: Io) => Promise<number>,
  onError: (error: unknown) => void,
  nowMs: () => number = () => performance.now(),
): Promise<LimitShare> {
  const { limitShareMs } = MAIN_LIMITS;
  let processes = 1;
  let renewedMs = -Infinity;
  const renew = async (): Promise<void> => {
    renewedMs = nowMs();
    try {
      const io = { signal: AbortSignal.timeout(limitShareMs), deadlineMs: limitShareMs };
      processes = Math.max(1, await countProcesses(io));
    } catch (error) {
      onError(error);
    }
  };
  await renew();
  return (limit) => {
    if (nowMs() - renewedMs >= limitShareMs) void renew();
    return Math.ceil(limit / processes);
  };
}

/**
 * Divides limits by the number of processes that report to the database. A process that cannot count the others keeps
 * its share.
 */
export const shareOfLimits = ({
  pool,
  log,
}: {
  readonly pool: Pool;
  readonly log: Log;
}): Promise<LimitShare> =>
  openLimitShare(
    async (io) => {
      const running = await readClocks(pool, io);
      return running.filter(({ roles }) => roles.split(',').includes('api')).length;
    },
    (error) => log.debug({ error: String(error) }, 'processes could not be counted'),
  );
