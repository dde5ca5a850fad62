import type { Pool } from 'pg';
import type { Io } from '../../app/ports/io.ts';
import type { JsonRecord } from '../../domain/json.ts';
import { plannedAnew } from '../sql/statement.ts';
import { transact } from '../sql/transact.ts';

/** The data about a person in the database. */
export interface PersonalData {
  readonly people: readonly JsonRecord[];
  readonly sessions: readonly JsonRecord[];
  readonly audit: readonly JsonRecord[];
  readonly webhooks: readonly JsonRecord[];
  readonly operations: readonly JsonRecord[];
}

interface JsonRow {
  readonly one: JsonRecord;
}

/** Secrets stay where they are: hashes of IDs, ID tokens and secrets of webhooks are left out. */
const PEOPLE = plannedAnew<JsonRow>(
  'person-to-export',
  `select jsonb_build_object('pseudonym', pseudonym, 'subject', subject, 'party', party) as one
   from person where subject = $1 order by pseudonym`,
);
const SESSIONS = plannedAnew<JsonRow>(
  'sessions-to-export',
  `select jsonb_build_object('session', left(encode(id_hash, 'hex'), 16), 'tenant', tenant_id, 'party', party,
     'name', name, 'roles', roles, 'createdAt', created_at, 'seenAt', seen_at) as one
   from session where subject = $1 order by created_at`,
);
const AUDIT = plannedAnew<JsonRow>(
  'audit-to-export',
  `select to_jsonb(a) as one from audit a
   where a.by_subject in (select pseudonym from person where subject = $1) order by a.id`,
);
const WEBHOOKS = plannedAnew<JsonRow>(
  'webhooks-to-export',
  `select jsonb_build_object('id', id, 'party', party, 'url', url, 'createdAt', created_at) as one
   from webhook where created_by = $1 order by created_at`,
);
const OPERATIONS = plannedAnew<JsonRow>(
  'operations-to-export',
  `select jsonb_build_object('id', id, 'commandId', command_id, 'operation', operation, 'party', caller_party,
     'acceptedAt', accepted_at, 'state', state, 'body', body) as one
   from change where caller_subject = $1 order by accepted_at`,
);

/** Everything about the person, in one state of the database. */
export const exportPerson = (pool: Pool, subject: string, io: Io): Promise<PersonalData> =>
  transact(pool, io, async (session) => {
    const read = async (query: typeof PEOPLE) =>
      (await session.run(query, [subject])).map(({ one }) => one);
    return {
      people: await read(PEOPLE),
      sessions: await read(SESSIONS),
      audit: await read(AUDIT),
      webhooks: await read(WEBHOOKS),
      operations: await read(OPERATIONS),
    };
  });

const END_SESSIONS = plannedAnew<{ name: string }>(
  'sessions-to-erase',
  'delete from session where subject = $1 returning name',
);
/** After the sessions, whose end adds a row under the pseudonym. */
const ERASE = plannedAnew<{ pseudonym: string }>(
  'person-to-erase',
  'delete from person where subject = $1 returning pseudonym',
);
const KEPT = plannedAnew<{ operations: string }>(
  'operations-that-name-a-person',
  'select count(*)::text as operations from change where caller_subject = $1',
);

/** Counts of erased rows, and of operations that name the person until retention deletes them. */
export interface Erasure {
  readonly sessions: number;
  readonly pseudonyms: number;
  readonly operations: number;
}

/** Ends the sessions of a person, and deletes the mapping from pseudonyms to the person, in one transaction. */
export const erasePerson = (pool: Pool, subject: string, io: Io): Promise<Erasure> =>
  transact(pool, io, async (session) => {
    const sessions = (await session.run(END_SESSIONS, [subject])).length;
    const pseudonyms = (await session.run(ERASE, [subject])).length;
    const [kept] = await session.run(KEPT, [subject]);
    return { sessions, pseudonyms, operations: Number(kept?.operations ?? 0) };
  });
