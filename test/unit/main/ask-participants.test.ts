import { ClientError, Status as GrpcStatus } from 'nice-grpc-common';
import { describe, expect, test } from 'vitest';
import type { ParticipantName, Party } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import type { Question } from '../../../src/ledger/discover.ts';
import { LedgerCallError, TokenError } from '../../../src/ledger/outcome.ts';
import type { LedgerRights, ParticipantRights } from '../../../src/ledger/rights.ts';
import { StartQuestions } from '../../../src/main/ask-participants.ts';
import { createMemoryLastAnswers } from '../../sim/memory/last-answers.ts';
import { PATIENCE_MS } from '../../kit/patience.ts';
import { recordingLog } from '../../kit/queue-under-test.ts';

const USER = trusted<ParticipantName>('app-user');
const RIGHTS: ParticipantRights = {
  ledgerUser: 'tenure',
  actAs: [trusted<Party>('user::1220')],
  readAs: [],
};
const isAway = () => {
  throw new LedgerCallError(new ClientError('/a.B/C', GrpcStatus.UNAVAILABLE, 'no connection'), {
    errorInfo: null,
    unsent: true,
  });
};
const saysNo = () => {
  const error = new ClientError('/a.B/C', GrpcStatus.PERMISSION_DENIED, 'no');
  throw new LedgerCallError(error, { errorInfo: null, unsent: false });
};
const letsNobodyIn = () => {
  throw new TokenError('refused', 'invalid_client');
};

/** Times that are a hundredth of the real ones. */
const PATIENCE = { unknownMs: 300, knownMs: 30, pauseMs: 5, laterMs: 5 };

/** Creates the questions that a process asks when it starts. */
function start(
  last = createMemoryLastAnswers(),
  port = 5001,
  askedAs = 'tenure',
  patience = PATIENCE,
) {
  const log = { ...recordingLog(), debug: () => undefined };
  const questions = new StartQuestions({
    askedOf: (name) => ({ address: `${name}:${port}`, askedAs }),
    last: Promise.resolve(last),
    log,
    signal: new AbortController().signal,
    patience,
  });
  return { questions, last, log };
}

const question = <Answer>(name: string, ask: () => Answer): Question<Answer> => ({
  participant: USER,
  name,
  ask: async () => ask(),
});

/** Returns the answer for which the start waits, and how often the process has asked. */
async function asking(
  { questions }: ReturnType<typeof start>,
  name: string,
  ask: () => unknown,
): Promise<{ readonly what: unknown; readonly asked: number }> {
  let asked = 0;
  const counted = question(name, () => {
    asked += 1;
    return ask();
  });
  const what = await questions.learn(counted).catch((error: unknown) => error);
  return { what, asked };
}

describe('what a start asks of a participant', () => {
  test('is waited for where it was never answered: the participant may be starting as well', async () => {
    let calls = 0;
    const late = () => ((calls += 1) < 20 ? isAway() : RIGHTS);
    const patient = { ...PATIENCE, unknownMs: PATIENCE_MS };
    const { what } = await asking(start(undefined, 5001, 'tenure', patient), 'about', late);
    expect(what).toEqual({ answer: RIGHTS, isFresh: true });
    expect(calls).toBe(20);
  });

  test('ends the start when that takes too long, with the reason in one line', async () => {
    const { what, asked } = await asking(start(), 'about', isAway);
    expect(String(what)).toMatch(
      /^Error: participant app-user at app-user:5001 does not answer: .*no connection\)$/u,
    );
    expect(asked).toBeGreaterThan(1);
  });

  test('is what it answered last, soon and said aloud, where it is away', async () => {
    const before = start();
    for (const name of ['about', 'types']) await asking(before, name, () => [name]);
    const again = start(before.last);
    const first = await asking(again, 'about', isAway);
    expect(first.what).toEqual({ answer: ['about'], isFresh: false });
    // The process asks more than once, because the participant may be reachable again a moment later.
    expect(first.asked).toBeGreaterThan(1);
    const second = await asking(again, 'types', isAway);
    expect(second).toEqual({ what: { answer: ['types'], isFresh: false }, asked: 0 });
    expect(again.log.entries.at(-1)).toMatchObject({
      level: 'warn',
      detail: { participant: USER, question: 'types', answeredAt: expect.any(String) },
    });
  });

  test('is not what another answered, nor what somebody else was answered, nor believed where it says no', async () => {
    const before = start();
    await asking(before, 'about', () => RIGHTS);
    const another = await asking(start(before.last, 5002), 'about', isAway);
    const none = await asking(start(before.last), 'choice', isAway);
    const other = await asking(start(before.last, 5001, 'rotated'), 'about', isAway);
    const unknown = await asking(start(before.last), 'about', saysNo);
    const refused = await asking(start(before.last), 'about', letsNobodyIn);
    for (const { what } of [another, none, other, unknown, refused])
      expect(what).toBeInstanceOf(Error);
  });

  test('is asked later for what a process may do, until there is an answer or nobody waits', async () => {
    const before = start();
    await asking(before, 'about', () => RIGHTS);
    let reads = 0;
    const rights: LedgerRights = {
      of: () => RIGHTS,
      refresh: async () => ((reads += 1) < 4 ? isAway() : RIGHTS),
    };
    const again = start(before.last);
    await asking(again, 'about', isAway);
    await again.questions.catchUp(rights, new AbortController().signal);
    expect(reads).toBe(4);
    // Now every participant has answered this process.
    await before.questions.catchUp(rights, new AbortController().signal);
    expect(reads).toBe(4);
    const over = new AbortController();
    const ending = again.questions.catchUp(
      { ...rights, refresh: async () => isAway() },
      over.signal,
    );
    over.abort();
    await ending;
  });
});
