import { hash } from 'node:crypto';
import type { Pool } from 'pg';
import type {
  CustomerPatch,
  CustomerQuery,
  Customers,
  NewCustomer,
} from '../../app/ports/customers.ts';
import type { Actor } from '../../domain/caller.ts';
import type { Customer } from '../../domain/customer.ts';
import type { Party } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import { LIMITS } from '../../domain/limits.ts';
import { sendCall } from '../engine/audit.ts';
import type { Row } from '../../../migrations/schema.ts';
import { countIn } from '../sql/count.ts';
import type { Session } from '../sql/session.ts';
import { membersOf, plannedAnew, statement } from '../sql/statement.ts';
import { onConnection, transact } from '../sql/transact.ts';

const COLUMNS = membersOf('c', [
  'id',
  'party',
  'name',
  'short_name',
  'emails',
  'time_zone',
  'language',
  'note',
  'external_references',
  'version',
  'created_at',
  'updated_at',
]);

const customer = `${COLUMNS}, array(
     select encode(l.address_hash, 'hex') from mail_link l
     where l.provider = c.provider and l.party = c.party and l.unsubscribed_at is not null) as "unsubscribedHashes"`;

type CustomerRow = Omit<Customer, 'unsubscribedEmails'> & {
  /** SHA-256 of addresses in lower case, which may be addresses that the customer no longer has. */
  readonly unsubscribedHashes: readonly string[];
};

const customerFromRow = ({ unsubscribedHashes, ...row }: CustomerRow): Customer => {
  const isUnsubscribed = (email: string) =>
    unsubscribedHashes.includes(hash('sha256', email.toLowerCase()));
  return { ...row, unsubscribedEmails: row.emails.filter(isUnsubscribed) };
};

const ADD = statement<CustomerRow>(
  'add-customer',
  `insert into customer as c (id, provider, party, name, short_name, emails, time_zone, language, note, external_references)
   values ($1, $2, $3, $4, $5, $6::text[], $7, $8, $9, $10::jsonb)
   on conflict (provider, party) do nothing
   returning ${customer}`,
);

/** SQL: customers whose name or external reference contains a text, or whose party equals it. */
export const matchesText = ([pattern, text]: readonly [string, string]): string =>
  `(c.name ilike ${pattern} or c.party = ${text} or exists (
     select from jsonb_each_text(c.external_references) r where r.value ilike ${pattern}))`;

const list = (beyond: '>' | '<', way: 'asc' | 'desc'): string =>
  `select ${customer} from customer c
   where c.provider = $1 and ($2::text is null or (c.name, c.id) ${beyond} ($2, $3::text))
     and ($4::text is null or ${matchesText(['$4', '$5::text'])})
   order by c.name ${way}, c.id ${way} limit $6`;

const LISTS = {
  ascending: plannedAnew<CustomerRow>('customers', list('>', 'asc')),
  descending: plannedAnew<CustomerRow>('customers-descending', list('<', 'desc')),
};

const COUNT = plannedAnew<{ n: bigint; more: boolean }>(
  'customer-count',
  `select count(*) filter (where $2::text is null or ${matchesText(['$2', '$3::text'])}) as n,
          count(*) > ${LIMITS.countMax} as more
   from (select * from customer where provider = $1 order by name, id limit ${LIMITS.countMax + 1}) c`,
);

const BY_ID = statement<CustomerRow>(
  'customer',
  `select ${customer} from customer c where c.id = $1 and c.provider = $2`,
);

const HOLD = statement<CustomerRow>(
  'hold-customer',
  `select ${customer} from customer c where c.id = $1 and c.provider = $2 for no key update`,
);

const CHANGE = statement<CustomerRow>(
  'change-customer',
  `update customer c set name = $3, short_name = $4, emails = $5::text[], time_zone = $6, language = $7, note = $8,
     external_references = $9::jsonb, version = c.version + 1, updated_at = now()
   where c.id = $1 and c.provider = $2 returning ${customer}`,
);

