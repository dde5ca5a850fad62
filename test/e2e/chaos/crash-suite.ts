import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { QueueKind } from '../../../chaos/world.ts';
import type { CrashPoint } from '../../kit/crash-points.ts';
import { CRASH_POINTS } from '../../kit/crash-points.ts';
import type { ChaosWorld } from '../kit/chaos-world.ts';
import { startChaosWorld } from '../kit/chaos-world.ts';

const ENTRY = fileURLToPath(new URL('crashing-role.fixture.ts', import.meta.url));

/**
 * At each crash point, a process is killed and replaced by another one, and the operation must end with exactly one
 * effect.
 *
 * @param isOneProcess whether one process has all roles, and submits what it records without the queue
 */
export function crashSuite(
  queue: QueueKind,
  points: readonly CrashPoint[],
  isOneProcess = false,
): void {
  const processes = isOneProcess ? 'one process of all roles' : 'a process';
  describe(`${processes} is killed at a crash point, queue on ${queue}`, () => {
    let world: ChaosWorld;
    let install: string;

    const created = async (): Promise<number> => {
      const { body } = await world.caller.get('provider', `/app-installs/${install}`);
      return body.numLicensesCreated;
    };

    beforeAll(async () => {
      world = await startChaosWorld(queue, { entry: ENTRY, isOneProcess });
      install = await world.install();
    });
    afterAll(() => world[Symbol.asyncDispose]());

    test.each(points)('%s', async (point) => {
      const member = world[CRASH_POINTS[point]];
      const doomed = member.process!;
      const before = await created();
      expect(await doomed.ask({ crashAt: point })).toEqual({ armed: point });

      const commandId = `crash-${point}-${randomUUID()}`;
      // At these points, the worker records an answer. It only does so if the call itself returns the answer, so the
      // ledger refuses the call.
      if (point.startsWith('answer:')) await world.refuseSubmit(commandId);
      const asked = world.createLicense(install, commandId);
      expect(await doomed.ended).toEqual({ code: null, signal: 'SIGKILL' });
      await member.start();

      const answer = await asked;
      expect([answer.status, answer.body.licenseId]).toEqual([201, expect.any(String)]);
      expect(await world.effectsOf(commandId)).toBe(1);
      expect(await created()).toBe(before + 1);
      if (point === 'change:after-commit') {
        // If one process has all roles, the first attempt was recorded with the change.
        expect(await world.attemptsOf(commandId)).toBe(isOneProcess ? 2 : 1);
      }
      // A later repeat of the request is answered in the same way.
      const again = await world.createLicense(install, commandId);
      expect([again.status, again.body]).toEqual([answer.status, answer.body]);
    });
  });
}
