import type { Leases } from '../../../src/app/ports/leases.ts';
import type { Connection } from './connection.ts';
import { transact } from './connection.ts';
import type { LeaseRow } from './rows.ts';

/*
 * Leases and their epochs: see `src/store/engine/lease.ts`.
 */

export function createLeases(connection: Connection): Leases {
  const { server } = connection;
  const { leases } = server.tables;
  const single = (call: string) => ({ call, repeated: false });
  const own = (row: LeaseRow, holder: string, epoch: bigint): boolean =>
    row.holder === holder && row.epoch === epoch;
  return {
    acquire: (name, holder, ttlMs, io) =>
      transact(
        connection,
        io,
        (session) =>
          session.run('leases.acquire', async (tx) => {
            // If another process holds the lease, its row is only read and not locked, so that the holder can write it.
            const held = leases.get(tx, name);
            const isOthers = held !== undefined && held.holder !== holder;
            if (isOthers && held.expiresAtMs > server.now()) return null;
            const grantedOn = tx.server.starts;
            const expiresAtMs = server.now() + ttlMs;
            const first = { name, holder, epoch: 1n, expiresAtMs, grantedOn };
            const isTaken = await tx.upsert(leases, first, (before) => {
              const isFree = before.expiresAtMs <= server.now() || before.holder === holder;
              if (!isFree) return null;
              const next = before.epoch + 1n;
              const time = BigInt(Math.round(server.now() * 1_000));
              const isFirst = before.grantedOn !== grantedOn && time > next;
              return { ...first, epoch: isFirst ? time : next };
            });
            return isTaken ? (leases.get(tx, name)?.epoch ?? null) : null;
          }),
        single('leases.acquire'),
      ),
    renew: (name, holder, epoch, ttlMs, io) =>
      transact(
        connection,
        io,
        (session) =>
          session.run('leases.renew', (tx) =>
            tx.update(leases, name, (before) =>
              own(before, holder, epoch) ? { ...before, expiresAtMs: server.now() + ttlMs } : null,
            ),
          ),
        single('leases.renew'),
      ),
    release: (name, holder, epoch, io) =>
      transact(
        connection,
        io,
        async (session) => {
          await session.run('leases.release', (tx) =>
            tx.update(leases, name, (before) =>
              own(before, holder, epoch) ? { ...before, expiresAtMs: server.now() } : null,
            ),
          );
        },
        single('leases.release'),
      ),
  };
}
