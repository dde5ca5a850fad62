import { NEWEST_MODEL } from '../../../src/app/licensing/model.ts';
import { expect, test } from 'vitest';
import { isOwnEffect } from '../../../src/app/engine/outcomes/own-effect.ts';
import type { AppliedUpdate, Tx } from '../../../src/app/ports/transaction.ts';
import { WorkingSet } from '../../../src/app/engine/lanes/working-set.ts';
import { trusted, workflowIdOf } from '../../../src/domain/ids.ts';
import { templateFqn } from '../../../src/domain/ledger.ts';
import { APP_INSTALL_REQUEST } from '../../../src/domain/licensing.ts';
import { request } from '../../kit/change-history.ts';
import * as rows from '../../kit/store-rows.ts';

// Found by the simulation: the answer to a duplicate named another client's request for the same install.
test('an update that looks like what was asked for is ours only if it carries our workflow ID', async () => {
  const change = request();
  const tx = { attemptsOf: () => Promise.resolve([]) } as unknown as Tx;
  const update = (workflowId: string, commandId: string = change.commandId): AppliedUpdate => ({
    updateId: trusted('u-20'),
    offset: 20n,
    commandId,
    workflowId,
    created: [
      {
        contractId: rows.newContractId(),
        templateFqn: templateFqn(APP_INSTALL_REQUEST),
        payload: { provider: rows.PROVIDER, user: rows.USER },
        signatories: [rows.USER],
      },
    ],
    exercised: [],
  });
  const isOurs = (...of: Parameters<typeof update>) =>
    isOwnEffect(new WorkingSet(NEWEST_MODEL), tx, change, update(...of));
  expect(await isOurs(workflowIdOf(change.id))).toBe(true);
  // The participant of another party does not show the command ID. If it shows another command ID, the update was made
  // by another client.
  expect(await isOurs(workflowIdOf(change.id), '')).toBe(true);
  expect(await isOurs(workflowIdOf(change.id), 'of-another-client')).toBe(false);
  expect(await isOurs('')).toBe(false);
  expect(await isOurs(workflowIdOf(request().id))).toBe(false);
});
