import { describe, expect, test } from 'vitest';
import { retryChange } from '../../src/app/desk/retry-change.ts';
import type { ExpiryPolicy } from '../../src/domain/expiry-policy.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, POLICY, Stage, away, heldUp, lost } from './kit/held-up.ts';
import { IO } from './kit/io.ts';

/*
 * A policy ends a licence for one lapse. If a renewal was paid while the expiry was delayed, the expiry must not end
 * the licence, however long the delay was and however the expiry's attempts ended.
 */

const outdated = { state: 'rejected', error: { code: 'POLICY_OUTDATED' } };
const standing = { state: 'active', endedAt: null };

test('an expiry that was held up leaves a licence alone that has been renewed meanwhile', async () => {
  await using stage = await heldUp();
  await stage.renewElsewhere(HOUR_MS);
  // The change ends at once and does not wait for the participant, so that its lane continues.
  expect(stage.expiries()).toMatchObject([outdated]);
  stage.ledger.answering = (real) => real();
  await stage.live(HOUR_MS + 10 * MINUTE_MS);
  // The licence has lapsed once more, and its grace has not passed.
  expect(stage.the('license')).toMatchObject(standing);
  expect(await stage.system.findings()).toEqual([]);
});

test('a contract that was replaced while an attempt was on its way is not ended through its successor', async () => {
  await using stage = await heldUp();
  const before = stage.the('license').contractId;
  stage.ledger.answering = async (real) => {
    await stage.renewElsewhere(HOUR_MS);
    return real();
  };
  await stage.live(10 * MINUTE_MS);
  expect(stage.expiries()).toMatchObject([outdated]);
  expect(stage.submitted.at(-1)).toBe(before);
  const [, last] = stage.system.contents.attempts().slice(-2);
  expect(last).toMatchObject({ contractId: before, answer: { ledgerCode: 'CONTRACT_NOT_FOUND' } });
  await stage.live(HOUR_MS);
  expect(stage.the('license')).toMatchObject(standing);
  expect(await stage.system.findings()).toEqual([]);
});

test('while an attempt may still take effect it is neither ended nor tried on the successor', async () => {
  await using stage = await heldUp(async () => lost);
  const attempts = stage.submitted.length;
  await stage.renewElsewhere(HOUR_MS);
  expect(stage.expiries()).toMatchObject([{ finishedAt: null, waitingFor: { kind: 'ledger' } }]);
  await stage.live(10 * MINUTE_MS);
  expect(stage.expiries()).toMatchObject([outdated]);
  expect(stage.submitted).toHaveLength(attempts);
  expect(stage.the('license')).toMatchObject(standing);
  expect(await stage.system.findings()).toEqual([]);
});

test('an attempt whose answer was lost, and that took effect before anybody could renew, is a success', async () => {
  await using stage = await heldUp();
  stage.ledger.answering = async (real) => {
    expect(await real()).toBeNull();
    return lost;
  };
  await stage.live(10 * MINUTE_MS);
  expect(stage.expiries()).toMatchObject([{ state: 'succeeded' }]);
  expect(stage.the('license').state).toBe('expired');
});

test('an expiry that was held up leaves a licence alone for which a renewal is open, until its window has closed', async () => {
  await using stage = await heldUp();
  await stage.openRenewal(DAY_MS);
  expect(stage.expiries()).toMatchObject([outdated]);
  stage.ledger.answering = (real) => real();
  stage.system.pass(2 * HOUR_MS);
  await stage.fireAgain();
  expect(stage.the('license').state).toBe('expired');
  expect(await stage.system.findings()).toEqual([]);
});

