import type { Change } from '../../domain/change.ts';
import { errorText } from '../../domain/error-text.ts';
import type { EffectId, LaneId, ParticipantName, Party, SubmissionId } from '../../domain/ids.ts';
import type { Lifecycle } from '../../domain/lifecycle.ts';
import type { CircuitReason } from '../../domain/pause.ts';
import type { Io } from './io.ts';

/** Observes submissions as they are made. */
export interface SubmissionObserver {
  /**
   * Called when an attempt is committed and not sent yet.
   *
   * @returns the `traceparent` that its submission continues
   */
  begun(started: StartedAttempt): string;
}

/** A queue did not accept its effects, while other queues accepted theirs. */
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
  /** The party that requested the change, and the provider that it concerns. */
  readonly party: Party;
  readonly provider: Party;
}

/** The relay's side of the outbox. */
export interface Outbox {
  /**
   * Takes effects that are due, calls `put` while holding their locks, and marks them dispatched; if `put` throws,
   * nothing is marked and they stay due. Paused effects and those of a foreign ledger are blocked. Effects of a
   * participant with an open circuit are postponed, except for one probe.
   *
   * If more is due than may be taken, providers take turns, and the callers of each provider: a caller with very many
   * requests delays only itself.
   *
   * @param put gets the number of queues to distribute the effects over, which stays constant until it has ended.
   * Effects named by a `NotAllPutError` are due again soon, and the rest is dispatched. `isApart`: each effect must be
   * a job of its own, for a worker of an earlier version
   * @returns the number of effects taken, whatever their outcome
   */
  dispatchDue(
    limit: number,
    put: (effects: readonly Dispatched[], shards: number, isApart: boolean) => Promise<void>,
    io: Io,
  ): Promise<number>;
  /** Returns the milliseconds until the next effect is due; `null` if none waits. */
  nextDueInMs(io: Io): Promise<number | null>;
  /**
   * Commits an attempt row for the change behind a dispatched effect. Returns `null` if there is nothing to submit, or
   * not now: the change has ended, a later dispatch has taken over, its ledger is foreign, or its participant is
   * unreachable.
   *
   * @param isReached the participant has just answered: see `putOff`
   */
  startAttempt(
    effect: EffectId,
    dispatchNo: number,
    submissionId: SubmissionId,
    io: Io,
    isReached?: boolean,
  ): Promise<StartedAttempt | null>;
  /**
   * Claims many effects in one transaction that waits for no lock, each like `startAttempt`. Effects answered with
   * `apart` must be claimed one by one, and nothing of them is committed: those locked by another transaction, the
   * second delivery of one effect, and all of them if one makes the transaction fail.
   *
   * @throws an error that says that the database is unavailable, like `startAttempt`; the claims may still be committed
   */
  startAttempts(claims: readonly Claim[], io: Io): Promise<readonly Claimed[]>;
  /**
   * Postpones a dispatched effect whose participant is unreachable, unless the effect is the probe. For the probe,
   * returns its change, whose participant must be asked.
   */
  putOff(effect: EffectId, dispatchNo: number, io: Io): Promise<Change | null>;
  /** The participant has answered: ends its `unreachable` circuit, and makes the postponed effects due. */
  participantReached(participant: ParticipantName, io: Io): Promise<void>;
  /**
   * A participant's completions are followed again after a break. Earlier submissions without an outcome may have been
   * lost there: they become due once the remaining completions have had time to arrive.
   */
  completionsBack(participant: ParticipantName, io: Io): Promise<void>;
  /**
   * Returns whether a first attempt that this process has recorded is still the newest of its change and undecided. A
   * process whose database session has ended asks this before it sends the attempt.
   */
  isCurrent(effect: EffectId, submissionId: SubmissionId, io: Io): Promise<boolean>;
  /** Makes effects due at once whose first attempt this process has recorded, or may have, and does not send. */
  giveUp(effects: readonly EffectId[], io: Io): Promise<void>;
}

/** A first attempt that the transaction that records its change also starts. */
export interface FirstAttempt {
  readonly effect: EffectId;
  readonly submissionId: SubmissionId;
}

/** A committed first attempt of this process, of which nothing is sent yet. */
export interface RecordedAttempt {
  readonly started: StartedAttempt;
  readonly submissionId: SubmissionId;
  /** Milliseconds since before its transaction began. */
  readonly elapsedMs: () => number;
  /** Whether another process may have taken over: the database session that the row names has ended. */
  readonly isDoubtful: () => boolean;
}

/** A free place of this process's worker, taken before the transaction that records a first attempt. */
export interface EagerPlace {
  readonly session: string;
  readonly submissionId: SubmissionId;
  /** Submits the committed attempt, and frees the place after that. */
  submit(started: StartedAttempt): void;
  /** Frees the place: there is no attempt. */
  leave(): void;
  /** Frees the place: nothing of the attempt is sent, and it may be recorded. */
  giveUp(effect: EffectId): void;
}

/** Submits first attempts in the process that records them: see `docs/decisions/eager-dispatch.md`. */
export interface EagerDispatch {
  /** Takes a free place for each participant, in order; `null` without a free place. */
  take(participants: readonly ParticipantName[]): readonly (EagerPlace | null)[];
  /** Effects that the transaction could not dispatch are due: wakes the relay of this process. */
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
  /** `null` for a create. */
  readonly lifecycle: Lifecycle | null;
  /** The current state of the other lifecycle that the operation needs. */
  readonly through: Lifecycle | null;
  /** The reason of the participant's circuit, if only a probe can end it: this attempt is a probe, or was under way. */
  readonly circuit: CircuitReason | null;
}
