import { LIMITS } from '../../src/domain/limits.ts';
import type { TestApi } from './http-api.ts';
import { PROVIDER, USER } from './http-api.ts';

/** An expiry policy that could be meant. */
export const EXPIRY_POLICY = {
  mode: 'dry-run',
  grace: 'P3D',
  includeNeverRenewed: false,
  quietHours: [{ from: '22:00', to: '06:00', timeZone: 'Europe/Zurich' }],
  paused: false,
  maxInFlight: 10,
};

const BODIES: Readonly<Record<string, object>> = {
  setExpiryPolicy: EXPIRY_POLICY,
  setRenewalPolicy: { complete: true, withdrawLapsed: false },
};

interface PolicyCall {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly payload?: string | object;
}

/** Calls that are about policies: one that is right, and what makes it one that is answered with a status. */
export const policyCallsOf = (api: TestApi) => ({
  async good(url: string, operationId: string): Promise<PolicyCall> {
    const payload = BODIES[operationId];
    const headers = { authorization: await api.as(PROVIDER) };
    return { url, headers, ...(payload === undefined ? {} : { payload }) };
  },
  spoiled: {
    400: async (call) =>
      call.payload === undefined
        ? { ...call, url: `${call.url}?limit=${LIMITS.pageSizeMax + 1}` }
        : { ...call, payload: {} },
    403: async (call) => ({ ...call, headers: { authorization: await api.as(USER) } }),
  } as Readonly<Record<string, (call: PolicyCall) => Promise<PolicyCall>>>,
});
