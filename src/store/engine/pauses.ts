import type { Pool } from 'pg';
import type { AuditEntry } from '../../app/ports/writes.ts';
import type { Io } from '../../app/ports/io.ts';
import type { Pauses } from '../../app/ports/pauses.ts';
import type { Circuit, CircuitReason, Pause } from '../../domain/pause.ts';
import { trusted } from '../../domain/ids.ts';
import type { ParticipantName, Party } from '../../domain/ids.ts';
import { EFFECTS_CHANNEL } from '../sql/channels.ts';
import { sendAudit } from './audit.ts';
import { STORE_LIMITS } from '../limits.ts';
import type { Session } from '../sql/session.ts';
import { columnsOf, membersOf, statement } from '../sql/statement.ts';
import { onConnection, transact } from '../sql/transact.ts';

/**
 * SQL: whether one of the pauses keeps the effect `e` from being dispatched. The provider of a change is that of its
 * lifecycle or, without a lifecycle, the one that the request names.
 *
 * @param pauses name of a table with scope, name, mode and since
 * @param e alias of an effect, with change_id and made_at
 */
export const isStopped = (pauses: string, e: string): string => `exists (
  select from change c
    left join lifecycle l on l.id = c.lifecycle_id
    join ${pauses} p on p.name = case p.scope
      when 'participant' then c.participant
      when 'operation' then c.operation
      else coalesce(l.provider, c.body ->> 'provider') end
  where c.id = ${e}.change_id and (p.mode = 'pause' or ${e}.made_at > p.since))`;

/**
 * SQL: whether the participant of the effect's change has a foreign ledger: its history differs from the store's.
 *
 * @param ledgers name of a table with participant
 * @param e alias of an effect, with change_id
 */
export const isForeign = (ledgers: string, e: string): string =>
  `((select count(*) from ${ledgers}) > 0 and exists (
  select from change c join ${ledgers} f on f.participant = c.participant where c.id = ${e}.change_id))`;

/** SQL: whether a current pause or mark keeps the effect from being dispatched. @param e alias of the effect */
const isKept = (e: string): string =>
  `(${isStopped('pause', e)} or ${isForeign('foreign_ledger', e)})`;

/** A position in the order in which effects were blocked. */
export interface BlockedPlace {
  readonly held_at: string;
  readonly id: string;
}

const FIRST_BLOCKED: BlockedPlace = { held_at: '-infinity', id: '' };

const COLUMNS = ['id', 'scope', 'name', 'mode', 'since', 'by_party', 'by_subject', 'reason'];
const members = membersOf('p', COLUMNS);

const PUT = statement<Pause>(
  'put-pause',
  `insert into pause as p (scope, name, mode, by_party, by_subject, reason) values ($1, $2, $3, $4, $5, $6)
   on conflict (scope, name) do update
   set mode = excluded.mode, by_party = excluded.by_party, by_subject = excluded.by_subject,
       reason = excluded.reason, since = case when p.mode = excluded.mode then p.since else now() end
   returning ${members}`,
);

const REMOVE = statement<Pause>(
  'remove-pause',
  `delete from pause p where p.id = $1 returning ${members}`,
);

/**
 * Reads a bounded number of open effects in the order of the index `effect_open`, and blocks those that have a cause.
 * Their dispatch numbers are raised, so that jobs already on the queue submit nothing. Returns the last effect that was
 * read, if there may be more.
 */
const HOLD_SOME = statement<{ id: string }>(
  'hold-some',
  `with looked as materialized (
     select id, change_id, made_at from effect
     where coalesce(done_at, held_at) is null and id > $1 order by id limit $2
   ), held as (
     update effect e set held_at = now(), dispatch_no = e.dispatch_no + 1
     where e.id = any(array(select o.id from looked o where ${isKept('o')})) and e.done_at is null and e.held_at is null
   )
   select id from looked order by id offset $2 - 1`,
);

/**
 * Transactions that write pauses and marks run one after the other, so that each sees the result of the previous one.
 * Otherwise two that end at the same time would each leave the effects to the other. The lock is on the tables, so that
 * it also orders writes by processes of earlier versions. A relay locks only rows for share, so it waits only for rows.
 */
const LOCK_CAUSES = statement<never>(
  'lock-causes',
  'lock table pause, foreign_ledger in share row exclusive mode',
);

