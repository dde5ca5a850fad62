import type { TestApi } from './http-api.ts';
import { PROVIDER } from './http-api.ts';

/** A call to the server, in the form that `inject` takes. */
interface LicenseActCall {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly payload?: object | string;
}

export const isOfLicenseActs = (path: string): boolean =>
  /^\/licenses\/(?:preview-)?bulk$/u.test(path);

/**
 * Returns calls about acts on many licences: a valid one for each operation, and functions that change it so that it
 * gets a certain status.
 *
 * @param made creates a licence
 */
export function licenseActCallsOf(api: TestApi, made: () => Promise<string>) {
  const act = { action: 'reinstate', filter: { suspended: true } };
  const post = async (url: string, headers: Readonly<Record<string, string>>, payload: object) =>
    (await api.app.inject({ method: 'POST', url, headers, payload })).json();
  return {
    async good(path: string): Promise<LicenseActCall> {
      const headers = { authorization: await api.as(PROVIDER) };
      await post(`/licenses/${await made()}/suspend`, headers, { reason: 'chargeback' });
      if (path.endsWith('/preview-bulk')) return { url: path, headers, payload: act };
      const { token, count } = await post('/licenses/preview-bulk', headers, act);
      const payload = { ...act, reason: 'paid', confirmation: { token, count } };
      return { url: path, headers, payload };
    },
    spoiled: {
      400: async (call) => ({ ...call, payload: {} }),
      409: async (call) => {
        const confirmation = { token: 'unknown', count: 1_000_000 };
        return { ...call, payload: { ...(call.payload as object), confirmation } };
      },
      422: async (call) => call,
      428: async (call) => ({ ...call, payload: { ...act, reason: 'paid' } }),
    } as Readonly<Record<string, (call: LicenseActCall) => Promise<LicenseActCall>>>,
  };
}
