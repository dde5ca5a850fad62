import type { Pool } from 'pg';
import type { ValidationReads } from '../../app/ports/validation.ts';
import type { LicenseFacts } from '../../domain/license-validation.ts';
import { trusted } from '../../domain/ids.ts';
import { isoToMs } from '../../domain/time.ts';
import { UPDATES_STREAM } from '../../app/ports/streams.ts';
import { statement } from '../sql/statement.ts';
import { onConnection } from '../sql/transact.ts';
import {
  LICENSE_RECORD,
  LICENSE_RECORDS,
  licenseRecordFromRow,
} from '../product/license-records.ts';
import type { TimesRow } from './terms.ts';
import { HEARTBEAT_TIME, TIMES, factsOfRecord } from './terms.ts';

type RecordRow = Parameters<typeof licenseRecordFromRow>[0];
/** The columns of a licence's record. They are null if the licence has no record. */
type RecordColumns = { readonly [Column in keyof RecordRow]: RecordRow[Column] | null };

interface FactsRow extends RecordColumns, TimesRow {
  readonly id: string;
  readonly contract_id: string;
  readonly license_num: bigint | null;
  readonly of_provider: string;
  readonly of_user: string;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly ended_at: string | null;
  readonly seats_used: bigint | null;
  readonly machine_id: string | null;
  readonly machine_seen_at: string | null;
  readonly followed_to: string | null;
}

/**
 * SQL: `$2` is a fingerprint, `$3` is ledger time. The machines that hold a seat are counted according to the heartbeat
 * time of the plan.
 */
const FACTS = `
  l.id, l.contract_id, l.license_num, l.provider as of_provider, l.app_user as of_user, l.created_at, l.expires_at,
  l.ended_at, ${LICENSE_RECORD}, ${TIMES},
  (select count(*) from license_machine m
   where m.license_id = l.id
     and (v.terms is null or m.seen_at > $3::timestamptz - ${HEARTBEAT_TIME})
  ) as seats_used,
  a.id as machine_id, a.seen_at as machine_seen_at,
  (select greatest(o.record_time, (
     select max(s.value::timestamptz) from jsonb_each_text(o.synchronizer_times) s))
   from query_store_offset o where o.stream = '${UPDATES_STREAM}') as followed_to`;

const JOINED = `
  left join (${LICENSE_RECORDS}) on r.lifecycle_id = l.id
  left join license_machine a on a.license_id = l.id and a.fingerprint = $2`;

const BY_KEY = statement<FactsRow & { key_id: string; revoked_at: string | null }>(
  'validation-by-key',
  `select k.id as key_id, k.revoked_at, ${FACTS}
   from license_key k join lifecycle l on l.id = k.license_id ${JOINED}
   where k.hash = $1`,
);

const BY_LICENSE = statement<FactsRow>(
  'validation-by-license',
  `select ${FACTS}
   from lifecycle l ${JOINED}
   where l.kind = 'license' and l.id = coalesce(
     (select a.lifecycle_id from lineage a where a.contract_id = $1),
     (select n.lifecycle_id from license_record n where n.provider = $4 and n.reference = $1
      order by n.lifecycle_id limit 1),
     $1)`,
);

const UPDATE_OF = statement<{ update_id: string }>(
  'update-of-contract',
  `select u.update_id from contract c join ledger_update u on u."offset" = c.created_at_offset
   where c.contract_id = $1 limit 1`,
);

const isRecord = (row: FactsRow): row is FactsRow & RecordRow => row.lifecycle_id !== null;

function factsFrom(row: FactsRow): LicenseFacts {
  const createdAtMs = isoToMs(row.created_at);
  return {
    lifecycleId: row.id,
    contractId: row.contract_id,
    licenseNum: String(row.license_num ?? 0n),
    provider: trusted(row.of_provider),
    user: trusted(row.of_user),
    createdAtMs,
    expiresAtMs: row.expires_at === null ? createdAtMs : isoToMs(row.expires_at),
    isEnded: row.ended_at !== null,
    ...factsOfRecord(isRecord(row) ? licenseRecordFromRow(row) : null, row),
    seatsUsed: Number(row.seats_used ?? 0n),
    machine:
      row.machine_id === null || row.machine_seen_at === null
        ? null
        : { id: row.machine_id, seenAtMs: isoToMs(row.machine_seen_at) },
    followedToMs: row.followed_to === null ? 0 : isoToMs(row.followed_to),
  };
}

/** @param pool the caller closes it */
export const createValidationReads = (pool: Pool): ValidationReads => ({
  async byKey(hash, fingerprint, at, io) {
    const values = [hash, fingerprint, at];
    const [row] = await onConnection(pool, io, (session) => session.run(BY_KEY, values));
    if (row === undefined) return null;
    return {
      facts: factsFrom(row),
      key: { id: row.key_id, isRevoked: row.revoked_at !== null },
    };
  },
  async updateOf(contractId, io) {
    const [row] = await onConnection(pool, io, (session) => session.run(UPDATE_OF, [contractId]));
    return row?.update_id ?? null;
  },
  async byLicense({ id, provider }, fingerprint, at, io) {
    const values = [id, fingerprint, at, provider];
    const [row] = await onConnection(pool, io, (session) => session.run(BY_LICENSE, values));
    return row === undefined ? null : factsFrom(row);
  },
});
