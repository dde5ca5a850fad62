import { expect, test } from 'vitest';
import { workflowIdOf } from '../../src/domain/ids.ts';
import { LICENSE } from '../../src/domain/licensing.ts';
import { P, completed, openHistory, passed, stale, told, updated } from '../kit/change-history.ts';
import * as rows from '../kit/store-rows.ts';
import { arrive, save } from '../kit/store-under-test.ts';
import { answer } from '../unit/app/made.ts';

/*
 * The completions of a participant have arrived, but its updates have not. So the effect of the operation is not known
 * yet.
 */

const refusal = answer();

/** Records an expiry with a single attempt, which the ledger executed at offset 20. No stream has reported it yet. */
async function expiring(history: Awaited<ReturnType<typeof openHistory>>) {
  const license = rows.lifecycle({ kind: 'license', state: 'expiring' });
  const change = rows.change({
    operation: 'expire-license',
    lifecycleId: license.id,
    lane: license.lane,
  });
  await save(history.store, rows.birth(license));
  await arrive(history.store, change);
  await history.attempt(change);
  const effect = rows.transaction(
    20n,
    [rows.exercised(license.contractId, LICENSE, { choice: 'License_Expire' })],
    { workflowId: workflowIdOf(change.id), commandId: change.commandId },
  );
  return { change, effect };
}

test('completions that are ahead of the updates say nothing of a contract that is gone', async () => {
  await using history = await openHistory();
  const { change, effect } = await expiring(history);
  await history.answered(change, await history.attempt(change), stale, 20n);
  // The completion of the attempt that succeeded was lost, and its update has not arrived yet.
  await history.apply([passed(P, 20n)]);
  expect(await history.state(change)).toMatchObject({ state: 'retrying', verifyAt: 20n });
  expect(await history.attempt(change)).toBeNull();
  await history.apply([updated(effect)]);
  expect(await history.state(change)).toMatchObject({ state: 'succeeded' });
});

test('no refusal is believed while the updates are behind the time that proves it', async () => {
  await using history = await openHistory();
  const { change, effect } = await expiring(history);
  await history.hear();
  await history.apply([completed(P, 21n, await history.attempt(change), { answer: refusal })]);
  const [completions, , updates] = told(22n);
  const early = told(19n, '2026-01-01T00:00:00Z')[2]!;
  await history.apply([early, completions!]);
  expect(await history.state(change)).toMatchObject({ state: 'retrying', verifyAt: 0n });
  await history.apply([updated(effect), updates!]);
  expect(await history.state(change)).toMatchObject({ state: 'succeeded' });
});
