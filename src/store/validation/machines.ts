import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import type { Activation, Machine, Machines } from '../../app/ports/validation.ts';
import type { Io } from '../../app/ports/io.ts';
import { sendCall } from '../engine/audit.ts';
import { membersOf, statement } from '../sql/statement.ts';
import { onConnection, transact } from '../sql/transact.ts';
import { lockLicense } from './keys.ts';

const COLUMNS = membersOf('m', ['id', 'fingerprint', 'name', 'key_id', 'activated_at', 'seen_at']);
/** SQL: whether a machine holds a seat: a machine last seen at `$n` or before does not. */
const holds = (parameter: string) =>
  `(${parameter}::timestamptz is null or m.seen_at > ${parameter}::timestamptz)`;

/** Deletes machines that no longer hold a seat, so that there is room for others. */
const FORGET = statement<never>(
  'forget-machines',
  'delete from license_machine where license_id = $1 and seen_at <= $2::timestamptz',
);

const TAKEN = statement<{ others: bigint }>(
  'seats-taken',
  'select count(*) as others from license_machine where license_id = $1 and fingerprint <> $2',
);

const SEAT = statement<Machine>(
  'seat-machine',
  `insert into license_machine as m (license_id, fingerprint, id, name, key_id, activated_at, seen_at)
   values ($1, $2, $3, $4, $5, $6::timestamptz, $6::timestamptz)
   on conflict (license_id, fingerprint) do update
     set name = excluded.name, key_id = excluded.key_id, seen_at = greatest(m.seen_at, excluded.seen_at)
   returning ${COLUMNS}`,
);

/** A heartbeat does not give a freed seat back to a machine: the machine must be activated again. */
const BEAT = statement<Machine>(
  'heartbeat-of-machine',
  `update license_machine m set seen_at = greatest(m.seen_at, $3::timestamptz)
   where m.license_id = $1 and m.fingerprint = $2 and ${holds('$4')}
   returning ${COLUMNS}`,
);

const RELEASE = statement<{ id: string }>(
  'release-machine',
  'delete from license_machine where license_id = $1 and fingerprint = $2 returning id',
);

const REMOVE = statement<{ id: string }>(
  'remove-machine',
  'delete from license_machine where license_id = $1 and id = $2 returning id',
);

const LIST = statement<Machine>(
  'machines-of-license',
  `select ${COLUMNS} from license_machine m
   where m.license_id = $1 and ${holds('$2')} order by m.activated_at, m.id`,
);

const newMachineId = (): string => `machine_${randomUUID().replaceAll('-', '')}`;

/** Activations for one licence run one after the other, so that each sees the machines of the earlier ones. */
const activate = (pool: Pool, asked: Activation, io: Io): Promise<Machine | null> =>
  transact(pool, io, async (tx) => {
    const { licenseId, fingerprint, name, keyId, seats, at, staleAt } = asked;
    lockLicense(tx, licenseId);
    tx.send(FORGET, [licenseId, staleAt]);
    const [taken] = await tx.run(TAKEN, [licenseId, fingerprint]);
    if (taken === undefined || taken.others >= BigInt(seats)) return null;
    const values = [licenseId, fingerprint, newMachineId(), name, keyId, at];
    const [row] = await tx.run(SEAT, values);
    return row ?? null;
  });

/** @param pool the caller closes it */
export const createMachines = (pool: Pool): Machines => ({
  activate: (asked, io) => activate(pool, asked, io),
  async heartbeat({ licenseId, fingerprint, at, staleAt }, io) {
    const values = [licenseId, fingerprint, at, staleAt];
    const [row] = await onConnection(pool, io, (session) => session.run(BEAT, values));
    return row ?? null;
  },
  async release(licenseId, fingerprint, io) {
    const values = [licenseId, fingerprint];
    const rows = await onConnection(pool, io, (session) => session.run(RELEASE, values));
    return rows.length === 1;
  },
  remove: (licenseId, id, by, io) =>
    transact(pool, io, async (tx) => {
      const [removed] = await tx.run(REMOVE, [licenseId, id]);
      if (removed === undefined) return false;
      sendCall(tx, by, 'removed-license-machine', `license:${licenseId}`, { machine: id });
      return true;
    }),
  async list(licenseId, staleAt, io) {
    const values = [licenseId, staleAt];
    return onConnection(pool, io, (session) => session.run(LIST, values));
  },
});
