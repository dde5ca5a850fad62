import { causeText } from '../domain/error-text.ts';
import type { Json, JsonRecord } from '../domain/json.ts';
import { isJsonRecord, textAt } from '../domain/json.ts';
import type { WallClock } from '../app/ports/clocks.ts';
import type { Io } from '../app/ports/io.ts';
import type { AccessTokens, TokenAnswer } from '../app/ports/access-tokens.ts';
import type { OutgoingFetch } from './outgoing-fetch.ts';
import { AUTH_LIMITS } from './limits.ts';

export interface TokenSourceOptions {
  /** The URL, or a function that returns the URL for each request. */
  readonly tokenUrl: string | (() => Promise<string>);
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string;
  readonly audience?: string;
  readonly fetch: OutgoingFetch;
  readonly wallClock?: WallClock;
}

interface HeldToken {
  readonly token: string;
  readonly fetchedAtMs: number;
  readonly renewAtMs: number;
  readonly expiresAtMs: number;
}

/** Gets tokens with client credentials (RFC 6749, 4.4) and HTTP Basic. Concurrent callers share one request. */
export function createTokenSource(options: TokenSourceOptions): AccessTokens {
  const { wallClock = { nowMs: Date.now } } = options;
  let held: HeldToken | null = null;
  let failure: { readonly answer: TokenAnswer; readonly atMs: number } | null = null;
  let pending: Promise<TokenAnswer> | null = null;

  const fetchToken = async (): Promise<TokenAnswer> => {
    const atMs = wallClock.nowMs();
    const answer = await requestToken(options);
    if (answer.kind !== 'token') {
      failure = { answer, atMs: wallClock.nowMs() };
      return answer;
    }
    const { token, lifeMs } = answer;
    failure = null;
    held = {
      token,
      fetchedAtMs: atMs,
      renewAtMs: atMs + lifeMs - Math.min(AUTH_LIMITS.tokenRenewBeforeMs, lifeMs / 5),
      expiresAtMs: atMs + lifeMs - Math.min(AUTH_LIMITS.tokenExpiryMarginMs, lifeMs / 10),
    };
    return { kind: 'token', token };
  };

  const fetched = (): Promise<TokenAnswer> => {
    if (failure !== null && wallClock.nowMs() - failure.atMs < AUTH_LIMITS.tokenAskAgainMs) {
      return Promise.resolve(failure.answer);
    }
    pending ??= fetchToken().finally(() => {
      pending = null;
    });
    return pending;
  };

  const current = (io: Io): Promise<TokenAnswer> => {
    const nowMs = wallClock.nowMs();
    if (held === null || nowMs >= held.expiresAtMs) return within(io, fetched());
    // The current token is still valid, so no caller waits for the new one.
    if (nowMs >= held.renewAtMs) void fetched();
    return Promise.resolve({ kind: 'token', token: held.token });
  };

  return {
    current,
    renew: (rejected, io) => {
      const isHeld = held !== null && held.token === rejected;
      const isFresh =
        held !== null && wallClock.nowMs() - held.fetchedAtMs < AUTH_LIMITS.tokenAskAgainMs;
      if (isHeld && !isFresh) held = null;
      return current(io);
    },
  };
}

/**
 * For shared-secret mode: always returns one token, which was created outside Tenure and never expires. It is returned
 * even after the participant has rejected it.
 */
export function createStaticTokenSource(token: string): AccessTokens {
  const answer = Promise.resolve<TokenAnswer>({ kind: 'token', token });
  return { current: () => answer, renew: () => answer };
}

type Granted = { readonly kind: 'token'; readonly token: string; readonly lifeMs: number };
type NotGranted = Exclude<TokenAnswer, { kind: 'token' }>;

async function requestToken(options: TokenSourceOptions): Promise<Granted | NotGranted> {
  const { clientId, clientSecret, scope, audience } = options;
  const body = new URLSearchParams({ grant_type: 'client_credentials', scope });
  if (audience !== undefined) body.set('audience', audience);
  const credentials = `${formEncoded(clientId)}:${formEncoded(clientSecret)}`;
  let at = 'the token endpoint';
  try {
    at = typeof options.tokenUrl === 'string' ? options.tokenUrl : await options.tokenUrl();
    const response = await options.fetch(at, {
      method: 'POST',
      redirect: 'error',
      headers: {
        accept: 'application/json',
        authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: body.toString(),
    });
    return readAnswer(response.status, await response.text());
  } catch (error) {
    return { kind: 'unreachable', detail: `${at}: ${causeText(error)}` };
  }
}

/** Parses the answer of a token endpoint (RFC 6749, 5.1 and 5.2). */
function readAnswer(status: number, text: string): Granted | NotGranted {
  const body = parsed(text);
  if (status === 200) {
    const token = textAt(body, 'access_token');
    if (token !== undefined && token !== '') {
      return { kind: 'token', token, lifeMs: lifeMsOf(body['expires_in']) };
    }
    return { kind: 'unreachable', detail: 'the token endpoint answered without a token' };
  }
  const said = [textAt(body, 'error'), textAt(body, 'error_description')].filter((part) => part);
  const detail = [`the token endpoint answered ${status}`, ...said].join(': ');
  const isRefusal = status >= 400 && status < 500 && status !== 408 && status !== 429;
  return { kind: isRefusal ? 'refused' : 'unreachable', detail };
}

function lifeMsOf(expiresIn: Json | undefined): number {
  const seconds = Number(expiresIn ?? Number.NaN);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : AUTH_LIMITS.tokenLifeMsDefault;
}

function parsed(text: string): JsonRecord {
  try {
    const value = JSON.parse(text) as Json;
    return isJsonRecord(value) ? value : {};
  } catch {
    return {}; // The text may be a proxy's error page: the status says enough.
  }
}

/** Encodes the client's ID or secret as a form value, as required before both are joined (RFC 6749, 2.3.1). */
const formEncoded = (text: string): string => new URLSearchParams({ v: text }).toString().slice(2);

/** Resolves at the latest at the caller's deadline; the request continues for the other callers that share it. */
async function within(io: Io, answer: Promise<TokenAnswer>): Promise<TokenAnswer> {
  const { promise, resolve } = Promise.withResolvers<TokenAnswer>();
  const giveUp = (): void => {
    resolve({ kind: 'unreachable', detail: 'no token before the call had to end' });
  };
  if (io.signal.aborted) giveUp();
  io.signal.addEventListener('abort', giveUp, { once: true });
  const timer = setTimeout(giveUp, io.deadlineMs);
  try {
    return await Promise.race([answer, promise]);
  } finally {
    clearTimeout(timer);
    io.signal.removeEventListener('abort', giveUp);
  }
}
