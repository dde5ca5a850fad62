import { expect, test } from 'vitest';
import { viewTimeline } from '../../../src/app/desk/timeline.ts';
import type { Attempt } from '../../../src/domain/change.ts';
import { trusted } from '../../../src/domain/ids.ts';
import { change } from './made.ts';

/** Returns an attempt by its number, with the times of its submission and of its answer. */
const attempt = (n: number, at: string, answeredAt: string): Attempt => ({
  changeId: change().id,
  n,
  submissionId: trusted(`submission-${n}`),
  submitter: change().submitter,
  contractId: null,
  at,
  overAt: null,
  answer: {
    at: answeredAt,
    verdict: 'refused',
    ledgerCode: null,
    explanation: 'it was refused',
    offset: null,
  },
});

const told = (attempts: readonly Attempt[]): string[] =>
  viewTimeline({ change: change(), attempts, audit: [], turnAt: null }).map(
    ({ what, attempt: n = '' }) => `${what} ${n}`.trim(),
  );

test.each([
  ['has a coarser time', '2026-01-01T00:00:01.091045Z', '2026-01-01T00:00:01.091Z'],
  ['was told by a clock that is behind', '2026-01-01T00:00:01.500Z', '2026-01-01T00:00:01.000Z'],
])('an answer that %s comes after what it answers', (_what, at, answeredAt) => {
  expect(told([attempt(1, at, answeredAt)])).toEqual(['accepted', 'submitted 1', 'answered 1']);
});

test('attempts and their answers come in the order of their times', () => {
  const first = attempt(1, '2026-01-01T00:00:01.000Z', '2026-01-01T00:00:04.000Z');
  const second = attempt(2, '2026-01-01T00:00:02.000Z', '2026-01-01T00:00:03.000Z');
  expect(told([second, first])).toEqual([
    'accepted',
    'submitted 1',
    'submitted 2',
    'answered 2',
    'answered 1',
  ]);
});
