import type { Pool } from 'pg';
import type { Io } from '../../app/ports/io.ts';
import type { SessionOwner, SessionStore, StoredSession } from '../../app/callers/sign-in.ts';
import { PERMISSIONS, ROLES } from '../../domain/caller.ts';
import type { Rights } from '../../domain/caller.ts';
import type { Party } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import type { Identity } from '../../domain/session.ts';
import type { Sealer } from '../../domain/sealing.ts';
import { UNSEALED, sessionPlace } from '../../domain/sealing.ts';
import { isoToMs } from '../../domain/time.ts';
import { sendCall } from '../engine/audit.ts';
import { build } from '../sql/query.ts';
import { statement } from '../sql/statement.ts';
import { onConnection, transact } from '../sql/transact.ts';

interface SessionRow {
  readonly id_hash: Buffer;
  readonly tenant_id: string;
  readonly registered_tenant: string | null;
  readonly party: string;
  readonly roles: string[];
  readonly subject: string;
  readonly name: string;
  readonly registration_id: string | null;
  readonly id_token: string | null;
  readonly refresh_token: string | null;
  readonly created_at: string;
  readonly seen_at: string;
  readonly checked_at: string | null;
}

/**
 * The lock keeps the tenant until the session is inserted: a transaction that removes the tenant waits for this one,
 * and then also removes the session.
 */
const INSERT = statement<{ tenant_id: string }>(
  'insert-session',
  `with tenant_there as materialized (
     select tenant_id from tenant where tenant_id = $3 for key share
   )
   insert into session (id_hash, tenant_id, registered_tenant, party, roles, subject, name,
     registration_id, id_token, refresh_token, created_at, seen_at, checked_at)
   select $1, $2, (select tenant_id from tenant_there), $4, $5::text[], $6, $7, $8, $9, $10, $11, $12, $13
   where $3::text is null or exists (select from tenant_there)
   returning tenant_id`,
);

const MAKE_ROOM = statement<never>(
  'make-room-for-session',
  `delete from session where id_hash in (
     select id_hash from session where tenant_id = $1 and subject = $2 and id_hash <> $3
     order by seen_at desc offset $4 for update skip locked
   )`,
);

const FIND = statement<SessionRow>(
  'sessions',
  `select id_hash, tenant_id, registered_tenant, party, roles, subject, name, registration_id, id_token,
     refresh_token, created_at, seen_at, checked_at
   from session where id_hash = any($1::bytea[])`,
);

/**
 * The clocks of processes differ slightly, so another process may have begun a check after this process's present time.
 */
const BEGIN_CHECK = statement<{ tenant_id: string }>(
  'begin-check-of-session',
  `update session set check_begun_at = $3
   where id_hash = $1 and coalesce(checked_at, created_at) = $2
     and (check_begun_at is null or check_begun_at not between $4 and $5)
   returning tenant_id`,
);

const RENEW = statement<never>(
  'renew-session',
  `update session set roles = $2::text[], name = $3, id_token = $4, refresh_token = $5, checked_at = $6,
     check_begun_at = null
   where id_hash = $1`,
);

const TOUCH = statement<never>(
  'touch-session',
  'update session set seen_at = $2 where id_hash = $1 and seen_at < $2',
);

const REMOVE = statement<never>('remove-session', 'delete from session where id_hash = $1');

const PRUNE = statement<{ id_hash: Buffer }>(
  'prune-sessions',
  `delete from session where id_hash in (
     select id_hash from session where seen_at <= $1 order by seen_at limit $2 for update skip locked
   ) returning id_hash`,
);

const END = statement<{ tenant_id: string }>(
  'end-session',
  `delete from session
   where id_hash between $1 and $2
     and tenant_id = coalesce($3, tenant_id) and party = coalesce($4, party) and subject = coalesce($5, subject)
   returning tenant_id`,
);

/** Returns the smallest and the largest hash that begin with these digits. */
const hashesFrom = (publicId: string): readonly [Buffer, Buffer] => [
  Buffer.from(publicId.padEnd(64, '0'), 'hex'),
  Buffer.from(publicId.padEnd(64, 'f'), 'hex'),
];

function listQuery(
  { tenantId, party, subject }: SessionOwner,
  since: Pick<StoredSession, 'createdAtMs' | 'seenAtMs'>,
  after: string | undefined,
) {
  let query = build
    .selectFrom('session')
    .selectAll()
    .where('created_at', '>', instant(since.createdAtMs))
    .where('seen_at', '>', instant(since.seenAtMs))
    .orderBy('id_hash');
  if (tenantId !== undefined) query = query.where('tenant_id', '=', tenantId);
  if (party !== undefined) query = query.where('party', '=', party);
  if (subject !== undefined) query = query.where('subject', '=', subject);
  if (after !== undefined) query = query.where('id_hash', '>', hashesFrom(after)[1]);
  return query;
}

const instant = (ms: number): string => new Date(ms).toISOString();

const storedRights = ({ roles, permissions }: Rights): string[] => [
  ...roles,
  ...(permissions ?? []),
];

/**
 * Splits the column that stores both roles and permissions. A process of version 0.2.0 knows only roles, and writes no
 * permissions.
 */
function rightsFrom(stored: readonly string[]): Rights {
  const permissions = new Set(PERMISSIONS.filter((one) => stored.includes(one)));
  const roles = new Set(ROLES.filter((role) => stored.includes(role)));
  return permissions.size === 0 ? { roles } : { roles, permissions };
}

