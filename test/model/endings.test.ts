import { expect, test } from 'vitest';
import { describe as describeKind, machineOf, step } from './kit/machines.ts';
import { LIFECYCLE_KINDS } from '../../src/domain/licensing.ts';
import { recordedShape } from './kit/recorded.ts';

/* An operator may decide the result of an operation, but only the ledger decides whether a contract has ended. */

test.each(LIFECYCLE_KINDS)('no outcome of an operation ends a lifecycle: %s', (kind) => {
  const { version } = describeKind(kind);
  const states = Object.keys(machineOf(kind).states);
  expect(states.length).toBeGreaterThan(2);
  const [first] = recordedShape(kind, version)!.steps;
  const { context } = first!.from;
  for (const type of ['command.succeeded', 'command.refused']) {
    const made = states.flatMap(
      (state) =>
        step(kind, { machineVersion: version, state, context }, { type, changeId: '' }) ?? [],
    );
    expect(made.length).toBeGreaterThan(0);
    expect(made.filter(({ isFinal }) => isFinal)).toEqual([]);
  }
});
