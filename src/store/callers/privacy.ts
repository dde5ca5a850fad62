import type { Pool } from 'pg';
import type { Io } from '../../app/ports/io.ts';
import type { JsonRecord } from '../../domain/json.ts';
import type { Session } from '../sql/session.ts';
import { plannedAnew } from '../sql/statement.ts';
import { transact } from '../sql/transact.ts';

/** All data about a person in the database. */
export interface PersonalData {
  readonly people: readonly JsonRecord[];
  readonly sessions: readonly JsonRecord[];
  readonly audit: readonly JsonRecord[];
  readonly webhooks: readonly JsonRecord[];
  readonly operations: readonly JsonRecord[];
  /** Pauses, policies that do not act yet, decisions about failures, and bulk acts. */
  readonly acts: readonly JsonRecord[];
}

interface JsonRow {
  readonly one: JsonRecord;
}

/** Secrets are not exported: the result omits hashes of IDs, ID tokens, and secrets of webhooks. */
const PEOPLE = plannedAnew<JsonRow>(
  'person-to-export',
  `select jsonb_build_object('pseudonym', pseudonym, 'subject', subject, 'party', party) as one
   from person where subject = $1 and party = $2 order by pseudonym`,
);
const SESSIONS = plannedAnew<JsonRow>(
  'sessions-to-export',
  `select jsonb_build_object('session', left(encode(id_hash, 'hex'), 16), 'tenant', tenant_id, 'party', party,
     'name', name, 'roles', roles, 'createdAt', created_at, 'seenAt', seen_at) as one
   from session where subject = $1 and party = $2 order by created_at`,
);
const AUDIT = plannedAnew<JsonRow>(
  'audit-to-export',
  `select to_jsonb(a) as one from audit a
   where a.by_subject in (select pseudonym from person where subject = $1 and party = $2) order by a.id`,
);
const WEBHOOKS = plannedAnew<JsonRow>(
  'webhooks-to-export',
  `select jsonb_build_object('id', id, 'party', party, 'url', url, 'createdAt', created_at) as one
   from webhook where created_by = $1 and party = $2 order by created_at`,
);
const OPERATIONS = plannedAnew<JsonRow>(
  'operations-to-export',
  `select jsonb_build_object('id', id, 'commandId', command_id, 'operation', operation, 'party', caller_party,
     'acceptedAt', accepted_at, 'state', state, 'body', body) as one
   from change where caller_subject = $1 and caller_party = $2 order by accepted_at`,
);

const ACTS = plannedAnew<JsonRow>(
  'acts-to-export',
  `select jsonb_build_object('table', a.of) || a.one as one
   from (
     select 'pause' as of, to_jsonb(p) as one from pause p where p.by_subject = $1 and p.by_party = $2
     union all
     select 'pending_policy', to_jsonb(y) from pending_policy y where y.by_subject = $1 and y.provider = $2
     union all
     select 'failure_decision', to_jsonb(d) from failure_decision d where d.by_subject = $1 and d.party = $2
     union all
     select 'bulk_act', to_jsonb(b) - 'token_hash' from bulk_act b where b.by_subject = $1 and b.by_party = $2
     union all
     select 'customer', jsonb_build_object('id', c.id, 'provider', c.provider, 'email', $1)
     from customer c where c.party = $2 and $1 = any(c.emails)) a`,
);

/**
 * Names a person. A party may be needed, because issuers of different tenants may give different persons the same
 * subject. `party: null` means the only party with this subject.
 */
export interface Person {
  readonly subject: string;
  readonly party: string | null;
}

/** Thrown if a subject without a party may mean several persons. `message` is one line for a person. */
export class SeveralPartiesError extends Error {
  override readonly name = 'SeveralPartiesError';
  constructor(parties: readonly string[]) {
    super(`the subject is known at several parties, name one with --party: ${parties.join(', ')}`);
  }
}

const PARTIES = plannedAnew<{ party: string }>(
  'parties-of-a-subject',
  `select party from person where subject = $1
   union select party from session where subject = $1
   union select party from webhook where created_by = $1
   union select caller_party from change where caller_subject = $1
   union select by_party from pause where by_subject = $1
   union select provider from pending_policy where by_subject = $1
   union select party from failure_decision where by_subject = $1
   union select by_party from bulk_act where by_subject = $1
   union select party from customer where $1 = any(emails)
   order by 1`,
);

