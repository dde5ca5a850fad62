import { expect, test } from 'vitest';
import { trusted } from '../../../src/domain/ids.ts';
import type { ParticipantName } from '../../../src/domain/ids.ts';
import type {
  HealthCause,
  HealthSign,
  HealthState,
} from '../../../src/domain/participant-health.ts';
import {
  CIRCUIT_REASONS,
  HEALTH_STATES,
  healthAfter,
  isClosedBy,
  isProbed,
  outlasts,
  worstOf,
} from '../../../src/domain/participant-health.ts';

const SIGNS = [
  'other-ledger',
  'same-ledger',
  'not-reached',
  'not-paid',
  'overloaded',
  'answered',
  'sequenced',
  'rested',
  'late',
  'idle',
  'timely',
] as const satisfies readonly HealthSign[];

/** The states after each sign, in the order of `SIGNS`; a dot is the state before. */
const TABLE: Readonly<Record<HealthState, string>> = {
  reachable: 'foreign . unreachable out-of-traffic slow . . . behind quiet .',
  quiet: 'foreign . unreachable out-of-traffic slow . . . behind . reachable',
  behind: 'foreign . unreachable out-of-traffic slow . . . . quiet reachable',
  slow: 'foreign . unreachable out-of-traffic . . . reachable . . .',
  'out-of-traffic': 'foreign . unreachable . . . reachable . . . .',
  unreachable: 'foreign . . out-of-traffic . reachable reachable . . . .',
  foreign: '. reachable . . . . . . . . .',
};

test.each(HEALTH_STATES)('every sign changes the state %s as the table says', (state) => {
  const after = SIGNS.map((sign) => healthAfter(state, sign));
  expect(after.map((next) => (next === state ? '.' : next)).join(' ')).toBe(TABLE[state]);
});

test('only an overload ends by itself, and no overload replaces a circuit that needs a probe', () => {
  expect(CIRCUIT_REASONS.filter((reason) => !isProbed(reason))).toEqual(['busy']);
  const pairs = CIRCUIT_REASONS.flatMap((one) =>
    CIRCUIT_REASONS.filter((other) => outlasts(one, other)).map((other) => `${one} ${other}`),
  );
  expect(pairs).toEqual(['traffic busy', 'unreachable busy']);
});

test('any answer shows that a participant is reached, and only a sequenced attempt that it can pay', () => {
  const closed = (reached: 'nobody' | 'participant' | 'network') =>
    CIRCUIT_REASONS.filter((reason) => isClosedBy(reason, reached));
  expect(closed('nobody')).toEqual([]);
  expect(closed('participant')).toEqual(['unreachable']);
  expect(closed('network')).toEqual(['traffic', 'unreachable']);
});

test('of several causes the worst one is the participant’s', () => {
  const cause = (kind: HealthCause, name = 'one') => {
    return {
      participant: trusted<ParticipantName>(name),
      kind,
      since: '',
      detail: '',
      stream: null,
    };
  };
  const causes = [cause('quiet'), cause('traffic'), cause('replay'), cause('foreign', 'two')];
  expect(worstOf(causes, 'one')?.kind).toBe('traffic');
  expect(worstOf(causes, 'two')?.kind).toBe('foreign');
  expect(worstOf(causes, 'three')).toBeUndefined();
});
