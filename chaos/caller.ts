import { setTimeout as sleep } from 'node:timers/promises';
import { fetchToken } from '../cli/commands/token.ts';
import type { LocalnetAddresses } from '../src/main/run-state.ts';

export type Who = 'provider' | 'user' | 'operator';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- the caller knows the type of the answer
  readonly body: any;
}

/** The final answer to an operation. The caller has repeated the request until it got this answer. */
export interface Operated extends Answer {
  /** How often the request was sent, always with the same command ID. */
  readonly sent: number;
  /** The time from the first request to the answer, in milliseconds. */
  readonly tookMs: number;
  /** When the answer came, in milliseconds since 1970. All processes of a chaos run use the same clock. */
  readonly answeredMs: number;
}

/**
 * A well-behaved caller: it repeats each request that was not answered, with the same command ID, until it gets an
 * answer.
 */
export interface Caller {
  /** @throws Error if no answer comes in time, or if the signal is aborted */
  operate(who: Who, path: string, body: object, commandId: string): Promise<Operated>;
  /** Sends one request, and repeats it as long as no process serves it. */
  get(who: Who, path: string): Promise<Answer>;
  /** Sends a request with a body until it is accepted. The caller must tolerate that it may take effect twice. */
  ask(who: Who, method: 'POST' | 'PUT', path: string, body: object): Promise<Answer>;
  tokenOf(who: Who): Promise<string>;
}

export interface CallerOptions {
  /** Returns the API's current address. */
  readonly apiUrl: () => string;
  readonly addresses: () => LocalnetAddresses;
  readonly signal: AbortSignal;
  /** The time limit of a request, which is also the time for which the API may wait for a result, in milliseconds. */
  readonly requestMs?: number;
  readonly waitMs?: number;
  /** How long an operation is repeated before the caller gives up, in milliseconds. */
  readonly giveUpMs?: number;
}

const REQUEST_MS = 15_000;
const WAIT_MS = 5_000;
/**
 * The default for `giveUpMs`. A participant may be unreachable for two minutes, and it takes more than another minute
 * until record time proves that the last attempt had no effect.
 */
const GIVE_UP_MS = 360_000;
const AGAIN_MS = 150;
/** The age at which a token is replaced by a new one. Tokens are valid for five minutes. */
const TOKEN_AGE_MS_MAX = 240_000;

/** Returns whether the request must be repeated because it cannot be served at present. */
const isNotNow = (status: number): boolean =>
  status === 401 || status === 429 || status === 502 || status === 503;
/**
 * Returns whether the request must be repeated, because it cannot be served at present or because its result is not
 * known yet.
 */
const isNotYet = (status: number): boolean => status === 202 || isNotNow(status);

interface Asked {
  readonly who: Who;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly body?: object;
  readonly prefer: string;
}

/** Creates a caller that has the credentials of LocalNet's public demo users. */
export function createCaller(options: CallerOptions): Caller {
  const { signal, requestMs = REQUEST_MS, waitMs = WAIT_MS } = options;
  const tokens = new Map<Who, { readonly token: string; readonly atMs: number }>();

  async function tokenOf(who: Who): Promise<string> {
    const known = tokens.get(who);
    if (known !== undefined && performance.now() - known.atMs < TOKEN_AGE_MS_MAX)
      return known.token;
    const token = await fetchToken(options.addresses(), who);
    tokens.set(who, { token, atMs: performance.now() });
    return token;
  }

  async function once({ who, method, path, body, prefer }: Asked): Promise<Answer> {
    const answer = await fetch(`${options.apiUrl()}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${await tokenOf(who)}`,
        prefer,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(requestMs)]),
    });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.includes('json') === true;
    if (answer.status === 401) tokens.delete(who);
    return {
      status: answer.status,
      headers: answer.headers,
      body: isJson && text !== '' ? JSON.parse(text) : text,
    };
  }

  /** Repeats a request until the answer is final. */
  async function insist(asked: Asked, isToRepeat: (status: number) => boolean): Promise<Operated> {
    const began = performance.now();
    const giveUpMs = began + (options.giveUpMs ?? GIVE_UP_MS);
    let last = 'no request was answered';
    for (let sent = 1; performance.now() < giveUpMs; sent += 1) {
      signal.throwIfAborted();
      try {
        const answer = await once(asked);
        if (!isToRepeat(answer.status)) {
          return { ...answer, sent, tookMs: performance.now() - began, answeredMs: Date.now() };
        }
        last = `${answer.status} ${JSON.stringify(answer.body).slice(0, 2_000)}`;
      } catch (error) {
        signal.throwIfAborted();
        last = String(error);
      }
      await sleep(AGAIN_MS, undefined, { signal });
    }
    throw new Error(`${asked.method} ${asked.path} had no answer in time; the last one: ${last}`);
  }

  const prefer = `wait=${waitMs / 1_000}`;
  return {
    tokenOf,
    operate: (who, path, body, commandId) => {
      const named = `${path}?commandId=${encodeURIComponent(commandId)}`;
      return insist({ who, method: 'POST', path: named, body, prefer }, isNotYet);
    },
    get: (who, path) => insist({ who, method: 'GET', path, prefer }, isNotYet),
    ask: (who, method, path, body) =>
      insist({ who, method, path, body, prefer: 'respond-async' }, isNotNow),
  };
}