/** Returns subject and party, which are the parameters of the statements. @throws SeveralPartiesError */
async function keyOf(session: Session, { subject, party }: Person): Promise<[string, string]> {
  if (party !== null) return [subject, party];
  const parties = (await session.run(PARTIES, [subject])).map((row) => row.party);
  if (parties.length > 1) throw new SeveralPartiesError(parties);
  return [subject, parties[0] ?? ''];
}

/** Returns everything about the person, from one snapshot of the database. @throws SeveralPartiesError */
export const exportPerson = (
  pool: Pool,
  person: Person,
  io: Io,
): Promise<PersonalData & { readonly party: string }> =>
  transact(pool, io, async (session) => {
    const key = await keyOf(session, person);
    const read = async (query: typeof PEOPLE) =>
      (await session.run(query, key)).map(({ one }) => one);
    return {
      party: key[1],
      people: await read(PEOPLE),
      sessions: await read(SESSIONS),
      audit: await read(AUDIT),
      webhooks: await read(WEBHOOKS),
      operations: await read(OPERATIONS),
      acts: await read(ACTS),
    };
  });

/** SQL: the pseudonym that stands for the person in rows of the audit log. */
const PSEUDONYM = `coalesce((select p.pseudonym from person p where p.subject = $1 and p.party = $2), 'erased')`;

/** SQL: replaces a subject by its pseudonym. */
const replacing = (table: string, column: string, party: string, more = '') =>
  `update ${table} t set ${column} = ${PSEUDONYM}${more}
   where t.${column} = $1 and t.${party} = $2 returning 1 as n`;

/**
 * The rows outside the audit log that name a person. Open operations keep the subject until they end, because they need
 * it.
 */
const REPLACE = [
  plannedAnew<{ n: number }>(
    'changes-to-erase',
    `update change t set caller_subject = ${PSEUDONYM}
     where t.caller_subject = $1 and t.caller_party = $2 and t.finished_at is not null returning 1 as n`,
  ),
  plannedAnew<{ n: number }>('pause-to-erase', replacing('pause', 'by_subject', 'by_party')),
  plannedAnew<{ n: number }>(
    'pending-policy-to-erase',
    replacing('pending_policy', 'by_subject', 'provider'),
  ),
  plannedAnew<{ n: number }>(
    'failure-decision-to-erase',
    replacing('failure_decision', 'by_subject', 'party'),
  ),
  plannedAnew<{ n: number }>(
    'bulk-act-to-erase',
    replacing('bulk_act', 'by_subject', 'by_party', `, by_name = 'erased'`),
  ),
  plannedAnew<{ n: number }>('webhook-to-erase', replacing('webhook', 'created_by', 'party')),
  // A subject may be an email address. It is then removed from the addresses of the subject's customer.
  plannedAnew<{ n: number }>(
    'customer-to-erase',
    `update customer c set emails = array_remove(c.emails, $1), version = c.version + 1, updated_at = now()
     where c.party = $2 and $1 = any(c.emails) returning 1 as n`,
  ),
];

const END_SESSIONS = plannedAnew<{ name: string }>(
  'sessions-to-erase',
  'delete from session where subject = $1 and party = $2 returning name',
);
/**
 * Runs after the sessions have ended, because their end adds a row with the pseudonym, and after all rows have got the
 * pseudonym.
 */
const ERASE = plannedAnew<{ pseudonym: string }>(
  'person-to-erase',
  'delete from person where subject = $1 and party = $2 returning pseudonym',
);
const KEPT = plannedAnew<{ operations: string }>(
  'operations-that-name-a-person',
  'select count(*)::text as operations from change where caller_subject = $1 and caller_party = $2 and finished_at is null',
);

/** The numbers of erased rows, of rows that no longer name the person, and of open operations that still do. */
export interface Erasure {
  readonly sessions: number;
  readonly pseudonyms: number;
  readonly replaced: number;
  readonly operations: number;
}

/**
 * Ends the sessions of a person, replaces the subject by its pseudonym, and deletes the row that says to whom the
 * pseudonym belongs. All of this is one transaction.
 *
 * @throws SeveralPartiesError
 */
export const erasePerson = (pool: Pool, person: Person, io: Io): Promise<Erasure> =>
  transact(pool, io, async (session) => {
    const key = await keyOf(session, person);
    const sessions = (await session.run(END_SESSIONS, key)).length;
    let replaced = 0;
    for (const statement of REPLACE) replaced += (await session.run(statement, key)).length;
    const pseudonyms = (await session.run(ERASE, key)).length;
    const [kept] = await session.run(KEPT, key);
    return { sessions, pseudonyms, replaced, operations: Number(kept?.operations ?? 0) };
  });
