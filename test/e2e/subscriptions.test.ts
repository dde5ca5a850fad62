import { afterAll, beforeAll, expect, test } from 'vitest';
import { YEAR, walkYear } from '../../cli/commands/demo-year.ts';
import { openWallet } from '../../cli/wallet.ts';
import type { World } from './kit/world.ts';
import { startWorld } from './kit/world.ts';

/*
 * The year of licences that the demo shows, over REST and the wallet, on a ledger with static time. All processes and
 * submissions of Tenure are those of production.
 */

let world: World;

beforeAll(async () => {
  world = await startWorld(YEAR);
});
afterAll(() => world[Symbol.asyncDispose]());

const PATIENT = { timeout: 30_000, interval: 50 };

const renewals = async (): Promise<{ state: string; amount: string }[]> =>
  (await world.call('provider', 'GET', '/payments?limit=100')).body;

test('a year passes, with late, missing, rejected and duplicate payments', async () => {
  const localnet = world.tenure.state.localnet!;
  const story: string[] = [];
  const { ends, license } = await walkYear({
    wallet: openWallet(localnet.userWalletUrl, await world.tokenOf('user')),
    networkUrl: localnet.networkUrl,
    tell: (line) => story.push(line),
    async call(who, method, path, body) {
      const answer = await world.call(who, method, path, body === undefined ? {} : { body });
      expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
      return answer.body;
    },
  });
  expect(ends).toEqual([
    '2024-02-29',
    '2024-03-31',
    '2024-04-30',
    '2024-05-31',
    // This payment came a day late, so the following periods end a month after that day.
    '2024-07-01',
    '2024-08-01',
    '2024-09-01',
    '2024-10-01',
    '2024-11-01',
    '2024-12-01',
    '2025-01-01',
    '2025-02-01',
  ]);
  const shown = await world.call('user', 'GET', `/licenses/${license}/subscription`);
  expect(shown.body.state).toBe('active');
  expect(story.filter((line) => line.includes('The user pays.'))).toHaveLength(12);
  // The provider requested this renewal itself, so only the provider can settle it.
  const counts = async () => {
    const byState = Object.groupBy(await renewals(), ({ state }) => state);
    return Object.fromEntries(Object.entries(byState).map(([state, all]) => [state, all?.length]));
  };
  await expect
    .poll(counts, PATIENT)
    .toEqual({ allocated: 1, rejected: 1, settled: 12, withdrawn: 1 });
  const { body: made } = await world.call(
    'operator',
    'GET',
    '/ops/operations?policy=subscription&limit=200',
  );
  const states = new Set(made.map(({ state }: { state: string }) => state));
  expect(states).toEqual(new Set(['succeeded']));
});
