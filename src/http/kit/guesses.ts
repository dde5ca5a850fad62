import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HTTP_LIMITS } from '../limits.ts';
import { LIMITS } from '../../domain/limits.ts';
import { ProblemError, fail } from '../../domain/problems.ts';
import { keep } from './holders.ts';
import { tellRetry } from './tenant-limits.ts';
import { addressOf } from './rate-limits.ts';

/**
 * Returns the issuer that a bearer token claims, unchecked; empty if it claims none. Concurrent checks that wait for an
 * issuer are counted by this name.
 */
function claimedIssuer(authorization: string): string {
  const [, payload = '', signature] = authorization.split('.', 3);
  if (signature === undefined) return '';
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const issuer = (claims as { readonly iss?: unknown } | null)?.iss;
    return typeof issuer === 'string' ? issuer.slice(0, HTTP_LIMITS.claimedIssuerCharsMax) : '';
  } catch {
    return '';
  }
}

/*
 * An address with failed authentications is limited before its next credential is checked: looking up a guessed session
 * takes a query that delays others, and a forged token takes a signature check.
 */

declare module 'fastify' {
  interface FastifyInstance {
    readonly guesses: Guesses;
  }
}

/**
 * The counts of one address, kept from its first failure or while one of its credentials is being checked; also the
 * counts of an issuer or registration within the address.
 */
interface Guesser {
  failures: number;
  /** Checks that ended without a result, because the issuer's keys could not be read. */
  unjudged: number;
  /** When the counts are reset. */
  endsMs: number;
  checking: number;
  /** Functions that are called when a check ends. */
  readonly waiting: Set<() => void>;
}

/** Thrown if the address has failed too often, or its issuer was unavailable too often. */
class TooManyGuesses extends Error {
  override readonly name = 'TooManyGuesses';
  readonly max: number;
  readonly afterMs: number;
  constructor(max: number, afterMs: number, why: string) {
    super(why);
    this.max = max;
    this.afterMs = afterMs;
  }
}

const FAILURES = 'failed-authentications';
const HAVE_FAILED = 'too many authentications of this address have failed';
const UNJUDGED = 'too many tokens of this address could not be checked';

const isUnjudged = (error: unknown): boolean =>
  error instanceof ProblemError && error.details.code === 'AUTHORIZATION_SERVER_UNAVAILABLE';

const placeOf = (address: string, issuer: string): string =>
  issuer === '' ? address : `${address} ${issuer}`;

/**
 * Counts failed authentications by address and, within an address, by issuer. Tokens of one issuer may use up half of
 * an address's failures, so that tokens of other issuers are still checked if several clients share the address.
 *
 * Only as many checks run concurrently as failures are left, so that a thousand concurrent guesses achieve no more than
 * sequential ones; further checks wait for their turn. Each address and issuer has its own turns, so an unresponsive
 * issuer does not delay tokens of other issuers.
 *
 * A credential that was verified within the last minute is exempt from the limit of its address, because others may
 * share the address.
 */
export class Guesses {
  readonly #max: number | null;
  readonly #nowMs: () => number;
  readonly #guessers = new Map<string, Guesser>();
  /** When each exemption ends, by the hash of the verified credential. */
  readonly #genuine = new Map<string, number>();

  /**
   * @param max failures that one address may have in a minute; `null`: no limit
   * @param nowMs a clock that does not go back
   */
  constructor(max: number | null, nowMs: () => number = () => performance.now()) {
    this.#max = max;
    this.#nowMs = nowMs;
  }