/**
 * Decrypts a token; returns `null` if its key is missing. A session can continue without its tokens, so a lost key ends
 * no session.
 */
function openedToken(sealer: Sealer, token: string | null, idHash: Buffer): string | null {
  try {
    return token === null ? null : sealer.open(token, sessionPlace(idHash));
  } catch {
    return null;
  }
}

const sealedToken = (sealer: Sealer, token: string | null | undefined, idHash: Buffer) =>
  token == null ? null : sealer.seal(token, sessionPlace(idHash));

const sessionFromRow = (row: SessionRow, sealer: Sealer): StoredSession => ({
  idHash: row.id_hash,
  identity: {
    tenantId: row.tenant_id,
    isInternal: row.registered_tenant === null,
    party: trusted<Party>(row.party),
    ...rightsFrom(row.roles),
    subject: row.subject,
    name: row.name,
    login:
      row.registration_id === null
        ? null
        : {
            registrationId: row.registration_id,
            idToken: openedToken(sealer, row.id_token, row.id_hash),
            refreshToken: openedToken(sealer, row.refresh_token, row.id_hash),
          },
  },
  createdAtMs: isoToMs(row.created_at),
  seenAtMs: isoToMs(row.seen_at),
  checkedAtMs: isoToMs(row.checked_at ?? row.created_at),
});

/** See `SessionStore.insert`. */
async function insertSession(
  pool: Pool,
  sealer: Sealer,
  session: StoredSession,
  keep: number,
  io: Io,
): Promise<boolean> {
  const { idHash, identity, createdAtMs, seenAtMs, checkedAtMs } = session;
  const { tenantId, isInternal, party, subject, name, login } = identity;
  const values = [
    idHash,
    tenantId,
    isInternal ? null : tenantId,
    party,
    storedRights(identity),
    subject,
    name,
    login?.registrationId ?? null,
    sealedToken(sealer, login?.idToken, idHash),
    sealedToken(sealer, login?.refreshToken, idHash),
    instant(createdAtMs),
    instant(seenAtMs),
    instant(checkedAtMs),
  ];
  return transact(pool, io, async (tx) => {
    const inserted = tx.run(INSERT, values);
    tx.send(MAKE_ROOM, [tenantId, subject, idHash, keep - 1]);
    return (await inserted).length === 1;
  });
}

/** @param pool the caller closes it */
export function createSessionStore(pool: Pool, sealer: Sealer = UNSEALED): SessionStore {
  return {
    insert: (session, keep, io) => insertSession(pool, sealer, session, keep, io),
    async find(idHash: Buffer, io: Io): Promise<StoredSession | null> {
      const [row] = await onConnection(
        pool,
        io,
        (session) => session.run(FIND, [[idHash]]),
        'by-key',
      );
      return row === undefined ? null : sessionFromRow(row, sealer);
    },
    async findAll(idHashes: readonly Buffer[], io: Io): Promise<readonly StoredSession[]> {
      const rows = await onConnection(
        pool,
        io,
        (session) => session.run(FIND, [idHashes]),
        'by-key',
      );
      return rows.map((row) => sessionFromRow(row, sealer));
    },
    async beginCheck(idHash, { checkedAtMs, beganAtMs, staleMs }, io: Io): Promise<boolean> {
      const [fromMs, toMs] = [beganAtMs - staleMs, beganAtMs + staleMs];
      const values = [idHash, ...[checkedAtMs, beganAtMs, fromMs, toMs].map(instant)];
      const begun = await onConnection(pool, io, (session) => session.run(BEGIN_CHECK, values));
      return begun.length === 1;
    },
    async renew(idHash: Buffer, identity: Identity, checkedAtMs: number, io: Io): Promise<void> {
      const values = [
        idHash,
        storedRights(identity),
        identity.name,
        sealedToken(sealer, identity.login?.idToken, idHash),
        sealedToken(sealer, identity.login?.refreshToken, idHash),
        instant(checkedAtMs),
      ];
      await onConnection(pool, io, (session) => session.run(RENEW, values));
    },
    async touch(idHash: Buffer, seenAtMs: number, io: Io): Promise<void> {
      await onConnection(pool, io, (session) => session.run(TOUCH, [idHash, instant(seenAtMs)]));
    },
    async remove(idHash: Buffer, io: Io): Promise<void> {
      await onConnection(pool, io, (session) => session.run(REMOVE, [idHash]));
    },
    async list(of, since, { after, limit }, io): Promise<readonly StoredSession[]> {
      const query = listQuery(of, since, after).limit(limit);
      const rows = await onConnection(pool, io, (session) => session.ask(query));
      return rows.map((row) => sessionFromRow(row, sealer));
    },
    async end(publicId, { tenantId, party, subject }, ender, io): Promise<boolean> {
      const owner = [tenantId ?? null, party ?? null, subject ?? null];
      return transact(pool, io, async (tx) => {
        const [ended] = await tx.run(END, [...hashesFrom(publicId), ...owner]);
        if (ended === undefined || ender === null) return ended !== undefined;
        const { by, reason } = ender;
        const detail = { session: publicId };
        sendCall(tx, by, 'ended-session', `tenant:${ended.tenant_id}`, detail, reason);
        return true;
      });
    },
    async prune(seenBeforeMs: number, limit: number, io: Io): Promise<number> {
      const rows = await onConnection(pool, io, (session) =>
        session.run(PRUNE, [instant(seenBeforeMs), limit]),
      );
      return rows.length;
    },
  };
}
