import type { CursorMove, Landmark } from '../../app/ports/writes.ts';
import { PROJECTOR_LEASE } from '../../app/ports/leases.ts';
import { COMPLETIONS, UPDATES_STREAM } from '../../app/ports/streams.ts';
import type { Lost, Replay, ReplayStart } from '../../app/ports/tombstones.ts';
import type { Followed } from '../../app/ports/transaction.ts';
import type { FollowedType } from '../../domain/ledger.ts';
import type { CommandId, ParticipantName, UpdateId } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import { NOT_YET_KNOWN } from '../../domain/change.ts';
import { STORE_LIMITS } from '../limits.ts';
import { assert } from '../../domain/unreachable.ts';
import type { Session } from '../sql/session.ts';
import { statement } from '../sql/statement.ts';
import { tombstoneFrom } from './tombstones.ts';

const CURSORS = statement<{ stream: string; offset: bigint }>(
  'cursors',
  'select stream, "offset" from query_store_offset',
);

/**
 * Locks the lease, so that other processes cannot take it until the transaction ends: an epoch that is right here is
 * still right at the commit. A process that is paused before its commit would block all others, so PostgreSQL ends a
 * transaction that holds this lock and is idle.
 */
export const OWNER = `owner as materialized (
  select set_config('idle_in_transaction_session_timeout', '${STORE_LIMITS.projectorIdleMs}', true)
  from lease where name = '${PROJECTOR_LEASE}' and epoch = $2 for share
)`;

/**
 * SQL: identifies this start of the server and this copy of the tables. It has another value in a restored database.
 */
export const SERVER_START = `(extract(epoch from pg_postmaster_start_time())::text || ' ' || 'query_store_offset'::regclass::oid)`;

/** SQL: whether, since the database server started, the ledger may have more of a stream than the store has. */
export const isReplaying = (o: string): string =>
  `(coalesce(${o}.followed_on <> ${SERVER_START}, false) or coalesce(${o}.replay_to > ${o}."offset", false)
    or ${o}.held_from is not null)`;

/** SQL: whether the streams of a participant are still being read again after a restart of the database. */
export const isReadAgain = (participant: string): string =>
  `exists (select from query_store_offset o
     where o.stream in ('${UPDATES_STREAM}', '${COMPLETIONS}' || ${participant}) and ${isReplaying('o')})`;

const REPLAYS = statement<{
  stream: string;
  is_checked: boolean;
  replay_to: bigint | null;
  ledger_user: string | null;
  lost_until: string | null;
  held_from: bigint | null;
}>(
  'replays',
  `select stream, coalesce(followed_on = ${SERVER_START}, false) as is_checked, replay_to, ledger_user, lost_until,
          held_from
   from query_store_offset`,
);

const BEGIN_REPLAY = statement<{ stream: string }>(
  'begin-replay',
  `with ${OWNER}
   update query_store_offset o
   set followed_on = ${SERVER_START}, replay_to = case when $3::bigint > o."offset" then $3 end,
       ledger_user = coalesce($4, o.ledger_user),
       lost_until = case when $4::text is null or o.followed_on = ${SERVER_START} then o.lost_until
                         else '${NOT_YET_KNOWN}' end,
       held_from = case when o.ledger_user <> $4
                             and (o.followed_on <> ${SERVER_START} or o.lost_until is not null)
                        then coalesce(o.held_from, $3) else o.held_from end
   where o.stream = $1 and exists (select from owner)
   returning o.stream`,
);

const BOUND_LOST = statement<{ stream: string }>(
  'bound-lost',
  `with ${OWNER}
   update query_store_offset o
   set lost_until = $3::timestamptz, held_from = $4
   where o.stream = $1 and exists (select from owner)
     and o.lost_until is not distinct from $5::timestamptz and o.held_from is not distinct from $6::bigint
   returning o.stream`,
);

