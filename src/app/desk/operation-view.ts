import type { PolicyOrigin } from '../../domain/automatic.ts';
import { originOf } from '../../domain/automatic.ts';
import type { Attempt, Change, ChangeResult, WaitingFor } from '../../domain/change.ts';
import { isOpen } from '../../domain/change.ts';
import type { JsonRecord } from '../../domain/json.ts';
import type { Pause } from '../../domain/pause.ts';
import type { ProblemDetails } from '../../domain/problems.ts';
import { retryIn } from '../../domain/retries.ts';
import { orParticipant, waitSince } from '../engine/lanes/participant-wait.ts';
import { UPDATES_STREAM } from '../ports/streams.ts';
import type { Io } from '../ports/io.ts';
import type { Reads } from '../ports/reads.ts';

/**
 * Returns an attempt in the form shown to callers. `offset` is the text of a JSON number, because offsets may exceed
 * 2^53.
 */
export const attemptView = (attempt: Attempt): JsonRecord => ({
  n: attempt.n,
  submissionId: attempt.submissionId,
  at: attempt.at,
  ...(attempt.unsent === undefined
    ? {}
    : { tries: attempt.unsent.tries + 1, since: attempt.unsent.since }),
  answer: attempt.answer?.verdict ?? 'pending',
  explanation: attempt.answer?.explanation ?? 'the participant has not answered yet',
  ...(attempt.answer?.ledgerCode == null ? {} : { ledgerCode: attempt.answer.ledgerCode }),
  ...(attempt.answer?.offset == null ? {} : { offset: Number(attempt.answer.offset) }),
});

const waitingView = (waiting: WaitingFor): JsonRecord => ({ ...waiting });

/** Names the state of a participant as the cause of a wait. A foreign ledger comes before all other causes. */
async function orCause(reads: Reads, change: Change, waiting: WaitingFor, io: Io) {
  const causes = await reads.participantCauses(io);
  const found = causes.find(
    ({ kind, participant, stream }) =>
      kind === 'foreign' &&
      (participant === change.submitter.participant ||
        (stream === UPDATES_STREAM && waiting.kind === 'projection')),
  );
  if (found === undefined || change.state === 'in-doubt') {
    return orParticipant(reads, causes, change, waiting, io);
  }
  const { participant, detail, since } = found;
  return {
    kind: 'foreign' as const,
    detail: `Tenure sends nothing to participant ${participant} until an operator acts: ${detail}`,
    since: waitSince(since, waiting),
  };
}

/**
 * Returns the wait for a pause. A pause is not stored with the changes that it holds back, because it ends for all of
 * them at once.
 */
export function pauseWait(pause: Pause, waiting: WaitingFor): WaitingFor {
  const { scope, name, mode, since, bySubject, reason } = pause;
  const verb = mode === 'pause' ? 'paused' : 'drained';
  return {
    kind: 'pause',
    detail: `${scope} ${name} is ${verb} by ${bySubject}: ${reason}`,
    since: waitSince(since, waiting),
  };
}

async function orPause(reads: Reads, change: Change, waiting: WaitingFor, io: Io) {
  const pause = change.state === 'in-doubt' ? null : await reads.pauseOf(change.id, io);
  return pause === null ? orCause(reads, change, waiting, io) : pauseWait(pause, waiting);
}

/** Returns what a change waits for. A queued change waits for the change that is before it now. */
async function waitingFor(reads: Reads, change: Change, io: Io): Promise<WaitingFor | null> {
  if (!isOpen(change.state)) return null;
  if (change.waitingFor === null) return null;
  if (change.state !== 'queued') return orPause(reads, change, change.waitingFor, io);
  const [place, head] = await Promise.all([
    reads.placeInMailbox(change, io),
    reads.headOf(change.lane, io),
  ]);
  // The command ID is shown only if it is the same party's.
  const named = head?.callerParty === change.callerParty ? ` ${head.commandId}` : '';
  const behind = head === null ? '' : ` behind ${head.operation}${named}`;
  const doubted = head?.state === 'in-doubt' ? ', which waits for an operator to decide it' : '';
  return { ...change.waitingFor, detail: `place ${place} in the mailbox${behind}${doubted}` };
}

/** A related change, in the form shown to callers. */
interface RelatedChange {
  readonly id: string;
  readonly commandId: string;
  readonly state: string;
}

const policyView = ({ name, version, reason }: PolicyOrigin): JsonRecord => ({
  name,
  version,
  reason,
});

const related = ({ id, commandId, state }: Change): RelatedChange => ({ id, commandId, state });

/** Returns the change that this one retries, and its own retries. */
async function retriesView(
  reads: Reads,
  change: Change,
  io: Io,
): Promise<Pick<OperationView, 'retryOf' | 'retriedAs'>> {
  const ref = retryIn(change.commandId);
  // Only a change that ended without an effect can be retried.
  const hasRetries = !isOpen(change.state) && change.state !== 'succeeded';
  const [roots, retries] = await Promise.all([
    ref === null ? [] : reads.changesById([ref.root], io),
    hasRetries ? reads.retriesOf(ref?.root ?? change.id, io) : [],
  ]);
  const later = retries.filter((retry) => (retryIn(retry.commandId)?.n ?? 0) > (ref?.n ?? 0));
  return {
    ...(roots[0] === undefined ? {} : { retryOf: related(roots[0]) }),
    ...(later.length === 0 ? {} : { retriedAs: later.map(related) }),
  };
}

export interface OperationView {
  readonly id: string;
  readonly commandId: string;
  readonly operation: string;
  readonly lifecycleId: string | null;
  readonly state: string;
  readonly acceptedAt: string;
  readonly finishedAt?: string;
  /** The policy that requested the operation, if any. */
  readonly policy?: JsonRecord;
  readonly waitingFor?: JsonRecord;
  readonly attempts: readonly JsonRecord[];
  readonly result?: ChangeResult;
  readonly error?: ProblemDetails;
  readonly retryOf?: RelatedChange;
  /** The retries, the oldest first. */
  readonly retriedAs?: readonly RelatedChange[];
}

/**
 * Returns the view of one operation, with its attempts and, while it is open, the reason for its wait.
 *
 * @param known the operation's attempts, if they have already been read
 */
export async function viewOperation(
  reads: Reads,
  change: Change,
  io: Io,
  known?: readonly Attempt[],
): Promise<OperationView> {
  const [attempts, waiting, retries] = await Promise.all([
    known ?? reads.attempts(change.id, io),
    waitingFor(reads, change, io),
    retriesView(reads, change, io),
  ]);
  const origin = originOf(change);
  return {
    id: change.id,
    commandId: change.commandId,
    operation: change.operation,
    lifecycleId: change.lifecycleId,
    state: change.state,
    acceptedAt: change.acceptedAt,
    ...(change.finishedAt === null ? {} : { finishedAt: change.finishedAt }),
    ...(origin === null ? {} : { policy: policyView(origin) }),
    ...(waiting === null ? {} : { waitingFor: waitingView(waiting) }),
    attempts: attempts.map(attemptView),
    ...(change.result === null ? {} : { result: change.result }),
    ...(change.error === null ? {} : { error: change.error }),
    ...retries,
  };
}
