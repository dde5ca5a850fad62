import type { Pool } from 'pg';
import { createTrustedTenants } from '../../src/app/callers/trusted-tenants.ts';
import { withConfiguredTenants } from '../../src/app/callers/tenants.ts';
import type { Log } from '../../src/app/ports/io.ts';
import { addressPolicy } from '../../src/auth/address-policy.ts';
import { createBearerAuthentication, trustPartyClaim } from '../../src/auth/bearer.ts';
import { createIssuerDirectory } from '../../src/auth/issuer-directory.ts';
import type { IssuerDirectory } from '../../src/auth/issuer-directory.ts';
import { createOidcClients } from '../../src/auth/oidc-clients.ts';
import { createOutgoingHttp } from '../../src/auth/outgoing-fetch.ts';
import { createSignIn } from '../../src/auth/sign-in.ts';
import { MAIN_LIMITS } from '../../src/main/limits.ts';
import { PERMISSIONS } from '../../src/domain/caller.ts';
import type { Grants, Permissions } from '../../src/domain/caller.ts';
import type { Tenant } from '../../src/domain/tenant.ts';
import type { HttpDeps } from '../../src/http/kit/deps.ts';
import { createTenants } from '../../src/store/callers/tenants.ts';
import { stopActsOf } from '../../src/store/desk/bulk-acts.ts';
import type { TestIssuer } from './issuer.ts';
import { TEST_AUDIENCE, TEST_LEEWAY_MS } from './issuer.ts';

export interface TrustOptions {
  readonly pool: Pool;
  /** The tenants in the configuration and in LocalNet, with their issuers. */
  readonly provider: { readonly tenant: Tenant; readonly issuer: TestIssuer };
  readonly user: { readonly tenant: Tenant; readonly issuer: TestIssuer };
  readonly log: Log;
  /** The value of the setting TENANT_ISSUERS_ALLOWED. */
  readonly allowed: string;
  /** Whether an issuer that a tenant has named may use plain HTTP, as it may outside production. */
  readonly allowsHttp: boolean;
}

/**
 * Clients `only-read`, `only-write` and so on with one permission each, client `nothing` with none, and the role
 * `operator`.
 */
export const TEST_GRANTS: Grants = {
  clients: new Map([
    ['nothing', new Set()],
    ...PERMISSIONS.map((one): [string, Permissions] => [`only-${one}`, new Set([one])]),
  ]),
  roles: new Map([['operator', new Set(['operate'] as const)]]),
  isStrict: false,
};

/**
 * How long an issuer may take to answer: longer than an issuer needs on a busy machine. A test of an issuer that does
 * not answer waits this long.
 */
const ISSUER_MS = 3_000;

function directoryOf(stack: AsyncDisposableStack, options: TrustOptions): IssuerDirectory {
  const limits = { timeoutMs: ISSUER_MS, bodyBytesMax: MAIN_LIMITS.issuerBytesMax };
  const policy = addressPolicy(options.allowed);
  const http = stack.adopt(createOutgoingHttp(limits), (open) => open.close());
  const guarded = stack.adopt(createOutgoingHttp({ ...limits, policy }), (open) => open.close());
  return createIssuerDirectory({
    known: [options.provider.issuer, options.user.issuer],
    fetch: http.fetch,
    guardedFetch: guarded.fetch,
    allowsHttp: options.allowsHttp,
    nowMs: () => Date.now(),
  });
}

/** Opens the tenants of one process: it has its own memory, on a database that other processes may share. */
export function openTrust(
  stack: AsyncDisposableStack,
  options: TrustOptions,
): Pick<HttpDeps, 'authenticate' | 'tenants' | 'issuerDefect' | 'signIn'> {
  const { pool, provider, user } = options;
  const tenants = createTrustedTenants({
    tenants: withConfiguredTenants(createTenants(pool, stopActsOf), [provider.tenant]),
    nowMs: () => performance.now(),
  });
  const issuers = directoryOf(stack, options);
  return {
    authenticate: createBearerAuthentication({
      tenants,
      provider: provider.tenant,
      grants: TEST_GRANTS,
      rolesClaim: 'roles',
      homes: new Map(
        [provider, user].map(({ tenant, issuer }) => [issuer.issuer, tenant.tenantId]),
      ),
      audience: TEST_AUDIENCE,
      issuers,
      nowMs: () => Date.now(),
      leewayMs: TEST_LEEWAY_MS,
      // With this, tests can act as any party.
      [trustPartyClaim]: true,
    }),
    tenants: tenants.registrations,
    issuerDefect: (issuer) => issuers.defectOf(issuer),
    signIn: createSignIn({
      mode: 'oauth2',
      tenants,
      provider: provider.tenant,
      grants: TEST_GRANTS,
      rolesClaim: 'roles',
      clients: createOidcClients({
        issuers,
        // The addresses are not needed, because the login page is never opened.
        addresses: [],
        leewayMs: TEST_LEEWAY_MS,
      }),
      log: options.log,
    }),
  };
}
