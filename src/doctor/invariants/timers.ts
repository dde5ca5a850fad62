import { firingOf } from '../../domain/automatic.ts';
import { isoToMs } from '../../domain/time.ts';
import type { ChangeEvidence, Evidence } from './evidence.ts';
import type { Violation } from './violation.ts';

const DEFECT = 'Report a defect of the relay or of the scheduler (role clock).';

function* badFirings({ observed }: Evidence): Generator<Violation> {
  const seen = new Map<string, string>();
  for (const { timer, number, dueAt, at, life } of observed?.firings ?? []) {
    if (isoToMs(at) < isoToMs(dueAt)) {
      yield {
        invariant: 'I9',
        what: `timer ${timer} fired at ${at}, before its due time ${dueAt}`,
        subjects: { timer },
        todo: DEFECT,
      };
    }
    const key = `${timer} ${number} ${life}`;
    const before = seen.get(key);
    if (before !== undefined) {
      yield {
        invariant: 'I9',
        what: `timer ${timer} fired twice as number ${number}, at ${before} and at ${at}`,
        subjects: { timer },
        todo: DEFECT,
      };
    }
    seen.set(key, at);
  }
}

/**
 * Checks the rows of effects, without an observer's records. If a worker was killed, its job runs again under the same
 * dispatch number, so there may be more attempts than dispatches; but an attempt without any dispatch is a fault.
 */
function* badEffects({ changes }: Evidence): Generator<Violation> {
  for (const { change, attempts, effect } of changes) {
    const subjects = { changeId: change.id, commandId: change.commandId };
    const name = `${change.operation} ${change.commandId}`;
    if (attempts.length > 0 && (effect === null || effect.dispatchNo === 0)) {
      yield {
        invariant: 'I9',
        what: `${name} was submitted although its effect was never dispatched`,
        subjects,
        todo: DEFECT,
      };
    }
    const wrong = attempts.find(({ n }, i) => n !== i + 1);
    if (wrong !== undefined) {
      yield {
        invariant: 'I9',
        what: `the attempts of ${name} are not numbered from 1 without a gap: ${attempts.map(({ n }) => n).join(', ')}`,
        subjects,
        todo: DEFECT,
      };
    }
    if (change.state === 'queued' && effect !== null) {
      yield {
        invariant: 'I9',
        what: `${name} waits in its mailbox, although its effect ${effect.id} may be dispatched`,
        subjects,
        todo: DEFECT,
      };
    }
    if (change.finishedAt !== null && effect !== null && effect.doneAt === null) {
      yield {
        invariant: 'I9',
        what: `${name} ended as ${change.state}, although its effect ${effect.id} is still due`,
        subjects,
        todo: DEFECT,
      };
    }
  }
}

/**
 * Whether the change ended without an effect. This includes a change that a person decided to be successful and that
 * has no update.
 */
const isWithoutEffect = ({ change: { state, acceptance }, updates }: ChangeEvidence): boolean =>
  state === 'succeeded'
    ? acceptance === null && updates.length === 0
    : state === 'rejected' || state === 'failed' || state === 'cancelled';

/**
 * Checks that a policy requests a further change for a lapse only after the previous one ended without effect. Compares
 * command IDs, so the state of the timer does not matter.
 */
function* badPolicyFirings({ changes }: Evidence): Generator<Violation> {
  const firings = changes.flatMap((entry) => {
    const firing = firingOf(entry.change.commandId);
    return firing === null ? [] : [{ entry, firing }];
  });
  const byLapse = Map.groupBy(
    firings,
    ({ firing: { step, lifecycleId, lapsesAt } }) => `${step} ${lifecycleId} ${lapsesAt}`,
  );
  for (const found of byLapse.values()) {
    const inOrder = found.toSorted((a, b) => a.firing.generation - b.firing.generation);
    for (const [place, { entry, firing }] of inOrder.entries()) {
      const next = inOrder[place + 1]?.entry.change;
      if (next === undefined || isWithoutEffect(entry)) continue;
      const { commandId, state } = entry.change;
      yield {
        invariant: 'I9',
        what: `the timer of ${firing.lifecycleId} fired again as ${next.commandId} although ${commandId} is ${state}`,
        subjects: { changeId: next.id, commandId: next.commandId },
        todo: DEFECT,
      };
    }
  }
}

/** Finds violations of I9: timers and effects that fired early, twice, or without being due. */
export const firedWrongly = (evidence: Evidence): Violation[] => [
  ...badFirings(evidence),
  ...badEffects(evidence),
  ...badPolicyFirings(evidence),
];
