import { describe, expect, test } from 'vitest';
import { failureOf } from '../../../src/app/desk/failures.ts';
import { scopeOf, seesChange, seesLifecycle } from '../../../src/app/ports/ops-scope.ts';
import { classOf } from '../../../src/domain/ledger-codes.ts';
import type { ProblemDetails } from '../../../src/domain/problems.ts';
import { problem } from '../../../src/domain/problems.ts';
import { PROVIDER, USER, change } from './made.ts';

const ended = (error: ProblemDetails | null, over: Parameters<typeof change>[0] = {}) =>
  failureOf(change({ state: 'rejected', finishedAt: '2026-01-01T00:00:00Z', error, ...over }));
const refused = (ledgerText: string, ledgerCode = 'DAML_FAILURE') =>
  ended(problem('LEDGER_REFUSED', 'a rule was not met', { ledgerCode, extra: { ledgerText } }));

describe('a failure', () => {
  test('is the same whatever it was about, and another for another reason', () => {
    const about = (id: string, at: string, n: number) =>
      refused(`${id} of provider-1::1220${id} may not before ${at}: ${n} < 2`);
    const one = about('00'.repeat(40), '2026-01-01T00:00:00.000001Z', 1);
    const other = about('ab'.repeat(40), '2027-01-01T00:00:00Z', 17);
    expect(one).toEqual(other);
    expect(one).toMatchObject({
      class: 'refused',
      explanation: '<id> of <party> may not before <time>: <n> < <n>',
    });
    const kinds = [
      one,
      refused('something else'),
      refused('something else', 'UNHANDLED_EXCEPTION'),
      ended(problem('STEP_NOT_ALLOWED', 'something else')),
      ended(problem('STEP_NOT_ALLOWED', 'something else'), { operation: 'renew-license' }),
    ];
    expect(new Set(kinds.map((kind) => kind?.fingerprint)).size).toBe(kinds.length);
  });

  test.each([
    ['CODE(9,1dfb2c3d): no traffic', 'CODE(9,0): no traffic', 'CODE(<n>,<trace>): no traffic'],
    ['by 00ab12cd… of 12345678', 'by 9f8e7d6c5b4a… of 1', 'by <id>… of <n>'],
  ])('is the same with another trace or shortened id: %s', (one, other, words) => {
    expect(refused(one)).toEqual(refused(other));
    expect(refused(one)?.explanation).toBe(words);
  });

  test('in the words of a person is told by its code alone', () => {
    const decided = (why: string) => ended(problem('DECIDED_NO_EFFECT', why));
    expect(decided('I looked')?.fingerprint).toBe(decided('so did I')?.fingerprint);
  });

  test('has no class where the ledger did not refuse, and ends nothing that is open or went well', () => {
    expect(ended(problem('STEP_NOT_ALLOWED', 'x'))?.class).toBeNull();
    expect(ended(null, { state: 'succeeded' })).toBeNull();
    expect(failureOf(change({ error: problem('BUDGET_SPENT', 'x') }))).toBeNull();
  });

  test('with a code that is not known is undecided', () => {
    expect([classOf('A_NEW_ONE'), classOf('NO_ERROR_INFO:PERMISSION_DENIED')]).toEqual([
      'unknown',
      'credentials',
    ]);
  });
});

describe('what an operator sees', () => {
  const mine = { provider: PROVIDER, appUser: USER, callerParty: USER };
  const elsewhere = {
    ...mine,
    provider: change().callerParty.replace('p', 'q') as typeof PROVIDER,
  };

  test('is what the provider provides, whoever asked, and nothing else', () => {
    const scope = scopeOf({ party: PROVIDER }, { provider: PROVIDER });
    expect([mine, elsewhere].map((one) => seesChange(scope, one))).toEqual([true, false]);
    expect([mine, elsewhere].map((one) => seesLifecycle(scope, one))).toEqual([true, false]);
  });

  test('of another party is what that party asked for, and its own lifecycles', () => {
    const scope = scopeOf({ party: USER }, { provider: PROVIDER });
    const asked = [mine, { ...mine, callerParty: PROVIDER }, elsewhere];
    expect(asked.map((one) => seesChange(scope, one))).toEqual([true, false, true]);
    expect(seesLifecycle(scope, mine)).toBe(true);
    expect(seesLifecycle(scope, { provider: PROVIDER, appUser: PROVIDER })).toBe(false);
  });
});