const START_CURSOR = statement<{ stream: string }>(
  'start-cursor',
  `with ${OWNER}
   insert into query_store_offset (stream, "offset", oldest_offset, record_time, followed_on)
   select $1, $3, $3, $4::timestamptz, ${SERVER_START} from owner
   on conflict (stream) do nothing
   returning stream`,
);

/** Moves either all cursors or none: the matching rows are locked and counted before any is written. */
const MOVE_CURSORS = statement<{ stream: string }>(
  'move-cursors',
  `with ${OWNER},
   matched as materialized (
     select o.stream, m."to", m.record_time, m.times, m.landmark_offset, m.landmark_update_id
     from query_store_offset o
       join json_to_recordset($1::json) as m(
         stream text, "from" bigint, "to" bigint, record_time timestamptz, times jsonb, landmark_offset bigint,
         landmark_update_id text)
         on m.stream = o.stream and m."from" = o."offset"
     order by o.stream for no key update of o
   )
   update query_store_offset o
   set "offset" = m."to",
       record_time = coalesce(m.record_time, o.record_time),
       synchronizer_times = o.synchronizer_times || coalesce(m.times, '{}'),
       landmark_offset = coalesce(m.landmark_offset, o.landmark_offset),
       landmark_update_id = coalesce(m.landmark_update_id, o.landmark_update_id),
       update_id = case when o.stream = '${UPDATES_STREAM}'
                        then (select u.update_id from ledger_update u where u."offset" = m."to") end
   from matched m
   where o.stream = m.stream and exists (select from owner) and (select count(*) from matched) = $3
   returning o.stream`,
);

/** Checks the lease. For transactions that move no cursor. */
const OWN_LEASE = statement<object>(
  'own-lease',
  `with ${OWNER.replace('$2', '$1')} select * from owner`,
);

const LEDGER_TIME = statement<{ record_time: string | null }>(
  'ledger-time',
  `select record_time from query_store_offset where stream = '${UPDATES_STREAM}'`,
);

export async function readLedgerTime(session: Session): Promise<string | null> {
  const [row] = await session.run(LEDGER_TIME);
  return row?.record_time ?? null;
}

const FOLLOWED = statement<{
  stream: string;
  offset: bigint | null;
  record_time: string | null;
  foreign_participant: string | null;
  is_replaying: boolean;
  update_id: string | null;
  command_id: string | null;
  act_as: string[] | null;
}>(
  'followed',
  `select o.stream, o."offset", o.record_time, null as foreign_participant, ${isReplaying('o')} as is_replaying,
          null as update_id, null as command_id, null::text[] as act_as
   from query_store_offset o
   union all select stream, null, null, participant, false, null, null, null from foreign_ledger
   union all select '', null, null, null, false, update_id, command_id, act_as from tombstone
     where command_id = any($1)`,
);

/** See `Tx.followed`. */
export async function readFollowed(
  session: Session,
  commandIds: readonly CommandId[] = [],
): Promise<Followed> {
  const rows = await session.run(FOLLOWED, [commandIds]);
  const updates = rows.find((row) => row.stream === UPDATES_STREAM && row.offset !== null);
  return {
    cursors: new Map(
      rows.flatMap(({ stream, offset }) => (offset === null ? [] : [[stream, offset]])),
    ),
    ledgerTime: updates?.record_time ?? null,
    foreign: rows.flatMap(({ foreign_participant: name }) =>
      name === null ? [] : [trusted<ParticipantName>(name)],
    ),
    replaying: new Set(rows.flatMap((row) => (row.is_replaying ? [row.stream] : []))),
    tombstones: rows.flatMap(({ update_id, command_id, act_as }) =>
      update_id === null || command_id === null || act_as === null
        ? []
        : [tombstoneFrom({ update_id, command_id, act_as })],
    ),
  };
}

export async function readCursors(session: Session): Promise<ReadonlyMap<string, bigint>> {
  const rows = await session.run(CURSORS);
  return new Map(rows.map((row) => [row.stream, row.offset]));
}

const LANDMARKS = statement<{
  stream: string;
  landmark_offset: bigint;
  landmark_update_id: string;
}>(
  'landmarks',
  `select stream, landmark_offset, landmark_update_id from query_store_offset
   where landmark_update_id is not null`,
);

