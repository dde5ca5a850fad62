import { NEWEST_MODEL } from '../../../src/app/licensing/model.ts';
import { expect, test } from 'vitest';
import { begin, finish } from '../../../src/app/engine/lanes/lane.ts';
import { begunBy, isEffectOf } from '../../../src/app/engine/lanes/results.ts';
import { WorkingSet } from '../../../src/app/engine/lanes/working-set.ts';
import type { LaneId, LifecycleId, UpdateId } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import type { JsonRecord } from '../../../src/domain/json.ts';
import { templateFqn } from '../../../src/domain/ledger.ts';
import { LICENSE_COMMENT } from '../../../src/domain/licensing.ts';
import type { Lifecycle } from '../../../src/domain/lifecycle.ts';
import { PROVIDER, USER, change, contractId } from './made.ts';

/*
 * The machine of the licence judges a comment. The comment does not change the licence, even if one transaction settles
 * both of them.
 */

const NOW_MS = Date.parse('2026-01-01T00:00:00Z');
const TIMES = {
  now: '2026-01-01T00:00:00.000Z',
  ledgerNowMs: NOW_MS,
  ledgerCertainMs: NOW_MS,
};
const NO_TX = {} as never;
const LICENSE = trusted<LifecycleId>('license-1');

const license = (over: Partial<Lifecycle> = {}): Lifecycle => ({
  id: LICENSE,
  kind: 'license',
  machineVersion: 1,
  state: 'expiring',
  context: { expiresAt: '2025-01-01T00:00:00Z' },
  lane: trusted<LaneId>('license-1'),
  originId: null,
  provider: PROVIDER,
  appUser: USER,
  contractId: contractId(1),
  licenseNum: 1n,
  expiresAt: '2025-01-01T00:00:00Z',
  version: 3,
  createdAt: '2025-01-01T00:00:00Z',
  endedAt: null,
  ...over,
});

const comment = change({
  operation: 'comment-license',
  lifecycleId: LICENSE,
  lane: trusted<LaneId>('comments-1'),
});

test.each([
  ['succeeded', { status: 201, body: null }],
  ['rejected', null],
] as const)('one that has %s is no answer to what the licence waits for', async (state, result) => {
  const ws = new WorkingSet(NEWEST_MODEL);
  const expiring = license();
  ws.add({
    mailboxes: [{ lane: comment.lane, head: comment.id, nextNo: 2, waiting: 0 }],
    lifecycles: [expiring],
    heads: [comment],
  });
  await finish(ws, NO_TX, comment, { state, result, error: null }, TIMES);
  expect(ws.lifecycle(LICENSE)).toEqual(expiring);
  const { lifecycles, history, changes } = ws.writes();
  expect([lifecycles, history, changes.map((one) => one.state)]).toEqual([[], [], [state]]);
});

test('one that begins takes the head of its own lane and writes nothing of the licence', () => {
  const ws = new WorkingSet(NEWEST_MODEL);
  ws.addSeen(license());
  expect(begin(ws, { ...comment, state: 'queued' }, TIMES)).toBeNull();
  const { lifecycles, history, mailboxes, newEffects } = ws.writes();
  expect([lifecycles, history]).toEqual([[], []]);
  expect(mailboxes).toMatchObject([{ lane: comment.lane, head: comment.id }]);
  expect(newEffects).toHaveLength(1);
});

test('one on a licence that has ended is refused in the licence’s words', () => {
  const ws = new WorkingSet(NEWEST_MODEL);
  ws.addSeen(license({ state: 'expired', endedAt: '2025-12-31T00:00:00Z' }));
  expect(begin(ws, { ...comment, state: 'queued' }, TIMES)).toMatchObject({
    code: 'LIFECYCLE_ENDED',
    extra: { state: 'expired', allowedActions: [] },
  });
  expect(ws.writes().changes).toEqual([]);
});

test('an update read back is the comment only with its words, by its commenter, on its licence', () => {
  const asked = {
    ...comment,
    body: { body: 'hello' },
    fixed: { user: USER, licenseNum: '1' },
    submitter: { ...comment.submitter, actAs: USER },
  };
  const update = (payload: JsonRecord) => ({
    updateId: trusted<UpdateId>('update-1'),
    offset: 7n,
    commandId: 'command-1',
    workflowId: '',
    created: [
      {
        contractId: contractId(2),
        templateFqn: templateFqn(LICENSE_COMMENT),
        payload,
        signatories: [USER],
      },
    ],
    exercised: [],
  });
  const payload = { user: USER, licenseNum: '1', commenter: USER, body: 'hello' };
  expect(isEffectOf(NEWEST_MODEL, asked, update(payload), [])).toBe(true);
  expect(isEffectOf(NEWEST_MODEL, asked, update({ ...payload, body: 'bye' }), [])).toBe(false);
  expect(isEffectOf(NEWEST_MODEL, asked, update({ ...payload, commenter: PROVIDER }), [])).toBe(
    false,
  );
  const elsewhere = update({ ...payload, licenseNum: '2' });
  expect(isEffectOf(NEWEST_MODEL, asked, elsewhere, [])).toBe(false);
  // The comment begins no lifecycle: its operation stays an operation of the licence.
  expect(begunBy(NEWEST_MODEL, asked, update(payload))).toBeNull();
});
