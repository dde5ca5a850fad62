import type { TestApi } from './http-api.ts';
import { PROVIDER, USER } from './http-api.ts';
import type { HttpApp } from '../../src/http/kit/request-context.ts';

export const TENANTS = '/admin/tenant-registrations';

type Reply = Awaited<ReturnType<TestApi['app']['inject']>>;

/** The provider's calls about tenants. */
export interface TenantAsks {
  list(): Promise<Reply>;
  create(body: unknown): Promise<Reply>;
  /** Removes the tenant, with the confirmation of the preview if there is one. */
  remove(tenantId: string): Promise<Reply>;
}

/** @param app another process than the first one */
export async function tenantAsks(api: TestApi, app: HttpApp = api.app): Promise<TenantAsks> {
  const authorization = await api.as(PROVIDER);
  const headers = { authorization };
  return {
    list: () => app.inject({ method: 'GET', url: TENANTS, headers }),
    create: (body) =>
      app.inject({
        method: 'POST',
        url: TENANTS,
        headers: { ...headers, 'content-type': 'application/json' },
        payload: JSON.stringify(body),
      }),
    async remove(tenantId) {
      const url = `${TENANTS}/${encodeURIComponent(tenantId)}`;
      const preview = await app.inject({ method: 'POST', url: `${url}/preview-delete`, headers });
      if (preview.statusCode !== 200) return app.inject({ method: 'DELETE', url, headers });
      const { token, count } = preview.json();
      const query = new URLSearchParams({ token, count: String(count), reason: 'they have left' });
      return app.inject({ method: 'DELETE', url: `${url}?${query.toString()}`, headers });
    },
  };
}

/** A valid registration, apart from the members in `over`. */
export const registration = (api: TestApi, over: Readonly<Record<string, unknown>> = {}) => ({
  tenantId: 'Acme',
  partyId: USER,
  walletUrl: 'http://wallet.acme.example',
  clientId: 'acme-login',
  issuerUrl: api.issuers.user.issuer,
  ...over,
});
