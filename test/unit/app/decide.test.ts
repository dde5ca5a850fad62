import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { backoffMs, decide } from '../../../src/app/engine/outcomes/decide.ts';
import { LIMITS } from '../../../src/domain/limits.ts';
import { answer, change } from './made.ts';

const NOW = { timesInARow: 0, random: 0, namesContract: true };

describe('what to do about an answer of the ledger', () => {
  test('a refusal ends the change when no earlier attempt is undecided', () => {
    const decision = decide(change(), answer(), 0, NOW);
    expect(decision).toMatchObject({
      kind: 'end',
      state: 'rejected',
      refusal: { code: 'LEDGER_REFUSED', status: 409, ledgerCode: 'DAML_FAILURE' },
    });
  });

  test('a refusal that blames the command is 422', () => {
    const decision = decide(change(), answer({ code: 'COMMAND_PREPROCESSING_FAILED' }), 0, NOW);
    expect(decision).toMatchObject({
      kind: 'end',
      refusal: { code: 'COMMAND_INVALID', status: 422 },
    });
  });

  test('no refusal of any class ends a change while an earlier attempt lacks a definite no', () => {
    const classes = [
      'in-flight',
      'contention',
      'stale-contract',
      'no-traffic',
      'busy',
      'unknown',
      'credentials',
      'refused',
    ] as const;
    fc.assert(
      fc.property(
        fc.constantFrom(...classes),
        fc.integer({ min: 0, max: 50 }),
        fc.integer({ min: 1, max: 5 }),
        fc.boolean(),
        (kind, attempts, undecided, takesNoTry) => {
          const decision = decide(
            change({ attempts }),
            answer({ class: kind, takesNoTry }),
            undecided,
            { ...NOW, timesInARow: 3, random: 0.5 },
          );
          expect(decision.kind).not.toBe('end');
        },
      ),
    );
  });

  test('what went as another ledger user goes as ours once nothing of it is undecided, and not before', () => {
    const changed = answer({
      class: 'unknown',
      takesNoTry: true,
      definite: true,
      ledgerUser: 'new',
    });
    expect(decide(change(), changed, 0, NOW)).toMatchObject({
      kind: 'readdress',
      ledgerUser: 'new',
    });
    expect(decide(change(), changed, 1, NOW)).toEqual({ kind: 'prove', refusal: null });
  });

  test('contention and load are tried again, and end as failed when the budget is spent', () => {
    for (const kind of ['contention', 'busy'] as const) {
      expect(decide(change({ attempts: 1 }), answer({ class: kind }), 0, NOW)).toMatchObject({
        kind: 'retry',
        free: false,
      });
      const last = decide(
        change({ attempts: LIMITS.attemptsMax }),
        answer({ class: kind }),
        0,
        NOW,
      );
      expect(last).toMatchObject({
        kind: 'end',
        state: 'failed',
        refusal: { code: 'BUDGET_SPENT' },
      });
    }
  });

  test('what may have happened is left to the streams; what was never sent is tried again for nothing', () => {
    expect(decide(change(), answer({ class: 'unknown' }), 0, NOW)).toEqual({ kind: 'await' });
    expect(decide(change(), answer({ class: 'in-flight' }), 0, NOW)).toEqual({ kind: 'await' });
    expect(
      decide(change({ attempts: 99 }), answer({ class: 'unknown', takesNoTry: true }), 0, NOW),
    ).toMatchObject({
      kind: 'retry',
      free: true,
    });
    expect(
      decide(change({ attempts: 99 }), answer({ class: 'credentials' }), 0, NOW),
    ).toMatchObject({
      free: true,
    });
  });

  test('a code that nobody knows is tried again within the budget, and then fails', () => {
    const said = answer({ class: 'unknown', code: 'A_NEW_ONE', definite: false });
    // The refusal is delayed until it is certain that none of the attempts took effect.
    expect(decide(change({ attempts: 1 }), said, 1, NOW)).toEqual({ kind: 'prove', refusal: null });
    const spent = change({ attempts: LIMITS.attemptsMax });
    expect(decide(spent, said, 1, NOW)).toMatchObject({
      kind: 'prove',
      refusal: { code: 'BUDGET_SPENT', ledgerCode: 'A_NEW_ONE' },
    });
    expect(decide(spent, said, 0, NOW)).toMatchObject({ kind: 'end', state: 'failed' });
    // This answer comes from a proxy and proves nothing, however often it is repeated.
    expect(decide(spent, { ...said, heard: false }, 1, NOW)).toEqual({ kind: 'await' });
  });

  test('a completion that is a definite no of an unclear matter is tried again', () => {
    const said = answer({ class: 'unknown', code: 'REQUEST_TIME_OUT', definite: true });
    expect(decide(change(), said, 0, NOW)).toMatchObject({ kind: 'retry', free: false });
  });

  test.each(['SEQUENCER_NOT_ENOUGH_TRAFFIC_CREDIT', 'TRAFFIC_ACCOUNT_VALIDATION_FAILED'])(
    '%s costs nothing, however often it comes',
    (code) => {
      const said = answer({ class: 'no-traffic', code });
      const decision = decide(change({ attempts: 99 }), said, 1, { ...NOW, timesInARow: 50 });
      expect(decision).toMatchObject({ kind: 'retry', free: true });
    },
  );

  test('what the participant cannot pay for comes back soon: its circuit keeps the distance', () => {
    const often = { ...NOW, timesInARow: 50 };
    const delayOf = (code: string) => {
      const decision = decide(change(), answer({ class: 'no-traffic', code }), 0, often);
      return decision.kind === 'retry' ? decision.delayMs : null;
    };
    expect(delayOf('SEQUENCER_NOT_ENOUGH_TRAFFIC_CREDIT')).toBe(LIMITS.unavailableBackoffMs);
    expect(delayOf('TRAFFIC_ACCOUNT_VALIDATION_FAILED')).toBe(LIMITS.unavailableBackoffMsMax / 2);
  });

  test('no package is the caller’s mistake, under whichever name its absence comes', () => {
    for (const code of ['PACKAGE_NOT_FOUND', 'PACKAGE_SELECTION_FAILED']) {
      expect(decide(change(), answer({ code }), 0, NOW)).toMatchObject({
        refusal: { code: 'LEDGER_REFUSED', status: 409, ledgerCode: code },
      });
    }
  });

  test('a deduplication window that is exceeded waits until nothing undecided can be to come', () => {
    const exceeded = answer({ class: 'unknown', code: 'INVALID_DEDUPLICATION_PERIOD' });
    expect(decide(change({ attempts: 2 }), exceeded, 1, NOW)).toEqual({
      kind: 'prove',
      refusal: null,
    });
    expect(decide(change({ attempts: 1 }), exceeded, 0, NOW)).toEqual({ kind: 'renew' });
    expect(decide(change({ attempts: LIMITS.attemptsMax }), exceeded, 0, NOW)).toMatchObject({
      kind: 'end',
      state: 'failed',
    });
  });

  test('a contract that is gone is looked up before anything is concluded', () => {
    expect(decide(change(), answer({ class: 'stale-contract' }), 0, NOW)).toEqual({
      kind: 'resolve',
    });
  });
});

test('backoff grows, is bounded, and keeps at least half of its length', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 200 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (n, random) => {
        const ms = backoffMs(n, random);
        expect(ms).toBeGreaterThanOrEqual(LIMITS.backoffMsMin / 2);
        expect(ms).toBeLessThanOrEqual(LIMITS.backoffMsMax);
      },
    ),
  );
});
