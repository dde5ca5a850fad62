import { describe, expect, test } from 'vitest';
import type { JudgeDeps } from '../../../src/app/policies/judge-policy.ts';
import { judgeAgain } from '../../../src/app/policies/judge-policy.ts';
import { originParts } from '../../../src/domain/automatic.ts';
import type { Change } from '../../../src/domain/change.ts';
import type { ExpiryPolicy } from '../../../src/domain/expiry-policy.ts';
import { DEFAULT_EXPIRY_POLICY } from '../../../src/domain/expiry-policy.ts';
import { trusted } from '../../../src/domain/ids.ts';
import type { Lifecycle } from '../../../src/domain/lifecycle.ts';
import { retryCommandId } from '../../../src/domain/retries.ts';
import { isoToMs } from '../../../src/domain/time.ts';
import { lifecycle } from '../../kit/store-rows.ts';
import { change } from './made.ts';

/* Before each attempt, a policy's decision is judged again by the current facts and the current policy. */

const io = { signal: new AbortController().signal, deadlineMs: 1_000 };
const LAPSED = '2026-02-01T00:00:00.000001Z';
const NOW = '2026-02-03T12:00:00Z';
const DAY_MS = 86_400_000;
const ROOT = '11111111-1111-4111-8111-111111111111';

const license = lifecycle({
  kind: 'license',
  state: 'expiring',
  createdAt: '2026-01-01T00:00:00Z',
  expiresAt: LAPSED,
});

const origin = {
  name: 'expiry',
  version: 3,
  reason: 'it lapsed',
  lapsesAt: LAPSED,
  graceMs: DAY_MS,
} as const;

const expiring = (over: Partial<Change> = {}): Change =>
  change({
    operation: 'expire-license',
    lifecycleId: license.id,
    fixed: originParts(origin),
    ...over,
  });

interface Facts {
  readonly policy?: Partial<ExpiryPolicy>;
  readonly version?: number;
  /** The times at which the windows of the open renewals close. */
  readonly windows?: readonly string[];
  readonly now?: string;
  /** The time that has certainly passed, as this process knows. @default `now` */
  readonly certain?: string;
  readonly wrongClock?: string;
  readonly asked?: (untilMs: number) => void;
}

const depsOf = (facts: Facts): JudgeDeps => {
  const { policy = {}, version = 3, windows = [], now = NOW, certain = now } = facts;
  const nowMs = () => Date.parse(now);
  const graced = { ...DEFAULT_EXPIRY_POLICY, mode: 'on' as const, grace: 'P1D', graceMs: DAY_MS };
  const renewals = windows.map((settleBefore) => ({
    lifecycle: lifecycle({ kind: 'renewal', context: { settleBefore } }),
    payload: {},
    allocations: [],
    endedBy: null,
  }));
  return {
    subscription: async () => null,
    policies: {
      holds: async () => new Map(),
      expiry: async () => ({ policy: { ...graced, ...policy }, version, startsInMs: null }),
      renewal: async () => ({
        policy: { complete: true, withdrawLapsed: true },
        version,
        startsInMs: null,
      }),
    },
    reads: {
      lifecycle: async () => ({
        lifecycle: license,
        payload: {},
        renewals,
        allocations: [],
        endedBy: null,
      }),
      ledgerTime: async () => null,
    },
    wallClock: { nowMs },
    ledgerClock: {
      nowMs,
      provenMs: nowMs,
      pastMs: nowMs,
      certainMs: () => Date.parse(certain),
      ask: facts.asked ?? (() => undefined),
      refresh: async () => undefined,
      observe: () => undefined,
    },
    clocks: { ownDefect: () => facts.wrongClock ?? null },
  };
};

const judge = (facts: Facts, of: Lifecycle = license, made: Change = expiring()) =>
  judgeAgain(depsOf(facts), { change: made, lifecycle: of }, io);

const refusal = (why: string) => ({
  class: 'refused',
  code: 'POLICY_OUTDATED',
  explanation: expect.stringContaining(why),
});

