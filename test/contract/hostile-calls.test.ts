import { expect, test } from 'vitest';
import {
  besiegeGrpc,
  besiegeJson,
  notRefused,
  pitchCamp,
  readEverything,
} from './kit/hostile/siege.ts';
import { openNetwork } from './kit/network.ts';

/* A few of the calls that `make hostile` makes by the thousands. */

const CALLS = 720;
const SEED = process.env['HOSTILE_SEED'] ?? '1';

test('hostile calls are refused in words, and everything can be read afterwards', async () => {
  await using network = await openNetwork({ auth: 'shared-secret' });
  const camp = await pitchCamp(network);
  const fates = [
    ...(await besiegeGrpc(camp, CALLS / 2, SEED)),
    ...(await besiegeJson(camp, CALLS / 2, SEED)),
  ];
  expect(fates).toHaveLength(CALLS);
  expect(notRefused(fates)).toEqual([]);
  const kinds = new Set(fates.map(({ code }) => code));
  expect([...kinds]).toEqual(
    expect.arrayContaining(['OK', 'INVALID_ARGUMENT', 'NOT_FOUND', 'PERMISSION_DENIED']),
  );
  expect((await readEverything(camp)).updates).toBeGreaterThan(0);
});
