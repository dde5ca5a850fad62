import { NEWEST_MODEL } from '../../../src/app/licensing/model.ts';
import { expect, test } from 'vitest';
import { isOwnEffect } from '../../../src/app/engine/own-effect.ts';
import type { AppliedUpdate, Tx } from '../../../src/app/ports/transaction.ts';
import { WorkingSet } from '../../../src/app/engine/working-set.ts';
import { trusted, workflowIdOf } from '../../../src/domain/ids.ts';
import { templateFqn } from '../../../src/domain/ledger.ts';
import { APP_INSTALL_REQUEST } from '../../../src/domain/licensing.ts';
import { request } from '../../kit/change-history.ts';
import * as rows from '../../kit/store-rows.ts';

// Found by simulation: a duplicate answer led to another client's request for the same install.
test('an update that looks like what was asked for is ours only if it carries our workflow ID', async () => {
  const change = request();
  const tx = { attemptsOf: () => Promise.resolve([]) } as unknown as Tx;
  const update = (workflowId: string): AppliedUpdate => ({
    updateId: trusted('u-20'),
    offset: 20n,
    commandId: change.commandId,
    workflowId,
    created: [
      {
        contractId: rows.newContractId(),
        templateFqn: templateFqn(APP_INSTALL_REQUEST),
        payload: { provider: rows.PROVIDER, user: rows.USER },
      },
    ],
    exercised: [],
  });
  const isOurs = (workflowId: string) =>
    isOwnEffect(new WorkingSet(NEWEST_MODEL), tx, change, update(workflowId));
  expect(await isOurs(workflowIdOf(change.id))).toBe(true);
  expect(await isOurs('')).toBe(false);
  expect(await isOurs(workflowIdOf(request().id))).toBe(false);
});
