import type { At, Data, ReadPath, components } from '../../../client/document.ts';
import { nextPage } from '../../../client/pages.ts';
import { ProblemError, bodyOf } from '../../../client/problem.ts';
import { createTransport, fill, queryOf } from '../../../client/transport.ts';
import * as t from '../texts/shell.tsx';
import { noteServerTime } from './clock.ts';
import { sessionEnded, sessionUsedAtMs } from './session-end.ts';

/*
 * The session for which this page was loaded. All tabs of a browser share its cookies, so another person may since have
 * signed in from another tab, and would become the author of requests from this page. The CSRF token belongs to the
 * session, so a different token shows a different session.
 */

type User = Pick<components['schemas']['AuthenticatedUser'], 'party' | 'name'>;

/** Reads the token. The names of the cookie and the header are those of the API: see src/http/kit/csrf.ts. */
const csrfToken = (): string | undefined =>
  /(?:^|;\s*)XSRF-TOKEN=([^;]*)/u.exec(document.cookie)?.[1];

let known: { readonly user: User; readonly token: string | undefined } | null = null;

/** Records that this page belongs to the user, with the current session. */
export function noteCaller(user: User): void {
  known = { user, token: csrfToken() };
}

const isSameSession = (): boolean => known === null || known.token === csrfToken();

/**
 * Asks the API who owns the session. The answer also sets the session's CSRF token. Reloads the page if the session
 * belongs to another person.
 *
 * @throws Error if the session belongs to another person; nothing may be sent then
 */
async function lookWhose(): Promise<void> {
  const answer = await fetch('/user', {
    credentials: 'same-origin',
    headers: { accept: 'application/json' },
  });
  // The request that follows will be refused as well, with the reason.
  if (!answer.ok || known === null) return;
  const user = (await answer.json()) as User;
  if (user.party !== known.user.party || user.name !== known.user.name) {
    location.reload();
    throw new Error(t.anotherPersonHasSignedIn);
  }
  noteCaller(user);
}

/** Updates the server's clock and the state of the session from each answer. */
const guarded: typeof fetch = async (...asked) => {
  const askedAtMs = Date.now();
  const response = await fetch(...asked);
  const { headers, status } = response;
  noteServerTime({ headers, askedAtMs, answeredAtMs: Date.now() });
  if (status === 401) sessionEnded.set(true);
  else if (status !== 503) sessionUsedAtMs.set(Date.now());
  return response;
};

function csrfHeaders(method: string): Readonly<Record<string, string>> {
  const token = csrfToken();
  return method === 'GET' || token === undefined ? {} : { 'X-XSRF-TOKEN': token };
}

/**
 * Calls the API. Each call is tried only once here, because pages repeat calls themselves and show that they do: see
 * `query-client.ts` and `acts/`.
 */
const transport = createTransport({ url: '', headers: csrfHeaders, fetch: guarded });
const ONE_TRY = { repeats: 'limited', tryMs: Infinity } as const;

export type { Data, ReadPath } from '../../../client/document.ts';

type Parameters<P extends ReadPath> = At<P, 'get'> extends { parameters: infer A } ? A : never;

/** The query and path parameters of a read, as the API document defines them. */
export interface Asked<P extends ReadPath> {
  readonly query?: Parameters<P> extends { query?: infer Q } ? Q : never;
  readonly path?: Parameters<P> extends { path: infer A } ? A : never;
}

/** The number of all entries of a list. `more`: the list has more entries than were counted. */
export interface Total {
  readonly count: number;
  readonly more: boolean;
}

export interface Answer<T> {
  readonly data: T;
  /** The cursor of the next page; null after the last page. */
  readonly next: string | null;
  /** Null if the entries were not counted. */
  readonly total: Total | null;
}

function totalIn(headers: Headers): Total | null {
  const [, count, more] = /^(\d+)(;more)?$/u.exec(headers.get('total-count') ?? '') ?? [];
  return count === undefined ? null : { count: Number(count), more: more !== undefined };
}

/**
 * Reads one resource or one page of a list.
 *
 * @throws ProblemError if the answer is not a success; TypeError without an answer
 */
export async function read<P extends ReadPath>(
  path: P,
  asked: Asked<P>,
  signal: AbortSignal,
): Promise<Answer<Data<P>>> {
  if (!isSameSession()) lookWhose().catch(() => {});
  const response = await transport.once({
    method: 'GET',
    path: addressOf(path, asked),
    signal,
    ...ONE_TRY,
  });
  const data = (await response.json()) as Data<P>;
  const { headers } = response;
  return { data, next: nextPage(headers)?.get('cursor') ?? null, total: totalIn(headers) };
}

/**
 * Reads all pages of a list.
 *
 * @throws like `read`
 */
export async function readWhole<P extends ReadPath>(
  path: P,
  asked: Asked<P>,
  signal: AbortSignal,
): Promise<Answer<Data<P>>> {
  const rows: unknown[] = [];
  let cursor: string | null = null;
  do {
    const query = {
      ...(asked.query as object | undefined),
      limit: '1000',
      ...(cursor === null ? {} : { cursor }),
    };
    const page: Answer<Data<P>> = await read(path, { ...asked, query } as never, signal);
    rows.push(...(page.data as readonly unknown[]));
    cursor = page.next;
  } while (cursor !== null);
  return { data: rows as Data<P>, next: null, total: null };
}

/**
 * Reads a list as a CSV file with all its rows.
 *
 * @param url without `limit` and `cursor`, which would leave rows out
 * @throws ProblemError if the answer is not a success; TypeError without an answer
 */
export async function readCsv(url: string): Promise<Blob> {
  const headers = { accept: 'text/csv, application/problem+json' };
  const response = await transport.once({ method: 'GET', path: url, headers, ...ONE_TRY });
  return response.blob();
}

/** Whether the process that answers is ready. The query may exclude checks. */
export async function isReady(query: string, signal: AbortSignal): Promise<boolean> {
  const answer = await fetch(`/readyz${query}`, { signal, cache: 'no-store' });
  await answer.text();
  return answer.ok;
}

export interface Written {
  readonly status: number;
  readonly body: unknown;
}

/** A change; `url` is the address with its query. */
export interface Write {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

async function sendOnce({ url, ...what }: Write): Promise<Written> {
  const response = await transport.once({ path: url, ...what, ...ONE_TRY });
  return { status: response.status, body: await bodyOf(response) };
}

/**
 * Sends a change. The caller decides whether to repeat it: see `acts/`. A change whose CSRF token was refused had no
 * effect, and is sent again with the session's token.
 * @throws ProblemError if the change was refused; another error if there was no answer, or if the session belongs to
 *   another person
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

/** Returns an address of the API with its path parameters filled in, as `copy as curl` shows it. */
export function addressOf<P extends ReadPath>(path: P, asked: Asked<P>): string {
  const query = queryOf(asked.query).toString();
  const filled = fill(path, asked.path);
  return query === '' ? filled : `${filled}?${query}`;
}
