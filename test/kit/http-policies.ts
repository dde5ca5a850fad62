import { LIMITS } from '../../src/domain/limits.ts';
import type { TestApi } from './http-api.ts';
import { PROVIDER, USER } from './http-api.ts';

/** An expiry policy with plausible values. */
export const EXPIRY_POLICY = {
  mode: 'dry-run',
  grace: 'P3D',
  includeNeverRenewed: false,
  quietHours: [{ from: '22:00', to: '06:00', timeZone: 'Europe/Zurich' }],
  paused: false,
  maxInFlight: 10,
};

const RENEWAL_POLICY = { complete: true, withdrawLapsed: true };

/** A policy that ends existing licences. */
const ENDING = { ...EXPIRY_POLICY, mode: 'on', includeNeverRenewed: true };

const BODIES: Readonly<Record<string, object>> = {
  setExpiryPolicy: EXPIRY_POLICY,
  setRenewalPolicy: RENEWAL_POLICY,
  previewExpiryPolicy: ENDING,
  previewRenewalPolicy: RENEWAL_POLICY,
};

interface PolicyCall {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly payload?: string | object;
}

type Headers = Readonly<Record<string, string>>;

const bodyAt = (url: string): object =>
  url.startsWith('/policies/expiry') ? EXPIRY_POLICY : RENEWAL_POLICY;

/** Confirms a policy that ends no licence. It also waits before it takes effect, and can be undone. */
async function confirmPolicy(api: TestApi, url: string, headers: Headers) {
  const body = bodyAt(url);
  const ask = { url: `${url}/preview`, headers, payload: body };
  const { token, count } = (await api.app.inject({ method: 'POST', ...ask })).json();
  const payload = { ...body, confirmation: { token, count, reason: 'as agreed' } };
  return api.app.inject({ method: 'PUT', url, headers, payload });
}

const versionIn = ({ headers }: { readonly headers: object }): number =>
  Number(String((headers as Headers)['etag']).replaceAll('"', ''));

/**
 * Returns calls about policies: a valid one for each operation, and functions that change it so that it gets a certain
 * status.
 */
export const policyCallsOf = (api: TestApi) => ({
  async good(url: string, operationId: string): Promise<PolicyCall> {
    const headers = { authorization: await api.as(PROVIDER) };
    if (operationId.startsWith('undo')) {
      const set = await confirmPolicy(api, url.replace('/undo', ''), headers);
      return { url, headers, payload: { version: versionIn(set), reason: 'not yet' } };
    }
    const payload = BODIES[operationId];
    return { url, headers, ...(payload === undefined ? {} : { payload }) };
  },
  spoiled: {
    400: async (call) =>
      call.payload === undefined
        ? { ...call, url: `${call.url}?limit=${LIMITS.pageSizeMax + 1}` }
        : { ...call, payload: {} },
    403: async (call) => ({ ...call, headers: { authorization: await api.as(USER) } }),
    409: async (call) => {
      const confirmation = { token: 'made-up', count: 0, reason: 'as agreed' };
      if (!call.url.endsWith('/undo'))
        return { ...call, payload: { ...(call.payload as object), confirmation } };
      // Creates a version of the policy that needs no confirmation.
      const url = call.url.replace('/undo', '');
      const headers = call.headers ?? {};
      const set = await api.app.inject({ method: 'PUT', url, headers, payload: bodyAt(url) });
      return { ...call, payload: { version: versionIn(set), reason: 'not yet' } };
    },
    412: async (call) =>
      call.url.endsWith('/undo')
        ? { ...call, payload: { version: 999_999, reason: 'not yet' } }
        : { ...call, headers: { ...call.headers, 'if-match': '"999999"' } },
    428: async (call) => ({ ...call, payload: ENDING }),
  } as Readonly<Record<string, (call: PolicyCall) => Promise<PolicyCall>>>,
});