const REMOVE = statement<{ party: string }>(
  'remove-customer',
  'delete from customer where id = $1 and provider = $2 returning party',
);

const OF_PARTIES = statement<Pick<Row<'customer'>, 'id' | 'party' | 'name'>>(
  'customers-of-parties',
  `select c.id, c.party, c.name from customer c where c.provider = $1 and c.party = any($2::text[])`,
);

const valuesOf = (asked: Omit<NewCustomer, 'id' | 'party'>) => [
  asked.name,
  asked.shortName,
  asked.emails,
  asked.timeZone,
  asked.language,
  asked.note,
  JSON.stringify(asked.externalReferences),
];

/** Records in the audit log which members were changed. Their values are left out, because they are personal data. */
const told = (session: Session, by: Actor, what: string, id: string, party: string, patch = {}) =>
  sendCall(session, by, `customer-${what}`, `customer:${id}`, {
    party,
    ...(what === 'changed' ? { members: Object.keys(patch).toSorted() } : {}),
  });

async function patch(
  session: Session,
  id: string,
  by: Actor,
  asked: CustomerPatch,
  ifVersions: readonly number[] | undefined,
): Promise<Customer | { readonly isAt: number } | null> {
  const [held] = await session.run(HOLD, [id, by.party]);
  if (held === undefined) return null;
  if (ifVersions?.includes(held.version) === false) return { isAt: held.version };
  const wanted = { ...held, ...asked };
  const [row] = await session.run(CHANGE, [id, by.party, ...valuesOf(wanted)]);
  if (row === undefined) return null;
  told(session, by, 'changed', id, row.party, asked);
  return customerFromRow(row);
}

/** Returns a `like` pattern that matches texts that contain this text. */
export const anywhere = (text: string): string => `%${text.replaceAll(/[\\%_]/gu, '\\$&')}%`;

const patternOf = (search: string | undefined): readonly unknown[] =>
  search === undefined ? [null, null] : [anywhere(search), search];

const listValues = ({ provider, search, after, limit }: CustomerQuery): readonly unknown[] => [
  provider,
  after?.name ?? null,
  after?.id ?? null,
  ...patternOf(search),
  limit,
];

/** @param pool opened with `pipelined`; the caller closes it */
export const createCustomers = (pool: Pool): Customers => ({
  add: (added, by, io) =>
    transact(pool, io, async (session) => {
      const values = [added.id, by.party, added.party, ...valuesOf(added)];
      const [row] = await session.run(ADD, values);
      if (row === undefined) return null;
      told(session, by, 'added', added.id, added.party);
      return customerFromRow(row);
    }),
  async list(query, io) {
    const values = listValues(query);
    const rows = await onConnection(pool, io, (session) =>
      session.run(LISTS[query.order ?? 'ascending'], values),
    );
    return rows.map(customerFromRow);
  },
  async count({ provider, search }, io) {
    const values = [provider, ...patternOf(search)];
    return countIn(await onConnection(pool, io, (session) => session.run(COUNT, values)));
  },
  async byId(id, provider, io) {
    const [row] = await onConnection(pool, io, (session) => session.run(BY_ID, [id, provider]));
    return row === undefined ? null : customerFromRow(row);
  },
  patch: (id, by, asked, ifVersions, io) =>
    transact(pool, io, (session) => patch(session, id, by, asked, ifVersions)),
  remove: (id, by, io) =>
    transact(pool, io, async (session) => {
      const [row] = await session.run(REMOVE, [id, by.party]);
      if (row === undefined) return false;
      told(session, by, 'removed', id, row.party);
      return true;
    }),
  async ofParties(provider, parties, io) {
    if (parties.length === 0) return new Map();
    const rows = await onConnection(pool, io, (session) =>
      session.run(OF_PARTIES, [provider, [...new Set(parties)]]),
    );
    return new Map(rows.map(({ id, party, name }) => [trusted<Party>(party), { id, name }]));
  },
});
