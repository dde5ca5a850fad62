import type { WallClock } from '../app/ports/clocks.ts';
import type { Io, Log } from '../app/ports/io.ts';
import type { SessionStore, SignIn, StoredSession } from '../app/callers/sign-in.ts';
import { SignInRefusedError } from '../app/callers/sign-in.ts';
import { ProblemError } from '../domain/problems.ts';
import { AUTH_LIMITS } from './limits.ts';

export interface SessionRightsOptions {
  readonly store: SessionStore;
  readonly signIn: Pick<SignIn, 'renew' | 'isTrusted'>;
  readonly wallClock: WallClock;
  readonly log: Log;
}

/**
 * Keeps the rights of a session up to date: they are at most a minute older than at the authorization server. While a
 * session is in use, its rights are read again in the background, and a request waits if they are too old. A session
 * without a refresh token keeps the rights that it had at login.
 */
export class SessionRights {
  readonly #options: SessionRightsOptions;
  /** Running checks by the hash of the session: this process runs at most one check for each session. */
  readonly #checks = new Map<string, Promise<StoredSession | null>>();

  constructor(options: SessionRightsOptions) {
    this.#options = options;
  }

  /**
   * Returns the session with its current rights, or `null` if the authorization server refuses to renew them.
   *
   * @throws ProblemError `AUTHORIZATION_SERVER_UNAVAILABLE` if the rights could not be read for several minutes
   */
  async current(session: StoredSession): Promise<StoredSession | null> {
    const ageMs = this.#options.wallClock.nowMs() - session.checkedAtMs;
    if (!isRenewable(session) || ageMs < AUTH_LIMITS.rightsFreshMs) return session;
    const check = this.#check(session);
    if (ageMs < AUTH_LIMITS.rightsWaitMs) {
      check.catch(() => undefined);
      return session;
    }
    try {
      return await check;
    } catch (error) {
      if (ageMs < AUTH_LIMITS.rightsAgeMsMax && error instanceof ProblemError) return session;
      throw error;
    }
  }

  /**
   * Starts a read of the rights if one is due, without waiting for the answer.
   *
   * @returns false if the rights are too old to answer requests
   */
  isCurrent(session: StoredSession): boolean {
    const ageMs = this.#options.wallClock.nowMs() - session.checkedAtMs;
    if (!isRenewable(session) || ageMs < AUTH_LIMITS.rightsFreshMs) return true;
    this.#check(session).catch(() => undefined);
    return ageMs < AUTH_LIMITS.rightsAgeMsMax;
  }

  #check(session: StoredSession): Promise<StoredSession | null> {
    const key = session.idHash.toString('hex');
    const running = this.#checks.get(key);
    if (running !== undefined) return running;
    const check = this.#read(session).finally(() => this.#checks.delete(key));
    this.#checks.set(key, check);
    return check;
  }

  /**
   * Reads the rights of a session from the authorization server, and stores them.
   *
   * @returns the unchanged session if another process is reading its rights
   */
  async #read(session: StoredSession): Promise<StoredSession | null> {
    const { store, signIn, wallClock, log } = this.#options;
    const { idHash, checkedAtMs } = session;
    const beganAtMs = wallClock.nowMs();
    const times = { checkedAtMs, beganAtMs, staleMs: AUTH_LIMITS.rightsClaimMs };
    if (!(await store.beginCheck(idHash, times, ownIo()))) return session;
    try {
      const identity = await signIn.renew(session.identity);
      await store.renew(idHash, identity, beganAtMs, ownIo());
      return { ...session, identity, checkedAtMs: beganAtMs };
    } catch (error) {
      if (!(error instanceof SignInRefusedError)) {
        log.warn({ reason: String(error) }, 'the rights of a session cannot be read');
        throw error;
      }
      log.info({ reason: error.message }, 'a session ends with its rights');
      await store.remove(idHash, ownIo());
      return null;
    }
  }
}

const isRenewable = ({ identity }: StoredSession): boolean => identity.login?.refreshToken != null;

/**
 * Returns a deadline for a check of rights, independent of the request that began the check: the check has used a
 * refresh token, and must store the new one even if that request ends.
 */
const ownIo = (): Io => ({
  signal: AbortSignal.timeout(AUTH_LIMITS.rightsClaimMs),
  deadlineMs: AUTH_LIMITS.rightsClaimMs,
});
