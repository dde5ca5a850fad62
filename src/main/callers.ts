import type { WallClock } from '../app/ports/clocks.ts';
import type { Log } from '../app/ports/io.ts';
import type { SignIn } from '../app/callers/sign-in.ts';
import type { TrustedTenants } from '../app/callers/trusted-tenants.ts';
import type { Authenticate } from '../auth/bearer.ts';
import { createBearerAuthentication, trustPartyClaim } from '../auth/bearer.ts';
import type { IssuerDirectory } from '../auth/issuer-directory.ts';
import { createSharedSecretBearer } from '../auth/shared-secret-bearer.ts';
import type { Config } from './config.ts';
import type { LedgerSide } from './ledger-side.ts';
import { homesOf, providerTenant } from './tenants.ts';

/** What that takes. */
export interface AuthenticationParts {
  readonly config: Config;
  readonly ledger: LedgerSide;
  readonly issuers: IssuerDirectory;
  readonly tenants: TrustedTenants;
  readonly wallClock: WallClock;
  readonly log: Log;
}

/** How the callers of programs are known, in this mode. */
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
