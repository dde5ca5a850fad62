import type { SqlBool } from 'kysely';
import { sql } from 'kysely';
import type { Pool } from 'pg';
import type { Io } from '../../app/ports/io.ts';
import type { Reads } from '../../app/ports/reads.ts';
import type { LifecycleView, ListKey, ListQuery } from '../../app/ports/views.ts';
import { listKeyOf } from '../../app/ports/views.ts';
import { LIMITS } from '../../domain/limits.ts';
import { assert } from '../../domain/unreachable.ts';
import { LIFECYCLE_COLUMNS } from '../rows/lifecycle-row.ts';
import { viewFromRow } from '../rows/view-row.ts';
import { build } from '../sql/query.ts';
import { withSettlements } from './settlements.ts';
import { onConnection } from '../sql/transact.ts';

/*
 * Lists of lifecycles, active ones by default, in the order (user, number, id). That order never changes for a
 * lifecycle, so a client that reads page by page sees each lifecycle at most once, and each one that exists throughout
 * exactly once.
 *
 * A party's lifecycles are those that it provides and those that it uses. Each side has an index in this order, from
 * which exactly one page is read; one condition with `or` could use neither index. Ended lifecycles are found by their
 * final state: a page merges the rows of each state.
 *
 * Active lifecycles of a state are those listed under it, and those in it while an operation is under way.
 */

type Side = 'provider' | 'app_user';

/** The sides on which the query can find rows. */
function sidesOf(query: ListQuery): Side[] {
  const sides: Side[] = [];
  if (query.provider === undefined || query.provider === query.party) sides.push('provider');
  if (query.appUser === undefined || query.appUser === query.party) sides.push('app_user');
  return sides;
}

/** The position after which the page begins, as a row comparison, because an index scan can start from one. */
const after = (key: ListKey) =>
  sql<SqlBool>`(app_user, list_no, id) > (${key.appUser}, ${key.listNo}::bigint, ${key.id})`;

/** Always true. Lets the planner use the index of users: see the migration that created it. */
const BY_USER = sql<SqlBool>`app_user <> ''`;

/** The lifecycles of changes at the head of their lanes: few, so each is looked up. */
export const UNDER_WAY = sql<string>`any(array(
  select c.lifecycle_id from change c
  where c.state in ('submitting', 'retrying', 'in-doubt') and c.lifecycle_id is not null))`;

/** The kinds of rows that a page is merged from. */
type Part =
  | { readonly of: 'active' }
  | { readonly of: 'ended' | 'listed' | 'under-way'; readonly state: string };

function partsOf({ endedAs, state }: ListQuery): readonly Part[] {
  if (endedAs !== undefined) return endedAs.map((as) => ({ of: 'ended', state: as }));
  if (state === undefined) return [{ of: 'active' }];
  return [
    { of: 'listed', state },
    { of: 'under-way', state },
  ];
}

const isAmong = ({ appUsers, ids }: NonNullable<ListQuery['among']>) =>
  sql<SqlBool>`(app_user = any(${[...appUsers]}::text[]) or id = any(${[...ids]}::text[]))`;

function pageOfSide(query: ListQuery, side: Side, part: Part) {
  let page = build
    .selectFrom('lifecycle')
    .select([...LIFECYCLE_COLUMNS, 'list_no'])
    .where('kind', '=', query.kind)
    .where('ended_at', part.of === 'ended' ? 'is not' : 'is', null)
    .where(side, '=', query.party);
  if (part.of !== 'active') page = page.where('state', '=', part.state);
  if (part.of === 'ended' || part.of === 'listed') page = page.where('listed_as', '=', part.state);
  if (part.of === 'under-way') {
    page = page.where('listed_as', '<>', part.state).where('id', '=', UNDER_WAY);
  }
  // A lifecycle whose provider is also its user is listed once, on the provider's side.
  if (side === 'app_user') page = page.where('provider', '<>', query.party).where(BY_USER);
  if (query.provider !== undefined) page = page.where('provider', '=', query.provider);
  if (query.appUser !== undefined) page = page.where('app_user', '=', query.appUser);
  if (query.other !== undefined && query.other !== query.party) {
    page = page.where(side === 'provider' ? 'app_user' : 'provider', '=', query.other);
  }
  if (query.listNo !== undefined) page = page.where('list_no', '=', query.listNo);
  if (query.expiresAfter !== undefined) page = page.where('expires_at', '>=', query.expiresAfter);
  if (query.expiresBefore !== undefined) page = page.where('expires_at', '<', query.expiresBefore);
  if (query.among !== undefined) page = page.where(isAmong(query.among));
  if (query.after !== undefined) page = page.where(after(query.after));
  return page.orderBy('app_user').orderBy('list_no').orderBy('id').limit(query.limit);
}

/** Builds one page as one statement; `null` if the query cannot find any rows. */
export function listPage(query: ListQuery) {
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
        .orderBy('app_user')
        .orderBy('list_no')
        .orderBy('id')
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
    .orderBy('page.app_user')
    .orderBy('page.list_no')
    .orderBy('page.id');
}

export function createLists(pool: Pool): Pick<Reads, 'list' | 'listAll'> {
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

  return { list, listAll };
}
