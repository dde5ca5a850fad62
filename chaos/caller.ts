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

/** The answer to one operation, repeated until the caller has it. */
export interface Operated extends Answer {
  /** How often it was sent, always under the same command ID. */
  readonly sent: number;
  /** Time from the first request to the answer, milliseconds. */
  readonly tookMs: number;
  /** When the answer came, milliseconds since 1970: all processes of a chaos have one clock. */
  readonly answeredMs: number;
}

/** A caller as one should be: it repeats what it has no answer to, under the same command ID, until it has one. */
export interface Caller {
  /** @throws Error when there is no answer in time, or the signal fires */
  operate(who: Who, path: string, body: object, commandId: string): Promise<Operated>;
  /** Sends one request, and repeats it while no process serves it. */
  get(who: Who, path: string): Promise<Answer>;
  /** Sends a request with a body until it is accepted. Its effect may happen twice, which the caller must tolerate. */
  ask(who: Who, method: 'POST' | 'PUT', path: string, body: object): Promise<Answer>;
  tokenOf(who: Who): Promise<string>;
}

export interface CallerOptions {
  /** The API's address at this moment. */
  readonly apiUrl: () => string;
  readonly addresses: () => LocalnetAddresses;
  readonly signal: AbortSignal;
  /** How long a request may take, and how long the API is asked to wait, milliseconds. */
  readonly requestMs?: number;
  readonly waitMs?: number;
  /** How long an operation is repeated. */
  readonly giveUpMs?: number;
}

const REQUEST_MS = 15_000;
const WAIT_MS = 5_000;
/**
 * Two minutes without a participant, and a minute and more until record time proves what the last attempt did not
 * become.
 */
const GIVE_UP_MS = 360_000;
const AGAIN_MS = 150;
/** They are good for five minutes. */
const TOKEN_AGE_MS_MAX = 240_000;

/** Answers that say: not now. */
const isNotNow = (status: number): boolean =>
  status === 401 || status === 429 || status === 502 || status === 503;
/** And: not yet. */
const isNotYet = (status: number): boolean => status === 202 || isNotNow(status);

interface Asked {
  readonly who: Who;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly body?: object;
  readonly prefer: string;
}

/** Makes a caller that knows the public demo users of LocalNet. */
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

  /** Repeats until there is an answer that is one. */
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
