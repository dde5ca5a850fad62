import { NEWEST_MODEL } from '../../../src/app/licensing/model.ts';
import { describe, expect, test } from 'vitest';
import type { AppliedUpdate } from '../../../src/app/ports/transaction.ts';
import { isEffectOf } from '../../../src/app/engine/results.ts';
import { trusted } from '../../../src/domain/ids.ts';
import type { JsonRecord } from '../../../src/domain/json.ts';
import { templateFqn } from '../../../src/domain/ledger.ts';
import { LICENSE_RENEWAL_REQUEST } from '../../../src/domain/licensing.ts';
import { change, contractId } from './made.ts';

/* An update that is read back for a duplicate answer: is it what the change asked for, or another client's doing? */

const update = (
  choice: string,
  on: number,
  created: readonly JsonRecord[] = [],
): AppliedUpdate => ({
  updateId: trusted('update-1'),
  offset: 20n,
  commandId: 'command-1',
  workflowId: '',
  created: created.map((payload) => ({
    contractId: contractId(9),
    templateFqn: templateFqn(LICENSE_RENEWAL_REQUEST),
    payload,
  })),
  exercised: [{ contractId: contractId(on), choice, result: {} }],
});
const attempted = new Set([contractId(1)]);

describe('a renewal of the same licence under the same command ID', () => {
  const renewing = change({ operation: 'renew-license', fixed: { requestId: 'mine' } });

  test('is ours when it asks for what we asked for', () => {
    const applied = update('License_Renew', 1, [{ requestId: 'mine' }]);
    expect(isEffectOf(NEWEST_MODEL, renewing, applied, attempted)).toBe(true);
  });

  test('is another client’s when it carries another id: the licence is not consumed', () => {
    const applied = update('License_Renew', 1, [{ requestId: 'theirs' }]);
    expect(isEffectOf(NEWEST_MODEL, renewing, applied, attempted)).toBe(false);
    expect(isEffectOf(NEWEST_MODEL, renewing, update('License_Renew', 1), attempted)).toBe(false);
    const odd = change({ operation: 'renew-license', fixed: {} });
    expect(isEffectOf(NEWEST_MODEL, odd, update('License_Renew', 1), attempted)).toBe(false);
  });
});

test.each([
  ['complete-renewal', 'LicenseRenewalRequest_CompleteRenewal'],
  // Exercised through the token standard's interface, on the same contract.
  ['withdraw-renewal', 'AllocationRequest_Withdraw'],
] as const)('%s consumes its request, so its choice on it tells', (operation, choice) => {
  const asked = change({ operation });
  expect(isEffectOf(NEWEST_MODEL, asked, update(choice, 1), attempted)).toBe(true);
  expect(isEffectOf(NEWEST_MODEL, asked, update(choice, 2), attempted)).toBe(false);
  expect(isEffectOf(NEWEST_MODEL, asked, update('AllocationRequest_Reject', 1), attempted)).toBe(
    false,
  );
});
