import type { SqlBool } from 'kysely';
import { sql } from 'kysely';
import type { Pool } from 'pg';
import type { Io } from '../../app/ports/io.ts';
import type { Reads } from '../../app/ports/reads.ts';
import type { Count, LifecycleView, ListKey, ListQuery } from '../../app/ports/views.ts';
import { listKeyOf } from '../../app/ports/views.ts';
import { LIMITS } from '../../domain/limits.ts';
import { assert } from '../../domain/unreachable.ts';
import { LIFECYCLE_COLUMNS } from '../rows/lifecycle-row.ts';
import { viewFromRow } from '../rows/view-row.ts';
import { beyond, build, wayOf } from '../sql/query.ts';
import { countIn } from '../sql/count.ts';
import { withSettlements } from './settlements.ts';
import { onConnection } from '../sql/transact.ts';

/*
 * Lists of lifecycles, by default of active ones, in the order (user, number, ID). A lifecycle never changes its place
 * in this order. So a client that reads page by page sees each lifecycle at most once, and exactly once if the
 * lifecycle exists the whole time.
 *
 * A party's lifecycles are those that it provides and those that it uses. Each of these two sides has an index in this
 * order, from which exactly one page is read; one condition with `or` could use neither index. Ended lifecycles are
 * found by their final state, so a page merges the rows of each state.
 *
 * The active lifecycles with a state are those listed under the state, and those that have the state while an operation
 * is in progress.
 */

type Side = 'provider' | 'app_user';

/** A list without the position and the limit of a page. */
type Whole = Omit<ListQuery, 'after' | 'limit'>;

/** Returns the sides on which the query can find rows. */
function sidesOf(query: Whole): Side[] {
  const sides: Side[] = [];
  if (query.provider === undefined || query.provider === query.party) sides.push('provider');
  if (query.appUser === undefined || query.appUser === query.party) sides.push('app_user');
  return sides;
}

/**
 * Compares a row with the position after which the page begins. A row comparison is used because an index scan can
 * start at one.
 */
const isAfter = (key: ListKey, query: ListQuery) =>
  sql<SqlBool>`(app_user, list_no, id) ${beyond(query)} (${key.appUser}, ${key.listNo}::bigint, ${key.id})`;

/** Always true. It allows PostgreSQL to use the index of users: see the migration that created the index. */
const BY_USER = sql<SqlBool>`app_user <> ''`;

/** The lifecycles of changes that are heads of their lanes. They are few, so each is looked up. */
export const UNDER_WAY = sql<string>`any(array(
  select c.lifecycle_id from change c
  where c.state in ('submitting', 'retrying', 'in-doubt') and c.lifecycle_id is not null))`;

/** The kinds of rows that a page is merged from. */
type Part =
  | { readonly of: 'active' }
  | { readonly of: 'ended' | 'listed' | 'under-way'; readonly state: string };

function partsOf({ endedAs, state }: Whole): readonly Part[] {
  if (endedAs !== undefined) return endedAs.map((as) => ({ of: 'ended', state: as }));
  if (state === undefined) return [{ of: 'active' }];
  return [
    { of: 'listed', state },
    { of: 'under-way', state },
  ];
}

const isAmong = ({ appUsers, ids }: NonNullable<ListQuery['among']>) =>
  appUsers.length === 0
    ? sql<SqlBool>`id = any(${[...ids]}::text[])`
    : sql<SqlBool>`(app_user = any(${[...appUsers]}::text[]) or id = any(${[...ids]}::text[]))`;

/** Returns the entries of one part of a side, from the beginning of the list. */
function entriesOf(query: Whole, side: Side, part: Part) {
  let entries = build
    .selectFrom('lifecycle')
    .select([...LIFECYCLE_COLUMNS, 'list_no'])
    .where('kind', '=', query.kind)
    .where('ended_at', part.of === 'ended' ? 'is not' : 'is', null)
    .where(side, '=', query.party);
  if (part.of !== 'active') entries = entries.where('state', '=', part.state);
  if (part.of === 'ended' || part.of === 'listed') {
    entries = entries.where('listed_as', '=', part.state);
  }
  if (part.of === 'under-way') {
    entries = entries.where('listed_as', '<>', part.state).where('id', '=', UNDER_WAY);
  }
  // A lifecycle whose provider is also its user is listed only on the provider's side.
  if (side === 'app_user') entries = entries.where('provider', '<>', query.party).where(BY_USER);
  if (query.provider !== undefined) entries = entries.where('provider', '=', query.provider);
  if (query.appUser !== undefined) entries = entries.where('app_user', '=', query.appUser);
  if (query.other !== undefined && query.other !== query.party) {
    entries = entries.where(side === 'provider' ? 'app_user' : 'provider', '=', query.other);
  }
  if (query.listNo !== undefined) entries = entries.where('list_no', '=', query.listNo);
  if (query.expiresAfter !== undefined) {
    entries = entries.where('expires_at', '>=', query.expiresAfter);
  }
  if (query.expiresBefore !== undefined) {
    entries = entries.where('expires_at', '<', query.expiresBefore);
  }
  if (query.among !== undefined) entries = entries.where(isAmong(query.among));
  return entries;
}

