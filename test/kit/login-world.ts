import { expect } from 'vitest';
import type { Browser, Page } from './browser.ts';
import type { TestApi } from './http-api.ts';
import { IO, USER, startApi } from './http-api.ts';
import type { LoginOptions, TestIssuer } from './issuer.ts';

/** The name that URLs use for the login of tenant `AppUser`. */
export const USER_LOGIN = 'AppUser-app-provider-backend-oidc';

/** A server that listens on a port, and the logins of its users. */
export interface LoginWorld extends AsyncDisposable {
  readonly api: TestApi;
  readonly base: string;
  readonly issuerOf: (login: string) => TestIssuer;
  /** Begins a login, and stops at the login page. Returns the address of that page. */
  readonly begin: (browser: Browser, login: string) => Promise<string>;
  /** Performs a whole login. Returns the page that the browser receives at the end. */
  readonly signIn: (browser: Browser, login: string, options?: LoginOptions) => Promise<Page>;
  readonly user: (browser: Browser) => Promise<Page>;
  readonly sessionOf: (browser: Browser) => string;
  readonly csrfOf: (browser: Browser) => string;
  /** Registers tenant `AppUser` again after it was removed. */
  readonly registerUser: () => Promise<void>;
}

export async function startLoginWorld(): Promise<LoginWorld> {
  const api = await startApi();
  const base = await api.app.listen({ host: '127.0.0.1', port: 0 });
  const issuerOf = (login: string): TestIssuer =>
    login === 'AppProvider' ? api.issuers.provider : api.issuers.user;
  const begin = async (browser: Browser, login: string): Promise<string> => {
    const page = await browser.get(`${base}/oauth2/authorization/${login}`);
    expect([page.status, page.text]).toEqual([302, '']);
    return page.location ?? '';
  };
  return {
    api,
    base,
    issuerOf,
    begin,
    signIn: async (browser, login, options) =>
      browser.get(issuerOf(login).login(await begin(browser, login), options)),
    user: (browser) => browser.get(`${base}/user`),
    sessionOf: (browser) => browser.cookies(base).get('JSESSIONID') ?? '',
    csrfOf: (browser) => browser.cookies(base).get('XSRF-TOKEN') ?? '',
    async registerUser() {
      await api.deps.tenants.add(
        {
          tenantId: 'AppUser',
          party: USER,
          walletUrl: 'http://wallet.localhost:2000',
          clientId: 'app-provider-backend-oidc',
          issuerUrl: api.issuers.user.issuer,
          internal: false,
          users: [],
        },
        IO,
      );
    },
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  };
}
