import type { Tx } from '../../app/ports/transaction.ts';
import type { ChangeId, ContractId, LaneId, LifecycleId, SubmissionId } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import type { ChangeRow } from '../rows/change-row.ts';
import { CHANGE_COLUMNS, changeFromRow } from '../rows/change-row.ts';
import type { OfLifecycle } from '../rows/lifecycle-row.ts';
import { LIFECYCLE_COLUMNS, columnsOfLifecycle, lifecycleOf } from '../rows/lifecycle-row.ts';
import { mailboxFromRow } from '../rows/mailbox-row.ts';
import type { Row } from '../../../migrations/schema.ts';
import { lanesWaiting, lineageOf, submissionsOf, waitedFor, waitingForUpdates } from './find.ts';
import type { Session } from '../sql/session.ts';
import { columnsOf, statement } from '../sql/statement.ts';

/*
 * Locks lanes. Each step is a statement of its own: a statement that has waited for a lock still sees other tables as
 * they were when it began, so only the next statement reads the rows that the lock protects. All statements are sent
 * together, so they cost one round trip.
 *
 * `no key update` excludes other locks of this kind as `update` does, but does not block foreign key checks.
 */

/** The setting with locked lanes, for statements that are sent before the client knows these lanes. */
export const LOCKED_LANES = 'tenure.locked_lanes';

/** Sorted, so that two transactions that create the same mailboxes cannot deadlock. */
const makeMailboxes = (lanes: string): string =>
  `insert into mailbox (lane)
   select lane from unnest(${lanes}::text[]) as l(lane) order by lane collate "C"
   on conflict (lane) do nothing`;

const MAKE_MAILBOXES = statement<never>('make-mailboxes', makeMailboxes('$1'));

const lockMailboxes = (lanes: string): string =>
  `select m.lane, m.head, m.next_no, m.waiting
   from mailbox m where m.lane = any(${lanes}) order by m.lane for no key update`;

const LOCK_MAILBOXES = statement<Row<'mailbox'>>('lock-mailboxes', lockMailboxes('$1'));

/**
 * Missing mailboxes are created before others are locked, as in `lockLanes`. In another order, two transactions could
 * deadlock.
 */
const LOCK_FREE_MAILBOXES = statement<Row<'mailbox'>>(
  'lock-free-mailboxes',
  `with made as materialized (
     insert into mailbox (lane)
     select l.lane from unnest($1::text[]) as l(lane)
     where not exists (select from mailbox m where m.lane = l.lane) order by l.lane collate "C"
     on conflict (lane) do nothing
     returning lane, head, next_no, waiting
   ), there as materialized (
     select m.lane, m.head, m.next_no, m.waiting from mailbox m
     where m.lane = any($1) and (select count(*) from made) is not null
     order by m.lane for no key update skip locked
   ), locked as materialized (
     select * from there union all select * from made
   ), told as materialized (
     select set_config('${LOCKED_LANES}', coalesce(array_agg(l.lane), '{}')::text, true) as lanes from locked l
   )
   -- Asked for before any row is, and so also where none is locked: joined, it would be up to the plan.
   select l.lane, l.head, l.next_no, l.waiting from locked l where (select t.lanes from told t) is not null`,
);

/**
 * SQL: the lifecycles of the lanes that have not ended, and the lifecycles of the heads. Other ended ones are left out,
 * because a lane keeps every lifecycle that was ever in it. The condition on the end is written as in the index of
 * lanes, so that PostgreSQL uses that index.
 */
const lifecyclesIn = (lanes: string): string =>
  `select ${columnsOf('l', LIFECYCLE_COLUMNS)}
   from lifecycle l
   where l.id = any(array(
     select a.id from lifecycle a
     where a.lane = any(${lanes}) and coalesce(a.ended_at, 'infinity'::timestamptz) = 'infinity'
     union all
     select h.id from mailbox m join change c on c.id = m.head join lifecycle h on h.id = c.lifecycle_id
     where m.lane = any(${lanes}) and h.lane = m.lane))
   order by l.id for no key update`;

/**
 * SQL: the heads of the lanes. Their rows are locked too, because the start of an attempt writes a change without a
 * lock on its lane. They are locked after the lifecycles.
 */
const headsOf = (lanes: string): string =>
  `select ${columnsOf('c', CHANGE_COLUMNS)}
   from mailbox m join change c on c.id = m.head
   where m.lane = any(${lanes}) and (select count(*) from lifecycles) is not null
   order by m.lane for no key update of c`;

/** A head or a lifecycle. The columns of the other one are null. */
type ContentRow = ChangeRow & OfLifecycle;

/** SQL: one statement for both, because the lock on the mailbox protects what they read. */
const contentsOf = (lanes: string): string =>
  `with lifecycles as materialized (
     ${lifecyclesIn(lanes)}
   ), heads as materialized (
     ${headsOf(lanes)}
   )
   select ${columnsOf('h', CHANGE_COLUMNS)}, ${columnsOfLifecycle('l')} from heads h full join lifecycles l on false`;

const LOCK_CONTENTS = statement<ContentRow>('lock-contents', contentsOf('$1'));

const LOCKED = `current_setting('${LOCKED_LANES}')::text[]`;

const LOCK_CONTENTS_OF_LOCKED = statement<ContentRow>(
  'lock-contents-of-locked',
  contentsOf(LOCKED),
);

const MAKE_MAILBOXES_OF_BATCH = statement<never>('make-mailboxes-of-batch', makeMailboxes(LOCKED));

const LOCK_MAILBOXES_OF_BATCH = statement<Row<'mailbox'>>(
  'lock-mailboxes-of-batch',
  lockMailboxes(LOCKED),
);

type Locked = Awaited<ReturnType<Tx['lock']>>;