describe('what begins while an expiry is held up ends it, and it fires again when that is over', () => {
  const minuteOf = (ms: number): string => new Date(ms).toISOString().slice(11, 16);

  test.each<readonly [string, (nowMs: number) => Partial<ExpiryPolicy>]>([
    ['off', () => ({ mode: 'off' })],
    ['only tried', () => ({ mode: 'dry-run' })],
    ['paused', () => ({ paused: true })],
    ['with a longer grace', () => ({ grace: 'P2D', graceMs: 2 * DAY_MS })],
    ['leaving new licences alone', () => ({ includeNeverRenewed: false })],
    [
      'with quiet hours',
      (nowMs) => ({
        quietHours: [{ from: minuteOf(nowMs), to: minuteOf(nowMs + HOUR_MS), timeZone: 'UTC' }],
      }),
    ],
  ])('the policy is %s', async (_what, over) => {
    await using stage = await heldUp();
    const { system } = stage;
    await system.setExpiry({ ...POLICY, ...over(system.nowMs) });
    stage.ledger.answering = (real) => real();
    await stage.live(10 * MINUTE_MS);
    expect(stage.expiries()).toMatchObject([outdated]);
    expect(stage.the('license')).toMatchObject(standing);
    await system.setExpiry(POLICY);
    await stage.fireAgain();
    expect(stage.the('license').state).toBe('expired');
    expect(await system.findings()).toEqual([]);
  });

  test('quiet hours that the policy always had begin', async () => {
    await using stage = await Stage.open();
    const { system } = stage;
    const dueMs = system.nowMs + DAY_MS + MINUTE_MS;
    const from = minuteOf(dueMs + 5 * MINUTE_MS);
    const to = minuteOf(dueMs + HOUR_MS);
    await system.setExpiry({ ...POLICY, quietHours: [{ from, to, timeZone: 'UTC' }] });
    stage.ledger.answering = async () => away;
    system.pass(DAY_MS + MINUTE_MS);
    await system.fire(() => stage.expiries().length === 1);
    await stage.live(10 * MINUTE_MS);
    expect(stage.expiries()).toMatchObject([
      { ...outdated, error: { message: expect.stringContaining('quiet hours') } },
    ]);
    stage.ledger.answering = (real) => real();
    system.pass(HOUR_MS);
    await stage.fireAgain();
    expect(stage.the('license').state).toBe('expired');
  });
});

describe('a person who has an expiry of a policy tried again', () => {
  const retry = (stage: Stage) => {
    const { provider } = stage.system.ledger;
    const by = {
      party: provider,
      roles: new Set(['provider', 'operator'] as const),
      via: 'bearer' as const,
      tenantId: '',
      subject: 'olga',
      name: 'Olga',
    };
    const act = { by, reason: 'the participant is back' };
    return retryChange(stage.system.deps, stage.expiries()[0]!.id, act, IO);
  };

  test('hears that the licence has been renewed meanwhile', async () => {
    await using stage = await heldUp();
    await stage.renewElsewhere(HOUR_MS);
    stage.ledger.answering = (real) => real();
    stage.system.pass(2 * HOUR_MS);
    await expect(retry(stage)).rejects.toMatchObject({ details: { code: 'POLICY_OUTDATED' } });
    expect(stage.the('license')).toMatchObject(standing);
  });

  test('hears that a renewal is open, until its window has closed', async () => {
    await using stage = await heldUp();
    await stage.openRenewal(DAY_MS);
    stage.ledger.answering = (real) => real();
    await expect(retry(stage)).rejects.toMatchObject({
      details: { code: 'POLICY_OUTDATED', message: expect.stringContaining('a renewal is open') },
    });
    stage.system.pass(2 * HOUR_MS);
    await retry(stage);
    await stage.system.settle();
    expect(stage.the('license').state).toBe('expired');
  });

  test('decides it, whatever the policy’s switch says by now', async () => {
    await using stage = await heldUp();
    stage.ledger.answering = (real) => real();
    await stage.system.setExpiry({ ...POLICY, mode: 'off' });
    await stage.live(10 * MINUTE_MS);
    expect(stage.expiries()).toMatchObject([outdated]);
    await retry(stage);
    await stage.system.settle();
    expect(stage.expiries()).toMatchObject([outdated, { state: 'succeeded' }]);
    expect(stage.the('license').state).toBe('expired');
  });

  test('does not end a licence within the grace that the policy has by now', async () => {
    await using stage = await heldUp();
    stage.ledger.answering = (real) => real();
    await stage.system.setExpiry({ ...POLICY, mode: 'off', grace: 'P9D', graceMs: 9 * DAY_MS });
    await stage.live(10 * MINUTE_MS);
    await retry(stage);
    await stage.system.settle();
    expect(stage.expiries()).toMatchObject([outdated, outdated]);
    expect(stage.the('license')).toMatchObject(standing);
  });
});
