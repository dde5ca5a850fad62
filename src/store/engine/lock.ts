import type { Tx } from '../../app/ports/transaction.ts';
import type { LaneId } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import type { ChangeRow } from '../rows/change-row.ts';
import { CHANGE_COLUMNS, changeFromRow } from '../rows/change-row.ts';
import type { LifecycleRow } from '../rows/lifecycle-row.ts';
import { LIFECYCLE_COLUMNS, lifecycleFromRow } from '../rows/lifecycle-row.ts';
import { mailboxFromRow } from '../rows/mailbox-row.ts';
import type { Row } from '../sql/schema.ts';
import type { Session } from '../sql/session.ts';
import { columnsOf, statement } from '../sql/statement.ts';

/*
 * Each step is a statement of its own: a statement that has waited for a lock still reads other tables as they were
 * when it began, so what a lock protects is read by the next one. They are sent together and cost one round trip.
 *
 * `no key update` is as exclusive as `update` among those who lock this way, and lets the foreign keys of others pass.
 */

/** Sorted, so that two who make the same mailboxes wait for each other at most once. */
const MAKE_MAILBOXES = statement<never>(
  'make-mailboxes',
  `insert into mailbox (lane)
   select lane from unnest($1::text[]) as l(lane) order by lane collate "C"
   on conflict (lane) do nothing`,
);

const LOCK_MAILBOXES = statement<Row<'mailbox'>>(
  'lock-mailboxes',
  `select m.lane, m.head, m.next_no, m.waiting
   from mailbox m where m.lane = any($1) order by m.lane for no key update`,
);

const LOCK_FREE_MAILBOXES = statement<Row<'mailbox'>>(
  'lock-free-mailboxes',
  `select m.lane, m.head, m.next_no, m.waiting
   from mailbox m where m.lane = any($1) order by m.lane for no key update skip locked`,
);

const LOCK_LIFECYCLES = statement<LifecycleRow>(
  'lock-lifecycles',
  `select ${columnsOf('l', LIFECYCLE_COLUMNS)}
   from lifecycle l where l.lane = any($1) order by l.id for no key update`,
);

/** The start of an attempt writes a change without holding its lane, hence the lock on the row itself. */
const LOCK_HEADS = statement<ChangeRow>(
  'lock-heads',
  `select ${columnsOf('c', CHANGE_COLUMNS)}
   from mailbox m join change c on c.id = m.head
   where m.lane = any($1) order by m.lane for no key update of c`,
);

type Locked = Awaited<ReturnType<Tx['lock']>>;

const NOTHING: Locked = { mailboxes: [], lifecycles: [], heads: [] };

/** What is in lanes whose mailboxes are locked, or about to be by the statement before. */
function lockContents(
  session: Session,
  lanes: readonly LaneId[],
): Promise<[LifecycleRow[], ChangeRow[]]> {
  return Promise.all([session.run(LOCK_LIFECYCLES, [lanes]), session.run(LOCK_HEADS, [lanes])]);
}

const asLocked = (
  mailboxes: readonly Row<'mailbox'>[],
  [lifecycles, heads]: readonly [readonly LifecycleRow[], readonly ChangeRow[]],
): Locked => ({
  mailboxes: mailboxes.map(mailboxFromRow),
  lifecycles: lifecycles.map(lifecycleFromRow),
  heads: heads.map(changeFromRow),
});

/** Makes missing mailboxes, then locks them, their lifecycles and their head changes, and reads what they are now. */
export async function lockLanes(session: Session, lanes: readonly LaneId[]): Promise<Locked> {
  if (lanes.length === 0) return NOTHING;
  session.send(MAKE_MAILBOXES, [lanes]);
  const [mailboxes, contents] = await Promise.all([
    session.run(LOCK_MAILBOXES, [lanes]),
    lockContents(session, lanes),
  ]);
  return asLocked(mailboxes, contents);
}

/**
 * The same for those that no other transaction has locked at this moment. It costs one more round trip: what is in a
 * lane may be waited for only once its mailbox is known to be locked here.
 */
export async function lockFreeLanes(session: Session, lanes: readonly LaneId[]): Promise<Locked> {
  if (lanes.length === 0) return NOTHING;
  session.send(MAKE_MAILBOXES, [lanes]);
  const mailboxes = await session.run(LOCK_FREE_MAILBOXES, [lanes]);
  if (mailboxes.length === 0) return NOTHING;
  const free = mailboxes.map(({ lane }) => trusted<LaneId>(lane));
  return asLocked(mailboxes, await lockContents(session, free));
}
