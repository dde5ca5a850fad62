import type { TestApi } from './http-api.ts';
import { PROVIDER, USER } from './http-api.ts';

/** A call to the server, in the form that `inject` takes. */
interface TenantCall {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly payload?: object | string;
}

const PATH = '/admin/tenant-registrations';
let count = 0;

/**
 * Returns calls about registrations: a valid one for each operation, and functions that change it so that it gets a
 * certain status.
 */
export function tenantCallsOf(api: TestApi) {
  /** Returns a tenant that can be registered, with a new ID each time. */
  const newTenant = () => {
    const tenantId = `openapi-tenant-${(count += 1)}`;
    return { tenantId, partyId: USER, clientId: tenantId, issuerUrl: api.issuers.user.issuer };
  };
  return {
    async good(path: string, operationId: string): Promise<TenantCall> {
      const headers = { authorization: await api.as(PROVIDER) };
      const payload = newTenant();
      if (operationId === 'createTenantRegistration') return { url: path, headers, payload };
      await api.app.inject({ method: 'POST', url: PATH, headers, payload });
      const url = path.replace('{tenantId}', payload.tenantId);
      if (operationId !== 'deleteTenantRegistration') return { url, headers };
      const seen = await api.app.inject({ method: 'POST', url: `${url}/preview-delete`, headers });
      const { token, count } = seen.json();
      return { url: `${url}?token=${token}&count=${count}&reason=gone`, headers };
    },
    spoiled: {
      400: async (call) => {
        if (call.payload !== undefined) return { ...call, payload: {} };
        const isList = call.url === PATH;
        const url = isList ? `${PATH}?limit=0` : call.url.replace(/openapi-tenant-\d+/u, 'a%00b');
        return { ...call, url };
      },
      404: async (call) => ({ ...call, url: call.url.replace(/openapi-tenant-\d+/u, 'unknown') }),
      428: async (call) => ({ ...call, url: call.url.replace(/\?.*/u, '') }),
      409: async (call) =>
        call.payload === undefined
          ? { ...call, url: call.url.replace(/openapi-tenant-\d+/u, 'AppProvider') }
          : { ...call, payload: { ...newTenant(), tenantId: 'AppUser' } },
      422: async (call) => ({
        ...call,
        payload: { ...newTenant(), issuerUrl: 'http://169.254.169.254' },
      }),
    } as Readonly<Record<string, (call: TenantCall) => Promise<TenantCall>>>,
  };
}
