import { describe, expect, test } from 'vitest';
import { trusted, workflowIdOf } from '../../src/domain/ids.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { APP_INSTALL } from '../../src/domain/licensing.ts';
import {
  P,
  completed,
  openHistory,
  passed,
  position,
  stale,
  updated,
} from '../kit/change-history.ts';
import * as rows from '../kit/store-rows.ts';
import { arrive, save } from '../kit/store-under-test.ts';
import { answer } from '../unit/app/made.ts';

describe('an effect of our own is found however it shows', () => {
  const license = 'AppInstall_CreateLicense';
  /** Creates an install on which a licence is being created. */
  async function creating(history: Awaited<ReturnType<typeof openHistory>>) {
    const install = rows.lifecycle({ kind: 'install', state: 'creatingLicense' });
    await save(history.store, rows.birth(install));
    const change = rows.change({ lifecycleId: install.id, lane: install.lane });
    await arrive(history.store, change);
    const result = { installId: rows.newContractId(), licenseId: rows.newContractId() };
    const consumed = rows.exercised(install.contractId, APP_INSTALL, { choice: license, result });
    const update = (offset: bigint, workflowId = workflowIdOf(change.id)) =>
      rows.transaction(offset, [consumed], { workflowId, commandId: change.commandId });
    return { change, result, update };
  }
  const duplicate = answer({
    class: 'done',
    code: 'DUPLICATE_COMMAND',
    duplicateOf: { accepted: true, offset: 20n },
  });

  test('by its update alone, when the completion never comes', async () => {
    await using history = await openHistory();
    const { change, result, update } = await creating(history);
    await history.attempt(change);
    await history.apply([updated(update(20n))]);
    expect(await history.state(change)).toMatchObject({
      state: 'succeeded',
      result: { status: 201, body: result },
    });
    // The operation has succeeded: it is not submitted again, and the late completion changes nothing.
    expect(await history.attempt(change)).toBeNull();
  });

  test('an update that carries the workflow ID and did something else is not it', async () => {
    await using history = await openHistory();
    const { change } = await creating(history);
    await history.attempt(change);
    const foreign = rows.exercised(rows.newContractId(), APP_INSTALL, { choice: license });
    const carrying = { workflowId: workflowIdOf(change.id) };
    await history.apply([updated(rows.transaction(20n, [foreign], carrying))]);
    expect(await history.state(change)).toMatchObject({ state: 'submitting', finishedAt: null });
  });

  test('behind what others have planted under its workflow ID before, together with it or in an earlier batch', async () => {
    for (const isTogether of [true, false]) {
      await using history = await openHistory();
      const { change, result, update } = await creating(history);
      await history.attempt(change);
      const foreign = rows.exercised(rows.newContractId(), APP_INSTALL, { choice: license });
      const carrying = { workflowId: workflowIdOf(change.id) };
      const planted = [18n, 19n].map((at) => updated(rows.transaction(at, [foreign], carrying)));
      if (isTogether) await history.apply([...planted, updated(update(20n))]);
      else {
        await history.apply(planted);
        await history.store.transact(rows.io(), (tx) =>
          tx.insertUpdates([update(20n)], [rows.PROVIDER]),
        );
        await history.answered(change, await history.attempt(change), stale, 30n);
        await history.apply([passed(P, 30n), position(30n)]);
      }
      expect(await history.state(change)).toMatchObject({
        state: 'succeeded',
        result: { status: 201, body: result },
      });
    }
  });

  test('by what the store holds, when a later attempt finds the contract gone', async () => {
    await using history = await openHistory();
    const { change, update } = await creating(history);
    // An older version has projected the update without settling the operation.
    await history.store.transact(rows.io(), (tx) =>
      tx.insertUpdates([update(9n)], [rows.PROVIDER]),
    );
    await history.attempt(change);
    await history.answered(change, await history.attempt(change), stale, 20n);
    await history.apply([passed(P, 20n), position(20n)]);
    expect(await history.state(change)).toMatchObject({ state: 'succeeded' });
  });

  test('by what the store holds, when the participant says duplicate and no longer shows of what', async () => {
    await using history = await openHistory();
    const { change, update } = await creating(history);
    await history.store.transact(rows.io(), (tx) =>
      tx.insertUpdates([update(9n)], [rows.PROVIDER]),
    );
    await history.attempt(change);
    await history.answered(change, await history.attempt(change), duplicate, 20n);
    expect(await history.state(change)).toMatchObject({ state: 'succeeded' });
  });

  test('where nothing of it can be had, it is for a person after a while, and a success still wins', async () => {
    await using history = await openHistory();
    const { change } = await creating(history);
    const first = await history.attempt(change);
    for (let n = 1; n < LIMITS.duplicatesUnreadMax; n += 1) {
      await history.answered(change, await history.attempt(change), duplicate, 20n);
      expect(await history.state(change)).toMatchObject({ state: 'submitting' });
    }
    await history.answered(change, await history.attempt(change), duplicate, 20n);
    expect(await history.state(change)).toMatchObject({
      state: 'in-doubt',
      waitingFor: { kind: 'person', detail: expect.stringContaining('offset 20') },
    });
    await history.apply([
      completed(P, 20n, first, { updateId: trusted('u-20') }),
      passed(P, 21n),
      position(21n),
    ]);
    expect(await history.state(change)).toMatchObject({ state: 'succeeded' });
  });
});
