import { describe, expect, test } from 'vitest';
import { inFlight, instant, sound, told, withChange } from '../../kit/evidence.ts';

describe('I15', () => {
  const [pause, mark] = [
    { scope: 'operation', name: inFlight.operation, mode: 'pause', since: instant(9) } as const,
    inFlight.submitter.participant,
  ];
  const blocked = withChange(sound, inFlight.id, (entry) => ({
    ...entry,
    effect: { ...entry.effect!, heldAt: instant(18) },
  }));
  const ofOthers = { ...pause, name: 'another' };
  const drain = { ...pause, mode: 'drain' } as const;

  test.each([
    ['a pause', { pauses: [pause], foreign: [] }],
    ['a drain of what came later', { pauses: [{ ...drain, since: instant(8) }], foreign: [] }],
    ['a foreign ledger', { pauses: [ofOthers], foreign: [mark] }],
  ])('%s is a cause', (_what, causes) => {
    expect(told({ ...blocked, causes }, 'I15')).toEqual([]);
  });

  test('without a cause, or with those of others, it is reported', () => {
    const sentence = `${inFlight.operation} ${inFlight.commandId} has been blocked since ${instant(18)}, but no pause, drain or foreign ledger is in force for the operation`;
    for (const pauses of [[], [ofOthers], [drain]]) {
      expect(told({ ...blocked, causes: { pauses, foreign: [] } }, 'I15')).toEqual([sentence]);
    }
  });
});
