import { originOf } from '../../domain/automatic.ts';
import type { Attempt, Change } from '../../domain/change.ts';
import type { JsonRecord } from '../../domain/json.ts';
import { retryIn } from '../../domain/retries.ts';
import { isoToMs } from '../../domain/time.ts';
import { attemptView } from './operation-view.ts';
import type { AuditEntry } from '../ports/writes.ts';

/** Returns an attempt in the form shown to operators, with the payer and the cost. */
export const opsAttemptView = (attempt: Attempt): JsonRecord => {
  const { submitter, contractId, answer } = attempt;
  return {
    ...attemptView(attempt),
    ...(answer === null ? {} : { answeredAt: answer.at }),
    participant: submitter.participant,
    actAs: submitter.actAs,
    ...(contractId === null ? {} : { contractId }),
    ...(answer?.cost === undefined ? {} : { cost: Number(answer.cost) }),
  };
};

/** The data from which a change's timeline is made. */
export interface Known {
  readonly change: Change;
  readonly attempts: readonly Attempt[];
  readonly audit: readonly AuditEntry[];
  /** When the change reached the head of its lane. ISO 8601. */
  readonly turnAt: string | null;
}

/** `what` is `accepted`, `queued`, `submitted`, `answered`, `finished`, or the act of a person. */
export interface TimelineEntry {
  readonly at: string;
  readonly what: string;
  readonly detail: string;
  readonly attempt?: number;
}

function askedBy(change: Change): string {
  const origin = originOf(change);
  const { callerSubject, callerParty } = change;
  return origin === null || retryIn(change.commandId) !== null
    ? `${callerSubject} requested the operation for ${callerParty}`
    : `version ${origin.version} of the ${origin.name} policy requested the operation: ${origin.reason}`;
}

const triesBefore = ({ unsent }: Attempt): string =>
  unsent === undefined ? '' : `, after ${unsent.tries} unsent retries since ${unsent.since}`;

const ofAttempt = (attempt: Attempt): TimelineEntry[] => {
  const { n, at, submissionId, submitter, answer } = attempt;
  const detail = `to ${submitter.participant} as ${submissionId}${triesBefore(attempt)}`;
  return [
    { at, what: 'submitted', detail, attempt: n },
    ...(answer === null
      ? []
      : [
          {
            at: answer.at,
            what: 'answered',
            detail: `${answer.verdict}: ${answer.explanation}`,
            attempt: n,
          },
        ]),
  ];
};

/** Sorts entries by time. An answer comes after its submission, even if its time is inexact or from another clock. */
function inOrder(entries: readonly TimelineEntry[]): TimelineEntry[] {
  const msOf = ({ at }: TimelineEntry): number => Math.floor(isoToMs(at));
  const sentMs = new Map(
    entries.filter(({ what }) => what === 'submitted').map((entry) => [entry.attempt, msOf(entry)]),
  );
  const placeOf = (entry: TimelineEntry): number =>
    entry.what === 'answered' ? Math.max(msOf(entry), sentMs.get(entry.attempt) ?? 0) : msOf(entry);
  return entries.toSorted((a, b) => placeOf(a) - placeOf(b));
}

const ofPerson = ({ at, act, bySubject, reason }: AuditEntry): TimelineEntry => ({
  at,
  what: act,
  detail: `${bySubject}: ${reason}`,
});

/**
 * Returns the timeline of a change. The acceptance comes first and the end last, even if the clocks of the processes
 * that recorded them disagree.
 */
export function viewTimeline({ change, attempts, audit, turnAt }: Known): TimelineEntry[] {
  const { acceptedAt, finishedAt, state, error } = change;
  const between = inOrder([
    ...(turnAt === null
      ? []
      : [{ at: turnAt, what: 'queued', detail: 'first in the mailbox, waiting for a worker' }]),
    ...attempts.flatMap(ofAttempt),
    ...audit.map(ofPerson),
  ]);
  const ended = error === null ? state : `${state}: ${error.message}`;
  return [
    { at: acceptedAt, what: 'accepted', detail: askedBy(change) },
    ...between,
    ...(finishedAt === null ? [] : [{ at: finishedAt, what: 'finished', detail: ended }]),
  ];
}
