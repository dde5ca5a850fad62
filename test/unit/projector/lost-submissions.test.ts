import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createHear } from '../../../src/app/engine/doubts/proof.ts';
import { PROJECTOR_LEASE } from '../../../src/app/ports/leases.ts';
import type { LedgerStreams } from '../../../src/app/ports/ledger.ts';
import { completionsStream } from '../../../src/app/ports/streams.ts';
import type { ChangeId, CommandId, ParticipantName } from '../../../src/domain/ids.ts';
import { trusted, workflowIdOf } from '../../../src/domain/ids.ts';
import type { LedgerTransaction } from '../../../src/domain/ledger.ts';
import { LostWatch } from '../../../src/projector/lost-submissions.ts';
import { PROVIDER, USER, created, io, lifecycle, transaction } from '../../kit/store-rows.ts';
import { createMemoryDatabase } from '../../sim/memory/database.ts';
import { instantOf } from '../../sim/memory/instants.ts';

/* When requests are accepted again after the database was restored and the ledger user was replaced. */

const P = trusted<ParticipantName>('app-provider');
const U = trusted<ParticipantName>('app-user');
const ONE = 'one::1220';
const BOUNDS = { toleranceMs: 60_000, clockDifferenceMs: 10_000 };
/**
 * The time within which a lost submission was sent: four seconds for the registry, ten for the call, and the difference
 * of the clocks.
 */
const SENT_MS = 24_000;
const OVER_MS = 2 * BOUNDS.toleranceMs + BOUNDS.clockDifferenceMs;
const HOUR_MS = 3_600_000;
const START_MS = Date.parse('2026-01-01T12:00:00Z');

const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };

/**
 * Opens the users' participant, whose updates are not followed, after the database was restored and the ledger user was
 * replaced.
 */
async function held() {
  const clock = { nowMs: START_MS };
  const wallClock = { nowMs: () => clock.nowMs };
  const database = createMemoryDatabase({ now: wallClock.nowMs });
  const before = database.connect('before');
  const stream = completionsStream(U);
  const acquire = async ({ leases }: typeof before) =>
    (await leases.acquire(PROJECTOR_LEASE, 'test', HOUR_MS, io())) ?? 0n;
  const epoch = await acquire(before);
  await before.store.transact(io(), async (tx) => {
    await tx.startCursor({ stream, from: 0n, to: 5n, recordTime: null }, epoch);
    await tx.beginReplay(stream, { to: 5n, ledgerUser: 'former' }, epoch);
  });
  database.crash({ losing: false });
  const { store, leases } = database.connect('projector');
  const leaseEpoch = await acquire({ ...before, leases });
  await store.transact(io(), (tx) =>
    tx.beginReplay(stream, { to: 5n, ledgerUser: 'backend' }, leaseEpoch),
  );
  const ledger = {
    end: 5n,
    transactions: [] as LedgerTransaction[],
    isAway: false,
    asked: 0,
    apartMs: null as number | null,
  };
  const streams = {
    projected: P,
    readAs: [PROVIDER],
    rightsOn: async () => ({ ledgerUser: 'backend', actAs: [USER] }),
    transactionsOf: async function* read(_: ParticipantName, after: bigint, upTo: bigint) {
      yield* ledger.transactions.filter(({ offset }) => offset > after && offset <= upTo);
    },
  } as unknown as LedgerStreams;
  const gateway = {
    ledgerEnd: async () => ledger.end,
    synchronizersForParties: async () => {
      ledger.asked += 1;
      if (ledger.isAway) throw new Error('away');
      return [ONE];
    },
  };
  const hear = createHear(gateway, wallClock, BOUNDS);
  const clocks = { apartMs: (): number | null => ledger.apartMs };
  const proofs = { hear, bounds: BOUNDS, wallClock, clocks };
  const deps = { store, streams, log, gateway, leaseEpoch, ...proofs };
  let watch = new LostWatch(deps, U);
  let at = 5n;
  return {
    clock,
    ledger,
    look: () => watch.look(io()),
    awaited: () => watch.awaited(io()),
    /** Replaces the process that follows the ledger's streams by a new one. */
    replace() {
      watch = new LostWatch(deps, U);
    },
    tell: async (ms: number) => {
      const move = { stream, from: at, to: at + 1n, recordTime: instantOf(ms) };
      const times = new Map([[ONE, instantOf(ms)]]);
      await store.transact(io(), (tx) => tx.moveCursors([{ ...move, times }], leaseEpoch));
      at += 1n;
    },
    isHeld: async () => (await store.transact(io(), (tx) => tx.followed())).replaying.has(stream),
    tombstones: (id: CommandId) =>
      store.transact(io(), async (tx) => (await tx.followed([id])).tombstones),
  };
}

test('requests wait until no lost submission can take effect, and its effect is known then', async () => {
  const world = await held();
  const { clock, ledger } = world;
  await world.look();
  expect([ledger.asked, await world.isHeld()]).toEqual([0, true]);
  // At this time, every lost submission has been sent.
  clock.nowMs += SENT_MS;
  ledger.isAway = true;
  await world.look();
  expect([ledger.asked, await world.awaited()]).toEqual([1, null]);
  ledger.isAway = false;
  await world.look();
  const proofAt = new Date(clock.nowMs + OVER_MS).toISOString();
  const submitter = { participant: U, ledgerUser: 'backend', actAs: USER };
  expect(await world.awaited()).toEqual({
    proofAt,
    submitter,
    provider: PROVIDER,
    ignoresCircuit: true,
  });

  const commandId = trusted<CommandId>('lost');
  const workflowId = workflowIdOf(trusted<ChangeId>(randomUUID()));
  const late = { ...transaction(8n, [created(lifecycle())]), commandId, workflowId };
  ledger.transactions.push(late);
  ledger.end = 8n;
  await world.look();
  expect(await world.tombstones(commandId)).toMatchObject([{ commandId, updateId: late.updateId }]);
  // Updates that have been read are not read again, because the participant may have pruned them.
  ledger.transactions.length = 0;
  await world.tell(clock.nowMs + OVER_MS - 1_000);
  await world.look();
  expect(await world.isHeld()).toBe(true);
  await world.tell(clock.nowMs + OVER_MS);
  ledger.apartMs = 90_000;
  await world.look();
  expect(await world.isHeld()).toBe(true);
  ledger.apartMs = null;
  await world.look();
  expect([await world.isHeld(), await world.awaited()]).toEqual([false, null]);
});

test('another process that follows the ledger hears the participant anew', async () => {
  const world = await held();
  world.clock.nowMs += SENT_MS;
  world.replace();
  await world.look();
  expect(world.ledger.asked).toBe(0);
  world.clock.nowMs += SENT_MS;
  await world.look();
  expect(world.ledger.asked).toBe(1);
});
