import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Writes } from '../../src/app/ports/writes.ts';
import type { Change } from '../../src/domain/change.ts';
import type { SubmissionId } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import {
  answer,
  arrival,
  birth,
  change,
  effectId,
  entry,
  io,
  lifecycle,
  mailbox,
  queued,
  rejected,
  succeeded,
  writes,
} from './store-rows.ts';
import type { MakeStore } from './store-under-test.ts';
import { arrive, dispatchAll, save } from './store-under-test.ts';

const dueAt = '2026-01-01T00:00:00.001Z';

/** Writes that a store must refuse, for a change `of` at the head of its lane. */
const CASES: readonly (readonly [string, (of: Change) => Partial<Writes>])[] = [
  ['a change in a lane without a mailbox', () => ({ changes: [change()] })],
  [
    'a change under a name that is not its own kind of id',
    (of) => ({ changes: [queued(of, 2, { id: trusted('change-1') })] }),
  ],
  ['a second change of a lane on its way', (of) => ({ changes: [change({ lane: of.lane })] })],
  ['two that wait at one place', (of) => ({ changes: [queued(of, 2), queued(of, 2)] })],
  ['one change twice', (of) => ({ changes: [of, { ...of, attempts: 1 }] })],
  ['one lifecycle twice', () => ({ lifecycles: twice(lifecycle()) })],
  ['one mailbox twice', (of) => ({ mailboxes: twice(mailbox(of.lane)) })],
  ['an effect of nothing', () => ({ newEffects: [{ id: trusted('fx'), changeId: id(), dueAt }] })],
  [
    'a second effect of a change',
    (of) => ({ newEffects: [{ id: trusted('fx'), changeId: of.id, dueAt }] }),
  ],
  ['an effect again', (of) => ({ newEffects: arrival(of).newEffects ?? [] })],
  ['a contract that leads nowhere', () => ({ lineage: birth(lifecycle()).lineage ?? [] })],
  ['a success without a result', (of) => ({ changes: [{ ...succeeded(of), result: null }] })],
  ['a refusal without a reason', (of) => ({ changes: [{ ...rejected(of), error: null }] })],
  [
    'an outcome that still waits',
    (of) => ({ changes: [{ ...succeeded(of), waitingFor: of.waitingFor }] }),
  ],
  ['an outcome without a time', (of) => ({ changes: [{ ...succeeded(of), finishedAt: null }] })],
  [
    'a refusal that waits for nothing to be made sure of',
    (of) => ({
      changes: [{ ...of, pendingRefusal: { code: 'CONTRACT_GONE', status: 409, message: 'm' } }],
    }),
  ],
  [
    'an acceptance at the ledger begin',
    (of) => ({
      changes: [{ ...of, acceptance: { updateId: trusted('u'), offset: 0n, readBack: false } }],
    }),
  ],
  [
    'a mailbox that has numbered nobody',
    (of) => ({ mailboxes: [mailbox(of.lane, { waiting: 1 })] }),
  ],
  ['a line of no version', () => ({ history: [entry(lifecycle(), { seq: 0 })] })],
];

const id = () => trusted<Change['id']>(randomUUID());
const twice = <T>(one: T): readonly T[] => [one, one];

