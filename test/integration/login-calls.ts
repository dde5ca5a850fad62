import { HTTP_LIMITS } from '../../src/http/limits.ts';
import type { HttpApp } from '../../src/http/kit/request-context.ts';
import type { TestApi } from '../kit/http-api.ts';
import { PROVIDER } from '../kit/http-api.ts';
import { publicIdOf, sessionOf } from '../kit/sessions.ts';

/** One call of a route for browsers, and the server that receives it. */
export interface BrowserCall {
  readonly app: HttpApp;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly payload?: string | object;
}

type Calls = Readonly<Record<string, Readonly<Record<string, () => Promise<BrowserCall>>>>>;

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const TOO_LONG = `username=${'x'.repeat(HTTP_LIMITS.formBytesMax)}`;

const cookiesOf = (setCookie: string | readonly string[] | undefined): string =>
  [setCookie ?? []]
    .flat()
    .map((line) => line.split(';')[0])
    .join('; ');

/** Returns the address of a link in a mail. */
async function linkOf({ pool }: TestApi): Promise<string> {
  await pool.query(
    `insert into mail_link (token_hash, provider, party, address_hash)
     values (sha256('token'), 'provider', 'party', sha256('address')) on conflict do nothing`,
  );
  return '/unsubscribe/token';
}

/**
 * For each operation, the calls that provoke the statuses that the routes for browsers declare.
 *
 * @param named a server in mode shared-secret
 * @param limited a server that accepts one request a minute
 */
export function browserCalls(api: TestApi, named: HttpApp, limited: HttpApp): Calls {
  const { app } = api;
  /** Makes a call twice within a minute. */
  const often = (method: 'GET' | 'POST', url: string) => async () => {
    await limited.inject({ method, url });
    return { app: limited, url };
  };
  const form = (url: string) => ({
    302: async () => ({ app: named, url, headers: FORM, payload: 'username=app-user' }),
    404: async () => ({ app, url, headers: FORM, payload: 'username=app-user' }),
    413: async () => ({ app: named, url, headers: FORM, payload: TOO_LONG }),
    415: async () => ({ app: named, url, headers: { 'content-type': 'text/plain' }, payload: 'x' }),
    429: often('POST', url),
    503: async () => ({ app: named, url, headers: FORM, payload: 'username=app-user' }),
  });
  /** Makes a call with a token of the person whose session it ends. */
  const ending = (way: { url: (id: string) => string; payload?: object }) => {
    const call = async () => {
      const authorization = await api.as(PROVIDER, { claims: { roles: ['operator'] } });
      const url = way.url(await publicIdOf(api, 'AppProvider-subject'));
      const { payload } = way;
      return {
        app,
        url,
        headers: { authorization },
        ...(payload === undefined ? {} : { payload }),
      };
    };
    return {
      204: call,
      400: async () => ({ ...(await call()), url: way.url('a%00b') }),
      404: async () => ({ ...(await call()), url: way.url('0000000000000000') }),
      503: call,
    };
  };
  const pair = { cookie: 'XSRF-TOKEN=a', 'x-xsrf-token': 'a' };
  return {
    showUnsubscribing: { 429: often('GET', '/unsubscribe/token') },
    unsubscribe: {
      200: async () => ({ app, url: await linkOf(api), headers: FORM, payload: 'a=b' }),
      404: async () => ({ app, url: '/unsubscribe/other' }),
      413: async () => ({ app, url: '/unsubscribe/token', headers: FORM, payload: TOO_LONG }),
      429: often('POST', '/unsubscribe/token'),
      503: async () => ({ app, url: '/unsubscribe/token' }),
    },
    listPublicKeys: { 429: often('GET', '/.well-known/jwks.json') },
    getFeatureFlags: { 429: often('GET', '/feature-flags') },
    listLinks: {
      429: often('GET', '/login-links'),
      404: async () => ({ app: named, url: '/login-links' }),
    },
    beginLogin: {
      302: async () => ({ app, url: '/oauth2/authorization/AppProvider' }),
      400: async () => ({
        app,
        url: '/oauth2/authorization/AppProvider',
        headers: { host: 'no host' },
      }),
      404: async () => ({ app, url: '/oauth2/authorization/nobody' }),
      429: often('GET', '/oauth2/authorization/AppProvider'),
      503: async () => ({ app, url: '/oauth2/authorization/AppProvider' }),
    },
    endLogin: {
      302: async () => ({ app, url: '/login/oauth2/code/AppProvider?code=a&state=b' }),
      404: async () => ({ app: named, url: '/login/oauth2/code/AppProvider?code=a&state=b' }),
      429: often('GET', '/login/oauth2/code/AppProvider'),
      503: async () => {
        const begun = await app.inject({ method: 'GET', url: '/oauth2/authorization/AppProvider' });
        const back = new URL(api.issuers.provider.login(String(begun.headers['location'])));
        return {
          app,
          url: `${back.pathname}${back.search}`,
          headers: { cookie: cookiesOf(begun.headers['set-cookie']) },
        };
      },
    },
    endSession: ending({ url: (id) => `/user/sessions/${id}` }),
    endOpsSession: ending({
      url: (id) => `/ops/sessions/${id}:end`,
      payload: { reason: 'the laptop was lost' },
    }),
    signIn: form('/login'),
    signInByPath: form('/login/shared-secret'),
    logout: {
      204: async () => ({ app, url: '/logout', headers: { ...pair, 'sec-fetch-dest': 'empty' } }),
      302: async () => ({ app, url: '/logout', headers: pair }),
      401: async () => ({ app, url: '/logout' }),
      429: often('POST', '/logout'),
      403: async () => ({
        app,
        url: '/logout',
        headers: { cookie: `JSESSIONID=${await sessionOf(api)}`, 'x-xsrf-token': 'wrong' },
      }),
      413: async () => ({ app, url: '/logout', headers: FORM, payload: TOO_LONG }),
      415: async () => ({
        app,
        url: '/logout',
        headers: { 'content-type': 'text/plain' },
        payload: 'x',
      }),
      503: async () => ({
        app,
        url: '/logout',
        headers: { cookie: `JSESSIONID=${await sessionOf(api)}` },
      }),
    },
  };
}
