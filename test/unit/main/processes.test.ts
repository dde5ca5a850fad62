import { expect, test } from 'vitest';
import { planProcesses } from '../../../embedded/processes.ts';
import type { ProcessRole } from '../../../src/main/config.ts';

const ALL: ReadonlySet<ProcessRole> = new Set(['api', 'worker', 'projector', 'clock']);
const ONE = [['api', 'worker', 'projector', 'clock']];
const THREE = [['api'], ['worker'], ['projector', 'clock']];

test.each([1, 2])('%i cores play all roles in one process', (cores) => {
  expect(planProcesses(ALL, 'auto', cores)).toEqual(ONE);
});

test.each([3, 4, 64])('%i cores play the roles in processes of their own', (cores) => {
  expect(planProcesses(ALL, 'auto', cores)).toEqual(THREE);
});

test('as many processes as are asked for, whatever the machine; those beyond three are workers', () => {
  expect(planProcesses(ALL, 1, 64)).toEqual(ONE);
  expect(planProcesses(ALL, 2, 1)).toEqual([['api'], ['worker', 'projector', 'clock']]);
  expect(planProcesses(ALL, 3, 1)).toEqual(THREE);
  expect(planProcesses(ALL, 5, 1)).toEqual([...THREE, ['worker'], ['worker']]);
});

test.each([1, 2, 3, 4, 8])(
  '%i processes play every role, and projector and clock once',
  (count) => {
    const played = planProcesses(ALL, count, 4).flat();
    expect(new Set(played)).toEqual(ALL);
    expect(played.filter((role) => role !== 'worker').toSorted()).toEqual([
      'api',
      'clock',
      'projector',
    ]);
  },
);

test('only the roles that this one is to play are spread', () => {
  expect(planProcesses(new Set(['worker', 'clock'] as const), 'auto', 8)).toEqual([
    ['worker'],
    ['clock'],
  ]);
  expect(planProcesses(new Set(['api'] as const), 4, 8)).toEqual([['api']]);
});
