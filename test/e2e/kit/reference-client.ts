import { randomUUID } from 'node:crypto';
import { openBrowser } from '../../kit/browser.ts';
import type { Page } from '../../kit/browser.ts';
import { REFERENCE_OPERATIONS } from '../../kit/reference.ts';
import type { ReferenceOperation } from '../../kit/reference.ts';

/*
 * The requests of the reference's frontend as its browser sends them: the base address, the headers, the cookies, a new
 * commandId for each click, and nothing else. All paths, bodies and texts are those of the reference.
 */

type Operation = Pick<ReferenceOperation, 'method' | 'path' | 'isCommand'>;

/**
 * The reference's operations, by operationId, and those for comments, which the reference's documentation leaves to its
 * readers as an exercise.
 */
const OPERATIONS = {
  ...REFERENCE_OPERATIONS,
  listLicenseComments: { method: 'GET', path: '/licenses/{contractId}/comments' },
  addLicenseComment: { method: 'POST', path: '/licenses/{contractId}/comments', isCommand: true },
} as const satisfies Record<string, Operation>;

export type OperationId = keyof typeof OPERATIONS;

/** The operations that require a login. */
export const PROTECTED = (Object.keys(OPERATIONS) as OperationId[]).filter(
  (id) => id !== 'getFeatureFlags' && id !== 'listLinks',
);

export interface Sent {
  /** The value of the only parameter in the path. */
  readonly id?: string;
  readonly body?: unknown;
  /** A command ID to send instead of a new one; `null` sends none. */
  readonly commandId?: string | null;
  /** Headers that extend or replace the frontend's own. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer, as the frontend sees it. */
export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body; parsed if it is JSON, whatever its declared type, as the frontend's library does. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests state what they expect of it
  readonly data: any;
  /** The text that the frontend shows for a failure. */
  readonly reason: string;
}

export interface ReferenceClient extends AsyncDisposable {
  /** The origin of the frontend's pages. The API has the same origin; its paths begin with `/api`. */
  readonly origin: string;
  call(operation: OperationId, sent?: Sent): Promise<Received>;
  /** Follows the link of the tenant on the login page, signs in there, and returns to the application. */
  signIn(tenantId: string, username: string): Promise<Page & { readonly url: string }>;
  /** Presses the frontend's Logout button. */
  logout(headers?: Readonly<Record<string, string>>): Promise<Received>;
  readonly cookies: Map<string, string>;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function received({ status, headers, text }: Page): Received {
  const data = parsed(text);
  const message =
    typeof data === 'object' && data !== null && 'message' in data ? data.message : undefined;
  const reason = typeof message === 'string' ? message : `HTTP ${status}`;
  return { status, headers, text, data, reason };
}

/** The password of every demo user. */
const password = 'abc123';

/**
 * @param origin the origin of the pages
 * @param base the path under which the API is reached: `/api` behind the reference's proxy
 */
export function openReferenceClient(origin: string, base = '/api'): ReferenceClient {
  const browser = openBrowser();
  const cookies = browser.cookies(origin);

  const csrf = (): Readonly<Record<string, string>> => {
    const token = cookies.get('XSRF-TOKEN');
    return token === undefined ? {} : { 'x-xsrf-token': token };
  };

  const client: ReferenceClient = {
    origin,
    cookies,
    async call(id, { id: parameter = '', body, commandId, headers } = {}) {
      const { method, path, isCommand }: Operation = OPERATIONS[id];
      const url = new URL(
        `${base}${path.replace(/\{\w+\}/u, () => encodeURIComponent(parameter))}`,
        origin,
      );
      if (isCommand === true && commandId !== null) {
        url.searchParams.set('commandId', commandId ?? randomUUID());
      }
      const page = await browser.send(method, url.href, {
        headers: {
          accept: 'application/json, text/plain, */*',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...csrf(),
          ...headers,
        },
        ...(body === undefined
          ? {}
          : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      return received(page);
    },
    async signIn(tenantId, username) {
      const { data } = await client.call('listLinks');
      const link = (data as { name: string; url: string }[]).find(({ name }) => name === tenantId);
      // The address of the link is used exactly as the page contains it.
      const login = await browser.visit(new URL(link?.url ?? '', origin).href);
      if (!login.text.includes('name="password"')) throw new Error(`no login page: ${login.text}`);
      const back = await browser.submit(login.url, { username, password });
      let at = back.location ?? '';
      // The authorization server first redirects within its own pages.
      while (new URL(at).origin !== origin) at = (await browser.get(at)).location ?? '';
      return { ...(await browser.get(at)), url: at };
    },
    async logout(headers = {}) {
      const page = await browser.post(new URL(`${base}/logout`, origin).href, {
        headers: {
          accept: '*/*',
          'content-type': 'application/json',
          'x-xsrf-token': cookies.get('XSRF-TOKEN') ?? '',
          ...headers,
        },
      });
      return received(page);
    },
    [Symbol.asyncDispose]: () => browser[Symbol.asyncDispose](),
  };
  return client;
}
