import type { Pool } from 'pg';
import type { LicenseRecords } from '../../app/ports/license-records.ts';
import type { Actor } from '../../domain/caller.ts';
import type { LicenseEvent, NewEvent } from '../../domain/event.ts';
import type { LifecycleId, Party } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import type { LicenseRecord } from '../../domain/license-record.ts';
import type { Lifecycle } from '../../domain/lifecycle.ts';
import { soldIn } from '../../domain/plan.ts';
import type { PlanTerms } from '../../domain/plan.ts';
import { STORE_LIMITS } from '../limits.ts';
import { sendCall } from '../engine/audit.ts';
import { eventToJson } from '../rows/event-row.ts';
import { ARRIVALS_CHANNEL, TIMERS_CHANNEL } from '../sql/channels.ts';
import type { Row } from '../../../migrations/schema.ts';
import type { Session } from '../sql/session.ts';
import { columnsOf, statement } from '../sql/statement.ts';
import { onConnection, transact } from '../sql/transact.ts';
import { anywhere, matchesText } from './customers.ts';

const COLUMNS = [
  'lifecycle_id',
  'provider',
  'app_user',
  'began_at',
  'reference',
  'sold',
  'plan_id',
  'plan_version',
  'renewal_id',
  'suspended_at',
  'suspended_for',
] as const;
type RecordRow = Pick<Row<'license_record'>, (typeof COLUMNS)[number]> & {
  readonly terms: PlanTerms | null;
};

/** SQL that other queries use, too: the columns of a record `r`, and the terms of its plan. */
export const LICENSE_RECORD = `${columnsOf('r', COLUMNS)}, v.terms`;
export const LICENSE_RECORDS = `license_record r
   left join plan_version v on v.provider = r.provider and v.plan_id = r.plan_id and v.version = r.plan_version`;

const OF = statement<RecordRow>(
  'license-records',
  `select ${LICENSE_RECORD} from ${LICENSE_RECORDS} where r.lifecycle_id = any($1::text[])`,
);

const BY_REFERENCE = statement<RecordRow>(
  'license-by-reference',
  `select ${LICENSE_RECORD} from ${LICENSE_RECORDS} where r.provider = $1 and r.reference = $2
   order by r.lifecycle_id limit 1`,
);

const SEARCH = statement<{ parties: string[]; licenses: string[] }>(
  'search-licenses',
  `select
     array(select c.party from customer c where c.provider = $1 and ${matchesText(['$2', '$3::text'])}
           order by c.name limit $5) as parties,
     array(select r.lifecycle_id from license_record r
           where (r.provider = $1 or r.app_user = $1) and r.reference >= $4 and r.reference < $4 || '~'
           order by r.reference limit $5) as licenses`,
);

const MAKE = statement<never>(
  'make-license-record',
  `insert into license_record (lifecycle_id, provider, app_user, began_at)
   select l.id, l.provider, l.app_user, l.created_at from lifecycle l where l.id = $1
   on conflict do nothing`,
);

/**
 * Locks the record until the commit, so that each change causes one event, and events are in the order of the changes.
 */
const HOLD = statement<{ is_suspended: boolean }>(
  'hold-license-record',
  `select r.suspended_at is not null as is_suspended from license_record r
   where r.lifecycle_id = $1 for no key update`,
);

const SUSPEND = statement<never>(
  'suspend-license',
  'update license_record set suspended_at = now(), suspended_for = $2 where lifecycle_id = $1',
);

const REINSTATE = statement<never>(
  'reinstate-license',
  'update license_record set suspended_at = null, suspended_for = null where lifecycle_id = $1',
);

const SAVE_EVENT = statement<never>(
  'save-license-event',
  'insert into arrival (events) values ($1::jsonb)',
);

