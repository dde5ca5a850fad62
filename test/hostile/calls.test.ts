import { expect, test } from 'vitest';
import {
  besiegeGrpc,
  besiegeJson,
  notRefused,
  pitchCamp,
  readEverything,
} from '../contract/kit/hostile/siege.ts';
import { openNetwork } from '../contract/kit/network.ts';

/*
 * `make hostile`: calls that no program would make on purpose. `HOSTILE_SEED` selects other calls, and `HOSTILE_CALLS`
 * sets their number.
 */

const CALLS = Number(process.env['HOSTILE_CALLS'] ?? 5_000);
const SEED = process.env['HOSTILE_SEED'] ?? '20';

test(
  `${CALLS} calls over gRPC are refused in words, or do what they say`,
  { timeout: 900_000 },
  async () => {
    await using network = await openNetwork({ auth: 'shared-secret' });
    const camp = await pitchCamp(network);
    const fates = await besiegeGrpc(camp, CALLS, SEED);
    expect(notRefused(fates)).toEqual([]);
    const submitted = fates.filter(
      ({ call, code }) => code === 'OK' && /CommandService|SubmissionService/u.test(call),
    );
    expect(submitted.length).toBeGreaterThan(CALLS / 1_000);
    const read = await readEverything(camp);
    expect(read.active).toBeGreaterThan(0);
    expect(read.updates).toBeGreaterThan(submitted.length);
  },
);

test(
  `${CALLS} calls over HTTP and WebSockets are refused in words, or do what they say`,
  {
    timeout: 900_000,
  },
  async () => {
    await using network = await openNetwork({ auth: 'shared-secret' });
    const camp = await pitchCamp(network);
    const fates = await besiegeJson(camp, CALLS, SEED);
    expect(notRefused(fates)).toEqual([]);
    expect(fates.filter(({ code }) => code === 'OK').length).toBeGreaterThan(CALLS / 20);
    expect((await readEverything(camp)).active).toBeGreaterThan(0);
  },
);
