import { isOpen } from '../../domain/change.ts';
import type { HistoryEntry, Lifecycle } from '../../domain/lifecycle.ts';
import { step } from '../../../machines/stepping.ts';
import type { Circumstances, LifecycleDescription } from '../../../machines/machine-kit.ts';
import type { ContractModel } from '../../app/contract/model.ts';
import type { Evidence, LifecycleEvidence } from './evidence.ts';
import { isAuditGone } from './evidence.ts';
import type { Violation } from './violation.ts';

const DEFECT =
  'Rows were changed manually, or Tenure wrote a step without its audit row. Keep a copy of the database for analysis, and report a defect of Tenure.';

const wrong = (lifecycle: Lifecycle, what: string): Violation => ({
  invariant: 'I11',
  what: `lifecycle ${lifecycle.id} ${what}`,
  subjects: { lifecycleId: lifecycle.id, contractId: lifecycle.contractId },
  todo: DEFECT,
});

/** Checks that a history line names either a caller and the caller's command, or an offset of the ledger. */
function* unsigned(lifecycle: Lifecycle, line: HistoryEntry): Generator<Violation> {
  if (line.kind === '')
    yield wrong(lifecycle, `became version ${line.seq}, but the audit row has no reason`);
  const isByCaller = line.by !== null && line.commandId !== null;
  const isByLedger = line.offset !== null;
  if (isByCaller || isByLedger) return;
  yield wrong(
    lifecycle,
    `became version ${line.seq} by ${line.kind}, but the audit row names no caller`,
  );
}

/**
 * Two extreme cases of the values on which guards depend, used because a history line does not record these values.
 * Every guard permits its step in one of the two cases. Whether it did so at the recorded time is judged by the
 * invariants that know ledger time.
 */
const CIRCUMSTANCES: readonly Circumstances[] = [
  { nowMs: 0, certainMs: 0, around: [], body: {} },
  { nowMs: Number.MAX_SAFE_INTEGER, certainMs: 0, around: [], body: {} },
];

/** Whether a rebuild wrote the line: it adopts the ledger's state even if the machine has no such step. */
const isCorrection = ({ kind }: HistoryEntry): boolean => kind === 'ledger.corrected';

/** Whether the machine has a step from the state of one line to the state of the next line. */
function leads(
  description: LifecycleDescription,
  lifecycle: Lifecycle,
  from: string,
  line: HistoryEntry,
): boolean {
  const at = { ...lifecycle, state: from };
  const action = description.actions.find(({ event }) => event === line.kind);
  return CIRCUMSTANCES.some((now) => {
    const event = { ...action?.fields?.(now), type: line.kind, changeId: '' };
    return step(description, at, event)?.snapshot.state === line.state;
  });
}

/**
 * Returns the current lines of a lifecycle. After a rebuild, the history begins again at version 1 but keeps its older
 * lines, so a version may have several lines, of which the last counts.
 */
function currentLines({ history }: LifecycleEvidence): {
  readonly lines: readonly HistoryEntry[];
  readonly isRebuilt: boolean;
} {
  const bySeq = Map.groupBy(history, ({ seq }) => seq);
  const lines = [...bySeq.values()].flatMap((found) => found.at(-1) ?? []);
  return { lines, isRebuilt: [...bySeq.values()].some((found) => found.length > 1) };
}

