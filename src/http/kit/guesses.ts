import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HTTP_LIMITS } from '../limits.ts';
import { LIMITS } from '../../domain/limits.ts';
import { ProblemError, fail } from '../../domain/problems.ts';
import type { ToldPolicy } from './rate-fields.ts';
import { tellRetry } from './rate-fields.ts';
import { addressOf } from './rate-limits.ts';

/*
 * Whoever is not let in is limited before anything is asked: a guessed session costs a query that everybody waits for,
 * a forged token a signature check.
 */

declare module 'fastify' {
  interface FastifyInstance {
    readonly guesses: Guesses;
  }
}

/** Failures, and checks under way. */
interface Count {
  failures: number;
  checking: number;
}

/** One address, from its first failure on, or while something of it is being checked. */
interface Guesser extends Count {
  /** When its failures are forgotten. */
  endsMs: number;
  /** The same by issuer of what was presented. */
  readonly issuers: Map<string, Count>;
  /** Told whenever a check ends. */
  readonly waiting: Set<() => void>;
}

interface GuessOf {
  readonly address: string;
  readonly issuer: string | null;
}

/** A count with its limit. */
interface Limited {
  readonly count: Count;
  readonly most: number;
}

interface Admitted {
  readonly guesser: Guesser;
  readonly counts: readonly Limited[];
}

/** Of the address's limit one issuer may have half: its bad tokens, and its silence, leave room for other issuers. */
function countsOf(guesser: Guesser, issuer: string | null, max: number): readonly Limited[] {
  const all = { count: guesser, most: max };
  if (issuer === null) return [all];
  const count = guesser.issuers.get(issuer) ?? { failures: 0, checking: 0 };
  guesser.issuers.set(issuer, count);
  return [all, { count, most: Math.ceil(max / 2) }];
}

/** Entries in the order of their last use; the oldest makes room. */
function keep<Entry>(entries: Map<string, Entry>, key: string, entry: Entry, max: number): void {
  entries.delete(key);
  entries.set(key, entry);
  if (entries.size <= max) return;
  const oldest = entries.keys().next();
  if (oldest.done !== true) entries.delete(oldest.value);
}

/** The address has failed too often. */
class TooManyGuesses extends Error {
  override readonly name = 'TooManyGuesses';
  readonly max: number;
  readonly afterMs: number;
  constructor(max: number, afterMs: number) {
    super(`nothing is checked for ${afterMs} ms`);
    this.max = max;
    this.afterMs = afterMs;
  }
}

/**
 * Failed authentications by address. No more are under way at a time than may still fail, so that a thousand at once
 * are not more than as many one after the other; those beyond wait for their turn.
 *
 * What was found genuine within the last minute is not held up by what its address has failed: many may share one.
 */
export class Guesses {
  readonly #max: number | null;
  readonly #nowMs: () => number;
  readonly #guessers = new Map<string, Guesser>();
  /** Until when, by the hashes of credentials. */
  readonly #genuine = new Map<string, number>();

  /**
   * @param max failures of one address in a minute; `null`: any number
   * @param nowMs a clock that does not go back
   */
  constructor(max: number | null, nowMs: () => number = () => performance.now()) {
    this.#max = max;
    this.#nowMs = nowMs;
  }

