import { describe, expect, test } from 'vitest';
import type { LedgerAnswer } from '../../src/domain/answer.ts';
import type { LedgerCompletion } from '../../src/domain/ledger.ts';
import type { UpdateId } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { meaningOf } from '../../src/domain/ledger-codes.ts';
import { createPauses } from '../../src/store/engine/pauses.ts';
import { U, completed, openHistory, request } from '../kit/change-history.ts';
import { io } from '../kit/store-rows.ts';
import { arrive } from '../kit/store-under-test.ts';
import { answer } from '../unit/app/made.ts';

/* A participant without traffic credit gets one probe at a time, until one of its commands has been sequenced. */

test.each([
  ['PERMISSION_DENIED', 'participant', [{ participant: U, reason: 'unreachable' }]],
  ['MAY_NOT_ACT_AS', 'backoff', []],
])(
  'for a right that is missing (%s) an operation waits, and ends when it is back',
  async (code, kind, circuits) => {
    await using history = await openHistory();
    const attempts = LIMITS.attemptsMax - 1;
    const change = await history.arrived({ ...request(), attempts });
    const missing = answer({ class: 'credentials', code, heard: true });
    for (let times = 0; times < 2; times += 1) {
      await history.answered(change, await history.attempt(change), missing, null);
    }
    expect(await history.state(change)).toMatchObject({
      state: 'retrying',
      attempts,
      waitingFor: { kind },
    });
    expect(await createPauses(history.pool).circuits(io())).toMatchObject(circuits);
    const attempt = await history.attempt(change);
    await history.apply([completed(U, 20n, attempt, { updateId: trusted<UpdateId>('u-20') })]);
    expect(await history.state(change)).toMatchObject({ acceptance: { updateId: 'u-20' } });
    expect(await createPauses(history.pool).circuits(io())).toEqual([]);
  },
);

const told = (code: string, over: Partial<LedgerAnswer> = {}): Partial<LedgerCompletion> => ({
  answer: answer({ heard: true, class: 'unknown', ...meaningOf(code), code, ...over }),
});

/**
 * Records two changes of a participant without traffic credit. The first one has opened the circuit; the second one is
 * the probe.
 */
async function openProbe() {
  const history = await openHistory();
  const [first, second] = [request(), request()];
  for (const change of [first, second]) await arrive(history.store, change);
  const apply = async (change: typeof first, offset: bigint, over: Partial<LedgerCompletion>) =>
    history.apply([completed(U, offset, await history.attempt(change), over)]);
  await apply(first, 20n, told('SEQUENCER_NOT_ENOUGH_TRAFFIC_CREDIT'));
  const circuits = () => createPauses(history.pool).circuits(io());
  expect(await circuits()).toMatchObject([{ participant: U, reason: 'traffic' }]);
  return {
    circuits,
    /** Applies a completion of the probe. */
    probed: (over: Partial<LedgerCompletion>) => apply(second, 21n, over),
    [Symbol.asyncDispose]: () => history[Symbol.asyncDispose](),
  };
}

describe('a participant without traffic', () => {
  test.each([
    'NOT_SEQUENCED_TIMEOUT',
    'DUPLICATE_COMMAND',
    'INVALID_DEDUPLICATION_PERIOD',
    'SUBMISSION_INTERNAL_ERROR',
    'COMMAND_INJECTION_FAILURE',
    'SEQUENCER_NOT_ENOUGH_TRAFFIC_CREDIT',
    'A_CODE_THAT_NOBODY_KNOWS',
  ])('has still none when a probe ends with %s: that was never sequenced', async (code) => {
    await using probe = await openProbe();
    await probe.probed(told(code));
    expect(await probe.circuits()).toMatchObject([{ reason: 'traffic' }]);
  });

  test('has none either where the refusal for it was charged', async () => {
    await using probe = await openProbe();
    await probe.probed({ ...told('SEQUENCER_NOT_ENOUGH_TRAFFIC_CREDIT'), cost: 5n });
    expect(await probe.circuits()).toMatchObject([{ reason: 'traffic' }]);
  });

  test.each([
    ['it was accepted', { updateId: trusted<UpdateId>('update') }],
    ['others have judged it', told('LOCAL_VERDICT_LOCKED_CONTRACTS')],
    ['it was not confirmed in time', told('MEDIATOR_SAYS_TX_TIMED_OUT')],
    ['it was paid for', { ...told('SEQUENCER_AGGREGATE_SUBMISSION_ALREADY_SENT'), cost: 12n }],
  ])('has some again when %s', async (_what, over) => {
    await using probe = await openProbe();
    await probe.probed(over);
    expect(await probe.circuits()).toEqual([]);
  });
});
