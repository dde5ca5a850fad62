import { sql } from 'kysely';
import type { Pool } from 'pg';
import type {
  BulkAct,
  BulkActs,
  BulkItem,
  BulkRequest,
  ItemEnd,
  Judged,
  Preview,
  RefusedItems,
} from '../../app/desk/bulk-acts.ts';
import type { OpsScope } from '../../app/ports/ops-scope.ts';
import { SCHEDULER_LEASE } from '../../app/ports/leases.ts';
import type { Io } from '../../app/ports/io.ts';
import type { StoreObserver, Tx } from '../../app/ports/transaction.ts';
import type { Actor, Caller } from '../../domain/caller.ts';
import type { ChangeId, Party } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import { STORE_LIMITS } from '../limits.ts';
import { fail } from '../../domain/problems.ts';
import { ask } from '../sql/ask.ts';
import { sendAudit } from '../engine/audit.ts';
import { judgedChanges } from './bulk-judgement.ts';
import { nextItems } from './bulk-turns.ts';
import { findChanges } from '../engine/find.ts';
import { transactCore } from '../engine/postgres-store.ts';
import type { Row } from '../../../migrations/schema.ts';
import { ACTS_CHANNEL } from '../sql/channels.ts';
import type { Session } from '../sql/session.ts';
import { statement } from '../sql/statement.ts';
import { onConnection, transact } from '../sql/transact.ts';

type ActRow = Omit<Row<'bulk_act'>, 'worked_at'>;

/** Bounds that callers cannot choose. */
interface Bounds {
  /** The maximum number of changes that a filter may match. */
  readonly itemsMax: number;
  /** Operations that end their contract, so that at most one attempt of each can take effect. */
  readonly ending: readonly string[];
  /** The names of all operations. */
  readonly operations: readonly string[];
}

const ACT_COLUMNS = `a.id, a.action, a.decision, a.scope, a.filter, a.reason, a.by_party, a.by_subject, a.by_name,
  a.tenant_id, a.state, a.count, a.token_hash, a.previewed_at, a.expires_at, a.applied_at, a.finished_at`;

interface Progress {
  readonly done: bigint;
  readonly refused: bigint;
  readonly left: bigint;
}

const PROGRESS = `(select count(*) from bulk_item i where i.act_id = a.id and i.state = 'done') as done,
  (select count(*) from bulk_item i where i.act_id = a.id and i.state = 'refused') as refused,
  (select count(*) from bulk_item i where i.act_id = a.id and i.state = 'waiting') as left`;

/** Deletes expired previews. */
const FORGET_PREVIEWS = statement<never>(
  'forget-previews',
  `delete from bulk_act where state = 'previewed' and expires_at < now() - interval '1 hour'`,
);

const REMEMBER = statement<never>(
  'remember-preview',
  `insert into bulk_act (id, action, decision, scope, filter, reason, by_party, by_subject, by_name, tenant_id, state,
                         count, token_hash, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'previewed', $11, $12, now() + $13 * interval '1 millisecond')`,
);

/** Without this lock, two acts that one party applies at the same time would not count each other. */
const ONE_OF_PARTY = statement<never>(
  'apply-one-of-party',
  `select pg_advisory_xact_lock(hashtextextended('bulk acts ' || $1::text, 0))`,
);

const USE_TOKEN = statement<ActRow & { readonly beside: bigint }>(
  'use-bulk-token',
  `update bulk_act a set state = 'running', token_hash = null, applied_at = now()
   where a.token_hash = $1 and a.by_party = $2 and a.by_subject = $3 and a.tenant_id = $4 and a.expires_at > now()
   returning ${ACT_COLUMNS},
     (select count(*) from bulk_act r where r.by_party = a.by_party and r.state = 'running') as beside`,
);

/**
 * `$1` is the party of the scope, and `$2` says whether that party is the provider. The provider's operators may also
 * stop acts of tenants, because those acts concern the provider's changes.
 */
const IN_SCOPE = `(a.by_party = $1 or ($2 and a.scope = 'caller'))`;

const inScope = ({ of, party }: OpsScope) => [party, of === 'provider'];

const list = (beyond: '<' | '>', way: 'asc' | 'desc'): string =>
  `select ${ACT_COLUMNS}, ${PROGRESS} from bulk_act a
   where ${IN_SCOPE} and a.state <> 'previewed'
     and ($3::timestamptz is null or (a.applied_at, a.id) ${beyond} ($3, $4::uuid))
   order by a.applied_at ${way}, a.id ${way} limit $5`;

