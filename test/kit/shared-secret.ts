import { TEST_GRANTS } from './tenant-trust.ts';
import { withConfiguredTenants } from '../../src/app/callers/tenants.ts';
import { createTrustedTenants } from '../../src/app/callers/trusted-tenants.ts';
import { createSharedSecretBearer } from '../../src/auth/shared-secret-bearer.ts';
import { createSignIn } from '../../src/auth/sign-in.ts';
import type { Tenant } from '../../src/domain/tenant.ts';
import type { HttpDeps } from '../../src/http/kit/deps.ts';
import { createTenants } from '../../src/store/callers/tenants.ts';
import { stopActsOf } from '../../src/store/desk/bulk-acts.ts';
import type { TestApi } from './http-api.ts';
import { IO, PROVIDER, USER } from './http-api.ts';
import { TEST_AUDIENCE } from './issuer.ts';

export const SHARED_SECRET = 'unsafe';

const named = (tenantId: string, party: Tenant['party'], user: string): Tenant => ({
  tenantId,
  party,
  walletUrl: null,
  clientId: null,
  issuerUrl: null,
  internal: false,
  users: [user],
});

/**
 * Returns the dependencies of a server in mode shared-secret, on the database of the given server.
 * @param userTenant the ID of the tenant to which `app-user` belongs
 */
export async function sharedSecretDeps(api: TestApi, userTenant: string): Promise<HttpDeps> {
  const registered = createTenants(api.pool, stopActsOf);
  const provider = { ...named('AppProvider', PROVIDER, 'app-provider'), internal: true };
  await registered.add(
    { ...named(userTenant, USER, 'app-user'), walletUrl: 'http://wallet.localhost:2000' },
    IO,
  );
  const trusted = createTrustedTenants({
    tenants: withConfiguredTenants(registered, [provider]),
    nowMs: () => performance.now(),
  });
  const tenants = trusted.registrations;
  const signIn = createSignIn({
    mode: 'shared-secret',
    tenants: trusted,
    provider,
    grants: TEST_GRANTS,
    rolesClaim: 'roles',
    clients: {
      begin: () => Promise.reject(new Error('no authorization server in this mode')),
      finish: () => Promise.reject(new Error('no authorization server in this mode')),
      refresh: () => Promise.reject(new Error('no authorization server in this mode')),
      endUrl: () => Promise.reject(new Error('no authorization server in this mode')),
      end: () => Promise.reject(new Error('no authorization server in this mode')),
    },
    log: api.deps.log,
  });
  return {
    ...api.deps,
    authMode: 'shared-secret',
    tenants,
    signIn,
    authenticate: createSharedSecretBearer({
      secret: SHARED_SECRET,
      audience: TEST_AUDIENCE,
      signIn,
      nowMs: () => Date.now(),
      leewayMs: 0,
    }),
  };
}
