import { afterAll, describe, expect, it } from 'vitest';
import { PLANTS } from './kit/plants.ts';
import type { Outcome } from './kit/report.ts';
import { SeedProcess } from './kit/seed-process.ts';

/*
 * A few of the histories that `make sim` runs in thousands, each of which depends only on its seed; and tests which
 * show that such a history can fail.
 */

const child = new SeedProcess();
afterAll(() => child.close());

const run = async (seed: number, plant: string | null = null, isBlind = false): Promise<Outcome> =>
  (await child.run({ seed, keepTrace: false, plant, isBlind })).outcome;

/** How long this test runs histories. On a machine with other work, it runs fewer. */
const MANY_MS = 10_000;
const SEEDS = { most: 100, least: 20 };

describe('histories with faults', () => {
  it('keep the promise', async () => {
    const untilMs = performance.now() + MANY_MS;
    let done = 0;
    for (let seed = 1; seed <= SEEDS.most; seed += 1) {
      if (done >= SEEDS.least && performance.now() > untilMs) break;
      const { findings } = await run(seed);
      expect(findings, `SEED=${seed} make sim`).toEqual([]);
      done += 1;
    }
    expect(done).toBeGreaterThanOrEqual(SEEDS.least);
  });

  it('go the same way again, whatever ran before in the same process', async () => {
    const first = await run(5);
    const other = await run(10);
    expect((await run(5)).digest).toBe(first.digest);
    const fresh = new SeedProcess();
    const { outcome, trace } = await fresh.run({ seed: 5, keepTrace: true, plant: null });
    fresh.close();
    expect(outcome).toEqual(first);
    expect(trace?.length).toBeGreaterThan(100);
    expect(other.digest).not.toBe(first.digest);
  });
});

// The seed of a history that showed the late write only while it ran, and not at its end, when this was written.
const SHOWN_IN_THE_MIDST = 2;
// The number of seeds to try. It is high because few histories reveal a mistake that other checks in the code also
// prevent.
const SEEDS_MAX = 150;

/** Returns the seeds to try for a planted bug, with the one that is known to reveal it first. */
function seedsOf(known: number): readonly number[] {
  return [known, ...Array.from({ length: SEEDS_MAX }, (_, index) => index + 1)];
}

it('what is wrong for a moment and mended is found then, with its moment', async () => {
  for (const seed of seedsOf(SHOWN_IN_THE_MIDST)) {
    const { findings } = await run(seed, 'late-history', true);
    if (findings.length > 0) continue;
    // A check at the end of a history cannot find this mistake.
    const [first] = (await run(seed, 'late-history')).findings;
    // In some histories, the mistake has no consequence.
    if (first === undefined) continue;
    expect(first).toMatchObject({ invariant: 'I11' });
    expect(first?.what).toMatch(/^after \d+\.\d{3} ms, at step \d+: /u);
    return;
  }
  expect.fail('no history showed it before its end, and not at its end');
});

describe('a planted bug is found, and named', () => {
  it.for(Object.keys(PLANTS))('%s', async (name) => {
    const breaks = PLANTS[name]?.breaks ?? [];
    for (const seed of seedsOf(PLANTS[name]?.seed ?? 1)) {
      const { findings } = await run(seed, name);
      if (findings.some(({ invariant }) => breaks.includes(invariant))) return;
    }
    expect.fail(`${PLANTS[name]?.what}: ${SEEDS_MAX} histories have not seen it`);
  });
});
