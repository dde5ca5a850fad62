import { describe, expect, test } from 'vitest';
import type { LedgerAnswer } from '../../src/domain/answer.ts';
import { U, completed, openHistory } from '../kit/change-history.ts';
import { answer } from '../unit/app/made.ts';

/* Histories of one change whose command could not be sent. */

const refusal = answer();

describe('what cannot be sent', () => {
  const away = answer({ class: 'unknown', code: 'NO_ERROR_INFO:UNAVAILABLE', takesNoTry: true });
  const told = async (history: Awaited<ReturnType<typeof openHistory>>) => {
    const { rows: found } = await history.pool.query<{ type: string; what: string }>(
      `select type, data ->> 'waitingFor' as what from event_arrival where type like '%.operation.%' order by place`,
    );
    return found.map(({ type, what }) => `${type.slice(17)} ${what}`);
  };

  test('leaves one attempt and is told once, however often it is tried', async () => {
    await using history = await openHistory();
    const change = await history.arrived();
    for (let tries = 0; tries < 10; tries += 1) {
      await history.answered(change, await history.attempt(change), away, null);
    }
    expect(await history.attempts(change)).toMatchObject([
      { n: 1, unsent: { tries: 9 }, answer: { verdict: 'refused', unsent: true } },
    ]);
    expect(await told(history)).toEqual(['retrying participant']);
    expect(await history.state(change)).toMatchObject({ state: 'retrying', attempts: 0 });
    // This attempt is sent. It uses the row of the attempt that was not sent.
    const sent = await history.attempt(change);
    expect(await history.state(change)).toMatchObject({ state: 'submitting' });
    await history.apply([completed(U, 20n, sent, { answer: refusal })], { end: 25n });
    expect(await history.attempts(change)).toMatchObject([
      { n: 1, submissionId: sent, answer: { ledgerCode: refusal.code } },
    ]);
    expect(await history.state(change)).toMatchObject({ state: 'rejected' });
    expect(await told(history)).toEqual(['retrying participant', 'rejected null']);
  });

  test('waits since its first try, and is told again when it waits for something else', async () => {
    await using history = await openHistory();
    const change = await history.arrived();
    const began = Date.now();
    const waits = async (given: LedgerAnswer, afterMs: number) => {
      const attempt = await history.attempt(change);
      await history.answered(change, attempt, given, null, began + afterMs);
      const { kind, since } = (await history.state(change))?.waitingFor ?? {};
      return `${kind} ${Date.parse(since ?? '') - began}`;
    };
    expect(await waits(away, 0)).toBe('participant 0');
    expect(await waits(away, 5_000)).toBe('participant 0');
    expect(
      await waits({ ...away, code: 'REGISTRY_UNAVAILABLE', waitsFor: 'registry' }, 7_000),
    ).toBe('registry 7000');
    expect(await waits(away, 9_000)).toBe('participant 9000');
    expect(await told(history)).toEqual([
      'retrying participant',
      'retrying registry',
      'retrying participant',
    ]);
  });

  test('leaves no bound to the attempt that takes its row', async () => {
    await using history = await openHistory();
    const change = await history.arrived();
    const heldUp = await history.attempt(change);
    await history.hear();
    await history.answered(change, heldUp, away, null);
    expect(await history.attempts(change)).toMatchObject([
      { overAt: expect.any(String) as string },
    ]);
    await history.attempt(change);
    expect(await history.attempts(change)).toMatchObject([{ n: 1, overAt: null, answer: null }]);
  });

  test('an attempt that is not answered keeps its row, and nothing ends the change meanwhile', async () => {
    await using history = await openHistory();
    const change = await history.arrived();
    // The worker was killed after the commit of the attempt and before the submission.
    const lost = await history.attempt(change);
    await history.answered(change, await history.attempt(change), away, null);
    await history.answered(change, await history.attempt(change), away, null);
    expect(await history.attempts(change)).toMatchObject([
      { n: 1, submissionId: lost, answer: null },
      { n: 2, unsent: { tries: 1 } },
    ]);
    await history.answered(change, await history.attempt(change), refusal, 20n);
    expect(await history.state(change)).toMatchObject({ state: 'retrying' });
  });
});