const LISTS = {
  descending: statement<ActRow & Progress>('bulk-acts', list('<', 'desc')),
  ascending: statement<ActRow & Progress>('oldest-bulk-acts', list('>', 'asc')),
};

const FIND = statement<ActRow & Progress>(
  'bulk-act',
  `select ${ACT_COLUMNS}, ${PROGRESS} from bulk_act a
   where ${IN_SCOPE} and a.id = $3 and a.state <> 'previewed'`,
);

const REFUSED_ITEMS = statement<{ code: string; reason: string; count: bigint }>(
  'refused-items',
  `select code, min(message) as reason, count(*) as count
   from bulk_item where act_id = $1 and state = 'refused' group by code order by count(*) desc, code`,
);

/** The update waits for items in progress, because they lock the row of the act. */
const STOP = statement<ActRow>(
  'stop-bulk-act',
  `update bulk_act a set state = 'stopped', finished_at = now()
   where ${IN_SCOPE} and a.id = $3 and a.state = 'running' returning ${ACT_COLUMNS}`,
);

const FORGET_PREVIEWS_OF = statement<never>(
  'forget-previews-of-tenant',
  `delete from bulk_act where state = 'previewed' and tenant_id = $1`,
);

const STOP_OF = statement<ActRow>(
  'stop-bulk-acts-of-tenant',
  `update bulk_act a set state = 'stopped', finished_at = now()
   where a.tenant_id = $1 and a.state = 'running' returning ${ACT_COLUMNS}`,
);

/**
 * Runs last in its transaction, because its lock on the lease keeps other processes from taking the lease until the
 * commit.
 */
const CLOSE_ITEM = statement<{ n: number }>(
  'close-bulk-item',
  `with owner as materialized (
     select 1 from lease where name = '${SCHEDULER_LEASE}' and epoch = $1 for share
   ), act as (
     update bulk_act set worked_at = now() where id = $2 and state = 'running' returning id
   )
   update bulk_item i set state = $4, code = $5, message = $6, result_change_id = $7, at = now()
   from owner, act where i.act_id = act.id and i.n = $3 and i.state = 'waiting'
   returning i.n`,
);

const FINISH = statement<never>(
  'finish-bulk-acts',
  `update bulk_act a set state = 'done', finished_at = now()
   where a.state = 'running'
     and not exists (select from bulk_item i where i.act_id = a.id and i.state = 'waiting')`,
);

const requestOf = (row: ActRow): BulkRequest => ({
  action: row.action,
  decision: row.decision,
  filter: row.filter,
  reason: row.reason,
});

function actOf(row: ActRow & Progress): BulkAct {
  const { state, applied_at: appliedAt } = row;
  if (state === 'previewed' || appliedAt === null)
    throw new Error('a preview is not a bulk action');
  return {
    ...requestOf(row),
    id: row.id,
    byParty: trusted<Party>(row.by_party),
    bySubject: row.by_subject,
    state,
    count: row.count,
    appliedAt,
    finishedAt: row.finished_at,
    done: Number(row.done),
    refused: Number(row.refused),
    left: Number(row.left),
  };
}

/** Records in the audit log that a person has applied or stopped a bulk act. */
function sendAct(session: Session, act: string, row: ActRow, by: Actor, reason: string): void {
  const { id: actId, action, decision, filter, count } = row;
  sendAudit(session, [
    {
      at: new Date().toISOString(),
      byParty: by.party,
      bySubject: by.subject,
      act,
      changeId: null,
      from: null,
      to: null,
      subject: `act:${actId}`,
      reason,
      detail: {
        action,
        ...(decision === null ? {} : { decision }),
        filter: { ...filter },
        count,
      },
    },
  ]);
}