export function licenseRecordFromRow(row: RecordRow): LicenseRecord {
  const { plan_id: id, plan_version: version, suspended_at: at, suspended_for: reason } = row;
  const from = row.renewal_id === null ? ('contract' as const) : ('renewal' as const);
  return {
    lifecycleId: trusted<LifecycleId>(row.lifecycle_id),
    provider: trusted<Party>(row.provider),
    appUser: trusted<Party>(row.app_user),
    beganAt: row.began_at,
    reference: row.reference,
    plan: id === null || version === null ? null : { id, version, from },
    contractTerms: soldIn(row.sold),
    planTerms: row.terms,
    suspension: at === null ? null : { at, reason: reason ?? '' },
  };
}

const eventOf = (
  { id, provider, appUser }: Pick<Lifecycle, 'id' | 'provider' | 'appUser'>,
  type: LicenseEvent,
  record: LicenseRecord,
): NewEvent => ({
  type,
  subject: id,
  lifecycleId: id,
  parties: [...new Set([provider, appUser])],
  data: {
    lifecycleId: id,
    reference: record.reference,
    provider,
    user: appUser,
    suspended: record.suspension === null ? null : { ...record.suspension },
  },
});

async function recordOf(session: Session, id: LifecycleId): Promise<LicenseRecord | null> {
  const [row] = await session.run(OF, [[id]]);
  return row === undefined ? null : licenseRecordFromRow(row);
}

async function suspend(
  session: Session,
  license: Pick<Lifecycle, 'id' | 'provider' | 'appUser'>,
  isSuspended: boolean,
  reason: string,
  by: Actor,
): Promise<{ readonly record: LicenseRecord; readonly isChanged: boolean } | null> {
  const { id } = license;
  session.send(MAKE, [id]);
  const [held] = await session.run(HOLD, [id]);
  if (held === undefined) return null;
  const isChanged = held.is_suspended !== isSuspended;
  if (isChanged) {
    if (isSuspended) session.send(SUSPEND, [id, reason]);
    else session.send(REINSTATE, [id]);
  }
  const record = await recordOf(session, id);
  if (record === null || !isChanged) return record === null ? null : { record, isChanged };
  const what = isSuspended ? 'suspended' : 'reinstated';
  sendCall(session, by, `license-${what}`, `license:${id}`, {}, reason);
  const event = eventOf(license, `tenure.license.${what}`, record);
  session.send(SAVE_EVENT, [JSON.stringify([eventToJson(event)])]);
  session.announce(ARRIVALS_CHANNEL, '');
  session.announce(TIMERS_CHANNEL, '');
  return { record, isChanged };
}

/** @param pool opened with `pipelined`; the caller closes it */
export const createLicenseRecords = (pool: Pool): LicenseRecords => ({
  async of(ids, io) {
    if (ids.length === 0) return new Map();
    const rows = await onConnection(pool, io, (session) => session.run(OF, [ids]));
    const records = rows.map(licenseRecordFromRow);
    return new Map(records.map((record) => [record.lifecycleId, record]));
  },
  async byReference(provider, reference, io) {
    const [row] = await onConnection(pool, io, (session) =>
      session.run(BY_REFERENCE, [provider, reference]),
    );
    return row === undefined ? null : licenseRecordFromRow(row);
  },
  async search(party, text, io) {
    const values = [party, anywhere(text), text, text.toUpperCase(), STORE_LIMITS.searchFoundMax];
    const [row] = await onConnection(pool, io, (session) => session.run(SEARCH, values));
    return {
      parties: (row?.parties ?? []).map((each) => trusted<Party>(each)),
      licenses: (row?.licenses ?? []).map((each) => trusted<LifecycleId>(each)),
    };
  },
  suspend: (license, isSuspended, reason, by, io) =>
    transact(pool, io, (session) => suspend(session, license, isSuspended, reason, by)),
  recordAct: (id, detail, reason, by, io) =>
    transact(pool, io, async (session) =>
      sendCall(session, by, 'licenses-acted-on', `licenses:${id}`, detail, reason),
    ),
});
