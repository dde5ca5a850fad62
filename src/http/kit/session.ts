import type { FastifyRequest } from 'fastify';
import type { ListedSession } from '../../app/callers/sign-in.ts';
import { PERMISSIONS, may } from '../../domain/caller.ts';
import type { JsonRecord } from '../../domain/json.ts';
import { fail } from '../../domain/problems.ts';
import { foreign, parsed } from './cursor.ts';

const instant = (ms: number): string => new Date(ms).toISOString();

/** A session as shown to its owner and to operators, without secrets. */
export const sessionBody = (session: ListedSession, request: FastifyRequest): JsonRecord => {
  const { publicId, identity, createdAtMs, seenAtMs, endsAtMs, idleEndsAtMs } = session;
  return {
    id: publicId,
    tenantId: identity.tenantId,
    party: identity.party,
    subject: identity.subject,
    name: identity.name,
    permissions: PERMISSIONS.filter((permission) => may(identity, permission)),
    createdAt: instant(createdAtMs),
    seenAt: instant(seenAtMs),
    endsAt: instant(endsAtMs),
    idleEndsAt: instant(idleEndsAtMs),
    isCurrent: request.session?.publicId === publicId,
  };
};

/** Answers that a session is unknown. Sessions of other callers get the same answer. */
export const noSession = (id: string): never => fail('NOT_FOUND', `no session ${id}`);

const ID = /^[0-9a-f]{16}$/u;

/** @throws ProblemError `REQUEST_INVALID` if no list issued the cursor */
export function readSessionCursor(cursor: string): string {
  const [id] = parsed(cursor);
  return typeof id === 'string' && ID.test(id) ? id : foreign();
}
