import createClient from 'openapi-fetch';
import type { Middleware } from 'openapi-fetch';
import { noteServerTime } from './clock.ts';
import { ProblemError, problemOf } from './problem.ts';
import type { components, paths } from './schema.ts';
import { sessionEnded, sessionUsedAtMs } from './session-end.ts';

/*
 * The session that this page was loaded for. All tabs of a browser share its cookies, so another person may have signed
 * in since in another tab, and would be the author of what this page sends. The CSRF token belongs to the session, so a
 * different token shows a different session.
 */

type User = Pick<components['schemas']['AuthenticatedUser'], 'party' | 'name'>;

/** Cookie and header names are the API's: see src/http/kit/csrf.ts. */
const csrfToken = (): string | undefined =>
  /(?:^|;\s*)XSRF-TOKEN=([^;]*)/u.exec(document.cookie)?.[1];

let known: { readonly user: User; readonly token: string | undefined } | null = null;

/** The page is this person's, with the session of the moment. */
export function noteCaller(user: User): void {
  known = { user, token: csrfToken() };
}

const isSameSession = (): boolean => known === null || known.token === csrfToken();

/**
 * Asks the API whose session it is. The answer contains the session's CSRF token. The page is reloaded if the session
 * is another person's.
 * @throws Error if it is; nothing may be sent then
 */
async function lookWhose(): Promise<void> {
  const answer = await fetch('/user', {
    credentials: 'same-origin',
    headers: { accept: 'application/json' },
  });
  // A request that changes something is refused as well, with the reason.
  if (!answer.ok || known === null) return;
  const user = (await answer.json()) as User;
  if (user.party !== known.user.party || user.name !== known.user.name) {
    location.reload();
    throw new Error('Another person has signed in.');
  }
  noteCaller(user);
}

const askedAtMs = new WeakMap<Request, number>();

const guard: Middleware = {
  onRequest({ request }) {
    askedAtMs.set(request, Date.now());
    if (!isSameSession()) lookWhose().catch(() => {});
  },
  onResponse({ request, response: { headers }, response }) {
    const answeredAtMs = Date.now();
    noteServerTime({ headers, askedAtMs: askedAtMs.get(request) ?? answeredAtMs, answeredAtMs });
    if (response.status === 401) sessionEnded.set(true);
    else if (response.status !== 503) sessionUsedAtMs.set(Date.now());
    return response;
  },
};

const client = createClient<paths>({ baseUrl: '/', credentials: 'same-origin' });
client.use(guard);

/** Paths that are read, and answer JSON. */
export type ReadPath = {
  [P in keyof paths]: paths[P] extends {
    get: { responses: { 200: { content: { 'application/json': unknown } } } };
  }
    ? P
    : never;
}[keyof paths];

type Get<P extends ReadPath> = paths[P] extends { get: infer G } ? G : never;

export type Data<P extends ReadPath> =
  Get<P> extends { responses: { 200: { content: { 'application/json': infer D } } } } ? D : never;

type Parameters<P extends ReadPath> = Get<P> extends { parameters: infer A } ? A : never;

/** Query and path parameters of a read, as the document has them. */
export interface Asked<P extends ReadPath> {
  readonly query?: Parameters<P> extends { query?: infer Q } ? Q : never;
  readonly path?: Parameters<P> extends { path: infer A } ? A : never;
}

export interface Answer<T> {
  readonly data: T;
  /** Where the next page begins; null after the last one. */
  readonly next: string | null;
}

const NEXT = /<([^>]*)>;\s*rel="next"/u;

function nextCursor(response: Response): string | null {
  const link = NEXT.exec(response.headers.get('link') ?? '')?.[1];
  return link === undefined ? null : new URL(link, location.origin).searchParams.get('cursor');
}

/**
 * Reads one resource or one page of a list.
 *
 * @throws ProblemError when the answer is another one; TypeError when there is none
 */
export async function read<P extends ReadPath>(
  path: P,
  asked: Asked<P>,
  signal: AbortSignal,
): Promise<Answer<Data<P>>> {
  const call = client.GET as (
    path: string,
    init: object,
  ) => Promise<{ data?: unknown; error?: unknown; response: Response }>;
  const { data, error, response } = await call(path, { params: asked, signal });
  if (!response.ok) throw problemOf(response, error);
  return { data: data as Data<P>, next: nextCursor(response) };
}

/**
 * Reads a list as a CSV file with all its rows.
 *
 * @param url without `limit` and `cursor`, which would leave rows out
 * @throws ProblemError when the answer is another one; TypeError when there is none
 */
export async function readCsv(url: string): Promise<Blob> {
  const headers = { accept: 'text/csv, application/problem+json' };
  const response = await fetch(url, { credentials: 'same-origin', headers });
  if (response.status === 401) sessionEnded.set(true);
  if (!response.ok) throw problemOf(response, await bodyOf(response));
  return response.blob();
}

/** Whether the process that answers is ready; the query excludes checks. */
export async function isReady(query: string, signal: AbortSignal): Promise<boolean> {
  const answer = await fetch(`/readyz${query}`, { signal, cache: 'no-store' });
  await answer.text();
  return answer.ok;
}

export interface Written {
  readonly status: number;
  readonly body: unknown;
}

/** A change: the address with its query, as it is sent. */
export interface Write {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    return text;
  }
}

function send({ method, url, body, headers }: Write): Promise<Response> {
  const token = csrfToken();
  return fetch(url, {
    method,
    credentials: 'same-origin',
    headers: {
      accept: 'application/json, application/problem+json, text/plain',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { 'X-XSRF-TOKEN': token }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

async function sendOnce(what: Write): Promise<Written> {
  const response = await send(what);
  const answer = await bodyOf(response);
  if (response.status === 401) sessionEnded.set(true);
  else if (response.status !== 503) sessionUsedAtMs.set(Date.now());
  if (!response.ok) throw problemOf(response, answer);
  return { status: response.status, body: answer };
}

/**
 * Sends a change. The caller decides how it is repeated: see `acts/`. A change whose CSRF token was refused had no
 * effect, and is sent again with the session's token.
 * @throws ProblemError if it was refused; another error if there was no answer, or the session is another person's
 */
export async function write(what: Write): Promise<Written> {
  if (!isSameSession()) await lookWhose();
  try {
    return await sendOnce(what);
  } catch (error) {
    if (!(error instanceof ProblemError && error.code === 'CSRF_TOKEN_INVALID')) throw error;
  }
  await lookWhose();
  return sendOnce(what);
}

/** An address of the API with its path parameters in place, as `copy as curl` shows it. */
export function addressOf<P extends ReadPath>(path: P, asked: Asked<P>): string {
  const parts = (asked.path ?? {}) as Readonly<Record<string, string>>;
  const filled = path.replace(/\{(\w+)\}/gu, (_whole, name: string) =>
    encodeURIComponent(parts[name] ?? ''),
  );
  const query = new URLSearchParams();
  const given = (asked.query ?? {}) as Readonly<Record<string, string | number | undefined>>;
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined) query.set(name, String(value));
  }
  const text = query.toString();
  return text === '' ? filled : `${filled}?${text}`;
}
