import { expect, test } from 'vitest';
import type { CountedRefusals, Refusal } from '../../../src/app/ports/refusals.ts';
import type { Party } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import { OPS_LIMITS } from '../../../src/ops/limits.ts';
import { startRefusalLog } from '../../../src/ops/refusals.ts';
import { recordingLog } from '../../kit/queue-under-test.ts';

const refused = (subject: string, object = 'route:GET /ops/leases'): Refusal => ({
  act: 'act-refused',
  by: { party: trusted<Party>('user::1'), subject },
  object,
  reason: 'only an operator may look here',
});

/** Returns the rows that are written for one interval. */
async function rowsOf(refusals: readonly Refusal[]): Promise<readonly CountedRefusals[]> {
  const rows: CountedRefusals[] = [];
  let nowMs = 0;
  const log = startRefusalLog({
    store: { record: async (given) => void rows.push(...given) },
    wallClock: { nowMs: () => (nowMs += 1_000) },
    log: { ...recordingLog(), debug: () => undefined },
  });
  for (const refusal of refusals) log.note(refusal);
  await log.stop();
  return rows;
}

test('alike refusals are one row that counts them', async () => {
  const rows = await rowsOf([refused('una'), refused('una'), refused('uwe')]);
  expect(rows).toMatchObject([
    {
      by: { subject: 'una' },
      count: 2,
      first: expect.stringContaining(':01.'),
      last: expect.stringContaining(':02.'),
    },
    { by: { subject: 'uwe' }, count: 1 },
  ]);
});

test('a caller that makes up subjects makes no more rows, and each refusal is counted', async () => {
  const rows = await rowsOf(Array.from({ length: 10_000 }, (_, i) => refused(`sub ${i}`)));
  expect(rows).toHaveLength(OPS_LIMITS.refusalsMax + 1);
  expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(10_000);
});
