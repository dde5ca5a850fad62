import { NEWEST_MODEL } from '../../../src/app/licensing/model.ts';
import { describe, expect, test } from 'vitest';
import type { AppliedUpdate } from '../../../src/app/ports/transaction.ts';
import { chosenBy, isEffectOf } from '../../../src/app/engine/lanes/results.ts';
import type { Change } from '../../../src/domain/change.ts';
import type { Party } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import type { JsonRecord } from '../../../src/domain/json.ts';
import { templateFqn } from '../../../src/domain/ledger.ts';
import { LICENSE_RENEWAL_REQUEST } from '../../../src/domain/licensing.ts';
import { PROVIDER, USER, change, contractId } from './made.ts';

/*
 * An update that was read because an answer named it for a duplicate. It may be the change's own effect, or that of
 * another client.
 */

const update = (
  choice: string,
  on: number,
  created: readonly JsonRecord[] = [],
  by: readonly Party[] = [PROVIDER],
): AppliedUpdate => ({
  updateId: trusted('update-1'),
  offset: 20n,
  commandId: 'command-1',
  workflowId: '',
  created: created.map((payload) => ({
    contractId: contractId(9),
    templateFqn: templateFqn(LICENSE_RENEWAL_REQUEST),
    payload,
    signatories: [PROVIDER],
  })),
  exercised: [{ contractId: contractId(on), choice, result: {}, actingParties: by }],
});
const isEffect = (asked: Change, applied: AppliedUpdate): boolean =>
  isEffectOf(
    NEWEST_MODEL,
    asked,
    applied,
    chosenBy(NEWEST_MODEL, asked, applied).filter((id) => id === contractId(1)),
  );

describe('a renewal of the same licence under the same command ID', () => {
  const renewing = change({ operation: 'renew-license', fixed: { requestId: 'mine' } });

  test('is ours when it asks for what we asked for', () => {
    const applied = update('License_Renew', 1, [{ requestId: 'mine' }]);
    expect(isEffect(renewing, applied)).toBe(true);
  });

  test('is another client’s when it carries another id: the licence is not consumed', () => {
    const applied = update('License_Renew', 1, [{ requestId: 'theirs' }]);
    expect(isEffect(renewing, applied)).toBe(false);
    expect(isEffect(renewing, update('License_Renew', 1))).toBe(false);
    const odd = change({ operation: 'renew-license', fixed: {} });
    expect(isEffect(odd, update('License_Renew', 1))).toBe(false);
  });
});

test.each([
  ['complete-renewal', 'LicenseRenewalRequest_CompleteRenewal'],
  // The choice is exercised on the same contract, through the interface of the token standard.
  ['withdraw-renewal', 'AllocationRequest_Withdraw'],
] as const)('%s consumes its request, so its choice on it tells', (operation, choice) => {
  const asked = change({ operation });
  expect(isEffect(asked, update(choice, 1))).toBe(true);
  expect(isEffect(asked, update(choice, 2))).toBe(false);
  expect(isEffect(asked, update('AllocationRequest_Reject', 1))).toBe(false);
  // In this update, the provider has signed a contract, but the user has exercised the choice.
  const elsewhere = update(choice, 1, [{ requestId: 'any' }], [USER]);
  expect(isEffect(asked, elsewhere)).toBe(false);
});
