import type { Attempt, AttemptAnswer, Change } from '../../../domain/change.ts';
import { NOT_YET_KNOWN } from '../../../domain/change.ts';
import type { ParticipantName } from '../../../domain/ids.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { isoToMs } from '../../../domain/time.ts';
import type { WallClock } from '../../ports/clocks.ts';
import type { Io } from '../../ports/io.ts';
import type { LedgerGateway } from '../../ports/ledger.ts';
import type { Tx } from '../../ports/transaction.ts';
import type { WorkingSet } from '../lanes/working-set.ts';

/*
 * Computes when an attempt can no longer take effect.
 *
 * When a participant reads a submission, it assigns a ledger time: the time of its own clock, or the ledger time of a
 * used contract, if that is later (Canton, LedgerTimeAwareCommandExecutor). A contract's ledger time is at most the
 * tolerance ahead of the record time of its creation (TimeValidator), and a contract is recorded before it can be used.
 * The sequencer accepts nothing later than ledger time plus tolerance (TransactionProcessingSteps.createSubmission,
 * `maxSequencingTime`). So nothing is sequenced later than two tolerances after it was read. Sequencing time is record
 * time: a stream that has passed that record time has delivered the outcome of the attempt, if there is one.
 *
 * Without an answer, the time of reading is unknown: a participant that was stopped for an hour reads pending
 * submissions when it resumes. But if a call that was sent after the attempt has been answered, the attempt was read
 * before that answer.
 */

/** Maximum time from the beginning of an attempt to the end of its `Submit`. */
export const SENT_WITHIN_MS = LIMITS.registryMs + LIMITS.submitDeadlineMs;

/** Assumptions of the proof. They are settings, because participants do not report these values. */
export interface ProofBounds {
  /** Maximum difference between ledger time and record time: the synchronizer's `ledgerTimeRecordTimeTolerance`. */
  readonly toleranceMs: number;
  /** Maximum difference between the clocks of the database, processes, participants and sequencers. */
  readonly clockDifferenceMs: number;
}

/** A call that a participant has answered. */
export interface Contact {
  /**
   * Synchronizers to which the participant could send as one of our parties. A submission that it had read but not sent
   * cannot be sequenced on any other synchronizer.
   */
  readonly synchronizers: readonly string[];
  /** Attempts whose deadline was before this time were read before the answer was sent. Milliseconds since 1970. */
  readonly sentMs: number;
  /** The record time from which on no submission that was read before the answer can be sequenced. ISO 8601. */
  readonly overAt: string;
}

/** Calls a participant; resolves to `null` if the participant is unreachable. */
export type Hear = (participant: ParticipantName, io: Io) => Promise<Contact | null>;

export const createHear =
  (
    gateway: Pick<LedgerGateway, 'synchronizersForParties'>,
    wallClock: WallClock,
    bounds: ProofBounds,
  ): Hear =>
  async (participant, io) => {
    const sentMs = wallClock.nowMs() - bounds.clockDifferenceMs;
    try {
      const synchronizers = await gateway.synchronizersForParties(participant, io);
      const overMs = wallClock.nowMs() + 2 * bounds.toleranceMs + bounds.clockDifferenceMs;
      return { synchronizers, sentMs, overAt: new Date(overMs).toISOString() };
    } catch {
      return null;
    }
  };

/** Returns whether the attempt may have been accepted. */
export const isUndecided = ({ answer }: Pick<Attempt, 'answer'>): boolean =>
  answer === null || answer.verdict === 'unknown';

/** Returns whether the participant read the attempt before it answered, so that the contact bounds the attempt. */
export const isHeard = ({ at }: Pick<Attempt, 'at'>, { sentMs }: Contact): boolean =>
  Date.parse(at) + SENT_WITHIN_MS <= sentMs;

/** Returns the record time from which on no attempt can take effect; `null` if no attempt is undecided. */
export function proofOf(attempts: readonly Attempt[]): string | null {
  const undecided = attempts.filter(isUndecided);
  const times = undecided.map(({ overAt }) => overAt ?? NOT_YET_KNOWN);
  return times.toSorted((a, b) => isoToMs(b) - isoToMs(a))[0] ?? null;
}

/**
 * Returns whether the streams are complete up to the record time of a proof.
 *
 * @param provenAt record time up to which the streams are complete; `null` if unknown
 */
export const isProven = (proofAt: string, provenAt: string | null): boolean =>
  provenAt !== null && isoToMs(provenAt) >= isoToMs(proofAt);

/** Returns whether the change waits for proof that no attempt took effect. During this wait, no new attempt is made. */
export const isVerifying = ({ verifyAt }: Pick<Change, 'verifyAt'>): boolean => verifyAt !== null;

/**
 * Returns why an attempt of the change may still take effect; `null` once the ledger's time has passed the bound of
 * each undecided attempt.
 */
export async function stillOpen(
  tx: Pick<Tx, 'provenTime'>,
  change: Change,
  attempts: readonly Attempt[],
): Promise<string | null> {
  const proofAt = proofOf(attempts);
  if (proofAt === null) return null;
  const { participant } = change.submitter;
  const provenAt = await tx.provenTime(participant);
  if (isProven(proofAt, provenAt)) return null;
  const { n } = attempts.find(isUndecided) ?? { n: 0 };
  if (proofAt === NOT_YET_KNOWN) {
    return `may still take effect: ${participant} has reported nothing since attempt ${n} was sent`;
  }
  const told =
    provenAt === null
      ? 'the participant has reported no time yet'
      : `the participant has reported everything up to ${provenAt}`;
  return `may still take effect by attempt ${n} until the ledger time passes ${proofAt}: ${told}`;
}

/** Records for each undecided attempt that the streams have passed its bound without delivering an effect. */
export function settleProven(
  ws: Pick<WorkingSet, 'answerAttempt'>,
  attempts: readonly Attempt[],
  { now }: { readonly now: string },
): void {
  for (const { submissionId, overAt } of attempts.filter(isUndecided)) {
    if (overAt !== null) ws.answerAttempt(submissionId, provenRefusal(overAt, now));
  }
}

const provenRefusal = (overAt: string, now: string): AttemptAnswer => ({
  at: now,
  verdict: 'refused',
  ledgerCode: null,
  explanation: `the attempt took no effect: the ledger has reported everything up to ${overAt}, and sequences the attempt no later`,
  offset: null,
  provenAt: overAt,
});
