import { describe, expect, test } from 'vitest';
import type { Timer } from '../../../src/app/ports/policies.ts';
import { trusted } from '../../../src/domain/ids.ts';
import { problem } from '../../../src/domain/problems.ts';
import { afterFailure } from '../../../src/ops/timer-failure.ts';
import { PROVIDER } from '../../kit/store-rows.ts';

const LAPSED = '2026-02-01T00:00:00.000001Z';

describe('a timer whose change has failed', () => {
  const fired: Timer = {
    lifecycleId: trusted('license-1'),
    kind: 'expire',
    provider: PROVIDER,
    lapsesAt: LAPSED,
    openUntil: null,
    isNeverRenewed: false,
    generation: 0,
    failures: 0,
    notBefore: null,
    changeId: trusted('change-1'),
    isGivenUp: false,
  };
  const refusedWith = (ledgerCode: string) => ({
    state: 'rejected' as const,
    error: problem('LEDGER_REFUSED', 'no', { ledgerCode }),
  });
  /** Returns the timer after this number of failures. It has fired before each of them. */
  const after = (timer: Timer, times: number, failed: Parameters<typeof afterFailure>[1]): Timer =>
    Array.from({ length: times }).reduce<Timer>(
      (before) => ({
        ...before,
        ...afterFailure({ ...before, changeId: fired.changeId }, failed, true, 0),
      }),
      timer,
    );

  test('is given up when its own contract was why, again and again', () => {
    const own = refusedWith('DAML_FAILURE');
    expect(after(fired, 4, own)).toMatchObject({ generation: 4, failures: 4, isGivenUp: false });
    expect(after(fired, 5, own)).toMatchObject({ generation: 4, failures: 5, isGivenUp: true });
  });

  test.each([
    refusedWith('PERMISSION_DENIED'),
    refusedWith('NO_ERROR_INFO:PERMISSION_DENIED'),
    refusedWith('UNRESOLVED_PACKAGE_NAME'),
    {
      state: 'failed' as const,
      error: problem('BUDGET_SPENT', 'no', { ledgerCode: 'PARTICIPANT_BACKPRESSURE' }),
    },
  ])('is not given up for what every other one would have met: $error.ledgerCode', (failed) => {
    const weekend = after(fired, 600, failed);
    expect(weekend).toMatchObject({ generation: 600, failures: 0, changeId: null });
    expect(weekend.isGivenUp).toBe(false);
    expect(after(weekend, 4, refusedWith('DAML_FAILURE')).isGivenUp).toBe(false);
  });

  test('is not given up for what may have come too early', () => {
    const early = afterFailure(fired, refusedWith('DAML_FAILURE'), false, 0);
    expect(early).toMatchObject({ generation: 1, failures: 0, isGivenUp: false });
  });

  test('fires again a while after its policy would not have it done any more: clocks differ', () => {
    const outdated = { state: 'rejected' as const, error: problem('POLICY_OUTDATED', 'no') };
    expect(after(fired, 600, outdated)).toMatchObject({
      generation: 600,
      failures: 0,
      notBefore: '1970-01-01T00:00:30.000Z',
      isGivenUp: false,
    });
  });

  test('is given up when a person has cancelled its change', () => {
    const cancelled = { state: 'cancelled' as const, error: problem('CANCELLED', 'no') };
    expect(after(fired, 1, cancelled)).toMatchObject({ failures: 0, isGivenUp: true });
  });
});
