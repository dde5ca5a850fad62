import fc from 'fast-check';
import { expect, test } from 'vitest';
import { COMMANDS, OPENINGS } from './kit/commands.ts';
import { LicensingModel } from './kit/licensing-model.ts';
import { RealWorld } from './kit/real-world.ts';
import { repeated, telling } from './kit/repeat.ts';

/** Opens the real system and the model, both empty. */
async function open(): Promise<{ model: LicensingModel; real: RealWorld }> {
  const real = await RealWorld.open();
  const model = new LicensingModel();
  model.nowMs = real.system.nowMs;
  return { model, real };
}

test('whatever is asked by whomever in whatever order, the system does what the model says', async () => {
  let lives = 0;
  const commands = fc.commands(COMMANDS, { maxCommands: 40, size: 'max', ...repeated.commands });
  await fc.assert(
    fc.asyncProperty(OPENINGS, commands, async (openings, asked) => {
      const { model, real } = await open();
      await using _closing = real;
      for (const opening of openings) await opening.run(model, real);
      await fc.asyncModelRun(() => ({ model, real }), asked);
      for (const life of model.lives) await real.expectShown(model, life);
      await real.expectPromiseKept();
      lives += model.lives.length;
    }),
    { numRuns: 40, ...repeated.run, reporter: telling('test/model/commands.test.ts') },
  );
  expect(lives).toBeGreaterThan(0);
}, 300_000);