export async function readLandmarks(session: Session): Promise<ReadonlyMap<string, Landmark>> {
  const rows = await session.run(LANDMARKS);
  return new Map(
    rows.map(({ stream, landmark_offset: offset, landmark_update_id: id }) => [
      stream,
      { offset, updateId: trusted<UpdateId>(id) },
    ]),
  );
}

/** Creates a stream's cursor at `move.to`. The store's history of the stream is complete from that offset on. */
export async function startCursor(
  session: Session,
  move: CursorMove,
  leaseEpoch: bigint,
): Promise<boolean> {
  const values = [move.stream, leaseEpoch, move.to, move.recordTime];
  return (await session.run(START_CURSOR, values)).length === 1;
}

/** See `Tx.replays`. */
export async function readReplays(session: Session): Promise<ReadonlyMap<string, Replay>> {
  const rows = await session.run(REPLAYS);
  return new Map(
    rows.map((row) => [
      row.stream,
      {
        isChecked: row.is_checked,
        to: row.replay_to,
        ledgerUser: row.ledger_user,
        lostUntil: row.lost_until,
        heldFrom: row.held_from,
      },
    ]),
  );
}

/** See `Tx.beginReplay`. */
export const beginReplay = async (
  session: Session,
  stream: string,
  { to, ledgerUser }: ReplayStart,
  leaseEpoch: bigint,
): Promise<boolean> =>
  (await session.run(BEGIN_REPLAY, [stream, leaseEpoch, to, ledgerUser])).length === 1;

/** See `Tx.boundLost`. */
export const boundLost = async (
  session: Session,
  stream: string,
  before: Lost,
  now: Lost,
  leaseEpoch: bigint,
): Promise<boolean> => {
  const values = [now.lostUntil, now.heldFrom, before.lostUntil, before.heldFrom];
  return (await session.run(BOUND_LOST, [stream, leaseEpoch, ...values])).length === 1;
};

export async function moveCursors(
  session: Session,
  moves: readonly CursorMove[],
  leaseEpoch: bigint,
): Promise<boolean> {
  const rows = moves.map((move) => {
    assert(move.to >= move.from, 'a cursor never goes back');
    return {
      stream: move.stream,
      from: String(move.from),
      to: String(move.to),
      record_time: move.recordTime,
      times: move.times === undefined ? null : Object.fromEntries(move.times),
      landmark_offset: move.landmark?.offset.toString(),
      landmark_update_id: move.landmark?.updateId,
    };
  });
  if (rows.length === 0) return (await session.run(OWN_LEASE, [leaseEpoch])).length === 1;
  const moved = await session.run(MOVE_CURSORS, [JSON.stringify(rows), leaseEpoch, rows.length]);
  return moved.length === rows.length;
}

const FOLLOWED_TYPES = statement<{ type_fqn: string }>(
  'followed-types',
  'select type_fqn from followed_type',
);

const FOLLOW_TYPES = statement<never>(
  'follow-types',
  `with followed as (
     insert into followed_type (type_fqn) select distinct unnest($1::text[]) on conflict do nothing)
   insert into template (template_fqn, package_name, module_name, entity_name, payload_type)
   select distinct on (t.fqn) t.fqn, split_part(t.fqn, ':', 1), split_part(t.fqn, ':', 2),
          split_part(t.fqn, ':', 3), t.kind
   from unnest($1::text[], $2::text[]) as t(fqn, kind)
   order by t.fqn
   on conflict (template_fqn) do nothing`,
);

export async function readFollowedTypes(session: Session): Promise<ReadonlySet<string>> {
  return new Set((await session.run(FOLLOWED_TYPES)).map((row) => row.type_fqn));
}

export function sendFollowedTypes(session: Session, types: readonly FollowedType[]): void {
  session.send(FOLLOW_TYPES, [types.map(({ fqn }) => fqn), types.map(({ kind }) => kind)]);
}
