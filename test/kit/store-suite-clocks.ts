import { expect, test } from 'vitest';
import { PROJECTOR_LEASE } from '../../src/app/ports/leases.ts';
import { UPDATES_STREAM } from '../../src/app/ports/streams.ts';
import type { ParticipantName } from '../../src/domain/ids.ts';
import { trusted, workflowIdOf } from '../../src/domain/ids.ts';
import { PROVIDER, change, effectId, io, transaction } from './store-rows.ts';
import type { MakeStore } from './store-under-test.ts';
import { arrive, dispatchAll } from './store-under-test.ts';

const P = trusted<ParticipantName>('app-provider');
const NOON = '2026-01-01T12:00:00Z';
const NOON_MS = Date.parse(NOON);

/** Clock readings of processes, and the ledger times for which processes wait: tests for every store. */
export function clockCases(makeStore: MakeStore): void {
  test('a report is answered with the time of the database, and with the newest of ours', async () => {
    await using under = await makeStore();
    const report = { process: 'here:1', roles: 'api', difference: null, ledgerApartMs: null };
    const before = Date.now();
    const first = await under.processClocks.report(report, io());
    expect(Math.abs(Date.parse(first.at) - before)).toBeLessThan(60_000);
    expect(first.newest).toBeNull();
    const tried = change();
    await arrive(under.store, tried);
    await dispatchAll(under.outbox);
    const started = await under.outbox.startAttempt(effectId(tried), 1, trusted('try'), io());
    expect(started).not.toBeNull();
    const ours = transaction(7n, [], { workflowId: workflowIdOf(tried.id), effectiveAt: NOON });
    const other = transaction(8n, []);
    await under.store.transact(io(), (tx) => tx.insertUpdates([ours, other], [PROVIDER]));
    const { newest } = await under.processClocks.report(report, io());
    expect(newest).toMatchObject({ effectiveAt: NOON, recordTime: ours.recordTime });
    await under.processClocks.forget('here:1', io());
  });

  test('the latest time that is wanted stays wanted until the updates have passed it', async () => {
    await using under = await makeStore();
    const { timeWanted, store, leases } = under;
    expect(await timeWanted.wanted(P, io())).toBeNull();
    await timeWanted.ask(P, NOON_MS, io());
    await timeWanted.ask(P, NOON_MS - 1_000, io());
    expect(await timeWanted.wanted(P, io())).toBe(NOON);
    const epoch = (await leases.acquire(PROJECTOR_LEASE, 'one', 60_000, io())) ?? 0n;
    const at = (to: bigint, recordTime: string) => ({
      stream: UPDATES_STREAM,
      from: 0n,
      to,
      recordTime,
    });
    await store.transact(io(), (tx) => tx.startCursor(at(0n, '2026-01-01T11:00:00Z'), epoch));
    expect(await timeWanted.wanted(P, io())).toBe(NOON);
    await store.transact(io(), (tx) => tx.moveCursors([at(1n, NOON)], epoch));
    expect(await timeWanted.wanted(P, io())).toBeNull();
  });
}