async function judge(
  pool: Pool,
  bounds: Bounds,
  request: BulkRequest & { readonly scope: OpsScope },
  io: Io,
): Promise<Judged> {
  const { itemsMax, ...names } = bounds;
  const counts = judgedChanges({ ...request, ...names }, itemsMax)
    .selectFrom('judged as j')
    .select((eb) => [
      'j.reason',
      eb.fn.countAll<bigint>().as('n'),
      eb.fn.max('j.meant').as('meant'),
    ])
    .select(
      sql<string[]>`array(
        select k.id::text from judged k where k.reason is null and j.reason is null
        order by k.lane, k.mailbox_no limit ${STORE_LIMITS.bulkSampleMax})`.as('sample'),
    )
    .groupBy('j.reason');
  return ask(pool, io, async (session) => {
    const rows = await session.ask(counts);
    requireSize(rows[0]?.meant ?? 0n, itemsMax);
    const mine = rows.find(({ reason }) => reason === null);
    const ids = (mine?.sample ?? []).map((id) => trusted<ChangeId>(id));
    const found = await findChanges(session, ids);
    return {
      count: Number(mine?.n ?? 0n),
      refused: rows.flatMap(({ reason, n }) =>
        reason === null ? [] : [{ reason, count: Number(n) }],
      ),
      sample: ids.flatMap((id) => found.find((change) => change.id === id) ?? []),
    };
  });
}

/** Fails if the filter matches more changes than were judged, even if the act would apply to fewer. */
function requireSize(meant: bigint, itemsMax: number): void {
  if (meant <= itemsMax) return;
  fail('BULK_TOO_LARGE', `the filter matches more than ${itemsMax} operations: narrow the filter`);
}

/** Allows plans that other transactions must not use, because they only look up a few rows by key. */
const PLAN_FREELY = `set local plan_cache_mode = force_custom_plan; set local enable_seqscan = on;
  set local enable_hashjoin = on; set local enable_mergejoin = on`;

/**
 * Records the items of an act, ordered by lane and by position in the lane. A cancel instead takes the last change of a
 * lane first: if the head ended first, the next change would start although it is about to be cancelled.
 *
 * @returns the number of items
 */
async function recordItems(
  session: Session,
  row: ActRow,
  { itemsMax, ...names }: Bounds,
): Promise<number> {
  const scope = { of: row.scope, party: trusted<Party>(row.by_party) };
  const way = sql.raw(row.action === 'cancel' ? 'desc' : 'asc');
  const record = judgedChanges({ ...requestOf(row), scope, ...names }, itemsMax)
    .with('written', (db) =>
      db
        .insertInto('bulk_item')
        .columns(['act_id', 'n', 'change_id'])
        .expression(
          db
            .selectFrom('judged as j')
            .select(sql<string>`${row.id}::uuid`.as('act_id'))
            .select(sql<number>`row_number() over (order by j.lane, j.mailbox_no ${way})`.as('n'))
            .select('j.id')
            .where('j.reason', 'is', null),
        )
        .returning('n'),
    )
    .selectNoFrom([
      sql<bigint>`(select count(*) from written)`.as('n'),
      sql<bigint>`(select coalesce(max(j.meant), 0) from judged j)`.as('meant'),
    ]);
  await session.script(PLAN_FREELY);
  const [found] = await session.ask(record);
  const { n, meant } = found ?? { n: 0n, meant: 0n };
  requireSize(meant, itemsMax);
  return Number(n);
}

const OVER = 'the token does not belong to a valid preview of the caller: preview again';

async function remember(pool: Pool, preview: Preview, io: Io): Promise<void> {
  const { id, action, decision, scope, filter, reason, by, count } = preview;
  const what = [id, action, decision, scope.of, JSON.stringify(filter), reason];
  const who = [by.party, by.subject, by.name, by.tenantId];
  const until = [count, preview.tokenHash, preview.expiresInMs];
  await transact(pool, io, async (session) => {
    session.send(FORGET_PREVIEWS, []);
    await session.run(REMEMBER, [...what, ...who, ...until]);
  });
}

const apply = (
  pool: Pool,
  bounds: Bounds,
  token: { readonly hash: string; readonly count: number },
  by: Caller,
  io: Io,
): Promise<BulkAct> =>
  transact(pool, io, async (session) => {
    const whose = [by.party, by.subject, by.tenantId];
    session.send(ONE_OF_PARTY, [by.party]);
    const [row] = await session.run(USE_TOKEN, [token.hash, ...whose]);
    if (row === undefined) return fail('PREVIEW_OVER', OVER);
    if (row.count !== token.count) {
      return fail('COUNT_MISMATCH', `the preview counted ${row.count}, not ${token.count}`, {
        extra: { count: row.count },
      });
    }
    if (row.beside >= STORE_LIMITS.bulkActsRunningMax) {
      const message = `a party may run at most ${STORE_LIMITS.bulkActsRunningMax} bulk actions at a time: wait until one has ended`;
      return fail('ACTS_LIMITED', message);
    }
    const now = await recordItems(session, row, bounds);
    if (now !== row.count) {
      const message = `the filter now matches ${now} operations, not ${row.count}: preview again`;
      return fail('COUNT_MISMATCH', message, { extra: { count: now } });
    }
    sendAct(session, `bulk-${row.action}`, row, by, row.reason);
    session.announce(ACTS_CHANNEL, '');
    return actOf({ ...row, done: 0n, refused: 0n, left: BigInt(now) });
  });

