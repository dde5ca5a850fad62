import type { Change } from '../../domain/change.ts';
import { errorText } from '../../domain/error-text.ts';
import type { EffectId, LaneId, ParticipantName, Party, SubmissionId } from '../../domain/ids.ts';
import type { Lifecycle } from '../../domain/lifecycle.ts';
import type { CircuitReason } from '../../domain/participant-health.ts';
import type { Io } from './io.ts';

/** Called when a submission is about to be sent. */
export interface SubmissionObserver {
  /**
   * Called when an attempt has been committed but not sent yet.
   *
   * @returns the `traceparent` that the submission continues
   */
  begun(started: StartedAttempt): string;
}

/** One queue did not accept its effects, although other queues accepted theirs. */
export class NotAllPutError extends Error {
  override readonly name = 'NotAllPutError';
  readonly refused: readonly EffectId[];
  constructor(refused: readonly EffectId[], cause: unknown) {
    super(`the queue did not accept ${refused.length} effects: ${errorText(cause)}`, { cause });
    this.refused = refused;
  }
}

export interface Dispatched {
  readonly id: EffectId;
  readonly dispatchNo: number;
  readonly lane: LaneId;
  /** The party that requested the change, and the provider of the change. */
  readonly party: Party;
  readonly provider: Party;
}

/** The outbox, as the relay uses it. */
export interface Outbox {
  /**
   * Takes due effects, calls `put` while holding their locks, and marks them as dispatched; if `put` throws, none is
   * marked and all stay due. Effects that are paused or belong to a foreign ledger are blocked. Effects of a
   * participant with an open circuit are postponed, except for one probe.
   *
   * If more effects are due than the limit, providers take turns, and so do the callers of each provider: a caller with
   * very many requests delays only itself.
   *
   * @param put receives the number of queues over which to distribute the effects; this number does not change before
   * `put` returns. Effects named by a `NotAllPutError` become due again soon, and the other ones are dispatched.
   * `isApart`: each effect must be a separate job, because a worker of an earlier version runs
   * @returns the number of effects taken, whatever their outcome
   */
  dispatchDue(
    limit: number,
    put: (effects: readonly Dispatched[], shards: number, isApart: boolean) => Promise<void>,
    io: Io,
  ): Promise<number>;
  /** Returns the milliseconds until the next effect is due; `null` if no effect waits. */
  nextDueInMs(io: Io): Promise<number | null>;
  /**
   * Commits an attempt row for the change of a dispatched effect. Returns `null` if nothing is to be submitted now: the
   * change has ended, the effect was dispatched again later, its ledger is foreign, or its participant is unreachable.
   *
   * @param isReached whether the participant has just answered: see `putOff`
   */
  startAttempt(
    effect: EffectId,
    dispatchNo: number,
    submissionId: SubmissionId,
    io: Io,
    isReached?: boolean,
  ): Promise<StartedAttempt | null>;
  /**
   * Claims many effects in one transaction that waits for no lock, each like `startAttempt`. An effect with the answer
   * `apart` must be claimed separately, and nothing of it has been committed: it is locked by another transaction, or
   * it is a repeated delivery in this call. If one effect makes the transaction fail, all have this answer.
   *
   * @throws like `startAttempt`, an error that means that the database is unavailable; the claims may still be
   * committed
   */
  startAttempts(claims: readonly Claim[], io: Io): Promise<readonly Claimed[]>;
  /**
   * Postpones a dispatched effect whose participant is unreachable, unless the effect is the probe. If it is the probe,
   * returns its change: the caller must then call the participant.
   */
  putOff(effect: EffectId, dispatchNo: number, io: Io): Promise<Change | null>;
  /** Called when the participant has answered: closes its `unreachable` circuit and makes the postponed effects due. */
  participantReached(participant: ParticipantName, io: Io): Promise<void>;
  /**
   * Called when a participant's completions are followed again after an interruption. Completions of earlier
   * submissions may have been missed, so such submissions without an outcome become due once the remaining completions
   * have had time to arrive.
   */
  completionsBack(participant: ParticipantName, io: Io): Promise<void>;
  /**
   * Returns whether a first attempt recorded by this process is still the newest of its change and undecided. A process
   * whose database session has ended calls this before it sends the attempt.
   */
  isCurrent(effect: EffectId, submissionId: SubmissionId, io: Io): Promise<boolean>;
  /**
   * Makes effects due at once if this process recorded their first attempt, or may have recorded it, and will not send
   * it.
   */
  giveUp(effects: readonly EffectId[], io: Io): Promise<void>;
}

/** A first attempt that is started in the same transaction that records its change. */
export interface FirstAttempt {
  readonly effect: EffectId;
  readonly submissionId: SubmissionId;
}

/** A committed first attempt of this process, before anything of it is sent. */
export interface RecordedAttempt {
  readonly started: StartedAttempt;
  readonly submissionId: SubmissionId;
  /** Milliseconds since a moment before the attempt's transaction began. */
  readonly elapsedMs: () => number;
  /** Whether another process may have taken over the attempt, because the session named in its row has ended. */
  readonly isDoubtful: () => boolean;
}

/** A free place of this process's worker, reserved before the transaction that records a first attempt. */
export interface EagerPlace {
  readonly session: string;
  readonly submissionId: SubmissionId;
  /** Submits the committed attempt, then frees the place. */
  submit(started: StartedAttempt): void;
  /** Frees the place if no attempt was recorded. */
  leave(): void;
  /** Frees the place without sending the attempt, which may have been recorded. */
  giveUp(effect: EffectId): void;
}

/** Submits first attempts in the process that records them: see `docs/decisions/eager-dispatch.md`. */
export interface EagerDispatch {
  /** Reserves a free place for each participant, in order; `null` if none is free. */
  take(participants: readonly ParticipantName[]): readonly (EagerPlace | null)[];
  /** Wakes the relay of this process, because effects that the transaction could not dispatch are due. */
  left(): void;
}

/** The arguments of one `startAttempt`. */
export interface Claim {
  readonly effect: EffectId;
  readonly dispatchNo: number;
  readonly submissionId: SubmissionId;
  readonly isReached: boolean;
}

/** The result of one claim of several. */
export type Claimed = StartedAttempt | null | 'apart';

export interface StartedAttempt {
  readonly change: Change;
  readonly attempt: number;
  /** `null` for an operation that creates a contract. */
  readonly lifecycle: Lifecycle | null;
  /** The current state of the other lifecycle that the operation needs. */
  readonly through: Lifecycle | null;
  /**
   * The reason of the participant's circuit, if only a probe can close the circuit. This attempt is then the probe, or
   * was under way when the circuit opened.
   */
  readonly circuit: CircuitReason | null;
}
