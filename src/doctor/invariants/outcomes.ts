import type { Change } from '../../domain/change.ts';
import { isOpen } from '../../domain/change.ts';
import { changeOfWorkflow } from '../../domain/ids.ts';
import { isUndecided } from '../../app/engine/doubts/proof.ts';
import { UPDATES_STREAM } from '../../app/ports/streams.ts';
import type { ChangeEvidence, Evidence } from './evidence.ts';
import { cursorOf, isAuditGone } from './evidence.ts';
import type { Trace } from './traces.ts';
import { changesById, tracesOf } from './traces.ts';
import type { Violation } from './violation.ts';

const DEFECT =
  'Compare the operation with the update on the ledger, inform the caller of the effect, and report a defect of Tenure.';

const named = ({ id, commandId, operation }: Change): string =>
  `${operation} ${commandId} (change ${id})`;

const subjectsOf = (change: Change) => ({
  changeId: change.id,
  commandId: change.commandId,
  ...(change.lifecycleId === null ? {} : { lifecycleId: change.lifecycleId }),
});

const isRefused = ({ state }: Change): boolean => !isOpen(state) && state !== 'succeeded';

/** Checks that each update made by Tenure belongs to an operation that was accepted or is still open. */
function* effectsWithoutSuccess(evidence: Evidence): Generator<Violation> {
  const changes = changesById(evidence);
  for (const trace of tracesOf(evidence)) {
    if (trace.changeId === null) continue;
    const entry = changes.get(trace.changeId);
    if (entry === undefined) {
      yield unknownChange(trace);
    } else if (isRefused(entry.change)) {
      yield {
        invariant: 'I3',
        what: `${named(entry.change)} ended as ${entry.change.state}, although update ${trace.updateId} at offset ${trace.offset} is its effect`,
        subjects: { ...subjectsOf(entry.change), updateId: trace.updateId, offset: trace.offset },
        todo: DEFECT,
      };
    }
  }
}

const unknownChange = (trace: Trace): Violation => ({
  invariant: 'I3',
  what: `update ${trace.updateId} at offset ${trace.offset} is the effect of change ${trace.changeId}, but the database has no such change`,
  subjects: {
    changeId: trace.changeId ?? '',
    updateId: trace.updateId,
    offset: trace.offset,
    ...(trace.commandId === '' ? {} : { commandId: trace.commandId }),
  },
  todo: 'Check whether the database was restored from a backup or replaced, or whether a second Tenure runs for the same provider. Operations may be lost.',
});

/**
 * Whether the projection must contain the update that an acceptance names. The projection is complete from the offset
 * `oldest` on.
 */
function mustBeProjected(evidence: Evidence, { change }: ChangeEvidence): boolean {
  const { acceptance, submitter } = change;
  if (acceptance === null || submitter.participant !== evidence.projected) return false;
  const cursor = cursorOf(evidence, UPDATES_STREAM);
  return cursor !== undefined && acceptance.offset > cursor.oldest;
}

/** Whether a person may have decided that the change took effect, because the ledger could not be read back. */
const isDecided = (evidence: Evidence, { change, audit }: ChangeEvidence): boolean =>
  audit.some(({ to }) => to === 'succeeded') || isAuditGone(evidence, change);

function* successesWithoutEffect(evidence: Evidence): Generator<Violation> {
  for (const entry of evidence.changes) {
    const { change, updates } = entry;
    if (change.state !== 'succeeded') continue;
    const { acceptance } = change;
    const subjects = subjectsOf(change);
    if (acceptance === null && updates.length === 0 && !isDecided(evidence, entry)) {
      yield {
        invariant: 'I3',
        what: `${named(change)} has succeeded, but the ledger did not accept the operation and no person decided the outcome`,
        subjects,
        todo: DEFECT,
      };
    }
    if (acceptance === null) continue;
    const { updateId, offset } = acceptance;
    const update = updates.find((row) => row.updateId === updateId);
    if (update === undefined && mustBeProjected(evidence, entry)) {
      yield {
        invariant: 'I3',
        what: `${named(change)} has succeeded by update ${updateId} at offset ${offset}, but the query store does not have this update`,
        subjects: { ...subjects, updateId, offset },
        todo: DEFECT,
      };
    }
    const other = update === undefined ? null : changeOfWorkflow(update.workflowId);
    if (other !== null && other !== change.id) {
      yield {
        invariant: 'I3',
        what: `${named(change)} names update ${updateId} as its effect, but this update is the effect of change ${other}`,
        subjects: { ...subjects, updateId, offset },
        todo: DEFECT,
      };
    }
  }
}

function* refusalsWithoutReason(evidence: Evidence): Generator<Violation> {
  for (const { change, attempts } of evidence.changes) {
    if (!isRefused(change)) continue;
    if (change.error === null && change.state !== 'cancelled') {
      yield {
        invariant: 'I3',
        what: `${named(change)} ended as ${change.state} without a recorded reason`,
        subjects: subjectsOf(change),
        todo: DEFECT,
      };
    }
    const open = change.state === 'cancelled' ? attempts.find(isUndecided) : undefined;
    if (open !== undefined) {
      yield {
        invariant: 'I3',
        what: `${named(change)} was cancelled, but its attempt ${open.n} was never rejected and may still take effect`,
        subjects: { ...subjectsOf(change), submissionId: open.submissionId },
        todo: DEFECT,
      };
    }
    const accepted = attempts.find(({ answer }) => answer?.verdict === 'accepted');
    if (accepted === undefined) continue;
    yield {
      invariant: 'I3',
      what: `${named(change)} ended as ${change.state}, although the ledger accepted attempt ${accepted.n}`,
      subjects: { ...subjectsOf(change), submissionId: accepted.submissionId },
      todo: DEFECT,
    };
  }
}

/** Compares the participants' completions with the recorded outcomes of the attempts. */
function* completionsWithoutOutcome(evidence: Evidence): Generator<Violation> {
  const attempts = new Map(
    evidence.changes.flatMap(({ change, attempts: all }) =>
      all.map((attempt) => [attempt.submissionId, { change, attempt }] as const),
    ),
  );
  for (const stream of evidence.ledger?.completions ?? []) {
    for (const completion of stream.elements) {
      const ours = attempts.get(completion.submissionId);
      if (ours === undefined || completion.updateId === null) continue;
      const { change } = ours;
      const isOther =
        change.acceptance !== null && change.acceptance.updateId !== completion.updateId;
      if (!isRefused(change) && !isOther) continue;
      const became = isOther
        ? `names update ${change.acceptance?.updateId ?? ''}`
        : `ended as ${change.state}`;
      yield {
        invariant: 'I3',
        what: `${stream.participant} accepted ${named(change)} as update ${completion.updateId} at offset ${completion.offset}, but the operation ${became}`,
        subjects: {
          ...subjectsOf(change),
          updateId: completion.updateId,
          submissionId: completion.submissionId,
          offset: completion.offset,
        },
        todo: DEFECT,
      };
    }
  }
}

/** Finds violations of I3: operations with both an effect and a refusal, and ended operations with neither. */
export const withoutOneOutcome = (evidence: Evidence): Violation[] => [
  ...effectsWithoutSuccess(evidence),
  ...successesWithoutEffect(evidence),
  ...refusalsWithoutReason(evidence),
  ...completionsWithoutOutcome(evidence),
];
