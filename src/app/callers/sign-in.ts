import type { Identity, PendingLogin } from '../../domain/session.ts';
import type { Actor, Rights } from '../../domain/caller.ts';
import type { Party } from '../../domain/ids.ts';
import type { Io } from '../ports/io.ts';

/*
 * Terms
 * - registration: Tenure as a client of one tenant's authorization server
 * - session:      a browser whose user has signed in; the browser has its secret id, the database a hash of that
 */

/** A registration at which a tenant's people sign in. */
export interface LoginLink {
  readonly tenantId: string;
  readonly registrationId: string;
}

/** A login that ended without a session. `message` is for the log: it holds no code, token or secret. */
export class SignInRefusedError extends Error {
  override readonly name = 'SignInRefusedError';
}

/** The ways to sign in to this deployment. */
export interface SignIn {
  /** Returns none in shared-secret mode. */
  links(): Promise<readonly LoginLink[]>;
  /**
   * Begins a login at an authorization server.
   *
   * @returns the address for the browser, and the data to keep until it returns; null for an unknown registration
   * @throws ProblemError `AUTHORIZATION_SERVER_UNAVAILABLE`
   */
  begin(
    registrationId: string,
    redirectUri: string,
  ): Promise<{ readonly url: string; readonly pending: PendingLogin } | null>;
  /**
   * Completes a login with the query that the browser brought back.
   *
   * @param query of the redirect address, unchanged
   * @throws SignInRefusedError for any defect of the login
   * @throws ProblemError `AUTHORIZATION_SERVER_UNAVAILABLE` if the authorization server does not answer
   */
  finish(pending: PendingLogin, query: string): Promise<Identity>;
  /** Shared-secret mode: returns the person that a tenant lists under the name. @throws SignInRefusedError */
  byName(username: string): Promise<Identity>;
  /**
   * Asks the authorization server for the current rights of a person who signed in there.
   *
   * @throws SignInRefusedError if the person has none any more
   * @throws ProblemError `AUTHORIZATION_SERVER_UNAVAILABLE` if the server does not answer
   */
  renew(identity: Identity): Promise<Identity>;
  /** Returns whether the tenant still has the client and issuer of the sign-in. Asks no server. */
  isTrusted(identity: Identity): Promise<boolean>;
  /**
   * Returns the address at which a browser also ends the session at the authorization server; null if there is none.
   */
  endUrl(identity: Identity): Promise<string | null>;
  /** Ends the session at the authorization server without the browser, as far as that server allows. */
  endThere(identity: Identity): Promise<void>;
}

/** An open session, with its end. Times are milliseconds since the epoch. */
export interface OpenSession {
  /** Identifies the session in lists and in the audit log: a part of the secret's hash, and no credential. */
  readonly publicId: string;
  readonly identity: Identity;
  /** When the session reaches its maximum age. */
  readonly endsAtMs: number;
  /** When the session ends unless it is used before. */
  readonly idleEndsAtMs: number;
}

/** An open session as its person and operators see it. */
export interface ListedSession extends OpenSession {
  readonly createdAtMs: number;
  readonly seenAtMs: number;
}

/** Sessions of a person, or the sessions that an operator sees. */
export interface SessionOwner {
  readonly tenantId?: string;
  readonly party?: Party;
  readonly subject?: string;
}

/** An operator who ends the session of a person. */
export interface SessionEnder {
  readonly by: Actor;
  readonly reason: string;
}

/** A part of a list of sessions, in the order of their public IDs. */
export interface SessionPage {
  readonly after?: string;
  readonly limit: number;
}

/** Open sessions. An ID is a secret: its holder is signed in as the person. */
export interface Sessions {
  /** @returns the new session's ID. @throws SignInRefusedError if the tenant no longer exists */
  open(identity: Identity, io: Io): Promise<string>;
  /**
   * Returns null for an unknown ID, and once the session has ended. The call counts as use of the session.
   *
   * @throws ProblemError `AUTHORIZATION_SERVER_UNAVAILABLE` if its rights have not been readable for minutes
   */
  find(id: string, io: Io): Promise<OpenSession | null>;
  /** Returns the rights of the IDs whose sessions are open. Does not count as use. */
  stillOpen(ids: readonly string[], io: Io): Promise<ReadonlyMap<string, Rights>>;
  close(id: string, io: Io): Promise<void>;
  list(of: SessionOwner, page: SessionPage, io: Io): Promise<readonly ListedSession[]>;
  /**
   * Ends a session by its public ID.
   *
   * @param ender audited beside the end of the session; null if the person ends it
   * @returns false if none of these owners has such a session
   */
  end(publicId: string, of: SessionOwner, ender: SessionEnder | null, io: Io): Promise<boolean>;
  /** Deletes ended sessions. @returns their number */
  prune(io: Io): Promise<number>;
}

/** A session as it is stored. Times are milliseconds since the epoch. */
export interface StoredSession {
  readonly idHash: Buffer;
  readonly identity: Identity;
  readonly createdAtMs: number;
  readonly seenAtMs: number;
  /** When the rights were last read. */
  readonly checkedAtMs: number;
}

export type SessionTimes = Pick<StoredSession, 'createdAtMs' | 'seenAtMs'>;

/** When a session's rights were last read, when a process begins to read them, and how long it may read them alone. */
export interface CheckTimes {
  readonly checkedAtMs: number;
  readonly beganAtMs: number;
  readonly staleMs: number;
}

/** Sessions in the database, by the hash of their ids. */
export interface SessionStore {
  /**
   * Also ends the person's longest unused sessions beyond `keep`.
   *
   * @returns false, with nothing stored, if the tenant is no longer registered
   */
  insert(session: StoredSession, keep: number, io: Io): Promise<boolean>;
  find(idHash: Buffer, io: Io): Promise<StoredSession | null>;
  findAll(idHashes: readonly Buffer[], io: Io): Promise<readonly StoredSession[]>;
  /** Never moves the time back. */
  touch(idHash: Buffer, seenAtMs: number, io: Io): Promise<void>;
  /** @returns false if another process is reading the rights, or has read them since `checkedAtMs` */
  beginCheck(idHash: Buffer, times: CheckTimes, io: Io): Promise<boolean>;
  /** Stores the rights and tokens that were read. */
  renew(idHash: Buffer, identity: Identity, checkedAtMs: number, io: Io): Promise<void>;
  remove(idHash: Buffer, io: Io): Promise<void>;
  /** Returns the sessions that began and were used after these times. */
  list(
    of: SessionOwner,
    since: Pick<StoredSession, 'createdAtMs' | 'seenAtMs'>,
    page: SessionPage,
    io: Io,
  ): Promise<readonly StoredSession[]>;
  /** @param publicId the first hexadecimal digits of the ID's hash */
  end(publicId: string, of: SessionOwner, ender: SessionEnder | null, io: Io): Promise<boolean>;
  /** Deletes up to `limit` sessions that were not used since. @returns their number */
  prune(seenBeforeMs: number, limit: number, io: Io): Promise<number>;
}
