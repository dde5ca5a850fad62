import type { Attempt, AttemptAnswer, Change } from '../../domain/change.ts';
import { NOT_YET_KNOWN } from '../../domain/change.ts';
import type { ParticipantName } from '../../domain/ids.ts';
import { LIMITS } from '../../domain/limits.ts';
import { isoToMs } from '../../domain/time.ts';
import type { WallClock } from '../ports/clocks.ts';
import type { Io } from '../ports/io.ts';
import type { LedgerGateway } from '../ports/ledger.ts';
import type { Tx } from '../ports/transaction.ts';
import type { WorkingSet } from './working-set.ts';

/*
 * When nothing of an attempt can take effect any more.
 *
 * A participant gives a submission its ledger time when it reads it: its own clock, or the ledger time of a contract
 * that is used, if that is later (Canton, LedgerTimeAwareCommandExecutor). A contract's ledger time is at most the
 * tolerance ahead of the record time of its creation (TimeValidator), and it was recorded before it could be used. The
 * sequencer takes nothing later than ledger time plus tolerance (TransactionProcessingSteps.createSubmission,
 * `maxSequencingTime`). So nothing is sequenced later than two tolerances after it was read. Sequencing time is record
 * time: whoever has been told everything up to that record time has been told of the attempt, if there is anything to
 * tell.
 *
 * When it was read is not known where no answer came: a participant that was stopped reads what it was sent when it
 * goes on, an hour later. But a call that was sent after the attempt and was answered was read later than the attempt.
 */

/** From the beginning of an attempt to the end of its `Submit`. */
export const SENT_WITHIN_MS = LIMITS.registryMs + LIMITS.submitDeadlineMs;

/** What the proof takes for granted. Settings, because no participant can be asked for them. */
export interface ProofBounds {
  /** How far ledger time and record time may be apart: the synchronizer's `ledgerTimeRecordTimeTolerance`. */
  readonly toleranceMs: number;
  /** How far the clocks of database, processes, participants and sequencers may be apart. */
  readonly clockDifferenceMs: number;
}

/** A call that a participant has answered. */
export interface Contact {
  /** Those on which it could send as one of our parties: what it had read and not sent can be sequenced on no other. */
  readonly synchronizers: readonly string[];
  /** Every attempt whose deadline was before it was read before the answer. Milliseconds since 1970. */
  readonly sentMs: number;
  /** The record time from which on nothing can be sequenced that was read before the answer. ISO 8601. */
  readonly overAt: string;
}

/** Asks a participant something, so that it is heard; `null` where it cannot be asked. */
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

/** It may have been accepted. */
export const isUndecided = ({ answer }: Pick<Attempt, 'answer'>): boolean =>
  answer === null || answer.verdict === 'unknown';

/** After the contact it is known until when something may still come of the attempt. */
export const isHeard = ({ at }: Pick<Attempt, 'at'>, { sentMs }: Contact): boolean =>
  Date.parse(at) + SENT_WITHIN_MS <= sentMs;

/** The record time from which on nothing of any of the attempts can take effect; `null` when none is undecided. */
export function proofOf(attempts: readonly Attempt[]): string | null {
  const undecided = attempts.filter(isUndecided);
  const times = undecided.map(({ overAt }) => overAt ?? NOT_YET_KNOWN);
  return times.toSorted((a, b) => isoToMs(b) - isoToMs(a))[0] ?? null;
}

/** @param provenAt up to which record time everything has been told, `null` where that is not known */
export const isProven = (proofAt: string, provenAt: string | null): boolean =>
  provenAt !== null && isoToMs(provenAt) >= isoToMs(proofAt);

/** It is being made sure that no attempt took effect: until then there is no new one. */
export const isVerifying = ({ verifyAt }: Pick<Change, 'verifyAt'>): boolean => verifyAt !== null;

export const NOT_VERIFYING = { verifyAt: null, proofAt: null, pendingRefusal: null } as const;

/**
 * Why something may still come of the attempts of a change, in words; `null` once the ledger's own time has passed the
 * bound of each undecided one.
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
    return `may take effect: ${participant} has not been heard since attempt ${n} was sent`;
  }
  const told = provenAt === null ? 'nothing is told yet' : `everything is told up to ${provenAt}`;
  return `may take effect by attempt ${n} until the ledger’s time has passed ${proofAt}: ${told}`;
}

/** Writes down of each undecided attempt that the streams have passed its bound without it. */
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
  explanation: `it took no effect: everything up to ${overAt} has been told, and later it cannot be taken`,
  offset: null,
  provenAt: overAt,
});
