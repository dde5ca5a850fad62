import { describe, expect, test } from 'vitest';
import type { Change } from '../../src/domain/change.ts';
import type { Lifecycle } from '../../src/domain/lifecycle.ts';
import { trusted, workflowIdOf } from '../../src/domain/ids.ts';
import type { UpdateId } from '../../src/domain/ids.ts';
import { APP_INSTALL } from '../../src/domain/licensing.ts';
import type { UpdateRef } from '../../src/app/ports/ledger.ts';
import { UPDATES_STREAM, completionsStream } from '../../src/app/ports/streams.ts';
import {
  P,
  U,
  completed,
  openHistory,
  passed,
  position,
  stale,
  updated,
} from '../kit/change-history.ts';
import { newSubmissionId } from '../kit/submission-ids.ts';
import * as rows from '../kit/store-rows.ts';
import { arrive, dispatchAll, save } from '../kit/store-under-test.ts';
import { answer } from '../unit/app/made.ts';

/*
 * A database that was restored to an earlier state. It lacks attempts and whole operations whose effects are on the
 * ledger.
 */

const CHOICE = 'AppInstall_CreateLicense';
const refused = answer({ class: 'refused', code: 'DAML_FAILURE', definite: true });
const taken = answer({
  class: 'done',
  code: 'DUPLICATE_COMMAND',
  duplicateOf: { accepted: true, offset: 15n },
});
/** The update of another client, at the offset that a duplicate names. */
const theirs: UpdateRef = {
  updateId: trusted('theirs'),
  commandId: trusted('theirs'),
  workflowId: 'theirs',
};
const REPLAY = new Map([
  [UPDATES_STREAM, 100n],
  [completionsStream(P), 100n],
]);

type History = Awaited<ReturnType<typeof openHistory>>;

/**
 * Creates an install. In its lane, one creation of a licence is at the head and another waits, as in the restored
 * database.
 */
async function waitingTwo(history: History) {
  const install = rows.lifecycle({ kind: 'install', state: 'creatingLicense' });
  await save(history.store, rows.birth(install));
  const head = rows.change({ lifecycleId: install.id, lane: install.lane });
  await arrive(history.store, head);
  const queued = rows.change({
    lifecycleId: install.id,
    lane: install.lane,
    mailboxNo: 2,
    state: 'queued',
  });
  await save(history.store, {
    changes: [queued],
    mailboxes: [{ lane: install.lane, head: head.id, nextNo: 3, waiting: 1 }],
  });
  return { install, head, queued };
}

/** Returns the creation of a licence on the install's contract, and the contract that replaces it. */
function creating(of: Change, on: Lifecycle, offset: bigint) {
  const next = { ...on, contractId: rows.newContractId() };
  const result = { installId: next.contractId, licenseId: rows.newContractId() };
  const consumed = rows.exercised(on.contractId, APP_INSTALL, {
    choice: CHOICE,
    result,
    nodeId: 0,
    lastDescendantNodeId: 1,
  });
  const events = [consumed, rows.created(next, { nodeId: 1 })];
  const carrying = { workflowId: workflowIdOf(of.id), commandId: of.commandId };
  return { next, result, update: updated(rows.transaction(offset, events, carrying)) };
}

