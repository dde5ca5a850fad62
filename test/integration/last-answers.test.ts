import { expect, test } from 'vitest';
import type { AskedOf } from '../../src/app/ports/last-answers.ts';
import type { ParticipantName } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import { createLastAnswers } from '../../src/store/engine/last-answers.ts';
import { queryOnce } from '../kit/postgres-query.ts';
import { postgresStore } from '../kit/postgres-store.ts';
import { io } from '../kit/store-rows.ts';

/* The last answers of participants. A process uses them if participants are unreachable when it starts. */

const asked = (over: Partial<AskedOf> = {}): AskedOf => ({
  participant: trusted<ParticipantName>('app-user'),
  address: 'localhost:5001',
  askedAs: 'tenure',
  question: 'about',
  ...over,
});

test('the last answer to each question is kept for each address, and forgotten when it is old', async () => {
  await using under = await postgresStore();
  const last = createLastAnswers(under.pool);
  expect(await last.recall(asked(), io())).toBeNull();
  await last.note(asked(), { version: '3.4' }, io());
  await last.note(asked(), { version: '3.5' }, io());
  await last.note(asked({ question: 'types' }), [], io());
  expect(await last.recall(asked(), io())).toEqual({
    answer: { version: '3.5' },
    at: expect.stringMatching(/^\d{4}-/u),
  });
  expect(await last.recall(asked({ address: 'localhost:5002' }), io())).toBeNull();
  expect(await last.recall(asked({ askedAs: 'rotated' }), io())).toBeNull();
  const other = trusted<ParticipantName>('app-provider');
  expect(await last.recall(asked({ participant: other }), io())).toBeNull();

  const age = (days: number) =>
    queryOnce(
      under.url,
      `update participant_answer set answered_at = now() - interval '${days} days' where question = 'about'`,
    );
  await age(89);
  await last.note(asked({ question: 'types' }), [1], io());
  expect(await last.recall(asked(), io())).not.toBeNull();
  await age(91);
  await last.note(asked({ question: 'types' }), [2], io());
  expect(await last.recall(asked(), io())).toBeNull();
});