export function refusalCases(makeStore: MakeStore): void {
  test('what cannot be is not taken, nor anything beside it', async () => {
    await using under = await makeStore();
    for (const [what, wrong] of CASES) {
      const head = change();
      await arrive(under.store, head);
      const bystander = lifecycle();
      const some = wrong(head);
      const lifecycles = [...(some.lifecycles ?? []), bystander];
      await expect(save(under.store, { ...some, lifecycles }), what).rejects.toThrow();
      const left = await under.store.transact(io(), (tx) => tx.findLifecycle(bystander.id));
      expect(left, what).toBeNull();
      expect(await under.store.reads.changesById([head.id], io()), what).toEqual([head]);
    }
  });

  test('once something was not taken, nothing that is asked afterwards is answered', async () => {
    await using under = await makeStore();
    const ours = change();
    await arrive(under.store, ours);
    const trying = under.store.transact(io(), async (tx) => {
      await tx.save(writes({ changes: [change()] }));
      for (const _ of [1, 2]) await expect(tx.change(ours.id)).rejects.toThrow();
      await expect(tx.lock([ours.lane])).rejects.toThrow();
    });
    await expect(trying).rejects.toThrow();
  });

  test('a submission ID is used once, and an attempt that is not recorded is not begun', async () => {
    await using under = await makeStore();
    const [one, two] = [change(), change()];
    for (const each of [one, two]) await arrive(under.store, each);
    await dispatchAll(under.outbox);
    const submissionId = trusted<SubmissionId>(randomUUID());
    const begin = (of: Change) => under.outbox.startAttempt(effectId(of), 1, submissionId, io());
    expect((await begin(one))?.attempt).toBe(1);
    for (const each of [one, two]) await expect(begin(each)).rejects.toThrow();
    const next = trusted<SubmissionId>(randomUUID());
    expect((await under.outbox.startAttempt(effectId(one), 1, next, io()))?.attempt).toBe(2);
    expect(await under.store.reads.changesById([two.id], io())).toEqual([two]);
    expect(await under.store.reads.attempts(two.id, io())).toEqual([]);
  });

  test('an answer to a submission of somebody else is nobody’s', async () => {
    await using under = await makeStore();
    const ours = change();
    await arrive(under.store, ours);
    const submissionId = trusted<SubmissionId>('of another client');
    await save(under.store, { attempts: [{ submissionId, answer: answer('accepted') }] });
    expect(await under.store.reads.attempts(ours.id, io())).toEqual([]);
  });

  test('what was asked for stays as it was recorded', async () => {
    await using under = await makeStore();
    const ours = change();
    await arrive(under.store, ours);
    const moved: Change = {
      ...ours,
      commandId: trusted('another'),
      operation: 'cancel-install',
      mailboxNo: 7,
      callerSubject: 'another',
      body: {},
      fixed: {},
      fingerprint: '0'.repeat(64),
      acceptedAt: '2027-01-01T00:00:00.001Z',
      state: 'retrying',
      attempts: 2,
    };
    await save(under.store, { changes: [moved] });
    expect(await under.store.reads.changesById([ours.id], io())).toEqual([
      { ...ours, state: 'retrying', attempts: 2 },
    ]);
  });

  test('what a lifecycle was born as stays', async () => {
    await using under = await makeStore();
    const of = lifecycle();
    await save(under.store, birth(of));
    const other = lifecycle({
      appUser: trusted('another::1220'),
      createdAt: '2027-01-01T00:00:00Z',
    });
    const moved = { ...other, id: of.id, version: 2, state: 'cancelling' };
    await save(under.store, { lifecycles: [moved] });
    const found = await under.store.transact(io(), (tx) => tx.findLifecycle(of.id));
    expect(found).toEqual({
      ...of,
      contractId: moved.contractId,
      version: 2,
      state: 'cancelling',
    });
  });

  test('times come back with no more digits than they need, and no fewer than three', async () => {
    await using under = await makeStore();
    const times = [
      ['2026-01-01T00:00:01.000Z', '2026-01-01T00:00:01Z'],
      ['2026-01-01T00:00:01.100000Z', '2026-01-01T00:00:01.100Z'],
      ['2026-01-01T00:00:01.000100Z', '2026-01-01T00:00:01.000100Z'],
    ] as const;
    for (const [createdAt, expected] of times) {
      const of = lifecycle({ createdAt });
      await save(under.store, birth(of));
      const found = await under.store.transact(io(), (tx) => tx.findLifecycle(of.id));
      expect(found?.createdAt).toBe(expected);
    }
  });
}
