import type { Party } from '../../src/domain/ids.ts';
import type { TestApi } from './http-api.ts';
import type { TokenOptions } from './issuer.ts';

type Reply = Awaited<ReturnType<TestApi['app']['inject']>>;

/** The calls of one caller. */
export interface Ask {
  get(url: string, headers?: Readonly<Record<string, string>>): Promise<Reply>;
  delete(url: string): Promise<Reply>;
  /** Sends a POST request. It has no body unless one is given. */
  post(url: string, body?: object, headers?: Readonly<Record<string, string>>): Promise<Reply>;
}

export async function asking(api: TestApi, party: Party, options?: TokenOptions): Promise<Ask> {
  const authorization = await api.as(party, options);
  return {
    get: (url, headers = {}) =>
      api.app.inject({ method: 'GET', url, headers: { authorization, ...headers } }),
    delete: (url) => api.app.inject({ method: 'DELETE', url, headers: { authorization } }),
    post: (url, body, headers = {}) =>
      api.app.inject({
        method: 'POST',
        url,
        headers: { authorization, ...headers },
        ...(body === undefined ? {} : { payload: body }),
      }),
  };
}
