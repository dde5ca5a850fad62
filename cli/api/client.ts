import { setTimeout as sleep } from 'node:timers/promises';
import type { Json } from '../../src/domain/json.ts';
import { whyNoAnswer } from '../ask.ts';
import { CommandError, EXIT } from '../exit.ts';
import { lineOf } from '../output.ts';
import type { Connection } from './connection.ts';

const CALL_MS = 60_000;
/** A file with a million rows. */
const FILE_MS = 60 * CALL_MS;
/** The most pages that are read of one list; a server of Tenure needs fewer for the requested rows. */
const PAGES_MAX = 10_000;
/** A busy server names the time of the next try; the command waits no longer than this. */
const WAIT_S_MAX = 5;

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With its slash, below the API's address. */
  readonly path: string;
  readonly query?: URLSearchParams;
  readonly body?: Json;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  /** As it was sent: decimals in it are exact. Empty where there is nothing to say. */
  readonly text: string;
  readonly headers: Headers;
}

/** One or several pages of a list. */
export interface Listed {
  /** The arrays of the pages, as they were sent. */
  readonly texts: readonly string[];
  readonly hasMore: boolean;
}

/** An API, as one caller reaches it. */
export interface Api {
  /** @throws CommandError with the problem in one line */
  call(call: Call): Promise<Answer>;
  /** The body of an answer as it comes, however long it is. @throws CommandError with the problem in one line */
  file(call: Call): Promise<ReadableStream<Uint8Array>>;
  /**
   * Reads a list up to `rows` entries, over as many pages as necessary.
   * @param onPage called with the number of rows so far if more follow
   * @throws CommandError
   */
  list(call: Call, rows: number, onPage?: (rows: number) => void): Promise<Listed>;
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

/** Advice for a refusal, by its code or else its status. */
const ADVICE: Readonly<Record<string, string>> = {
  ROUTE_NOT_FOUND: 'See whether TENURE_API_URL leads to Tenure, and to no older one.',
  400: 'Correct the command line: --help shows what it takes.',
  401: 'Set TENURE_TOKEN to an access token that is not over.',
  403: 'Call as somebody who may: another TENURE_TOKEN or, on LocalNet, --as.',
  404: 'Look at the ID, and at who calls: what is not yours is not found.',
  408: 'Call again.',
  409: 'Look at how it is now, and call again if it is still to be done.',
  412: 'Somebody else has changed it: look at it, and call again.',
  422: 'Correct what was given: --help shows what it takes.',
  429: 'Call again later.',
  503: 'Call again in a moment; if that lasts, tenure doctor says what is wrong.',
};
const BROKEN = 'See its log, and what tenure doctor says.';

const adviceOn = (status: number, code: string | undefined): string =>
  ADVICE[code ?? ''] ?? ADVICE[String(status)] ?? (status >= 500 ? BROKEN : (ADVICE['400'] ?? ''));

/** These say that nothing is wrong with what was asked, but with the moment. */
const PASSING = [408, 429];

function exitCodeOf(status: number): number {
  if (status === 404) return EXIT.notFound;
  const isRefused = status >= 400 && status < 500 && !PASSING.includes(status);
  return isRefused ? EXIT.refused : EXIT.cannot;
}

const waitS = (answer: Response): number => Number(answer.headers.get('retry-after') ?? Number.NaN);

function refusalOf(answer: Response, text: string): CommandError {
  const { code, detail, traceId } = problemIn(text);
  const { status } = answer;
  const what =
    code === undefined
      ? `the API answered ${status}, and not as Tenure does`
      : `${code}: ${detail ?? answer.statusText}`;
  const after = waitS(answer);
  const todo = status === 429 && after > 0 ? `Call again in ${after} s.` : adviceOn(status, code);
  const trace = traceId === undefined ? '' : ` (trace ${traceId})`;
  return new CommandError(
    exitCodeOf(status),
    `${lineOf(what).replace(/\.?$/u, '.')} ${todo}${trace}`,
  );
}

function notReached(url: string, error: unknown): CommandError {
  const why = whyNoAnswer(error, CALL_MS);
  const todo = 'See whether it runs, and whether TENURE_API_URL is right.';
  return new CommandError(EXIT.cannot, `no answer from the API at ${url}: ${why}. ${todo}`);
}

const NEXT = /<([^>]*)>\s*;\s*rel="next"/u;

/** The path of the next page; the address before it is ours to choose, as proxies see others. */
function nextOf(headers: Headers): URLSearchParams | undefined {
  const link = NEXT.exec(headers.get('link') ?? '')?.[1];
  return link === undefined ? undefined : new URLSearchParams(link.split('?')[1]);
}

const rowsIn = (text: string): number => (JSON.parse(text) as readonly unknown[]).length;

/** Calls the API at `connection`, without following it to other addresses: the token is for this one. */
export function apiAt({ url, token }: Connection): Api {
  const once = async (
    { method, path, query, body, headers }: Call,
    withinMs: number,
  ): Promise<Response> => {
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
      signal: AbortSignal.timeout(withinMs),
    });
  };
  const answered = async <T>(
    asked: Call,
    read: (answer: Response) => Promise<T>,
    withinMs = CALL_MS,
  ): Promise<T> => {
    try {
      let answer = await once(asked, withinMs);
      // Nothing has been done of what was limited: it can be asked again, whatever it was.
      if (answer.status === 429 && waitS(answer) <= WAIT_S_MAX) {
        await answer.body?.cancel();
        await sleep(waitS(answer) * 1_000);
        answer = await once(asked, withinMs);
      }
      if (answer.ok) return await read(answer);
      throw refusalOf(answer, await answer.text());
    } catch (error) {
      throw error instanceof CommandError ? error : notReached(url, error);
    }
  };
  const call = (asked: Call): Promise<Answer> =>
    answered(asked, async (answer) => ({ text: await answer.text(), headers: answer.headers }));
  const file: Api['file'] = (asked) =>
    answered(asked, async ({ body }) => body ?? new Blob([]).stream(), FILE_MS);
  const list: Api['list'] = async (asked, rows, onPage) => {
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
      onPage?.(rows - left);
      query = next;
    }
    return { texts, hasMore: true };
  };
  return { call, file, list };
}

/** Rows of a page: not so many that the API would refuse, nor so few that a long list takes long. */
const PAGE_ROWS = 500;
