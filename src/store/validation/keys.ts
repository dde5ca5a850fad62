import type { Pool } from 'pg';
import type { LicenseKey, LicenseKeys } from '../../app/ports/validation.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { TenantCaller } from '../../domain/turns.ts';
import { sendCall } from '../engine/audit.ts';
import type { Session } from '../sql/session.ts';
import { membersOf, statement } from '../sql/statement.ts';
import { onConnection, transact } from '../sql/transact.ts';

const COLUMNS = membersOf('k', [
  'id',
  'name',
  'by_party',
  'created_at',
  'revoked_at',
  'revoked_by',
]);

/** Requests that change the keys or the machines of one licence run one after the other. */
const LOCK = statement<object>(
  'lock-license',
  `select pg_advisory_xact_lock(hashtextextended('license ' || $1::text, 0))`,
);

export const lockLicense = (session: Session, licenseId: string): void =>
  session.send(LOCK, [licenseId]);

const ADD = statement<LicenseKey>(
  'add-license-key',
  `insert into license_key as k (id, license_id, hash, name, by_party, by_subject)
   select $1, $2, $3, $4, $5, $6
   where (select count(*) from license_key o where o.license_id = $2 and o.revoked_at is null) < $7
     and (select count(*) from license_key o where o.license_id = $2) < $8
   returning ${COLUMNS}`,
);

const HOLDER = statement<TenantCaller>(
  'holder-of-license-key',
  `select l.app_user as party, k.id as subject
   from license_key k join lifecycle l on l.id = k.license_id where k.hash = $1`,
);

const LIST = statement<LicenseKey>(
  'license-keys',
  `select ${COLUMNS} from license_key k where k.license_id = $1 order by k.created_at, k.id`,
);

const REVOKE = statement<{ was_revoked: boolean | null }>(
  'revoke-license-key',
  `with found as materialized (
     select k.id, k.revoked_at is not null as was_revoked
     from license_key k where k.id = $2 and k.license_id = $1 for update
   ), revoked as (
     update license_key k set revoked_at = now(), revoked_by = $3
     from found f where k.id = f.id and not f.was_revoked
   )
   select was_revoked from found`,
);

/** @param pool the caller closes it */
export const createLicenseKeys = (pool: Pool): LicenseKeys => ({
  add({ id, licenseId, name }, hash, by, io) {
    const { licenseKeysMax, licenseKeysKeptMax } = LIMITS;
    const values = [id, licenseId, hash, name, by.party, by.subject];
    return transact(pool, io, async (tx) => {
      lockLicense(tx, licenseId);
      const [row] = await tx.run(ADD, [...values, licenseKeysMax, licenseKeysKeptMax]);
      if (row === undefined) return null;
      sendCall(tx, by, 'created-license-key', `license:${licenseId}`, { key: id, name });
      return row;
    });
  },
  async holderOf(hash, io) {
    const found = await onConnection(pool, io, (session) => session.run(HOLDER, [hash]), 'by-key');
    return found[0] ?? null;
  },
  list: (licenseId, io) => onConnection(pool, io, (session) => session.run(LIST, [licenseId])),
  revoke: (licenseId, id, by, io) =>
    transact(pool, io, async (tx) => {
      const [found] = await tx.run(REVOKE, [licenseId, id, by.party]);
      if (found === undefined) return false;
      if (found.was_revoked === false)
        sendCall(tx, by, 'revoked-license-key', `license:${licenseId}`, { key: id });
      return true;
    }),
});