  /**
   * Checks a credential.
   *
   * @param issuer the authorization server for which the check may have to wait; empty: none
   * @param credential the presented credential; `null` if different clients may present the same one
   * @param check resolves with `null` for an invalid credential. A rejection counts as a failure only if `isRefusal`
   *   says so. A check without a result, because an authorization server did not answer, has a limit of its own.
   * @throws TooManyGuesses
   */
  async checked<Found>(
    address: string,
    issuer: string,
    credential: string | null,
    check: () => Promise<Found | null>,
    isRefusal: (error: unknown) => boolean,
  ): Promise<Found | null> {
    if (this.#max === null) return check();
    const key = credential === null ? null : hash('sha256', credential, 'base64');
    const placeKey = placeOf(address, issuer);
    const settled = () => this.#settled(address, placeKey, key, check, isRefusal);
    if (key !== null && (this.#genuine.get(key) ?? 0) > this.#nowMs()) return settled();
    const place = await this.#admitted(address, placeKey, this.#max);
    try {
      return await settled();
    } catch (error) {
      if (isUnjudged(error)) this.#guesser(placeKey).unjudged += 1;
      throw error;
    } finally {
      place.checking -= 1;
      for (const wake of place.waiting) wake();
      place.waiting.clear();
    }
  }

  /** Records a credential as verified: Tenure has just issued it, or has checked it again for an open request. */
  found(credential: string): void {
    if (this.#max !== null) this.#trust(hash('sha256', credential, 'base64'));
  }

  /** Whether the credential was verified within the last minute. */
  isGenuine(credential: string): boolean {
    if (this.#max === null) return true;
    return (this.#genuine.get(hash('sha256', credential, 'base64')) ?? 0) > this.#nowMs();
  }

  async #settled<Found>(
    address: string,
    placeKey: string,
    key: string | null,
    check: () => Promise<Found | null>,
    isRefusal: (error: unknown) => boolean,
  ): Promise<Found | null> {
    try {
      const found = await check();
      if (found === null) this.#failed(address, placeKey, key);
      else if (key !== null) this.#trust(key);
      return found;
    } catch (error) {
      if (isRefusal(error)) this.#failed(address, placeKey, key);
      throw error;
    }
  }

  async #admitted(address: string, placeKey: string, max: number): Promise<Guesser> {
    const ofPlace = placeKey === address ? max : Math.ceil(max / 2);
    for (;;) {
      const { failures, endsMs } = this.#guesser(address);
      if (failures >= max) throw new TooManyGuesses(max, endsMs - this.#nowMs(), HAVE_FAILED);
      const place = this.#guesser(placeKey);
      const afterMs = place.endsMs - this.#nowMs();
      if (place.failures >= ofPlace) throw new TooManyGuesses(ofPlace, afterMs, HAVE_FAILED);
      if (place.unjudged >= max) throw new TooManyGuesses(max, afterMs, UNJUDGED);
      const left = [max - failures, ofPlace - place.failures, max - place.unjudged];
      if (place.checking < Math.min(...left)) {
        // Increments synchronously, so that requests that are admitted at the same time see the new count.
        place.checking += 1;
        return place;
      }
      await new Promise<void>((resolve) => place.waiting.add(resolve));
    }
  }

  #guesser(address: string): Guesser {
    const known = this.#guessers.get(address);
    const nowMs = this.#nowMs();
    const fresh = {
      failures: 0,
      unjudged: 0,
      endsMs: 0,
      checking: 0,
      waiting: new Set<() => void>(),
    };
    const guesser = known ?? fresh;
    if (guesser.endsMs <= nowMs) {
      guesser.failures = 0;
      guesser.unjudged = 0;
      guesser.endsMs = nowMs + HTTP_LIMITS.rateWindowMs;
    }
    keep(this.#guessers, address, guesser, HTTP_LIMITS.rateKeysMax);
    return guesser;
  }

  #failed(address: string, placeKey: string, key: string | null): void {
    if (key !== null) this.#genuine.delete(key);
    this.#guesser(address).failures += 1;
    if (placeKey !== address) this.#guesser(placeKey).failures += 1;
  }

  #trust(key: string): void {
    keep(this.#genuine, key, this.#nowMs() + HTTP_LIMITS.genuineMs, LIMITS.tokensMax);
  }
}

const isUnauthenticated = (error: unknown): boolean =>
  error instanceof ProblemError && error.details.code === 'UNAUTHENTICATED';

/**
 * Sessions and licence keys are counted separately from tokens and names, so that invalid sessions of an address do not
 * block a valid token that this process has not seen yet.
 */
type CredentialKind = 'session' | 'token' | 'license-key';

/** Checks a request's credential, unless its address has failed too often. @throws ProblemError `RATE_LIMITED` */
export async function checkCredential<Found>(
  request: FastifyRequest,
  reply: FastifyReply,
  kind: CredentialKind,
  credential: string | null,
  check: () => Promise<Found | null>,
  isRefusal: (error: unknown) => boolean = isUnauthenticated,
  issuer = kind === 'token' && credential !== null ? claimedIssuer(credential) : '',
): Promise<Found | null> {
  const { guesses } = request.server;
  try {
    const guesser = `${kind} ${addressOf(request)}`;
    return await guesses.checked(guesser, issuer, credential, check, isRefusal);
  } catch (error) {
    if (!(error instanceof TooManyGuesses)) throw error;
    const told = { policy: FAILURES, quota: error.max, unit: 'requests' } as const;
    const afterS = tellRetry(reply, [told], FAILURES, error.afterMs);
    return fail('RATE_LIMITED', `${error.message}; the next is checked in ${afterS} s`);
  }
}
