import type { EventsQuery, Told } from '../../client/events.ts';
import { followEvents } from '../../client/events.ts';
import { nextPage } from '../../client/pages.ts';
import { NoAnswerError, ProblemError } from '../../client/problem.ts';
import { createTransport } from '../../client/transport.ts';
import type { Json } from '../../src/domain/json.ts';
import { whyNoAnswer } from '../ask.ts';
import { CommandError, EXIT } from '../exit.ts';
import { lineOf } from '../output.ts';
import type { Connection } from './connection.ts';

const CALL_MS = 60_000;
/** Timeout of a request for a whole file, which may have a million rows. */
const FILE_MS = 60 * CALL_MS;
/**
 * The maximum number of pages that are read of one list. Tenure's servers send the rows that were asked for in fewer
 * pages.
 */
const PAGES_MAX = 10_000;
/** The longest time for which a command waits if a busy server says when to try again. */
const PATIENCE_MS = 5_000;

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path below the API's address, with a leading slash. */
  readonly path: string;
  readonly query?: URLSearchParams;
  readonly body?: Json;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  /** The body as the server sent it, so that decimals are exact; empty if there is no body. */
  readonly text: string;
  readonly headers: Headers;
}

/** One or more pages of a list. */
export interface Listed {
  /** The arrays of the pages, as the server sent them. */
  readonly texts: readonly string[];
  readonly hasMore: boolean;
}

/** The API as one caller uses it. */
export interface Api {
  /** Makes one call and returns its answer. @throws CommandError with the problem in one line */
  call(call: Call): Promise<Answer>;
  /** Returns the body as a stream, whatever its length. @throws CommandError with the problem in one line */
  file(call: Call): Promise<ReadableStream<Uint8Array>>;
  /**
   * Reads a list up to `rows` entries, from as many pages as necessary.
   * @param onPage called with the number of rows so far if more follow
   * @throws CommandError
   */
  list(call: Call, rows: number, onPage?: (rows: number) => void): Promise<Listed>;
  /** Follows the events, and reconnects when a connection ends. @throws CommandError; the signal's reason */
  follow(query: EventsQuery): AsyncGenerator<Told | 'open' | 'lost', never>;
}

/** Advice about refusals, by the code of the problem or, for other codes, by status. */
const ADVICE: Readonly<Record<string, string>> = {
  ROUTE_NOT_FOUND: 'Check that TENURE_API_URL is the address of Tenure, and of the same version.',
  400: 'Correct the command line: --help lists the arguments and options.',
  401: 'Set TENURE_TOKEN to an access token that has not expired.',
  403: 'Use a caller with the permission: another TENURE_TOKEN or, on LocalNet, --as.',
  404: 'Check the ID and the caller: a caller cannot see objects of another party.',
  408: 'Repeat the command.',
  409: 'Check the current state, and repeat the command if the action is still needed.',
  412: 'Another caller has changed the object: read it, and repeat the command.',
  422: 'Correct the given values: --help lists the arguments and options.',
  429: 'Repeat the command later.',
  503: 'Repeat the command in a moment. If the error persists, run tenure doctor.',
};
const BROKEN = 'Read the log of Tenure, and run tenure doctor.';

const adviceOn = (status: number, code: string | undefined): string =>
  ADVICE[code ?? ''] ?? ADVICE[String(status)] ?? (status >= 500 ? BROKEN : (ADVICE['400'] ?? ''));

/** Statuses of requests that are not wrong, but must be repeated later. */
const PASSING = [408, 429];

function exitCodeOf(status: number): number {
  if (status === 404) return EXIT.notFound;
  const isRefused = status >= 400 && status < 500 && !PASSING.includes(status);
  return isRefused ? EXIT.refused : EXIT.cannot;
}

function refusalOf({ status, problem, retryAfterS }: ProblemError): CommandError {
  const what =
    problem === null
      ? `the answer with status ${status} does not come from Tenure`
      : `${problem.code}: ${problem.detail}`;
  const after = retryAfterS ?? 0;
  const todo =
    status === 429 && after > 0
      ? `Repeat the command in ${after} s.`
      : adviceOn(status, problem?.code);
  const trace = problem?.traceId === undefined ? '' : ` (trace ${problem.traceId})`;
  return new CommandError(
    exitCodeOf(status),
    `${lineOf(what).replace(/\.?$/u, '.')} ${todo}${trace}`,
  );
}

function notReached(url: string, error: unknown): CommandError {
  const why = whyNoAnswer(error instanceof NoAnswerError ? error.cause : error, CALL_MS);
  const todo = 'Check that Tenure runs and that TENURE_API_URL is correct.';
  return new CommandError(EXIT.cannot, `no answer from the API at ${url}: ${why}. ${todo}`);
}

const rowsIn = (text: string): number => (JSON.parse(text) as readonly unknown[]).length;

/** Calls the API at `connection`. Redirects are not followed, because the token must not be sent to other addresses. */
export function apiAt({ url, token }: Connection): Api {
  const transport = createTransport({
    url,
    token,
    patienceMs: PATIENCE_MS,
    fetch: (address, init) => fetch(address, { ...init, redirect: 'error' }),
  });
  const answered = async <T>(
    asked: Call,
    read: (answer: Response) => Promise<T>,
    tryMs = CALL_MS,
  ): Promise<T> => {
    try {
      return await read(await transport.call({ ...asked, tryMs, repeats: 'limited' }));
    } catch (error) {
      throw error instanceof ProblemError ? refusalOf(error) : notReached(url, error);
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
      const next = nextPage(headers);
      if (next === null || left <= 0) return { texts, hasMore: next !== null };
      onPage?.(rows - left);
      query = next;
    }
    return { texts, hasMore: true };
  };
  async function* follow(query: EventsQuery): AsyncGenerator<Told | 'open' | 'lost', never> {
    try {
      return yield* followEvents(transport, query);
    } catch (error) {
      throw error instanceof ProblemError ? refusalOf(error) : error;
    }
  }
  return { call, file, list, follow };
}

/** Number of rows in a page. The API would refuse many more, and with fewer a long list would take long. */
const PAGE_ROWS = 500;