function pageOfSide(query: ListQuery, side: Side, part: Part) {
  const entries = entriesOf(query, side, part);
  const page = query.after === undefined ? entries : entries.where(isAfter(query.after, query));
  const way = wayOf(query);
  return page
    .orderBy('app_user', way)
    .orderBy('list_no', way)
    .orderBy('id', way)
    .limit(query.limit);
}

/** Counting one entry more than the maximum shows whether there are more. */
const COUNTED = LIMITS.countMax + 1;

/**
 * Counts among the first entries that an index finds. No index begins with `list_no`, so the count applies that
 * condition only to the entries that were read. The indexes by expiry and by name do not have the order of the list.
 */
function countOfSide({ listNo, ...query }: Whole, side: Side, part: Part) {
  const entries = entriesOf(query, side, part);
  const isInOrder = query.expiresBefore === undefined && query.among === undefined;
  const read = isInOrder ? entries.orderBy('app_user').orderBy('list_no').orderBy('id') : entries;
  const isCounted = listNo === undefined ? sql`true` : sql`e.list_no = ${listNo}::bigint`;
  return build
    .selectFrom(read.limit(COUNTED).as('e'))
    .select([
      sql<bigint>`count(*) filter (where ${isCounted})`.as('n'),
      sql<boolean>`count(*) >= ${COUNTED}`.as('more'),
    ]);
}

/** Builds one page as one statement; returns `null` if the query cannot find any rows. */
export function listPage(asked: ListQuery) {
  const query = { order: 'ascending' as const, ...asked };
  const way = wayOf(query);
  const pages = sidesOf(query).flatMap((side) =>
    partsOf(query).map((part) =>
      build.selectFrom(pageOfSide(query, side, part).as('side')).selectAll(),
    ),
  );
  const [first, ...others] = pages;
  if (first === undefined) return null;
  const sides = others.reduce((all, one) => all.unionAll(one), first);
  return build
    .selectFrom((from) =>
      from
        .selectFrom(sides.as('sides'))
        .selectAll()
        .orderBy('app_user', way)
        .orderBy('list_no', way)
        .orderBy('id', way)
        .limit(query.limit)
        .as('page'),
    )
    .select(LIFECYCLE_COLUMNS.map((column) => `page.${column}` as const))
    .select((from) =>
      from
        .selectFrom('contract')
        .innerJoin('template', 'template.template_fqn', 'contract.template_fqn')
        .select('contract.payload')
        .whereRef('contract.contract_id', '=', 'page.contract_id')
        .where('template.payload_type', '=', 'template')
        .as('payload'),
    )
    .orderBy('page.app_user', way)
    .orderBy('page.list_no', way)
    .orderBy('page.id', way);
}

/** Builds the counts of all parts as one statement; returns `null` if the query cannot find any rows. */
export function listCount(query: Whole) {
  const counts = sidesOf(query).flatMap((side) =>
    partsOf(query).map((part) => countOfSide(query, side, part)),
  );
  const [first, ...others] = counts;
  return first === undefined ? null : others.reduce((all, one) => all.unionAll(one), first);
}

export function createLists(pool: Pool): Pick<Reads, 'list' | 'listAll' | 'count'> {
  async function list(query: ListQuery, io: Io): Promise<readonly LifecycleView[]> {
    assert(
      query.limit >= 1 && query.limit <= LIMITS.pageSizeMax + 1,
      'a page has a size within bounds',
    );
    const page = listPage(query);
    if (page === null) return [];
    return onConnection(pool, io, async (session) => {
      const rows = await session.ask(page);
      return withSettlements(session, rows.map(viewFromRow));
    });
  }

  async function* listAll(
    query: Omit<ListQuery, 'limit'>,
    io: Io,
  ): AsyncGenerator<LifecycleView, void, undefined> {
    let { after: from } = query;
    for (;;) {
      const position = from === undefined ? {} : { after: from };
      const page = await list({ ...query, ...position, limit: LIMITS.listChunk }, io);
      yield* page;
      const last = page.at(-1);
      if (last === undefined || page.length < LIMITS.listChunk) return;
      from = listKeyOf(last.lifecycle);
    }
  }

  async function count(query: Whole, io: Io): Promise<Count> {
    const counts = listCount(query);
    if (counts === null) return { count: 0, more: false };
    return countIn(await onConnection(pool, io, (session) => session.ask(counts)));
  }

  return { list, listAll, count };
}
