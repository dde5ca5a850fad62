import type { Identity, PendingLogin } from '../../domain/session.ts';
import type { Actor, Rights } from '../../domain/caller.ts';
import type { Party } from '../../domain/ids.ts';
import type { Io } from '../ports/io.ts';

/*
 * Terms
 * - registration: Tenure as a client of one tenant's authorization server
 * - session:      a browser whose user has signed in; the browser has its secret id, the database a hash of that
 */

/** Where a tenant's people sign in. */
export interface LoginLink {
  readonly tenantId: string;
  readonly registrationId: string;
}

/** A login ends without a session. `message` is for the log: it holds no code, token or secret. */
export class SignInRefusedError extends Error {
  override readonly name = 'SignInRefusedError';
}

/** The ways to sign in that this deployment has. */
export interface SignIn {
  /** None in shared-secret mode. */
  links(): Promise<readonly LoginLink[]>;
  /**
   * Begins a login at an authorization server.
   *
   * @returns where to send the browser, and what is to be kept until it comes back; null for an unknown registration
   * @throws ProblemError `AUTHORIZATION_SERVER_UNAVAILABLE`
   */
  begin(
    registrationId: string,
    redirectUri: string,
  ): Promise<{ readonly url: string; readonly pending: PendingLogin } | null>;
  /**
   * Ends it with what the browser brought back.
   *
   * @param query of the address that it came back to, as it was sent
   * @throws SignInRefusedError whatever is wrong with it
   * @throws ProblemError `AUTHORIZATION_SERVER_UNAVAILABLE` when its authorization server does not answer
   */
  finish(pending: PendingLogin, query: string): Promise<Identity>;
  /** Shared-secret mode: whoever a tenant lists under the name. @throws SignInRefusedError */
  byName(username: string): Promise<Identity>;
  /**
   * Asks the authorization server for the current rights of a person who signed in there.
   *
   * @throws SignInRefusedError when there are none any more
   * @throws ProblemError `AUTHORIZATION_SERVER_UNAVAILABLE` when it does not tell
   */
  renew(identity: Identity): Promise<Identity>;
  /** Whether the tenant still has the client and the issuer at which the person signed in. Asks no server. */
  isTrusted(identity: Identity): Promise<boolean>;
  /** Where a browser goes to end its session at the authorization server too; null where there is no such place. */
  endUrl(identity: Identity): Promise<string | null>;
  /** Ends that one without the browser, as far as the authorization server lets us. */
  endThere(identity: Identity): Promise<void>;
}

/** A session that lasts, and until when. Times are milliseconds since the epoch. */
export interface OpenSession {
  /** Names the session in lists and in the audit log: a part of the hash of the secret, and no credential. */
  readonly publicId: string;
  readonly identity: Identity;
  /** At its greatest age, whatever happens. */
  readonly endsAtMs: number;
  /** Unless it is used before. */
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

/** Open sessions. Ids are secrets: whoever has one is that person. */
export interface Sessions {
  /** @returns the new session's id. @throws SignInRefusedError when the tenant is gone by now */
  open(identity: Identity, io: Io): Promise<string>;
  /**
   * Null for an id that never was, and once the session is over. Being asked for keeps a session from idling out.
   *
   * @throws ProblemError `AUTHORIZATION_SERVER_UNAVAILABLE` when its rights have not been readable for minutes
   */
  find(id: string, io: Io): Promise<OpenSession | null>;
  /** The rights by the ids whose sessions last, without using them. */
  stillOpen(ids: readonly string[], io: Io): Promise<ReadonlyMap<string, Rights>>;
  close(id: string, io: Io): Promise<void>;
  list(of: SessionOwner, page: SessionPage, io: Io): Promise<readonly ListedSession[]>;
  /**
   * Ends a session by its public ID.
   *
   * @param ender audited beside the end of the session; null for the person of the session
   * @returns false when none of these owners has such a session
   */
  end(publicId: string, of: SessionOwner, ender: SessionEnder | null, io: Io): Promise<boolean>;
  /** Deletes what is over. @returns how many */
  prune(io: Io): Promise<number>;
}

/** A session as it is stored. Times are milliseconds since the epoch. */
export interface StoredSession {
  readonly idHash: Buffer;
  readonly identity: Identity;
  readonly createdAtMs: number;
  readonly seenAtMs: number;
  /** When its rights were read. */
  readonly checkedAtMs: number;
}

export type SessionTimes = Pick<StoredSession, 'createdAtMs' | 'seenAtMs'>;

/** When the rights of a session were read, when a process begins to read them, and how long it alone may. */
export interface CheckTimes {
  readonly checkedAtMs: number;
  readonly beganAtMs: number;
  readonly staleMs: number;
}

/** Sessions in the database, by the hash of their ids. */
export interface SessionStore {
  /**
   * Also ends the longest unused of the same person beyond `keep`.
   *
   * @returns false, with nothing stored, when the tenant is not registered any more
   */
  insert(session: StoredSession, keep: number, io: Io): Promise<boolean>;
  find(idHash: Buffer, io: Io): Promise<StoredSession | null>;
  findAll(idHashes: readonly Buffer[], io: Io): Promise<readonly StoredSession[]>;
  /** Never moves it back. */
  touch(idHash: Buffer, seenAtMs: number, io: Io): Promise<void>;
  /** @returns false when another process reads the rights, or has read them since `checkedAtMs` */
  beginCheck(idHash: Buffer, times: CheckTimes, io: Io): Promise<boolean>;
  /** Stores the rights and tokens that were read. */
  renew(idHash: Buffer, identity: Identity, checkedAtMs: number, io: Io): Promise<void>;
  remove(idHash: Buffer, io: Io): Promise<void>;
  /** Those that began and were used after these times. */
  list(
    of: SessionOwner,
    since: Pick<StoredSession, 'createdAtMs' | 'seenAtMs'>,
    page: SessionPage,
    io: Io,
  ): Promise<readonly StoredSession[]>;
  /** @param publicId hexadecimal digits that the hash of the ID begins with */
  end(publicId: string, of: SessionOwner, ender: SessionEnder | null, io: Io): Promise<boolean>;
  /** Deletes up to `limit` that nobody has used since. @returns how many */
  prune(seenBeforeMs: number, limit: number, io: Io): Promise<number>;
}