describe('an expiry that a policy asked for', () => {
  test('is sent while everything is as it was decided', async () => {
    expect(await judge({})).toBeNull();
  });

  test.each<readonly [string, Facts]>([
    [
      'version 3 of the policy requested the operation, but the policy is now at version 4',
      { version: 4 },
    ],
    ['the policy is off', { policy: { mode: 'off' } }],
    ['the policy is in dry-run mode', { policy: { mode: 'dry-run' } }],
    ['the policy is paused', { policy: { paused: true } }],
    [
      'quiet hours have begun',
      { policy: { quietHours: [{ from: '11:00', to: '13:00', timeZone: 'UTC' }] } },
    ],
    ['the grace period lasts until 2026-02-11', { policy: { graceMs: 10 * DAY_MS } }],
    ['the grace period lasts until 2026-02-02', { now: '2026-02-01T23:59:00Z' }],
    ['a renewal of the licence is open until', { windows: [LAPSED, '2026-02-04T00:00:00Z'] }],
  ])('is not sent any more: %s', async (why, facts) => {
    expect(await judge(facts)).toMatchObject(refusal(why));
  });

  test('is sent once the windows of all renewals have closed', async () => {
    expect(await judge({ windows: ['2026-02-03T11:59:59Z'] })).toBeNull();
  });

  test('is not sent to a contract that lapses at another time than what it was decided for', async () => {
    const renewed = { ...license, expiresAt: '2026-02-02T00:00:00Z' };
    expect(await judge({}, renewed)).toMatchObject(refusal('but the licence now expires at'));
  });

  test('spares a licence that was never renewed, unless the policy does not', async () => {
    const fresh = { ...license, createdAt: LAPSED };
    expect(await judge({}, fresh)).toMatchObject(refusal('never renewed'));
    expect(await judge({ policy: { includeNeverRenewed: true } }, fresh)).toBeNull();
  });

  test.each<readonly [string, Facts]>([
    ['the grace period lasts', { certain: '2026-02-01T23:59:00Z' }],
    [
      'a renewal of the licence is open',
      { windows: ['2026-02-03T11:59:00Z'], certain: '2026-02-03T11:58:59Z' },
    ],
  ])('waits where only this process has not heard that it is past: %s', async (why, facts) => {
    const asked: number[] = [];
    const answer = await judge({ ...facts, asked: (untilMs) => asked.push(untilMs) });
    expect(answer).toMatchObject({
      class: 'unknown',
      takesNoTry: true,
      explanation: expect.stringContaining(why),
    });
    expect(asked).toEqual([isoToMs(facts.windows?.[0] ?? '2026-02-02T00:00:00.000001Z')]);
  });

  test('waits where the clock of this process is wrong', async () => {
    expect(await judge({ wrongClock: 'an hour behind' })).toMatchObject({
      code: 'CLOCK_WRONG',
      takesNoTry: true,
      explanation: expect.stringContaining('an hour behind'),
    });
  });

  test('waits for a ledger that cannot be asked for its time', async () => {
    const deps = depsOf({});
    const ledgerClock = { ...deps.ledgerClock, refresh: () => Promise.reject(new Error('away')) };
    const answer = await judgeAgain(
      { ...deps, ledgerClock },
      { change: expiring(), lifecycle: license },
      io,
    );
    expect(answer).toMatchObject({ class: 'unknown', takesNoTry: true });
  });
});

describe('what a person has tried again', () => {
  const again = expiring({ commandId: retryCommandId(trusted(ROOT), 1) });

  test.each<readonly [string, Facts]>([
    ['another version', { version: 9 }],
    ['a policy that is off', { policy: { mode: 'off' } }],
    ['a pause', { policy: { paused: true } }],
  ])('is sent in spite of %s', async (_what, facts) => {
    expect(await judge(facts, license, again)).toBeNull();
  });

  test.each<readonly [string, Facts]>([
    ['the grace period lasts', { policy: { mode: 'off', graceMs: 10 * DAY_MS } }],
    ['a renewal of the licence is open', { windows: ['2026-02-04T00:00:00Z'] }],
  ])('is not sent where the policy would leave the licence alone: %s', async (why, facts) => {
    expect(await judge(facts, license, again)).toMatchObject(refusal(why));
  });
});

describe('what a renewal policy asked for', () => {
  const made = (over: Partial<Change> = {}) =>
    expiring({
      operation: 'complete-renewal',
      fixed: originParts({ ...origin, name: 'renewal', graceMs: null }),
      ...over,
    });
  const renewal = lifecycle({ kind: 'renewal' });

  test('is sent while the policy stands, and not when it has been changed', async () => {
    expect(await judge({}, renewal, made())).toBeNull();
    expect(await judge({ version: 4 }, renewal, made())).toMatchObject(refusal('version 4'));
  });

  test('is sent where a person has it tried again', async () => {
    const commandId = retryCommandId(trusted(ROOT), 1);
    expect(await judge({ version: 4 }, renewal, made({ commandId }))).toBeNull();
  });
});

test('what a caller asked for is asked of nobody', async () => {
  const nobody = {} as JudgeDeps;
  const asked = { change: expiring({ fixed: {} }), lifecycle: license };
  expect(await judgeAgain(nobody, asked, io)).toBeNull();
});
