import type { AcceptedChange } from './participant-state.ts';
import type { DeduplicationPeriod } from './submission.ts';
import type { Rejection, Submitter } from './update.ts';

type ChangeParts = Pick<Submitter, 'userId' | 'commandId' | 'actAs'>;

/** A participant's data for a deduplication check. Times are microseconds. */
export interface DeduplicationView {
  /** The last acceptance of the same change that has not been pruned. */
  readonly accepted: AcceptedChange | undefined;
  readonly now: bigint;
  readonly prunedUpTo: bigint;
  readonly prunedPublishedAt: bigint;
}

export type DeduplicationOutcome =
  /** `deduplicationOffset` is the start (exclusive) of the period that was actually examined. Completions report it. */
  | { readonly kind: 'fresh'; readonly deduplicationOffset: bigint }
  | {
      readonly kind: 'refused';
      readonly deduplicationOffset: bigint;
      readonly rejection: Rejection;
    };

/**
 * Checks whether a change has been accepted within its deduplication period. In offset mode an acceptance counts if its
 * offset is greater than the given one; in duration mode, if it was published within the given duration. Rejected
 * submissions never count, because the view does not contain them.
 */
export function deduplicate(
  changeId: string,
  period: DeduplicationPeriod,
  view: DeduplicationView,
): DeduplicationOutcome {
  const { accepted, prunedUpTo } = view;
  const isDuplicate =
    accepted !== undefined &&
    (period.kind === 'offset'
      ? accepted.offset > period.offset
      : accepted.publishedAt >= view.now - period.micros);
  const deduplicationOffset = accepted?.offset ?? prunedUpTo;
  if (isDuplicate) {
    return { kind: 'refused', deduplicationOffset, rejection: duplicate(changeId, accepted) };
  }
  const rejection = tooEarly(period, view);
  if (rejection !== undefined) return { kind: 'refused', deduplicationOffset, rejection };
  return { kind: 'fresh', deduplicationOffset };
}

/** Refuses a period that begins before pruned data. A long period is refused for no other reason. */
function tooEarly(period: DeduplicationPeriod, view: DeduplicationView): Rejection | undefined {
  if (view.prunedUpTo === 0n) return undefined;
  if (period.kind === 'offset') {
    if (period.offset >= view.prunedUpTo) return undefined;
    return invalidPeriod(
      'earliest_offset',
      'earliest deduplication offset',
      view.prunedUpTo.toString(),
    );
  }
  const longest = view.now - view.prunedPublishedAt;
  if (period.micros < longest) return undefined;
  // The longest period that is still allowed begins one microsecond after the last pruned completion.
  return invalidPeriod(
    'longest_duration',
    'longest deduplication duration',
    durationText(longest - 1n),
  );
}

/**
 * @param key the key of the metadata entry with the permitted period. For durations, a participant's text misspells
 *   this key
 */
const invalidPeriod = (key: string, what: string, allowed: string): Rejection => ({
  code: 'INVALID_DEDUPLICATION_PERIOD',
  text: `Deduplication period starts too early. The error metadata field ${key === 'longest_duration' ? 'longest_duation' : key} contains the ${what} currently allowed.`,
  metadata: { [key]: allowed },
  resources: [],
  definiteAnswer: true,
});

const duplicate = (changeId: string, accepted: AcceptedChange): Rejection => ({
  code: 'DUPLICATE_COMMAND',
  text: 'Command submission already exists.',
  metadata: {
    changeId,
    completion_offset: accepted.offset.toString(),
    accepted: 'true',
    existingSubmissionId: `Some(${accepted.submissionId})`,
  },
  resources: [],
  definiteAnswer: true,
});

/** Returns a duration in ISO-8601, such as `PT12.5S`. */
function durationText(micros: bigint): string {
  const clamped = micros < 0n ? 0n : micros;
  const fraction = (clamped % 1_000_000n).toString().padStart(6, '0').replace(/0+$/, '');
  return `PT${clamped / 1_000_000n}${fraction === '' ? '' : `.${fraction}`}S`;
}

/** Returns the change ID in the form that error metadata contains. */
export const changeIdText = ({ userId, commandId, actAs }: ChangeParts): string =>
  `ChangeId(${userId},${commandId},Set(${[...actAs].sort().join(', ')}))`;
