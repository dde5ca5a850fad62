import { NoAnswerError, ProblemError, bodyOf, problemOf } from './problem.ts';

/* Sends calls with `fetch`, and repeats calls when that is safe. */

const TRY_MS = 60_000;
const PATIENCE_MS = 120_000;
const BACKOFF_MS = 250;
const BACKOFF_MS_MAX = 15_000;

export interface TransportOptions {
  /** The address of the API, such as `https://tenure.example.com`; empty for the page's own origin. */
  readonly url: string;
  /**
   * An access token, or a function that returns one. After a `401` the function is called again, and the call is
   * repeated if the function returns a different token.
   */
  readonly token?: string | (() => string | Promise<string>) | undefined;
  /** Returns the headers of each call, such as a CSRF token. */
  readonly headers?: ((method: string) => Readonly<Record<string, string>>) | undefined;
  /** Replaces the platform's `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** For how many milliseconds a call is repeated; `0`: never. @default 120000 */
  readonly patienceMs?: number | undefined;
}

export interface Call {
  readonly method: string;
  /** The path below the API's address, with a leading slash. */
  readonly path: string;
  readonly query?: URLSearchParams | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  /**
   * After which failures the call may be repeated. `limited`: only after a `429` with `Retry-After`, which means that
   * nothing was done. `passing`: after any temporary failure, which may leave open whether the call took effect. So
   * `passing` is only for reads, and for changes with a command ID.
   */
  readonly repeats: 'limited' | 'passing';
  /** Timeout of one try in milliseconds, including the answer's body. @default 60000 */
  readonly tryMs?: number | undefined;
}

export interface Transport {
  /** Sends the call once. @throws ProblemError; another error if there was no answer */
  once(call: Call): Promise<Response>;
  /**
   * Sends the call, and repeats it if that is safe.
   *
   * @throws ProblemError, NoAnswerError; the signal's reason if it was aborted
   */
  call(call: Call): Promise<Response>;
}

/** Waits for a time. Throws the signal's reason if it is aborted. */
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

/** Returns the wait before the next try. Half of it is random, so that many clients do not return at the same time. */
export const backoffMs = (tries: number): number =>
  Math.min(BACKOFF_MS * 2 ** tries, BACKOFF_MS_MAX) * (0.5 + Math.random() / 2);

/**
 * Returns a path of the API document with its parameters filled in.
 *
 * @throws TypeError if a parameter is absent, or is a dot segment, which would lead to another path
 */
export function fill(path: string, parameters: unknown = {}): string {
  const given = parameters as Readonly<Record<string, string | undefined>>;
  return path.replace(/\{(\w+)\}/gu, (_whole, name: string) => {
    const value = given[name];
    if (value === undefined || /^\.{0,2}$/u.test(value)) {
      throw new TypeError(`${path} needs ${name}`);
    }
    return encodeURIComponent(value);
  });
}

/** Returns query parameters without absent ones. A list becomes one parameter for each entry. */
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
