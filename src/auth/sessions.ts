import { hash, randomBytes } from 'node:crypto';
import type { Io } from '../app/ports/io.ts';
import type {
  ListedSession,
  OpenSession,
  SessionEnder,
  SessionOwner,
  SessionPage,
  SessionTimes,
  Sessions,
  StoredSession,
} from '../app/callers/sign-in.ts';
import { SignInRefusedError } from '../app/callers/sign-in.ts';
import type { Rights } from '../domain/caller.ts';
import type { Identity } from '../domain/session.ts';
import { AUTH_LIMITS } from './limits.ts';
import { LIMITS } from '../domain/limits.ts';
import { SessionRights } from './session-rights.ts';
import type { SessionRightsOptions } from './session-rights.ts';

export type SessionsOptions = SessionRightsOptions;

/** A session's ID: 256 bits as base64url. */
const ID = /^[\w-]{43}$/u;

/** The database stores this hash and not the session's ID, so a reader of the table cannot take over a session. */
const hashOf = (id: string): Buffer => hash('sha256', id, 'buffer');

/**
 * The public part of the hash, which the audit log also shows: 64 bits are enough to distinguish sessions, and are not
 * secret.
 */
const PUBLIC_ID = /^[0-9a-f]{16}$/u;
const publicIdOf = (idHash: Buffer): string => idHash.toString('hex', 0, 8);

/**
 * Computes when a session ends. The result is exact: the idle time counts from the stored last use, even if a later use
 * is not stored yet.
 */
const endsOf = ({ createdAtMs, seenAtMs }: SessionTimes) => ({
  endsAtMs: createdAtMs + AUTH_LIMITS.sessionAgeMsMax,
  idleEndsAtMs: seenAtMs + AUTH_LIMITS.sessionIdleMs,
});

const openSession = (session: StoredSession): OpenSession => ({
  publicId: publicIdOf(session.idHash),
  identity: session.identity,
  ...endsOf(session),
});

function isOver(session: SessionTimes, nowMs: number): boolean {
  const { endsAtMs, idleEndsAtMs } = endsOf(session);
  return nowMs >= Math.min(endsAtMs, idleEndsAtMs);
}

/**
 * Creates sessions that all processes of this deployment share and that survive restarts. The last use of a session is
 * stored once a minute, so that most requests only read.
 */
export function createSessions(options: SessionsOptions): Sessions {
  const { store, signIn, wallClock } = options;
  const rights = new SessionRights(options);
  return {
    async open(identity: Identity, io: Io): Promise<string> {
      const id = randomBytes(32).toString('base64url');
      const nowMs = wallClock.nowMs();
      const session = {
        idHash: hashOf(id),
        identity,
        createdAtMs: nowMs,
        seenAtMs: nowMs,
        checkedAtMs: nowMs,
      };
      const isOpen = await store.insert(session, AUTH_LIMITS.sessionsPerSubjectMax, io);
      if (!isOpen) throw new SignInRefusedError('the tenant was removed during the sign-in');
      return id;
    },
    async find(id: string, io: Io): Promise<OpenSession | null> {
      if (!ID.test(id)) return null;
      const idHash = hashOf(id);
      const stored = await store.find(idHash, io);
      const nowMs = wallClock.nowMs();
      if (stored === null || isOver(stored, nowMs)) return null;
      if (!(await signIn.isTrusted(stored.identity))) return null;
      const found = await rights.current(stored);
      if (found === null) return null;
      if (nowMs - found.seenAtMs < AUTH_LIMITS.sessionTouchMs) return openSession(found);
      await store.touch(idHash, nowMs, io);
      return openSession({ ...found, seenAtMs: nowMs });
    },
    async stillOpen(ids: readonly string[], io: Io): Promise<ReadonlyMap<string, Rights>> {
      const byHash = new Map(
        ids.filter((id) => ID.test(id)).map((id) => [hashOf(id).toString('hex'), id]),
      );
      const found = await store.findAll([...byHash.values()].map(hashOf), io);
      const nowMs = wallClock.nowMs();
      const trusted = await Promise.all(found.map(({ identity }) => signIn.isTrusted(identity)));
      const lasting = found.filter(
        (session, at) =>
          trusted[at] === true && !isOver(session, nowMs) && rights.isCurrent(session),
      );
      return new Map(
        lasting.map(({ idHash, identity }) => [byHash.get(idHash.toString('hex')) ?? '', identity]),
      );
    },
    async close(id: string, io: Io): Promise<void> {
      if (ID.test(id)) await store.remove(hashOf(id), io);
    },
    async list(of: SessionOwner, page: SessionPage, io: Io): Promise<readonly ListedSession[]> {
      const nowMs = wallClock.nowMs();
      const since = {
        createdAtMs: nowMs - AUTH_LIMITS.sessionAgeMsMax,
        seenAtMs: nowMs - AUTH_LIMITS.sessionIdleMs,
      };
      const found = await store.list(of, since, page, io);
      return found.map((session) => ({
        ...openSession(session),
        createdAtMs: session.createdAtMs,
        seenAtMs: session.seenAtMs,
      }));
    },
    end: async (publicId: string, of: SessionOwner, ender: SessionEnder | null, io: Io) =>
      PUBLIC_ID.test(publicId) && store.end(publicId, of, ender, io),
    async prune(io: Io): Promise<number> {
      const seenBeforeMs = wallClock.nowMs() - AUTH_LIMITS.sessionIdleMs;
      return store.prune(seenBeforeMs, LIMITS.sessionPruneMax, io);
    },
  };
}
