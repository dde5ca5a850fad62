import { createHash, randomBytes } from 'node:crypto';
import type { TokenReply } from './authorization-server.ts';
import type { Page, PlainBrowser } from './browser.ts';

export const CALLBACK = 'http://app-provider.localhost:3000/login/oauth2/code/AppUser';

/** One login, as requested by the application that starts it. */
export interface LoginRequest {
  readonly realm: string;
  readonly client: string;
  readonly redirectUri?: string;
  /** Parameters that replace or extend the usual ones; an empty value removes a parameter. */
  readonly parameters?: Readonly<Record<string, string>>;
}

export const connectUrl = (base: string, realm: string, endpoint: string): string =>
  `${base}/realms/${realm}/protocol/openid-connect/${endpoint}`;

/** Returns the address to which an application sends a browser for a login. */
export function authorizationUrl(base: string, request: LoginRequest): string {
  const { realm, client, redirectUri = CALLBACK, parameters = {} } = request;
  const url = new URL(connectUrl(base, realm, 'auth'));
  const all = {
    client_id: client,
    response_type: 'code',
    scope: 'openid',
    redirect_uri: redirectUri,
    state: 's-1',
    nonce: 'n-1',
    ...parameters,
  };
  for (const [name, value] of Object.entries(all)) {
    if (value !== '') url.searchParams.set(name, value);
  }
  return url.href;
}

export function pkce(): { readonly verifier: string; readonly parameters: Record<string, string> } {
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  return {
    verifier,
    parameters: { code_challenge: challenge, code_challenge_method: 'S256' },
  };
}

/** Opens the login page of a request. */
export async function openSignIn(
  browser: PlainBrowser,
  base: string,
  request: LoginRequest,
): Promise<Page> {
  const page = await browser.open(authorizationUrl(base, request));
  if (page.status !== 200 || !page.text.includes('name="password"')) {
    throw new Error(`no login page but ${page.status} ${page.location ?? page.text}`);
  }
  return page;
}

/** Signs in. @returns the parameters that the application receives */
export async function signIn(
  browser: PlainBrowser,
  base: string,
  request: LoginRequest,
  username: string,
): Promise<URLSearchParams> {
  const page = await openSignIn(browser, base, request);
  return returned(await browser.open(page.url, { username, password: 'abc123' }));
}

/** Returns the parameters with which the browser is redirected to the application. */
export function returned(page: Page): URLSearchParams {
  if (page.location === undefined) throw new Error(`no redirect but ${page.status} ${page.text}`);
  return new URL(page.location).searchParams;
}

/** Returns the form with which the application redeems a code. */
export const redeemForm = (
  { client, redirectUri = CALLBACK }: LoginRequest,
  code: string | null,
  verifier?: string,
): Record<string, string> => ({
  grant_type: 'authorization_code',
  client_id: client,
  redirect_uri: redirectUri,
  code: String(code),
  ...(verifier === undefined ? {} : { code_verifier: verifier }),
});

export const field = ({ body }: TokenReply, name: string): string => String(body[name]);
