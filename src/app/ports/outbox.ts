import type { Change } from '../../domain/change.ts';
import { errorText } from '../../domain/error-text.ts';
import type { EffectId, LaneId, ParticipantName, Party, SubmissionId } from '../../domain/ids.ts';
import type { Lifecycle } from '../../domain/lifecycle.ts';
import type { CircuitReason } from '../../domain/pause.ts';
import type { Io } from './io.ts';

/** Told of submissions as they are made. */
export interface SubmissionObserver {
  /**
   * An attempt is committed, and nothing of it is sent yet.
   *
   * @returns the `traceparent` that its submission continues
   */
  begun(started: StartedAttempt): string;
}

/** A queue did not take its effects, while others took theirs. */
export class NotAllPutError extends Error {
  override readonly name = 'NotAllPutError';
  readonly refused: readonly EffectId[];
  constructor(refused: readonly EffectId[], cause: unknown) {
    super(`the queue took all but ${refused.length} effects: ${errorText(cause)}`, { cause });
    this.refused = refused;
  }
}

export interface Dispatched {
  readonly id: EffectId;
  readonly dispatchNo: number;
  readonly lane: LaneId;
  /** Who asked for its change, and of which provider. */
  readonly party: Party;
  readonly provider: Party;
}

/** The relay's side of the outbox. */
export interface Outbox {
  /**
   * Takes effects that are due, calls `put` while holding them, and marks them dispatched; if `put` throws,
   * nothing is marked and they stay due. What is paused, or of a foreign ledger, is put aside, and what is of a
   * participant that is left alone is put off, but for the one probe.
   *
   * Where more is due than may be taken, providers take turns, and the callers of each: one that asks for very much
   * holds up itself.
   *
   * @param put told on how many queues the effects are to be shared out, which stays so until it has ended. What it
   * names by a `NotAllPutError` is due again soon, and the rest is dispatched. Told as well whether each is to be a job
   * of its own, for a worker of an earlier version
   * @returns how many it has taken, whatever became of them
   */
  dispatchDue(
    limit: number,
    put: (effects: readonly Dispatched[], shards: number, isApart: boolean) => Promise<void>,
    io: Io,
  ): Promise<number>;
  /** Milliseconds until the nearest effect is due; `null` when none waits. */
  nextDueInMs(io: Io): Promise<number | null>;
  /**
   * Commits an attempt row for the change behind a dispatched effect, or answers `null` when there is nothing to submit
   * any more, or not now: the change has ended, a later dispatch has taken over, its ledger is foreign, or its
   * participant cannot be reached.
   *
   * @param isReached it has just answered what was asked of it: see `putOff`
   */
  startAttempt(
    effect: EffectId,
    dispatchNo: number,
    submissionId: SubmissionId,
    io: Io,
    isReached?: boolean,
  ): Promise<StartedAttempt | null>;
  /**
   * Claims many together, in one transaction that waits for no lock: each as `startAttempt` would. These are to be
   * claimed apart from the others, with nothing committed of them: what another transaction is busy with, the second
   * delivery of one effect, and all of them where one makes the transaction fail.
   *
   * @throws what says that the database does not serve, as `startAttempt` does; they may be committed all the same
   */
  startAttempts(claims: readonly Claim[], io: Io): Promise<readonly Claimed[]>;
  /**
   * Puts a dispatched effect off whose participant cannot be reached, unless it is the one that was let through to find
   * out whether that is so still: its change, whose participant is to be asked.
   */
  putOff(effect: EffectId, dispatchNo: number, io: Io): Promise<Change | null>;
  /** The participant has answered: that it could not be reached is over, and what was put off for it is due. */
  participantReached(participant: ParticipantName, io: Io): Promise<void>;
  /**
   * The completions of a participant are followed again after a break. What was submitted before and has no outcome may
   * have been lost there: it is due as soon as what is still to be told has had its time.
   */
  completionsBack(participant: ParticipantName, io: Io): Promise<void>;
}

/** What `startAttempt` is asked for. */
export interface Claim {
  readonly effect: EffectId;
  readonly dispatchNo: number;
  readonly submissionId: SubmissionId;
  readonly isReached: boolean;
}

/** What became of a claim among others. */
export type Claimed = StartedAttempt | null | 'apart';

export interface StartedAttempt {
  readonly change: Change;
  readonly attempt: number;
  /** `null` for a create. */
  readonly lifecycle: Lifecycle | null;
  /** The other lifecycle that its operation needs, as it is now. */
  readonly through: Lifecycle | null;
  /** Why its participant is left alone, where only a probe can end that: this attempt is one, or was under way. */
  readonly circuit: CircuitReason | null;
}
