import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { AuditEntry } from '../../src/app/ports/writes.ts';
import type { Change } from '../../src/domain/change.ts';
import type { SubmissionId } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import {
  answer,
  arrival,
  birth,
  change,
  created,
  effectId,
  entry,
  io,
  lifecycle,
  mailbox,
  newContractId,
  newLane,
  PROVIDER,
  queued,
  rejected,
  succeeded,
  transaction,
  writes,
} from './store-rows.ts';
import type { MakeStore, StoreUnderTest } from './store-under-test.ts';
import { allOf } from './all-of.ts';
import { arrive, dispatchAll, read, save } from './store-under-test.ts';

const commandKey = (of: Change) => ({ ...of.submitter, commandId: of.commandId });

/** Puts the change at the head of its lane and begins its first attempt. */
async function attempted(under: StoreUnderTest, of: Change): Promise<SubmissionId> {
  await arrive(under.store, of);
  const [effect] = await dispatchAll(under.outbox);
  const submissionId = trusted<SubmissionId>(randomUUID());
  await under.outbox.startAttempt(effectId(of), effect?.dispatchNo ?? 0, submissionId, io());
  return submissionId;
}

export function saveCases(makeStore: MakeStore): void {
  test('what a transaction answers is what its work answered', async () => {
    await using under = await makeStore();
    expect(await under.store.transact(io(), async () => 'done')).toBe('done');
  });

  test('an error of the work undoes everything and is thrown as it is', async () => {
    await using under = await makeStore();
    const ours = change();
    const error = new Error('changed our mind');
    const failing = under.store.transact(io(), async (tx) => {
      await tx.lock([ours.lane]);
      await tx.save(writes(arrival(ours)));
      throw error;
    });
    await expect(failing).rejects.toBe(error);
    expect(await read(under.store, (tx) => tx.change(ours.id))).toBeNull();
    expect(await under.outbox.nextDueInMs(io())).toBeNull();
  });

  test('every part of a change survives', async () => {
    await using under = await makeStore();
    const waiting = change({
      lifecycleId: trusted('install-1'),
      state: 'retrying',
      attempts: 3,
      acceptance: { updateId: trusted('update-9'), offset: 2n ** 60n, readBack: true },
      verifyAt: 9_007_199_254_740_993n,
      pendingRefusal: { code: 'CONTRACT_GONE', status: 409, message: 'gone', extra: { n: 1 } },
      deduplicationOffset: 9_007_199_254_740_995n,
    });
    const done = succeeded(change({ body: { text: 'späße 🦄', nested: [null, { b: 1, a: 2 }] } }));
    const refused = rejected(change());
    for (const one of [waiting, done, refused]) {
      await read(under.store, (tx) => tx.lock([one.lane]));
      await save(under.store, { changes: [one] });
      expect(await read(under.store, (tx) => tx.change(one.id))).toEqual(one);
    }
  });

  test('what was answered is kept to the letter', async () => {
    await using under = await makeStore();
    const done = succeeded(change());
    await read(under.store, (tx) => tx.lock([done.lane]));
    await save(under.store, { changes: [done] });
    const [found] = await under.store.reads.changesById([done.id], io());
    expect(JSON.stringify(found?.result)).toBe(JSON.stringify(done.result));
    expect(JSON.stringify(found?.body)).toBe(JSON.stringify(done.body));
  });

  test('every part of a lifecycle survives, and its times to the microsecond', async () => {
    await using under = await makeStore();
    const license = lifecycle({
      kind: 'license',
      licenseNum: 9_007_199_254_740_993n,
      context: { expiresAt: '2026-02-01T00:00:00.000001Z', deep: { list: [1, 'two', null] } },
      endedAt: '2026-02-01T00:00:00.000002Z',
    });
    await save(under.store, birth(license));
    expect(await read(under.store, (tx) => tx.findLifecycle(license.id))).toEqual(license);
  });

  test('a finished change is never written again, and the transaction that tries is undone', async () => {
    await using under = await makeStore();
    const first = change();
    await arrive(under.store, first);
    const outcome = succeeded(first);
    await save(under.store, { changes: [outcome], effectsDone: [first.id] });
    const bystander = lifecycle();
    for (const late of [rejected(first), first, outcome]) {
      await expect(save(under.store, { changes: [late], ...birth(bystander) })).rejects.toThrow();
    }
    expect(await read(under.store, (tx) => tx.change(first.id))).toEqual(outcome);
    expect(await read(under.store, (tx) => tx.findLifecycle(bystander.id))).toBeNull();
  });

  test('one finished change among open ones undoes them all', async () => {
    await using under = await makeStore();
    const [ended, open] = [change(), change()];
    await arrive(under.store, ended);
    await arrive(under.store, open);
    await save(under.store, { changes: [succeeded(ended)] });
    await expect(
      save(under.store, { changes: [succeeded(open), rejected(ended)] }),
    ).rejects.toThrow();
    expect(await read(under.store, (tx) => tx.change(open.id))).toEqual(open);
  });

  test('the next change takes the head in the transaction that ends the one before it', async () => {
    await using under = await makeStore();
    const first = change();
    const second = queued(first, 2);
    await arrive(under.store, first);
    await save(under.store, {
      mailboxes: [mailbox(first.lane, { head: first.id, nextNo: 3, waiting: 1 })],
      changes: [second],
    });
    // The two changes may be given in either order, because the engine does not know that a unique index permits one
    // head for each lane.
    const next: Change = { ...second, state: 'submitting' };
    await save(under.store, {
      mailboxes: [mailbox(first.lane, { head: second.id, nextNo: 3 })],
      changes: [next, succeeded(first)],
      effectsDone: [first.id],
    });
    expect(await under.store.reads.headOf(first.lane, io())).toEqual(next);
  });

  test('a lane has one head', async () => {
    await using under = await makeStore();
    const first = change();
    await arrive(under.store, first);
    const rival = change({ lane: first.lane, mailboxNo: 2 });
    await expect(save(under.store, { changes: [rival] })).rejects.toThrow();
  });

  test('a step on an older version of a lifecycle is refused, and so is one after its end', async () => {
    await using under = await makeStore();
    const first = lifecycle();
    await save(under.store, birth(first));
    const second = { ...first, version: 2, state: 'creatingLicense' };
    await save(under.store, { lifecycles: [second] });
    await expect(save(under.store, { lifecycles: [first] })).rejects.toThrow();
    await expect(save(under.store, { lifecycles: [second] })).rejects.toThrow();
    const ended = { ...first, version: 3, state: 'cancelled', endedAt: '2026-01-02T00:00:00.001Z' };
    await save(under.store, { lifecycles: [ended] });
    await expect(save(under.store, { lifecycles: [{ ...first, version: 4 }] })).rejects.toThrow();
    expect(await read(under.store, (tx) => tx.findLifecycle(first.id))).toEqual(ended);
  });

  test('a command recorded by two at the same moment is recorded once, and the other sees it', async () => {
    await using under = await makeStore();
    // The parties for which the process that records a change may know the rights: all variants.
    const ways = [
      {},
      { participant: trusted<Change['submitter']['participant']>('app-user') },
      { ledgerUser: 'someone-else' },
    ];
    const rivals = ways.map((way) => {
      const one = change({ commandId: trusted<Change['commandId']>('the-same') });
      return { ...one, submitter: { ...one.submitter, ...way } };
    });
    const record = (one: Change) =>
      under.store.transact(io(), async (tx) => {
        const known = await tx.changeByCommand(commandKey(one));
        if (known !== null) return known;
        await tx.lock([one.lane]);
        await tx.save(writes(arrival(one)));
        return one;
      });
    const answered = await Promise.all(rivals.map(record));
    expect(new Set(answered.map((one) => one.id)).size).toBe(1);
    expect(rivals.map((one) => one.id)).toContain(answered[0]?.id);
  });

  test('a surer answer replaces a less sure one, never the reverse', async () => {
    await using under = await makeStore();
    const ours = change();
    const submissionId = await attempted(under, ours);
    const verdictAfter = async (...verdicts: ('accepted' | 'refused' | 'unknown')[]) => {
      const attempts = verdicts.map((verdict) => ({ submissionId, answer: answer(verdict) }));
      await save(under.store, { attempts });
      const [attempt] = await under.store.reads.attempts(ours.id, io());
      return attempt?.answer?.verdict;
    };
    expect(await verdictAfter('unknown')).toBe('unknown');
    expect(await verdictAfter('refused')).toBe('refused');
    expect(await verdictAfter('unknown')).toBe('refused');
    expect(await verdictAfter('accepted', 'refused')).toBe('accepted');
    expect(await verdictAfter('refused')).toBe('accepted');
    expect(await verdictAfter('unknown')).toBe('accepted');
    // The first acceptance of an attempt is kept, even if another one follows.
    const again = answer('accepted', { offset: 99n });
    await save(under.store, { attempts: [{ submissionId, answer: again }] });
    const [attempt] = await under.store.reads.attempts(ours.id, io());
    expect(attempt?.answer).toEqual(answer('accepted'));
  });

  test('every part of an attempt and its answer survives', async () => {
    await using under = await makeStore();
    const ours = change();
    const submissionId = await attempted(under, ours);
    const [before] = await read(under.store, (tx) => tx.attemptsOf(ours.id));
    expect(before).toMatchObject({ changeId: ours.id, n: 1, submissionId, answer: null });
    expect(before?.submitter).toEqual(ours.submitter);
    const given = answer('refused', { offset: 9_007_199_254_740_993n });
    await save(under.store, { attempts: [{ submissionId, answer: given }] });
    const [after] = await read(under.store, (tx) => tx.attemptsOf(ours.id));
    expect(after?.answer).toEqual(given);
  });

  test('what was paid for an attempt is paid, also where a later answer does not tell', async () => {
    await using under = await makeStore();
    const ours = change();
    const submissionId = await attempted(under, ours);
    for (const over of [{ cost: 812n }, {}]) {
      await save(under.store, { attempts: [{ submissionId, answer: answer('refused', over) }] });
    }
    const [attempt] = await under.store.reads.attempts(ours.id, io());
    expect(attempt?.answer?.cost).toBe(812n);
  });

  test('history is told in the order in which it was written', async () => {
    await using under = await makeStore();
    const of = lifecycle();
    const lines = [
      entry(of, { kind: 'first' }),
      entry(of, { kind: 'second', by: of.provider, commandId: 'c', detail: { why: ['x'] } }),
      entry(of, { kind: 'third', offset: null, updateId: null, contractId: null }),
      entry(of, { kind: 'fourth', seq: 2 }),
    ];
    await save(under.store, { ...birth(of), history: lines.slice(0, 2) });
    await save(under.store, { history: lines.slice(2) });
    expect(await allOf(under.store.reads.history(of.id, io()))).toEqual(lines);
  });

  test('every contract that ever stood for a lifecycle leads to it', async () => {
    await using under = await makeStore();
    const first = lifecycle();
    await save(under.store, birth(first));
    const next = { ...first, contractId: newContractId(), version: 2 };
    await save(under.store, birth(next));
    for (const id of [first.contractId, next.contractId, first.id]) {
      expect(await read(under.store, (tx) => tx.findLifecycle(id))).toEqual(next);
    }
    for (const unknown of [newContractId(), 'install-0', '']) {
      expect(await read(under.store, (tx) => tx.findLifecycle(unknown))).toBeNull();
    }
  });

  test('hundreds of rows are saved at once', async () => {
    await using under = await makeStore();
    const many = Array.from({ length: 300 }, () => lifecycle());
    const changes = many.map((of) => change({ lifecycleId: of.id, lane: of.lane }));
    await under.store.transact(io(), async (tx) => {
      await tx.lock(many.map((of) => of.lane));
      await tx.insertUpdates(
        many.map((of, index) => transaction(BigInt(index + 1), [created(of)])),
        [many[0]!.provider],
      );
      await tx.save(
        writes({
          lifecycles: many,
          lineage: many.flatMap((of) => birth(of).lineage ?? []),
          mailboxes: changes.map((one) => mailbox(one.lane, { head: one.id, nextNo: 2 })),
          changes,
          newEffects: changes.flatMap((one) => arrival(one).newEffects ?? []),
          history: many.map((of) => entry(of)),
        }),
      );
    });
    const found = await under.store.reads.changesById(
      changes.map((one) => one.id),
      io(),
    );
    expect(found).toHaveLength(300);
    expect(await dispatchAll(under.outbox)).toHaveLength(100);
  });

  test('what a person did is kept in order, and may move the deduplication offset', async () => {
    await using under = await makeStore();
    const one = change({ state: 'in-doubt' });
    await arrive(under.store, one);
    const act = (reason: string): AuditEntry => ({
      at: '2026-01-01T00:00:02.003Z',
      byParty: PROVIDER,
      bySubject: 'operator',
      act: 'decided',
      changeId: one.id,
      from: 'in-doubt',
      to: 'submitting',
      reason,
      detail: { decision: 'submit-again' },
    });
    const again: Change = { ...one, state: 'submitting', deduplicationOffset: 77n };
    await save(under.store, { changes: [again], audit: [act('first'), act('second')] });
    await save(under.store, { audit: [act('third')] });
    expect(await under.store.reads.audit(one.id, io())).toEqual(
      ['first', 'second', 'third'].map(act),
    );
    expect(await under.store.reads.audit(change().id, io())).toEqual([]);
    expect(await under.store.reads.changesById([one.id], io())).toEqual([again]);
  });

  test('nothing to save is nothing', async () => {
    await using under = await makeStore();
    await save(under.store, {});
    const none = await read(under.store, (tx) => tx.lock([]));
    expect(none).toEqual({ mailboxes: [], lifecycles: [], heads: [] });
    expect(await under.store.reads.changesById([], io())).toEqual([]);
    expect(await read(under.store, (tx) => tx.queued(newLane(), 0, 10))).toEqual([]);
  });
}
