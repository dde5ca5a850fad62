import { NoAnswerError, ProblemError, bodyOf, problemOf } from './problem.ts';

/* Sends calls with `fetch`, and repeats those that may be repeated. */

const TRY_MS = 60_000;
const PATIENCE_MS = 120_000;
const BACKOFF_MS = 250;
const BACKOFF_MS_MAX = 15_000;

export interface TransportOptions {
  /** Address of the API, such as `https://tenure.example.com`; empty for the page's own origin. */
  readonly url: string;
  /**
   * An access token, or a function that returns one. After a `401` the function is called again, and the call is
   * repeated if the token is another one.
   */
  readonly token?: string | (() => string | Promise<string>) | undefined;
  /** Headers of each call, such as a CSRF token. */
  readonly headers?: ((method: string) => Readonly<Record<string, string>>) | undefined;
  /** Replaces the platform's `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** Milliseconds during which a call is repeated; `0` for never. @default 120000 */
  readonly patienceMs?: number | undefined;
}

/** A call as it is sent. */
export interface Call {
  readonly method: string;
  /** With its slash, below the address of the API. */
  readonly path: string;
  readonly query?: URLSearchParams | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  /**
   * Which failures let the call be repeated. After a `429` with `Retry-After` (`limited`) nothing was done. A `passing`
   * failure says nothing about the call: for reads, and for changes with a command ID.
   */
  readonly repeats: 'limited' | 'passing';
  /** Milliseconds of one try, with its answer's body. @default 60000 */
  readonly tryMs?: number | undefined;
}

export interface Transport {
  /** One try. @throws ProblemError; another error if no answer came */
  once(call: Call): Promise<Response>;
  /** @throws ProblemError, NoAnswerError; the signal's reason if it was aborted */
  call(call: Call): Promise<Response>;
}

/** Waits, or throws the signal's reason. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      if (signal?.aborted === true) reject(signal.reason as Error);
      else resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
    if (signal?.aborted === true) done();
  });
}

/** Half of it at random, so that many clients do not come back at once. */
export const backoffMs = (tries: number): number =>
  Math.min(BACKOFF_MS * 2 ** tries, BACKOFF_MS_MAX) * (0.5 + Math.random() / 2);

/** An address of the document with its path parameters in place. @throws TypeError if one is absent */
export function fill(path: string, parameters: unknown = {}): string {
  const given = parameters as Readonly<Record<string, string | undefined>>;
  return path.replace(/\{(\w+)\}/gu, (_whole, name: string) => {
    const value = given[name];
    if (value === undefined || value === '') throw new TypeError(`${path} needs ${name}`);
    return encodeURIComponent(value);
  });
}

/** Query parameters without those that are absent; a list is given as one parameter for each entry. */
export function queryOf(parameters: unknown = {}): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters as object)) {
    if (value === undefined || value === null) continue;
    for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) {
      query.append(name, String(one));
    }
  }
  return query;
}

const isRepeatable = ({ repeats }: Call, error: unknown): boolean =>
  error instanceof ProblemError
    ? (error.status === 429 && error.retryAfterS !== null) ||
      (repeats === 'passing' && error.isPassing)
    : repeats === 'passing';

function limitOf({ tryMs = TRY_MS, signal }: Call): AbortSignal | null {
  if (tryMs === Infinity) return signal ?? null;
  const limit = AbortSignal.timeout(tryMs);
  return signal === undefined ? limit : AbortSignal.any([signal, limit]);
}

const addressOf = (url: string, { path, query }: Call): string => {
  const text = query?.toString() ?? '';
  return text === '' ? `${url}${path}` : `${url}${path}?${text}`;
};

export function createTransport(options: TransportOptions): Transport {
  const { token, headers = () => ({}), patienceMs = PATIENCE_MS } = options;
  const url = options.url.replace(/\/+$/u, '');
  const fetchNow = options.fetch ?? ((...asked: Parameters<typeof fetch>) => fetch(...asked));
  const tokenNow = async (): Promise<string | undefined> =>
    typeof token === 'function' ? token() : token;
  const send = (call: Call, bearer: string | undefined): Promise<Response> => {
    const { method, body } = call;
    return fetchNow(addressOf(url, call), {
      method,
      headers: {
        accept: 'application/json, application/problem+json',
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers(method),
        ...call.headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: limitOf(call),
    });
  };
  const once: Transport['once'] = async (call) => {
    const bearer = await tokenNow();
    let response = await send(call, bearer);
    if (response.status === 401 && typeof token === 'function') {
      const other = await tokenNow();
      if (other !== bearer) {
        await response.body?.cancel();
        response = await send(call, other);
      }
    }
    if (response.ok || response.status === 304) return response;
    throw problemOf(response, await bodyOf(response));
  };
  const call: Transport['call'] = async (asked) => {
    const untilMs = Date.now() + patienceMs;
    for (let tries = 0; ; tries += 1) {
      try {
        return await once(asked);
      } catch (error) {
        asked.signal?.throwIfAborted();
        const askedS = error instanceof ProblemError ? error.retryAfterS : null;
        const waitMs = Math.max((askedS ?? 0) * 1_000, backoffMs(tries));
        if (!isRepeatable(asked, error) || Date.now() + waitMs > untilMs) {
          if (error instanceof ProblemError) throw error;
          throw new NoAnswerError(`no answer from ${url}${asked.path}`, { cause: error });
        }
        await sleep(waitMs, asked.signal);
      }
    }
  };
  return { once, call };
}
