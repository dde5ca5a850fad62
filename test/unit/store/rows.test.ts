import { expect, test } from 'vitest';
import type { Change } from '../../../src/domain/change.ts';
import { attemptUpdateToJson } from '../../../src/store/rows/attempt-row.ts';
import { changeFromRow, changeToJson } from '../../../src/store/rows/change-row.ts';
import type { ChangeRow } from '../../../src/store/rows/change-row.ts';
import { lifecycleFromRow, lifecycleToJson } from '../../../src/store/rows/lifecycle-row.ts';
import type { LifecycleRow } from '../../../src/store/rows/lifecycle-row.ts';
import { mailboxFromRow, mailboxToJson } from '../../../src/store/rows/mailbox-row.ts';
import { contractToJson, updateToJson } from '../../../src/store/rows/projection-rows.ts';
import {
  answer,
  change,
  created,
  lifecycle,
  mailbox,
  newLane,
  rejected,
  succeeded,
  transaction,
} from '../../kit/store-rows.ts';

/*
 * Conversions between rows and objects. Converting in both directions returns the same value, and impossible values are
 * refused.
 */

const changeRow = (of: Change): ChangeRow => {
  const json = changeToJson(of) as unknown as ChangeRow;
  return {
    ...json,
    deduplication_offset: of.deduplicationOffset,
    accepted_offset: of.acceptance?.offset ?? null,
    verify_at: of.verifyAt,
  };
};

const lifecycleRow = (of: ReturnType<typeof lifecycle>): LifecycleRow => ({
  ...(lifecycleToJson(of) as unknown as LifecycleRow),
  license_num: of.licenseNum,
});

test('a change is the same there and back', () => {
  const open = change({
    acceptance: { updateId: transaction(1n, []).updateId, offset: 3n, readBack: true },
    verifyAt: 4n,
    pendingRefusal: { code: 'CANCELLED', status: 409, message: 'm' },
  });
  for (const one of [open, change(), succeeded(change()), rejected(change())]) {
    expect(changeFromRow(changeRow(one))).toEqual(one);
  }
});

test.each<[string, Partial<Change>]>([
  ['finished in a final state', { finishedAt: '2026-01-01T00:00:00.001Z' }],
  ['finished in a final state', { state: 'failed' }],
  ['a result is of a success', { result: { status: 200, body: null } }],
  ['count from 1', { mailboxNo: 0 }],
  ['counted, not owed', { attempts: -1 }],
  ['ledger begin', { deduplicationOffset: -1n }],
  ['verified', { pendingRefusal: { code: 'CANCELLED', status: 409, message: 'm' } }],
])('a change that cannot be is neither written nor read (%s): %o', (words, over) => {
  expect(() => changeToJson(change(over))).toThrow(words);
  const row = { ...changeRow(change()), ...impossible(over) };
  expect(() => changeFromRow(row)).toThrow(words);
});

/** Returns the columns of an impossible change. */
const impossible = (over: Partial<Change>): Partial<ChangeRow> => ({
  ...('finishedAt' in over ? { finished_at: over.finishedAt ?? null } : {}),
  ...('state' in over ? { state: over.state } : {}),
  ...('result' in over ? { result: over.result ?? null } : {}),
  ...('mailboxNo' in over ? { mailbox_no: over.mailboxNo } : {}),
  ...('attempts' in over ? { attempts: over.attempts } : {}),
  ...('deduplicationOffset' in over ? { deduplication_offset: over.deduplicationOffset } : {}),
  ...('pendingRefusal' in over ? { pending_refusal: over.pendingRefusal ?? null } : {}),
});

test('which operations there are is not the store’s to say, and half an acceptance is not read', () => {
  expect(changeFromRow({ ...changeRow(change()), operation: 'teleport' }).operation).toBe(
    'teleport',
  );
  const half = { ...changeRow(change()), accepted_update_id: 'u' };
  expect(() => changeFromRow(half)).toThrow('an acceptance is whole');
});

test('a lifecycle is the same there and back', () => {
  for (const each of [lifecycle(), lifecycle({ kind: 'license', licenseNum: 2n ** 62n })]) {
    expect(lifecycleFromRow(lifecycleRow(each))).toEqual(each);
  }
});

test('a lifecycle that cannot be is neither written nor read', () => {
  expect(() => lifecycleToJson(lifecycle({ version: 0 }))).toThrow('count from 1');
  expect(() => lifecycleFromRow({ ...lifecycleRow(lifecycle()), version: 0 })).toThrow(
    'count from 1',
  );
});

test('a mailbox in which more wait than have come is neither written nor read', () => {
  const wrong = mailbox(newLane(), { nextNo: 2, waiting: 2 });
  expect(() => mailboxToJson(wrong)).toThrow('have a place');
  expect(() => mailboxFromRow({ lane: 'l', head: null, next_no: 2, waiting: 2 })).toThrow(
    'have a place',
  );
  const right = mailbox(newLane(), { nextNo: 3, waiting: 2 });
  expect(mailboxFromRow(mailboxToJson(right) as never)).toEqual(right);
});

test('what the ledger cannot have said is not written', () => {
  expect(() => updateToJson(transaction(0n, []))).toThrow('offset 0');
  const origin = { offset: 1n, effectiveAt: '2026-01-01T00:00:00.000001Z' };
  expect(() => contractToJson(created(lifecycle(), { signatories: [] }), origin, false)).toThrow(
    'signed',
  );
  const update = { submissionId: 's' as never, answer: answer('accepted', { offset: 0n }) };
  expect(() => attemptUpdateToJson(update)).toThrow('offset 0');
});

test('empty command and workflow IDs are none', () => {
  const none = updateToJson(transaction(1n, [], { commandId: '', workflowId: '' }));
  expect([none.command_id, none.workflow_id]).toEqual([null, null]);
  const some = updateToJson(transaction(1n, [], { commandId: 'c', workflowId: 'w' }));
  expect([some.command_id, some.workflow_id]).toEqual(['c', 'w']);
});
