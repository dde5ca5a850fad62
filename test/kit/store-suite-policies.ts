import { expect, test } from 'vitest';
import { DEFAULT_EXPIRY_POLICY } from '../../src/domain/expiry-policy.ts';
import { PROVIDER, io } from './store-rows.ts';
import type { MakeStore, StoreUnderTest } from './store-under-test.ts';
import { read } from './store-under-test.ts';

const BY = { provider: PROVIDER, bySubject: 'somebody', at: '2026-02-01T00:00:00.000000Z' };
const ENDS = {
  atOnce: 1,
  within24Hours: 1,
  within30Days: 1,
  ever: 1,
  neverRenewed: 0,
  afterChange: 0,
};

/** Helpers for the expiry policy of a store. Its versions differ in `maxInFlight`. */
function expiryOf({ store, policies }: StoreUnderTest) {
  const policyOf = (maxInFlight: number) =>
    ({ ...DEFAULT_EXPIRY_POLICY, mode: 'on', maxInFlight }) as const;
  return {
    policyOf,
    set: (maxInFlight: number, delayMs?: number) => {
      const confirmed = { reason: 'it is time', ends: ENDS, delayMs: delayMs ?? 0 };
      const policy = policyOf(maxInFlight);
      return policies.setExpiry(
        { ...BY, policy, ...(delayMs === undefined ? {} : { confirmed }) },
        io(),
      );
    },
    undo: (version: number) =>
      policies.undo({ ...BY, name: 'expiry', version, reason: 'too many' }, io()),
    kept: () => policies.expiry(PROVIDER, io()),
    start: () => policies.start(PROVIDER, io()),
    /** Returns the version of the policy that a transaction may apply. */
    inForce: () => read(store, (tx) => tx.policyVersion('expiry', PROVIDER)),
  };
}

export function policyCases(makeStore: MakeStore): void {
  test('a confirmed policy waits for its delay, and a later version for the rest of it', async () => {
    await using under = await makeStore();
    const { set, kept, start, inForce } = expiryOf(under);
    await set(1);
    expect(await inForce()).toBe(1);
    await set(2, 60_000);
    expect(await inForce()).toBe(0);
    await start();
    expect(await kept()).toMatchObject({ version: 2, policy: { maxInFlight: 2, paused: false } });
    await set(3);
    expect(await inForce()).toBe(0);
    expect((await kept()).startsInMs).toBeGreaterThan(30_000);
  });

  test('a confirmed policy is undone before its start, and leaves the earlier delay as it was', async () => {
    await using under = await makeStore();
    const { set, undo, kept, inForce } = expiryOf(under);
    await set(1);
    await set(2, 60_000);
    await set(3, 120_000);
    expect(await undo(2)).toEqual({ end: 'changed', version: 3 });
    expect(await undo(3)).toEqual({ end: 'undone', version: 4 });
    const { policy, startsInMs } = await kept();
    expect(policy.maxInFlight).toBe(2);
    expect(startsInMs).toBeGreaterThan(30_000);
    expect(startsInMs).toBeLessThanOrEqual(60_000);
    expect(await undo(4)).toEqual({ end: 'over', version: 4 });
    expect(await inForce()).toBe(0);
  });

  test('a confirmed policy is in force once its delay is over', async () => {
    await using under = await makeStore();
    const { policyOf, set, undo, kept, start, inForce } = expiryOf(under);
    await set(1, 50);
    await expect.poll(async () => (await kept()).startsInMs).toBeLessThanOrEqual(0);
    expect(await inForce()).toBe(1);
    expect(await undo(1)).toEqual({ end: 'over', version: 1 });
    await start();
    expect(await kept()).toEqual({ policy: policyOf(1), version: 1, startsInMs: null });
  });
}