  /**
   * Checks a credential.
   *
   * @param issuer who is said to have issued it; `null`: nobody is. Anybody may say any issuer
   * @param credential what was presented; `null` where the same words may be said by anybody
   * @param check resolves with `null` when it is not genuine; a rejection says nothing of it, unless `isRefusal`
   * @throws TooManyGuesses
   */
  async checked<Found>(
    address: string,
    issuer: string | null,
    credential: string | null,
    check: () => Promise<Found | null>,
    isRefusal: (error: unknown) => boolean,
  ): Promise<Found | null> {
    if (this.#max === null) return check();
    const of = { address, issuer };
    const key = credential === null ? null : hash('sha256', credential, 'base64');
    if (key !== null && (this.#genuine.get(key) ?? 0) > this.#nowMs()) {
      return this.#settled(of, key, check, isRefusal);
    }
    const { guesser, counts } = await this.#admitted(of, this.#max);
    try {
      return await this.#settled(of, key, check, isRefusal);
    } finally {
      for (const { count } of counts) count.checking -= 1;
      for (const wake of guesser.waiting) wake();
      guesser.waiting.clear();
    }
  }

  /** Is genuine, as was found elsewhere: it was made here, or has been checked for a request that still goes on. */
  found(credential: string): void {
    if (this.#max !== null) this.#trust(hash('sha256', credential, 'base64'));
  }

  async #settled<Found>(
    of: GuessOf,
    key: string | null,
    check: () => Promise<Found | null>,
    isRefusal: (error: unknown) => boolean,
  ): Promise<Found | null> {
    try {
      const found = await check();
      if (found === null) this.#failed(of, key);
      else if (key !== null) this.#trust(key);
      return found;
    } catch (error) {
      if (isRefusal(error)) this.#failed(of, key);
      throw error;
    }
  }

  async #admitted(of: GuessOf, max: number): Promise<Admitted> {
    for (;;) {
      const guesser = this.#guesser(of.address);
      const counts = countsOf(guesser, of.issuer, max);
      const leftMs = guesser.endsMs - this.#nowMs();
      if (counts.some(({ count, most }) => count.failures >= most))
        throw new TooManyGuesses(max, leftMs);
      if (counts.every(({ count, most }) => count.checking < most - count.failures)) {
        // At once: whoever is admitted at the same moment must see it.
        for (const { count } of counts) count.checking += 1;
        return { guesser, counts };
      }
      await new Promise<void>((resolve) => guesser.waiting.add(resolve));
    }
  }

  #guesser(address: string): Guesser {
    const known = this.#guessers.get(address);
    const nowMs = this.#nowMs();
    const guesser: Guesser = known ?? {
      failures: 0,
      endsMs: 0,
      checking: 0,
      issuers: new Map(),
      waiting: new Set(),
    };
    if (guesser.endsMs <= nowMs) {
      guesser.failures = 0;
      for (const [issuer, count] of guesser.issuers) {
        count.failures = 0;
        if (count.checking === 0) guesser.issuers.delete(issuer);
      }
      guesser.endsMs = nowMs + HTTP_LIMITS.rateWindowMs;
    }
    keep(this.#guessers, address, guesser, HTTP_LIMITS.rateKeysMax);
    return guesser;
  }

  #failed({ address, issuer }: GuessOf, key: string | null): void {
    if (key !== null) this.#genuine.delete(key);
    for (const { count } of countsOf(this.#guesser(address), issuer, 0)) count.failures += 1;
  }

  #trust(key: string): void {
    keep(this.#genuine, key, this.#nowMs() + HTTP_LIMITS.genuineMs, LIMITS.tokensMax);
  }
}

const isUnauthenticated = (error: unknown): boolean =>
  error instanceof ProblemError && error.details.code === 'UNAUTHENTICATED';

/**
 * Sessions are counted apart from tokens and names: bad sessions of an address hold up no genuine token that this
 * process has not seen yet.
 */
type CredentialKind = 'session' | 'token';

/** The policy's name in the fields of a refusal. */
const FAILURES = 'failed-authentications';

/** Who a token says has issued it, unproven; `null`: it is no token. */
function issuerIn(authorization: string): string | null {
  const [, claims = ''] = authorization.split('.');
  try {
    const { iss } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { iss?: unknown };
    return typeof iss === 'string' ? iss.slice(0, HTTP_LIMITS.issuerCharsMax) : null;
  } catch {
    return null;
  }
}

/**
 * Checks what a request has presented, unless its address has failed too often.
 *
 * @throws ProblemError `RATE_LIMITED`
 */
export async function checkCredential<Found>(
  request: FastifyRequest,
  reply: FastifyReply,
  kind: CredentialKind,
  credential: string | null,
  check: () => Promise<Found | null>,
  isRefusal: (error: unknown) => boolean = isUnauthenticated,
): Promise<Found | null> {
  const { guesses } = request.server;
  try {
    const guesser = `${kind} ${addressOf(request)}`;
    const issuer = kind === 'token' && credential !== null ? issuerIn(credential) : null;
    return await guesses.checked(guesser, issuer, credential, check, isRefusal);
  } catch (error) {
    if (!(error instanceof TooManyGuesses)) throw error;
    const told: ToldPolicy = { policy: FAILURES, quota: error.max, unit: 'requests' };
    const afterS = tellRetry(reply, [told], FAILURES, error.afterMs);
    return fail(
      'RATE_LIMITED',
      `too many authentications of this address have failed; the next is checked in ${afterS} s`,
    );
  }
}