const find = (pool: Pool, id: string, scope: OpsScope, io: Io) =>
  onConnection(pool, io, async (session) => {
    const [row] = await session.run(FIND, [...inScope(scope), id]);
    if (row === undefined) return null;
    const grouped = await session.run(REFUSED_ITEMS, [id]);
    const refused: RefusedItems[] = grouped.map(({ count, ...rest }) => ({
      ...rest,
      count: Number(count),
    }));
    return { act: actOf(row), refused };
  });

const stop = (
  pool: Pool,
  id: string,
  scope: OpsScope,
  { by, reason }: { readonly by: Caller; readonly reason: string },
  io: Io,
): Promise<BulkAct | null> =>
  transact(pool, io, async (session) => {
    const [stopped] = await session.run(STOP, [...inScope(scope), id]);
    const [row] = await session.run(FIND, [...inScope(scope), id]);
    if (row === undefined) return null;
    if (stopped === undefined) {
      return fail('ACT_OVER', `the bulk action has already ended: it is ${row.state}`, {
        extra: { state: row.state },
      });
    }
    sendAct(session, 'bulk-stopped', row, by, reason);
    return actOf(row);
  });

/**
 * Stops the bulk acts of a tenant, in the transaction that removes the tenant. The tenant's previews can no longer be
 * applied.
 */
export async function stopActsOf(session: Session, tenantId: string, by?: Actor): Promise<void> {
  // Runs first, because it waits for transactions that apply a preview.
  session.send(FORGET_PREVIEWS_OF, [tenantId]);
  const stopped = await session.run(STOP_OF, [tenantId]);
  if (by === undefined) return;
  for (const row of stopped)
    sendAct(session, 'bulk-stopped', row, by, 'the tenant of the caller was removed');
}

/** Thrown to roll back the work on an item that is no longer to be processed. */
class ItemGoneError extends Error {
  override readonly name = 'ItemGoneError';
}

/** The pool for the processing of items, and the observer of its transactions. */
interface Performing {
  readonly pool: Pool;
  readonly observer: StoreObserver | null;
}

async function perform(
  { pool, observer }: Performing,
  item: BulkItem,
  leaseEpoch: bigint,
  work: (tx: Tx) => Promise<ItemEnd>,
  io: Io,
): Promise<ItemEnd | null> {
  const closing = async (tx: Tx, session: Session): Promise<ItemEnd> => {
    const end = await work(tx);
    const told = end.state === 'refused' ? [end.code, end.message, null] : [null, null, end.result];
    const values = [leaseEpoch, item.actId, item.n, end.state, ...told];
    const [closed] = await session.run(CLOSE_ITEM, values);
    if (closed === undefined) throw new ItemGoneError();
    return end;
  };
  try {
    return await transactCore(pool, io, closing, observer);
  } catch (error) {
    if (error instanceof ItemGoneError) return null;
    throw error;
  }
}

/**
 * @param pool opened with `pipelined`; the caller closes it
 * @param observer observes the transactions that process items
 */
export const createBulkActs = (
  pool: Pool,
  bounds: Bounds,
  observer: StoreObserver | null = null,
): BulkActs => ({
  judge: (request, io) => judge(pool, bounds, request, io),
  remember: (preview, io) => remember(pool, preview, io),
  apply: (token, by, io) => apply(pool, bounds, token, by, io),
  async list({ scope, order = 'descending', after, limit }, io) {
    const values = [...inScope(scope), after?.appliedAt ?? null, after?.id ?? null, limit];
    const rows = await onConnection(pool, io, (session) => session.run(LISTS[order], values));
    return rows.map(actOf);
  },
  find: (id, scope, io) => find(pool, id, scope, io),
  stop: (id, scope, why, io) => stop(pool, id, scope, why, io),
  next: (limit, resting, io) => nextItems(pool, limit, resting, io),
  perform: (item, leaseEpoch, work, io) => perform({ pool, observer }, item, leaseEpoch, work, io),
  finish: (io) => onConnection(pool, io, async (session) => void (await session.run(FINISH, []))),
});
