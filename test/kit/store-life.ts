import { randomUUID } from 'node:crypto';
import type { SubmissionId } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import { LICENSE } from '../../src/domain/licensing.ts';
import { BIG, CHANGES } from './store-fill.ts';
import {
  answer,
  arrival,
  birth,
  change,
  created,
  effectId,
  entry,
  exercised,
  io,
  lifecycle,
  mailbox,
  queued,
  succeeded,
  transaction,
  writes,
} from './store-rows.ts';
import type { StoreUnderTest } from './store-under-test.ts';
import { allOf } from './all-of.ts';
import { save } from './store-under-test.ts';

/** Performs all steps in the life of one change, and every read about it. */
export async function oneLife({ store, outbox, leases }: StoreUnderTest): Promise<void> {
  const epoch = (await leases.acquire('projector', randomUUID(), 0, io())) ?? 0n;
  const of = lifecycle({ kind: 'license', licenseNum: 1n, provider: trusted('small::1220aa') });
  const next = lifecycle({ kind: 'license', licenseNum: 2n, provider: trusted('small::1220aa') });
  const offset = BigInt(CHANGES) + BigInt(Math.floor(Math.random() * 1e12)) + 1n;
  const update = transaction(offset, [
    created(of),
    exercised(of.contractId, LICENSE, { nodeId: 1, lastDescendantNodeId: 2 }),
    created(next, { nodeId: 2 }),
  ]);
  const ours = change({ lane: of.lane, lifecycleId: of.id });
  const behind = queued(ours, 2);
  const submissionId = trusted<SubmissionId>(randomUUID());
  await store.transact(io(), async (tx) => {
    await tx.cursors();
    await tx.startCursor({ stream: 'updates', from: 0n, to: 0n, recordTime: null }, epoch);
    await tx.lock([of.lane]);
    await tx.changeByCommand({ ...ours.submitter, commandId: ours.commandId });
    await tx.save(writes({ ...birth(of), ...arrival(ours), history: [entry(of)] }));
    await tx.insertUpdates([update], [of.provider]);
  });
  await store.transact(io(), async (tx) => {
    await tx.lockFree([of.lane]);
    const box = mailbox(of.lane, { head: ours.id, nextNo: 3, waiting: 1 });
    await tx.save(writes({ mailboxes: [box], changes: [behind] }));
    await tx.queued(of.lane, 0, 10);
  });
  await outbox.dispatchDue(10, async () => {}, io());
  await outbox.nextDueInMs(io());
  await outbox.startAttempt(effectId(ours), 1, submissionId, io());
  await save(store, { effectsDue: [{ changeId: ours.id, inMs: -60_000 }] });
  await store.transact(io(), async (tx) => {
    const move = { stream: 'updates', from: 0n, to: offset, recordTime: null };
    await tx.moveCursors([move], epoch);
    await tx.lanesOf({
      contracts: [of.contractId, next.contractId],
      submissions: [submissionId],
      updates: [update.updateId],
      carried: [trusted(randomUUID())],
    });
    const cursors = ['updates', 'completions:app-provider'].map(
      (stream) => [stream, offset] as const,
    );
    await tx.lanesWaitingFor(new Map(cursors));
    await tx.awaitedProofs(trusted('app-provider'));
    await tx.lock([of.lane]);
    await tx.attemptsOf(ours.id);
    await tx.change(ours.id);
    await tx.appliedUpdate(update.updateId);
    await tx.landmarks();
    const done = succeeded({ ...ours, attempts: 1 });
    await tx.save(
      writes({
        changes: [done],
        effectsDone: [ours.id],
        attempts: [{ submissionId, answer: answer('accepted') }],
        mailboxes: [mailbox(of.lane, { nextNo: 3, waiting: 1 })],
        lifecycles: [{ ...of, version: 2 }],
        history: [entry({ ...of, version: 2 })],
        timerLanes: [of.lane],
      }),
    );
  });
  const { reads } = store;
  await reads.list({ kind: 'license', party: of.provider, limit: 50 }, io());
  await reads.list({ kind: 'license', party: BIG, limit: 50 }, io());
  await reads.lifecycle(of.id, io());
  await reads.lifecycle(of.contractId, io());
  await allOf(reads.history(of.id, io()));
  await reads.changesById([ours.id], io());
  await reads.changesByCommand(ours.commandId, ours.callerParty, io());
  await reads.attempts(ours.id, io());
  await reads.placeInMailbox(behind, io());
  await reads.headOf(of.lane, io());
  await reads.contract(of.contractId, io());
}
