import type { Pool } from 'pg';
import type { Io } from '../../app/ports/io.ts';
import type { JsonRecord } from '../../domain/json.ts';
import type { Session } from '../sql/session.ts';
import { plannedAnew } from '../sql/statement.ts';
import { transact } from '../sql/transact.ts';
import { KEY_PARTIES, KEY_TABLE, KEYS_TO_EXPORT } from '../product/person-keys.ts';

/** All data about a person in the database. */
export interface PersonalData {
  readonly people: readonly JsonRecord[];
  readonly sessions: readonly JsonRecord[];
  readonly audit: readonly JsonRecord[];
  readonly webhooks: readonly JsonRecord[];
  readonly operations: readonly JsonRecord[];
  /** Other rows that name the person, each with its table: pauses, keys, lines of histories and others. */
  readonly acts: readonly JsonRecord[];
}

interface JsonRow {
  readonly one: JsonRecord;
}

/**
 * SQL: whether the person is the one who requested an operation, or for whom another person retried it. `row` has the
 * subject of the operation and the party of the caller. The subject of a retry names two people: "olga for uma".
 */
const isOwn = (subject: string, party: string): string =>
  `(${party} = $2 and (${subject} = $1 or right(${subject}, length($1) + 5) = ' for ' || $1))`;

/**
 * SQL: whether the person retried the operation of another person. The audit log has the party of the person who
 * retried. If retention has deleted that row, the person is an operator of the caller's party or of the provider.
 */
const isRetry = (subject: string, commandId: string, parties: string): string =>
  `(starts_with(${subject}, $1 || ' for ') and coalesce(
     (select a.by_party = $2 from audit a
      where a.act = 'retried' and a.detail ->> 'commandId' = ${commandId} limit 1), $2 in (${parties})))`;

const IS_OWN_CHANGE = isOwn('c.caller_subject', 'c.caller_party');
const IS_RETRY = isRetry('c.caller_subject', 'c.command_id', 'c.caller_party, c.provider');

const LINE_SUBJECT = `h.detail ->> 'subject'`;
const IS_OWN_LINE = isOwn(`(${LINE_SUBJECT})`, 'h.by');
const IS_RETRY_LINE = isRetry(
  `(${LINE_SUBJECT})`,
  'h.command_id',
  'h.by, (select l.provider from lifecycle l where l.id = h.lifecycle_id)',
);

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
   from change c where ${IS_OWN_CHANGE} or ${IS_RETRY} order by accepted_at`,
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
     from customer c where c.party = $2 and $1 = any(c.emails)
     union all
     select 'history', to_jsonb(h) from history h where ${IS_OWN_LINE} or ${IS_RETRY_LINE}
     union all
     ${KEYS_TO_EXPORT}
     union all
     select 'preview', to_jsonb(v) - 'token_hash' from preview v where v.by_subject = $1 and v.by_party = $2
     union all
     select 'tenant_user', to_jsonb(u) from tenant_user u join tenant t using (tenant_id)
     where u.user_name = $1 and t.party = $2) a`,
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
    super(`several parties know this subject: choose one with --party: ${parties.join(', ')}`);
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
   union select by from history where by is not null and detail ->> 'subject' = $1
   union ${KEY_PARTIES}
   union select by_party from preview where by_subject = $1
   union select t.party from tenant_user u join tenant t using (tenant_id) where u.user_name = $1
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

/** SQL: the subject of an operation with a pseudonym in place of the person who requested it. */
const lastReplaced = (subject: string): string =>
  `left(${subject}, length(${subject}) - length($1)) || ${PSEUDONYM}`;

/** SQL: the subject of a retry with a pseudonym in place of the person who retried. */
const firstReplaced = (subject: string): string =>
  `${PSEUDONYM} || substr(${subject}, length($1) + 1)`;

/**
 * The rows outside the audit log that name a person. Open operations keep the subject until they end, because they need
 * it.
 */
const REPLACE = [
  plannedAnew<{ n: number }>(
    'changes-to-erase',
    `update change c set caller_subject = ${lastReplaced('c.caller_subject')}
     where ${IS_OWN_CHANGE} and c.finished_at is not null returning 1 as n`,
  ),
  plannedAnew<{ n: number }>(
    'retries-to-erase',
    `update change c set caller_subject = ${firstReplaced('c.caller_subject')}
     where ${IS_RETRY} and c.finished_at is not null returning 1 as n`,
  ),
  plannedAnew<{ n: number }>(
    'history-to-erase',
    `update history h set detail = h.detail || jsonb_build_object('subject', ${lastReplaced(`(${LINE_SUBJECT})`)})
     where ${IS_OWN_LINE} returning 1 as n`,
  ),
  plannedAnew<{ n: number }>(
    'history-of-retries-to-erase',
    `update history h set detail = h.detail || jsonb_build_object('subject', ${firstReplaced(`(${LINE_SUBJECT})`)})
     where ${IS_RETRY_LINE} returning 1 as n`,
  ),
  plannedAnew<{ n: number }>('key-to-erase', replacing(KEY_TABLE, 'by_subject', 'by_party')),
  plannedAnew<{ n: number }>(
    'preview-to-erase',
    'delete from preview where by_subject = $1 and by_party = $2 returning 1 as n',
  ),
  // A bulk act may select operations by the person who requested them. A running act still needs the name.
  plannedAnew<{ n: number }>(
    'bulk-filter-to-erase',
    `update bulk_act b set filter = b.filter || jsonb_build_object('by', ${PSEUDONYM})
     where b.filter ->> 'by' = $1 and b.state <> 'running'
       and $2 in (b.by_party, coalesce(b.filter ->> 'party', $2)) returning 1 as n`,
  ),
  // The names that may log in, in mode shared-secret.
  plannedAnew<{ n: number }>(
    'tenant-user-to-erase',
    `delete from tenant_user u using tenant t
     where t.tenant_id = u.tenant_id and u.user_name = $1 and t.party = $2 returning 1 as n`,
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
  `select count(*)::text as operations from change c where (${IS_OWN_CHANGE} or ${IS_RETRY}) and c.finished_at is null`,
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