describe('a restored database', () => {
  test('recognises effects without attempts on any contract of the lineage, also of what waits in the mailbox', async () => {
    await using history = await openHistory();
    const { install, head, queued } = await waitingTwo(history);
    const first = creating(head, install, 20n);
    const second = creating(queued, first.next, 21n);
    await history.apply([first.update, second.update], { replays: REPLAY });
    expect(await history.state(head)).toMatchObject({
      state: 'succeeded',
      result: { body: first.result },
    });
    expect(await history.state(queued)).toMatchObject({
      state: 'succeeded',
      result: { body: second.result },
    });
  });

  test('decides nothing by refusals until the ledger has been read again', async () => {
    await using history = await openHistory();
    const { install, head } = await waitingTwo(history);
    const known = await history.attempt(head);
    await history.apply([completed(P, 19n, known, { answer: refused })], { replays: REPLAY });
    expect(await history.state(head)).toMatchObject({ finishedAt: null });
    const { update, result } = creating(head, install, 20n);
    await history.apply([update], { replays: REPLAY });
    expect(await history.state(head)).toMatchObject({
      state: 'succeeded',
      result: { body: result },
    });
  });

  test.each([
    ['a contract that the operation itself has used', stale],
    ['a rule of the contract', refused],
    ['a command ID of another client', taken],
  ])('decides nothing by an immediate refusal because of %s', async (_, given) => {
    await using history = await openHistory();
    const { install, head } = await waitingTwo(history);
    const known = await history.attempt(head);
    await history.restarted();
    await history.answered(head, known, given, 100n, Date.now(), theirs);
    expect(await history.state(head)).toMatchObject({ finishedAt: null, verifyAt: null });
    for (const stream of [UPDATES_STREAM, completionsStream(P)]) await history.replay(stream, 40n);
    await history.answered(head, known, given, 100n, Date.now(), theirs);
    expect(await history.state(head)).toMatchObject({ finishedAt: null, verifyAt: null });
    const { update, result } = creating(head, install, 20n);
    await history.apply([update], { replays: REPLAY });
    expect(await history.state(head)).toMatchObject({
      state: 'succeeded',
      result: { body: result },
    });
  });

  test('decides by an immediate refusal once the ledger has been read again', async () => {
    await using history = await openHistory();
    const { head } = await waitingTwo(history);
    const known = await history.attempt(head);
    await history.restarted();
    await history.answered(head, known, refused, 100n);
    for (const stream of [UPDATES_STREAM, completionsStream(P)]) await history.replay(stream, 40n);
    await history.apply([position(40n), passed(P, 40n)]);
    expect(await history.state(head)).toMatchObject({ finishedAt: null });
    await history.answered(head, await history.attempt(head), refused, 100n);
    expect(await history.state(head)).toMatchObject({ state: 'rejected' });
  });

  test('keeps what its machine refuses until then, and refuses it afterwards', async () => {
    await using history = await openHistory();
    const { install, head, queued } = await waitingTwo(history);
    const consumed = rows.exercised(install.contractId, APP_INSTALL, { choice: CHOICE });
    const carrying = { workflowId: workflowIdOf(head.id), commandId: head.commandId };
    // After the head has taken effect, the install no longer exists, so its machine refuses the next operation.
    await history.apply([updated(rows.transaction(18n, [consumed], carrying))], {
      replays: REPLAY,
    });
    expect(await history.state(head)).toMatchObject({ state: 'succeeded' });
    expect(await history.state(queued)).toMatchObject({ state: 'retrying', finishedAt: null });
    await history.apply([position(100n), passed(P, 100n)], { replays: REPLAY });
    expect(await history.state(queued)).toMatchObject({
      state: 'rejected',
      error: { code: 'LIFECYCLE_ENDED' },
    });
  });

  test('buries what it has lost, and no command ID that it knows', async () => {
    await using history = await openHistory();
    const { install, head } = await waitingTwo(history);
    const lost = rows.change({ commandId: trusted('lost-1') });
    const of = { commandId: lost.commandId, actAs: [rows.USER] };
    const updateId = trusted<UpdateId>('update-of-a-user');
    const stray = completed(U, 30n, newSubmissionId(), { ...of, updateId });
    const { update } = creating({ ...lost, commandId: trusted('lost-2') }, install, 20n);
    const ours = completed(P, 31n, newSubmissionId(), {
      commandId: head.commandId,
      actAs: [head.submitter.actAs],
      updateId: trusted<UpdateId>('update-of-the-head'),
    });
    // The completion belongs to another application with the same ledger user, and not to Tenure.
    const other = completed(U, 32n, trusted('their-own'), {
      commandId: 'theirs',
      actAs: [rows.USER],
      updateId: trusted<UpdateId>('update-of-theirs'),
    });
    await history.apply([update, stray, ours, other]);
    const asked = ['lost-1', 'lost-2', head.commandId, 'theirs'].map((id) => trusted<never>(id));
    const { tombstones } = await history.store.transact(rows.io(), (tx) => tx.followed(asked));
    expect(new Map(tombstones.map(({ commandId, actAs }) => [commandId, actAs]))).toEqual(
      new Map([
        [lost.commandId, [rows.USER]],
        [trusted('lost-2'), [rows.PROVIDER]],
      ]),
    );
    // The head waits for the update of one of its attempts that the database has lost.
    expect(await history.state(head)).toMatchObject({
      acceptance: { updateId: 'update-of-the-head', readBack: true },
    });
  });

  /** The repeat of a user's request, and the effect of the lost operation that made the request first. */
  async function repeated(history: History) {
    const change = await history.arrived();
    const { commandId } = change;
    const requested = rows.lifecycle({ kind: 'install-request' });
    const event = rows.created(requested, { signatories: [rows.USER] });
    // The projected participant does not host the user, so it does not show the command ID.
    const of = { workflowId: workflowIdOf(rows.change().id), commandId: '' };
    const transaction = rows.transaction(20n, [event], of);
    const { updateId } = transaction;
    const told = { commandId, actAs: [rows.USER], updateId };
    const completion = completed(U, 20n, newSubmissionId(), told);
    const buried = async () =>
      (await history.store.transact(rows.io(), (tx) => tx.followed([commandId]))).tombstones;
    return { change, update: updated(transaction), completion, updateId, tombstone: told, buried };
  }
  const inFlight = answer({ class: 'in-flight', code: 'SUBMISSION_ALREADY_IN_FLIGHT' });

  test.each([
    ['shows before its completion', true],
    ['shows after its completion', false],
  ])(
    'refuses a repeat once a lost submission has taken effect, whose update %s',
    async (_, isFirst) => {
      await using history = await openHistory();
      const { change, update, completion, updateId, tombstone, buried } = await repeated(history);
      const own = await history.attempt(change);
      await history.answered(change, own, inFlight, 15n);
      for (const element of isFirst ? [update, completion] : [completion, update])
        await history.apply([element]);
      const error = { code: 'COMMAND_TOOK_EFFECT', extra: { updateId } };
      // The ledger has not answered the repeat's own attempt yet.
      expect(await history.state(change)).toMatchObject({
        finishedAt: null,
        pendingRefusal: error,
      });
      expect(await buried()).toEqual([tombstone]);
      await history.apply([completed(U, 25n, own, { answer: taken })]);
      expect(await history.state(change)).toMatchObject({ state: 'rejected', error });
    },
  );

  test('refuses a repeat to which the ledger answers that a lost operation has taken effect', async () => {
    await using history = await openHistory();
    const { change, completion, updateId, tombstone, buried } = await repeated(history);
    const workflowId = workflowIdOf(rows.change().id);
    const accepted = { updateId, commandId: change.commandId, workflowId };
    await history.answered(change, await history.attempt(change), taken, 30n, Date.now(), accepted);
    const error = { code: 'COMMAND_TOOK_EFFECT', extra: { updateId } };
    expect(await history.state(change)).toMatchObject({ state: 'rejected', error });
    await history.apply([completion]);
    expect(await buried()).toEqual([tombstone]);
  });

  test('buries a lost operation whose repeat was refused before its effect', async () => {
    await using history = await openHistory();
    const { change, update, completion, tombstone, buried } = await repeated(history);
    await history.answered(change, await history.attempt(change), refused, 15n);
    expect(await history.state(change)).toMatchObject({ state: 'rejected' });
    await history.apply([completion, update]);
    expect(await buried()).toEqual([tombstone]);
  });

  test('takes a duplicate with the workflow ID of a known operation for another client’s', async () => {
    await using history = await openHistory();
    const { head, queued } = await waitingTwo(history);
    const accepted = { ...theirs, workflowId: workflowIdOf(queued.id) };
    await history.answered(head, await history.attempt(head), taken, 30n, Date.now(), accepted);
    expect(await history.state(head)).toMatchObject({
      state: 'rejected',
      error: { code: 'COMMAND_ID_USED_ELSEWHERE' },
    });
  });

  test('submits nothing and accepts nothing until its streams have reached the ledger end', async () => {
    await using history = await openHistory();
    const { head } = await waitingTwo(history);
    const replaying = async () =>
      (await history.store.transact(rows.io(), (tx) => tx.followed())).replaying;
    expect([...(await replaying())]).toEqual([]);
    await history.restarted();
    expect((await replaying()).has(UPDATES_STREAM)).toBe(true);
    expect(await history.attempt(head)).toBeNull();
    for (const stream of [UPDATES_STREAM, completionsStream(P)]) await history.replay(stream, 40n);
    expect(await history.attempt(head)).toBeNull();
    await history.apply([position(40n), passed(P, 40n)]);
    expect((await replaying()).has(UPDATES_STREAM)).toBe(false);
    expect(await history.attempt(head)).not.toBeNull();
  });

  test('submits at once, when they have, what was dispatched meanwhile', async () => {
    await using history = await openHistory();
    const { head } = await waitingTwo(history);
    const { outbox } = history;
    await history.restarted();
    const [job] = await dispatchAll(outbox);
    const begin = (dispatchNo: number) =>
      outbox.startAttempt(rows.effectId(head), dispatchNo, newSubmissionId(), rows.io());
    expect(await begin(job!.dispatchNo)).toBeNull();
    expect(await outbox.putOff(rows.effectId(head), job!.dispatchNo, rows.io())).toBeNull();
    expect(await dispatchAll(outbox)).toEqual([]);
    for (const stream of [UPDATES_STREAM, completionsStream(P)]) await history.replay(stream, 0n);
    // The first poll makes the effect due, and the second dispatches it.
    const again = [...(await dispatchAll(outbox)), ...(await dispatchAll(outbox))];
    expect(again.map(({ id }) => id)).toEqual([rows.effectId(head)]);
    expect(await begin(again[0]!.dispatchNo)).not.toBeNull();
  });
});