function* brokenChain(model: ContractModel, entry: LifecycleEvidence): Generator<Violation> {
  const { lifecycle, fromBirth, toNow } = entry;
  const { lines, isRebuilt } = currentLines(entry);
  const { description } = model.lifecycle(lifecycle.kind);
  const isSameMachine = lifecycle.machineVersion === description.version;
  let last: HistoryEntry | undefined;
  for (const line of lines) {
    if (line.seq > lifecycle.version && isRebuilt) break;
    yield* unsigned(lifecycle, line);
    if (last === undefined) {
      if (fromBirth && line.seq !== 1) {
        yield wrong(
          lifecycle,
          `has no audit row of its creation: the first audit row is of version ${line.seq}`,
        );
      }
    } else if (line.seq !== last.seq + 1) {
      yield wrong(lifecycle, `has no audit row between versions ${last.seq} and ${line.seq}`);
    } else if (
      isSameMachine &&
      !isRebuilt &&
      !isCorrection(line) &&
      !leads(description, lifecycle, last.state, line)
    ) {
      yield wrong(
        lifecycle,
        `changed from ${last.state} to ${line.state} by ${line.kind} in version ${line.seq}, but its state machine has no such transition`,
      );
    }
    last = line;
  }
  if (toNow) yield* brokenEnd(lifecycle, last);
}

/** Checks that the last history line and the lifecycle's row agree. */
function* brokenEnd(lifecycle: Lifecycle, last: HistoryEntry | undefined): Generator<Violation> {
  if (last?.seq !== lifecycle.version) {
    yield wrong(
      lifecycle,
      `is at version ${lifecycle.version}, but its last audit row is of version ${last?.seq ?? 0}`,
    );
    return;
  }
  if (last.state !== lifecycle.state) {
    yield wrong(
      lifecycle,
      `is ${lifecycle.state}, but its last audit row has the state ${last.state}`,
    );
  }
  if (last.contractId !== lifecycle.contractId) {
    yield wrong(
      lifecycle,
      `has the contract ${lifecycle.contractId}, but its last audit row has the contract ${last.contractId ?? 'none'}`,
    );
  }
}

/**
 * Checks that each submitted change has moved its lifecycle to another state, and that the history line of that step
 * names the command.
 */
function* unsignedChanges(evidence: Evidence): Generator<Violation> {
  const { changes, model } = evidence;
  for (const { change, attempts, history, audit } of changes) {
    const subjects = { changeId: change.id, commandId: change.commandId };
    const { action, kind } = model.operation(change.operation);
    const isFinal = !isOpen(change.state);
    const isGone = isAuditGone(evidence, change);
    if (isFinal && (change.finishedAt === null || change.callerParty === '')) {
      yield {
        invariant: 'I11',
        what: `${change.operation} ${change.commandId} ended as ${change.state}, but its caller or its end time is not recorded`,
        subjects,
        todo: DEFECT,
      };
    }
    if (change.state === 'cancelled' && !isGone && !audit.some(({ act }) => act === 'cancelled')) {
      yield {
        invariant: 'I11',
        what: `${change.operation} ${change.commandId} was cancelled, but the person and the reason are not recorded`,
        subjects,
        todo: DEFECT,
      };
    }
    const code: string | undefined = change.error?.code;
    if (code === 'DECIDED_NO_EFFECT' && !isGone && !audit.some(({ to }) => to === change.state)) {
      yield {
        invariant: 'I11',
        what: `a person decided that ${change.operation} ${change.commandId} took no effect, but the person and the reason are not recorded`,
        subjects,
        todo: DEFECT,
      };
    }
    if (action === null || kind === null || model.isAside(change.operation)) continue;
    if (attempts.length === 0 || change.lifecycleId === null) continue;
    const event = model
      .lifecycle(kind)
      .description.actions.find(({ name }) => name === action)?.event;
    const line = history.find((found) => found.kind === event);
    if (line?.by === change.callerParty) continue;
    yield {
      invariant: 'I11',
      what: `${change.operation} ${change.commandId} changed lifecycle ${change.lifecycleId}, but its history ${line === undefined ? 'has no row of this operation' : `names ${line.by ?? 'no caller'} instead of ${change.callerParty}`}`,
      subjects: { ...subjects, lifecycleId: change.lifecycleId },
      todo: DEFECT,
    };
  }
}

/** Finds violations of I11: state changes without a history line that names the author and the reason. */
export const withoutAudit = (evidence: Evidence): Violation[] => [
  ...evidence.lifecycles.flatMap((entry) => [...brokenChain(evidence.model, entry)]),
  ...unsignedChanges(evidence),
];
