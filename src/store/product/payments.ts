import type { AliasedSelectQueryBuilder, InferResult, SqlBool } from 'kysely';
import { sql } from 'kysely';
import type { Payment, PaymentQuery, PaymentRow } from '../../app/ports/books.ts';
import type { LifecycleId, Party } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import { LIMITS } from '../../domain/limits.ts';
import { anyOf, beyond, build, wayOf } from '../sql/query.ts';
import type { Row } from '../../../migrations/schema.ts';

/*
 * Lists payments, in the order of their requests. A party's payments are those that it requested and those that were
 * requested from it. Each of these two sides has an index in that order.
 */

type Side = 'provider' | 'app_user';

/** A list without the position and the limit of a page. */
type Whole = Omit<PaymentQuery, 'after' | 'limit'>;

/** Returns the sides on which the query can find rows. */
function sidesOf({ party, provider, user }: Whole): Side[] {
  const sides: Side[] = [];
  if (provider === undefined || provider === party) sides.push('provider');
  if (user === undefined || user === party) sides.push('app_user');
  return sides;
}

/** Returns the entries of a side, from the beginning of the list. */
function entriesOf(query: Whole, side: Side) {
  let entries = build.selectFrom('payment').selectAll().where(side, '=', query.party);
  // A payment that a party requests from itself is listed only once.
  if (side === 'app_user') entries = entries.where('provider', '<>', query.party);
  if (query.provider !== undefined) entries = entries.where('provider', '=', query.provider);
  if (query.user !== undefined) entries = entries.where('app_user', '=', query.user);
  if (query.other !== undefined && query.other !== query.party) {
    entries = entries.where(side === 'provider' ? 'app_user' : 'provider', '=', query.other);
  }
  if (query.states !== undefined) entries = entries.where('state', '=', anyOf(query.states));
  if (query.licenseNum !== undefined) {
    entries = entries.where('license_num', '=', query.licenseNum);
  }
  if (query.licenseId !== undefined) entries = entries.where('license_id', '=', query.licenseId);
  if (query.plan !== undefined) entries = entries.where('plan_id', '=', query.plan);
  if (query.from !== undefined) entries = entries.where('requested_at', '>=', query.from);
  if (query.until !== undefined) entries = entries.where('requested_at', '<', query.until);
  return entries;
}

function pageOfSide(query: PaymentQuery, side: Side) {
  let page = entriesOf(query, side);
  if (query.after !== undefined) {
    const { offset, node } = query.after;
    page = page.where(
      sql<SqlBool>`(requested_offset, requested_node) ${beyond(query)} (${offset}::bigint, ${node}::integer)`,
    );
  }
  return page
    .orderBy('requested_offset', wayOf(query))
    .orderBy('requested_node', wayOf(query))
    .limit(query.limit);
}

/** Counts among the newest payments of a side, of which at most `LIMITS.countMax` are read. */
function countOfSide(query: Whole, side: Side) {
  const oldest = sql`(
    select b.requested_offset from payment b where ${sql.ref(`b.${side}`)} = ${query.party}
    order by b.requested_offset desc, b.requested_node desc offset ${LIMITS.countMax} limit 1)`;
  const counted = entriesOf(query, side).where(
    sql<SqlBool>`requested_offset > coalesce(${oldest}, -1)`,
  );
  return build
    .selectFrom(counted.as('p'))
    .select([sql<bigint>`count(*)`.as('n'), sql<boolean>`${oldest} is not null`.as('more')]);
}

/** Builds the counts of both sides as one statement; returns `null` if the query cannot find any rows. */
export function paymentCount(query: Whole) {
  const [first, second] = sidesOf(query).map((side) => countOfSide(query, side));
  if (first === undefined) return null;
  return second === undefined ? first : first.unionAll(second);
}

/** A query whose rows are whole payments. */
interface Payments {
  as(alias: 'p'): AliasedSelectQueryBuilder<Row<'payment'>, 'p'>;
}

/**
 * Adds the names of customers that the party `asks` may read: a provider may read the names of its own customers only.
 */
const withNames = (rows: Payments, asks: Party) =>
  build
    .selectFrom(rows.as('p'))
    .leftJoin('license_record as r', 'r.lifecycle_id', 'p.license_id')
    .leftJoin('customer as c', (join) =>
      join
        .onRef('c.provider', '=', 'p.provider')
        .onRef('c.party', '=', 'p.app_user')
        .on('p.provider', '=', asks),
    )
    .selectAll('p')
    .select(['r.reference', 'c.name as customer'])
    .select(sql<string>`p.amount::text`.as('amount_text'));

export const onePayment = (renewalId: string, party: Party) =>
  withNames(
    build
      .selectFrom('payment')
      .selectAll()
      .where('renewal_id', '=', renewalId)
      .where((eb) => eb.or([eb('provider', '=', party), eb('app_user', '=', party)])),
    party,
  );

const sideOf = (query: PaymentQuery, side: Side) =>
  build.selectFrom(pageOfSide(query, side).as('side')).selectAll();

/** Builds one page as one statement; returns `null` if the query cannot find any rows. */
export function paymentsPage(query: PaymentQuery) {
  const [first, second] = sidesOf(query).map((side) => sideOf(query, side));
  if (first === undefined) return null;
  const both = second === undefined ? first : first.unionAll(second);
  const page = build
    .selectFrom(both.as('sides'))
    .selectAll()
    .orderBy('requested_offset', wayOf(query))
    .orderBy('requested_node', wayOf(query))
    .limit(query.limit);
  return withNames(page, query.party)
    .orderBy('p.requested_offset', wayOf(query))
    .orderBy('p.requested_node', wayOf(query));
}

type PaymentRecord = InferResult<ReturnType<typeof withNames>>[number];

export const paymentFromRow = (row: PaymentRecord): Payment => ({
  renewalId: trusted<LifecycleId>(row.renewal_id),
  licenseId: row.license_id === null ? null : trusted<LifecycleId>(row.license_id),
  licenseNum: row.license_num,
  reference: row.reference,
  provider: trusted<Party>(row.provider),
  user: trusted<Party>(row.app_user),
  customer: row.customer,
  plan:
    row.plan_id === null || row.plan_version === null
      ? null
      : { id: row.plan_id, version: row.plan_version },
  amount: row.amount_text,
  instrument: { admin: row.instrument_admin, id: row.instrument },
  description: row.description,
  state: row.state,
  requestedAt: row.requested_at,
  settleBefore: row.settle_before,
  endedAt: row.ended_at,
  updateId: row.update_id ?? row.request_update_id,
  offset: row.ended_offset ?? row.requested_offset,
  validFrom: row.valid_from,
  validUntil: row.valid_until,
  receiptNo: row.receipt_no,
});

export const rowOfPayment = (row: PaymentRecord): PaymentRow => ({
  ...paymentFromRow(row),
  key: { offset: row.requested_offset, node: row.requested_node },
});