const NOTHING: Locked = { mailboxes: [], lifecycles: [], heads: [] };

const asLocked = (
  mailboxes: readonly Row<'mailbox'>[],
  contents: readonly ContentRow[],
): Locked => {
  const isHead = ({ id }: ContentRow): boolean => (id as string | null) !== null;
  return {
    mailboxes: mailboxes.map(mailboxFromRow),
    lifecycles: contents.filter((row) => !isHead(row)).map(lifecycleOf),
    heads: contents.filter(isHead).map(changeFromRow),
  };
};

/** Creates missing mailboxes, locks the mailboxes, their lifecycles and their heads, and returns the locked rows. */
export async function lockLanes(session: Session, lanes: readonly LaneId[]): Promise<Locked> {
  if (lanes.length === 0) return NOTHING;
  session.send(MAKE_MAILBOXES, [lanes]);
  const [mailboxes, contents] = await Promise.all([
    session.run(LOCK_MAILBOXES, [lanes]),
    session.run(LOCK_CONTENTS, [lanes]),
  ]);
  return asLocked(mailboxes, contents);
}

/**
 * Like `lockLanes`, but skips lanes that another transaction has locked. It may wait for rows of a lane only after it
 * has locked the lane's mailbox. So the first statement stores the locked lanes in a setting, which the other
 * statement reads.
 */
export async function lockFreeLanes(session: Session, lanes: readonly LaneId[]): Promise<Locked> {
  if (lanes.length === 0) return NOTHING;
  const [mailboxes, contents] = await Promise.all([
    session.run(LOCK_FREE_MAILBOXES, [lanes]),
    session.run(LOCK_CONTENTS_OF_LOCKED),
  ]);
  return asLocked(mailboxes, contents);
}

/** A row that concerns a batch. Its kind says which columns it has. */
interface OfBatchRow {
  readonly kind: string;
  readonly id: string | null;
  readonly of_id: string | null;
  readonly lane: string | null;
  readonly at: string | null;
}

/**
 * Finds everything that a batch concerns, and stores the lanes in a setting, so that the statements that lock these
 * lanes can be sent without waiting for the answer. Takes some of the overdue lanes at random, because each batch finds
 * the lanes again that wait for a decision made elsewhere.
 */
const LANES_OF_BATCH = statement<OfBatchRow>(
  'lanes-of-batch',
  `with lineages as materialized (
     ${lineageOf('$1')}
   ), submissions as materialized (
     ${submissionsOf('$2')}
   ), waits as materialized (
     ${waitingForUpdates({ updates: '$3', carried: '$4' })}
   ), overdue as materialized (
     select w.lane from (${lanesWaiting({ completions: '$5', updates: '$6', most: '$7' })}) w order by random() limit $7
   ), told as materialized (
     select set_config('${LOCKED_LANES}', coalesce(array_agg(l.lane), '{}')::text, true) as lanes
     from (select lane from lineages union select lane from submissions union select lane from waits
           union select lane from overdue) l
     where l.lane is not null
   )
   select 'told' as kind, lanes as id, null as of_id, null as lane, null::timestamptz as at from told
   union all select 'lineage', contract_id, lifecycle_id, lane, null from lineages
   union all select 'submission', submission_id, change_id::text, lane, at from submissions
   union all select 'waiting', id::text, null, lane, null from waits
   union all select 'overdue', null, null, lane, null from overdue`,
);

/** Stores the found lanes in the setting `LOCKED_LANES`. */
async function findOfBatch(
  session: Session,
  { contracts, submissions, updates, carried }: Parameters<Tx['lanesOf']>[0],
  cursors: ReadonlyMap<string, bigint>,
): ReturnType<Tx['lanesOf']> {
  const values = [contracts, submissions, updates, carried, ...waitedFor(cursors)];
  const rows = Map.groupBy(await session.run(LANES_OF_BATCH, values), ({ kind }) => kind);
  const of = (kind: string) =>
    (rows.get(kind) ?? []).map(({ id, of_id: ofId, lane, at }) => ({
      id: id ?? '',
      ofId: ofId ?? '',
      lane: lane === null ? null : trusted<LaneId>(lane),
      at: at ?? '',
    }));
  const inLane = (kind: string) =>
    of(kind).flatMap(({ lane, ...row }) => (lane === null ? [] : [{ ...row, lane }]));
  return {
    lineage: inLane('lineage').map(({ id, ofId, lane }) => ({
      contractId: trusted<ContractId>(id),
      lifecycleId: trusted<LifecycleId>(ofId),
      lane,
    })),
    submissions: inLane('submission').map(({ id, ofId, lane, at }) => ({
      submissionId: trusted<SubmissionId>(id),
      changeId: trusted<ChangeId>(ofId),
      lane,
      at,
    })),
    waiting: inLane('waiting').map(({ id, lane }) => ({ changeId: trusted<ChangeId>(id), lane })),
    unknown: of('waiting').flatMap(({ id, lane }) =>
      lane === null ? [trusted<ChangeId>(id)] : [],
    ),
  };
}

/** See `Tx.lockOf`. Takes one round trip. */
export async function lockOf(
  session: Session,
  query: Parameters<Tx['lanesOf']>[0],
  cursors: ReadonlyMap<string, bigint>,
): ReturnType<Tx['lockOf']> {
  const finding = findOfBatch(session, query, cursors);
  session.send(MAKE_MAILBOXES_OF_BATCH, []);
  const [found, mailboxes, contents] = await Promise.all([
    finding,
    session.run(LOCK_MAILBOXES_OF_BATCH),
    session.run(LOCK_CONTENTS_OF_LOCKED),
  ]);
  return { ...found, locked: asLocked(mailboxes, contents) };
}