/**
 * SQL: releases blocked effects. An effect that was never tried becomes due at once; it does not wait for the time at
 * which its lost job would be repeated.
 *
 * @param condition selects among the effects `e`
 */
const releasing = (condition: string): string =>
  `update effect e
   set held_at = null,
       due_at = case when c.waiting_for ->> 'kind' = 'queue' then least(e.due_at, now()) else e.due_at end
   from change c
   where c.id = e.change_id and ${condition}`;

/**
 * Reads a bounded number of blocked effects in the order in which they were blocked, and releases those without a
 * cause. Returns the last effect that was read, if there may be more.
 *
 * @param wait what to do with effects that another transaction has locked
 */
const releaseSome = (name: 'release-some' | 'release-free', wait: '' | 'skip locked') =>
  statement<BlockedPlace & { readonly released: bigint }>(
    name,
    `with looked as materialized (
     select id, change_id, made_at, held_at from effect
     where held_at is not null and done_at is null and (held_at, id) > ($1::timestamptz, $2)
     order by held_at, id limit $3
   ), causeless as materialized (
     select id from effect
     where id = any(array(select e.id from looked e where not ${isKept('e')})) and held_at is not null
     order by id for update ${wait}
   ), released as (
     ${releasing('e.id = any(array(select id from causeless))')}
     returning 1
   )
   select held_at, id, (select count(*) from released) as released from looked order by held_at, id offset $3 - 1`,
  );

const RELEASE_SOME = releaseSome('release-some', '');
const RELEASE_FREE = releaseSome('release-free', 'skip locked');

const LIST = statement<Pause & { readonly held: bigint }>(
  'pauses',
  `with one as materialized (select ${columnsOf('p', COLUMNS)} from pause p order by p.since, p.id)
   select ${membersOf('o', COLUMNS)}, (
     select count(*) from effect e
     where e.held_at is not null and e.done_at is null
       and ${isStopped('(select o.scope, o.name, o.mode, o.since)', 'e')}) as held
   from one o order by o.since, o.id`,
);

/** Returns for each change the pause that has blocked it for the longest time. */
const PAUSES_OF = statement<Pause & { readonly change: string }>(
  'pauses-of',
  `select distinct on (e.change_id) e.change_id as change, ${membersOf('q', COLUMNS)}
   from effect e cross join pause q
   where e.change_id = any($1) and e.held_at is not null and e.done_at is null
     and ${isStopped('(select q.scope, q.name, q.mode, q.since)', 'e')}
   order by e.change_id, q.since, q.id`,
);

const circuit = membersOf('c', [
  'participant',
  'reason',
  'probe',
  'level',
  'since',
  'until',
  'ledger_code',
]);

const CIRCUIT_OF = statement<Circuit>(
  'circuit-of',
  `select ${circuit} from circuit c where c.participant = $1 and c.probe`,
);

const HELD_BACK = statement<{ by: 'pause' | CircuitReason }>(
  'held-back',
  `select 'pause' as by from pause
   where mode = 'pause' and (scope = 'participant' and name = $1 or scope = 'provider' and name = $2)
   union all
   select reason from circuit where participant = $1 and until > now()
   limit 1`,
);

const CIRCUITS = statement<Circuit>(
  'circuits',
  `select ${circuit} from circuit c where c.until > now() or c.probe order by c.participant`,
);

/** Returns the audit entry for a person's act on a pause. */
const actOf = (
  act: string,
  pause: Pause,
  { byParty, bySubject, reason }: Pick<AuditEntry, 'byParty' | 'bySubject' | 'reason'>,
): AuditEntry => ({
  at: new Date().toISOString(),
  byParty,
  bySubject,
  act,
  changeId: null,
  subject: `pause:${pause.scope}:${pause.name}`,
  from: null,
  to: null,
  reason,
  detail: { scope: pause.scope, name: pause.name, mode: pause.mode, since: pause.since },
});

/** Waits until no other transaction writes a pause or a mark. Must be called before each such write. */
export const lockCauses = (session: Session): void => session.send(LOCK_CAUSES, []);

/**
 * Releases a bounded number of effects whose cause no longer exists.
 *
 * @param after the last effect that the previous call read
 * @returns the last effect read and whether any was released; `null` if there are no more
 */
