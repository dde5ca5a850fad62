import type { ChangeId } from '../../domain/ids.ts';
import { retryIn } from '../../domain/retries.ts';
import type { ChangeEvidence, Evidence } from './evidence.ts';
import { changesById, effectsOf, tracesByChange, tracesOf } from './traces.ts';
import type { Violation } from './violation.ts';

const DEFECT = 'Report a defect of Tenure, and inform the caller of a second effect.';

const keyOfCommand = ({ change, duplicateNo = 0 }: ChangeEvidence) =>
  [change.submitter.actAs, change.commandId, duplicateNo].join('\n');

/** Checks that a command ID of an acting party stands for only one change, even across participants. */
function* commandsWithTwoMeanings({ changes }: Evidence): Generator<Violation> {
  const byKey = Map.groupBy(changes, keyOfCommand);
  for (const found of byKey.values()) {
    const ids = [...new Set(found.map(({ change }) => change.id))];
    const change = found[0]?.change;
    if (ids.length < 2 || change === undefined) continue;
    yield {
      invariant: 'I4',
      what: `command ID ${change.commandId} belongs to ${ids.length} operations of ${change.submitter.actAs}: ${ids.join(', ')}`,
      subjects: { commandId: change.commandId, changeId: change.id },
      todo: DEFECT,
    };
  }
}

function* changesWithTwoEffects(evidence: Evidence): Generator<Violation> {
  const traces = tracesByChange(evidence);
  for (const entry of evidence.changes) {
    const { change, attempts } = entry;
    const subjects = { changeId: change.id, commandId: change.commandId };
    const effects = effectsOf(entry, traces.get(change.id) ?? []);
    if (effects.length > 1) {
      yield {
        invariant: 'I4',
        what: `${change.operation} ${change.commandId} took effect ${effects.length} times, by updates ${effects.join(' and ')}`,
        subjects,
        todo: DEFECT,
      };
    }
    const accepted = attempts.filter(({ answer }) => answer?.verdict === 'accepted');
    if (accepted.length > 1) {
      yield {
        invariant: 'I4',
        what: `the ledger accepted ${accepted.length} attempts of ${change.operation} ${change.commandId}: ${accepted.map(({ n }) => n).join(' and ')}`,
        subjects,
        todo: DEFECT,
      };
    }
  }
}

/** Checks that a change and its retries together have at most one effect. */
function* retriesWithTwoEffects({ changes }: Evidence): Generator<Violation> {
  const succeeded = changes.filter(({ change }) => change.state === 'succeeded');
  const rootOf = ({ change }: Evidence['changes'][number]): ChangeId =>
    retryIn(change.commandId)?.root ?? change.id;
  for (const [root, found] of Map.groupBy(succeeded, rootOf)) {
    if (found.length < 2) continue;
    const names = found.map(({ change }) => change.commandId);
    yield {
      invariant: 'I4',
      what: `change ${root} and its retries took effect ${found.length} times, as ${names.join(' and ')}`,
      subjects: { changeId: root, commandId: names[0] ?? '' },
      todo: DEFECT,
    };
  }
}

/** Checks that the update made for a change carries the change's command ID. */
function* effectsOfAnotherMeaning(evidence: Evidence): Generator<Violation> {
  const changes = changesById(evidence);
  for (const trace of tracesOf(evidence)) {
    const change = trace.changeId === null ? undefined : changes.get(trace.changeId)?.change;
    // Only the submitter of a command sees its command ID, so the trace may lack it.
    if (change === undefined || trace.commandId === '') continue;
    if (trace.commandId === change.commandId) continue;
    yield {
      invariant: 'I4',
      what: `update ${trace.updateId} of ${change.operation} ${change.commandId} carries command ID ${trace.commandId}`,
      subjects: {
        changeId: change.id,
        commandId: change.commandId,
        updateId: trace.updateId,
        offset: trace.offset,
      },
      todo: DEFECT,
    };
  }
}

function* submissionsUsedTwice({ changes }: Evidence): Generator<Violation> {
  const all = new Map(
    changes.flatMap(({ attempts }) =>
      attempts.map((attempt) => [`${attempt.changeId} ${attempt.n}`, attempt] as const),
    ),
  );
  for (const [id, found] of Map.groupBy(all.values(), ({ submissionId }) => submissionId)) {
    if (found.length < 2) continue;
    const of = found.map(({ changeId, n }) => `attempt ${n} of change ${changeId}`);
    yield {
      invariant: 'I4',
      what: `submission ID ${id} belongs to ${of.join(' and ')}`,
      subjects: { submissionId: id },
      todo: DEFECT,
    };
  }
}

/** Finds violations of I4: command IDs that stand for two changes, and changes with two effects. */
export const withTwoMeaningsOrEffects = (evidence: Evidence): Violation[] => [
  ...commandsWithTwoMeanings(evidence),
  ...changesWithTwoEffects(evidence),
  ...retriesWithTwoEffects(evidence),
  ...effectsOfAnotherMeaning(evidence),
  ...submissionsUsedTwice(evidence),
];
