import { setTimeout as sleep } from 'node:timers/promises';
import type { Json } from '../../src/domain/json.ts';
import { CommandError, EXIT } from '../exit.ts';
import { lineOf } from '../output.ts';
import type { Connection } from './connection.ts';

const CALL_MS = 60_000;
/** Of the rest of a list: no server of ours sends more pages than this for the rows that were asked for. */
const PAGES_MAX = 10_000;
/** A server that is busy says when to come again; longer than this nobody is kept waiting. */
const WAIT_S_MAX = 5;

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** With its slash, below the API's address. */
  readonly path: string;
  readonly query?: URLSearchParams;
  readonly body?: Json;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  /** As it was sent: decimals in it are exact. */
  readonly text: string;
  readonly headers: Headers;
}

/** What one page, or several, of a list came to. */
export interface Listed {
  /** The arrays of the pages, as they were sent. */
  readonly texts: readonly string[];
  readonly hasMore: boolean;
}

/** An API, as one caller reaches it. */
export interface Api {
  /** @throws CommandError with the problem in one line */
  call(call: Call): Promise<Answer>;
  /** A list up to `rows` entries, over as many pages as it takes. @throws CommandError */
  list(call: Call, rows: number): Promise<Listed>;
}

interface Problem {
  readonly code?: string;
  readonly detail?: string;
  readonly traceId?: string;
}

function problemIn(text: string): Problem {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {};
  }
}

function exitCodeOf(status: number): number {
  if (status === 404) return EXIT.notFound;
  return status >= 400 && status < 500 ? EXIT.refused : EXIT.cannot;
}

function refusalOf(answer: Response, text: string): CommandError {
  const { code, detail, traceId } = problemIn(text);
  const what =
    code === undefined
      ? `the API answered ${answer.status}, and not as Tenure does`
      : `${code}: ${detail ?? answer.statusText}`;
  const trace = traceId === undefined ? '' : ` (trace ${traceId})`;
  return new CommandError(exitCodeOf(answer.status), `${lineOf(what)}${trace}`);
}

function notReached(url: string, error: unknown): CommandError {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const why = lineOf(cause) || 'no connection';
  return new CommandError(EXIT.cannot, `no answer from the API at ${url}: ${why}`);
}

const waitS = (answer: Response): number => Number(answer.headers.get('retry-after') ?? Number.NaN);

const NEXT = /<([^>]*)>\s*;\s*rel="next"/u;

/** The path of the next page; the address before it is ours to choose, as proxies see others. */
function nextOf(headers: Headers): URLSearchParams | undefined {
  const link = NEXT.exec(headers.get('link') ?? '')?.[1];
  return link === undefined ? undefined : new URLSearchParams(link.split('?')[1]);
}

const rowsIn = (text: string): number => (JSON.parse(text) as readonly unknown[]).length;

/** Calls the API at `connection`, without following it to other addresses: the token is for this one. */
export function apiAt({ url, token }: Connection): Api {
  const once = async ({ method, path, query, body, headers }: Call): Promise<Response> => {
    const asked = query === undefined || query.size === 0 ? '' : `?${query.toString()}`;
    return fetch(`${url}${path}${asked}`, {
      method,
      redirect: 'error',
      headers: {
        accept: 'application/json, application/problem+json',
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(CALL_MS),
    });
  };
  const call = async (asked: Call): Promise<Answer> => {
    try {
      let answer = await once(asked);
      // Nothing has been done of what was limited: it can be asked again, whatever it was.
      if (answer.status === 429 && waitS(answer) <= WAIT_S_MAX) {
        await answer.body?.cancel();
        await sleep(waitS(answer) * 1_000);
        answer = await once(asked);
      }
      const text = await answer.text();
      if (answer.ok) return { text, headers: answer.headers };
      throw refusalOf(answer, text);
    } catch (error) {
      throw error instanceof CommandError ? error : notReached(url, error);
    }
  };
  const list = async (asked: Call, rows: number): Promise<Listed> => {
    const texts: string[] = [];
    let left = rows;
    let query = asked.query ?? new URLSearchParams();
    for (let page = 0; page < PAGES_MAX; page += 1) {
      query.set('limit', String(Math.min(left, PAGE_ROWS)));
      const { text, headers } = await call({ ...asked, query });
      texts.push(text);
      left -= rowsIn(text);
      const next = nextOf(headers);
      if (next === undefined || left <= 0) return { texts, hasMore: next !== undefined };
      query = next;
    }
    return { texts, hasMore: true };
  };
  return { call, list };
}

/** Rows of a page: not so many that the API would refuse, nor so few that a long list takes long. */
const PAGE_ROWS = 500;