export async function releaseCauseless(
  session: Session,
  after: BlockedPlace | null,
): Promise<{ readonly last: BlockedPlace; readonly hasReleased: boolean } | null> {
  const { held_at: heldAt, id } = after ?? FIRST_BLOCKED;
  const [last] = await session.run(RELEASE_FREE, [heldAt, id, STORE_LIMITS.releaseLookMax]);
  return last === undefined ? null : { last, hasReleased: last.released > 0n };
}

/** The result of blocking and releasing effects within one transaction. */
interface HeldPart {
  /** The last effect that was read for release. */
  readonly released: BlockedPlace;
  /** The ID of the last effect that was read to be blocked; `null` if all have been read. */
  readonly held: string | null;
  readonly isLast: boolean;
}

const NOTHING_READ: HeldPart = { released: FIRST_BLOCKED, held: '', isLast: false };

/**
 * Blocks and releases a bounded number of effects, as the current pauses and marks require. Call `lockCauses` first.
 *
 * @param before the result of the previous call
 */
export async function holdSome(
  session: Session,
  { released, held }: HeldPart = NOTHING_READ,
): Promise<HeldPart> {
  const max = STORE_LIMITS.heldTogetherMax;
  const [[last], [lastHeld]] = await Promise.all([
    session.run(RELEASE_SOME, [released.held_at, released.id, max]),
    held === null ? [] : session.run(HOLD_SOME, [held, max]),
  ]);
  session.announce(EFFECTS_CHANNEL, '');
  return {
    released: last ?? released,
    held: lastHeld?.id ?? null,
    isLast: last === undefined && lastHeld === undefined,
  };
}

/**
 * Blocks and releases the remaining effects, each part in a transaction of its own. If the process ends before that is
 * done, the relay does the rest.
 */
async function holdRest(pool: Pool, io: Io, first: HeldPart): Promise<void> {
  for (let part = first; !part.isLast;) {
    part = await transact(pool, io, (session) => {
      lockCauses(session);
      return holdSome(session, part);
    });
  }
}

/** Returns the pause that blocks each of these changes, by change ID. Changes that no pause blocks are omitted. */
export async function findPausesOf(
  session: Session,
  changes: readonly string[],
): Promise<ReadonlyMap<string, Pause>> {
  const rows = changes.length === 0 ? [] : await session.run(PAUSES_OF, [changes]);
  return new Map(rows.map(({ change, ...pause }) => [change, pause]));
}

export const findPauseOf = async (session: Session, change: string): Promise<Pause | null> =>
  (await findPausesOf(session, [change])).get(change) ?? null;

export async function findCircuitOf(
  session: Session,
  participant: ParticipantName,
): Promise<Circuit | null> {
  const [row] = await session.run(CIRCUIT_OF, [participant]);
  return row ?? null;
}

export async function findHeldBack(
  session: Session,
  participant: ParticipantName,
  provider: Party,
): Promise<'pause' | CircuitReason | null> {
  const [row] = await session.run(HELD_BACK, [participant, provider]);
  return row?.by ?? null;
}

/** @param pool opened with `pipelined`; the caller closes it */
export function createPauses(pool: Pool): Pauses {
  return {
    async put({ scope, name, mode, reason }, { byParty, bySubject }, io) {
      const { pause, first } = await transact(pool, io, async (session) => {
        lockCauses(session);
        const values = [scope, name, mode, byParty, bySubject, reason];
        const [pause] = await session.run(PUT, values);
        if (pause === undefined) throw new Error('a pause was written and is not there');
        const act = mode === 'pause' ? 'paused' : 'drained';
        sendAudit(session, [
          actOf(act, pause, { byParty: trusted<Party>(byParty), bySubject, reason }),
        ]);
        return { pause, first: await holdSome(session) };
      });
      await holdRest(pool, io, first);
      return pause;
    },
    async remove(id, by, io) {
      const removed = await transact(pool, io, async (session) => {
        lockCauses(session);
        const [pause] = await session.run(REMOVE, [id]);
        if (pause === undefined) return null;
        sendAudit(session, [actOf('resumed', pause, by)]);
        return { pause, first: await holdSome(session) };
      });
      if (removed === null) return null;
      await holdRest(pool, io, removed.first);
      return removed.pause;
    },
    async list(io) {
      const rows = await onConnection(pool, io, (session) => session.run(LIST, []));
      return rows.map((row) => ({ ...row, held: Number(row.held) }));
    },
    circuits: (io) => onConnection(pool, io, (session) => session.run(CIRCUITS, [])),
  };
}
