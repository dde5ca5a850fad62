import type { ParticipantName, SubmissionId } from '../../../domain/ids.ts';
import type { LedgerCompletion } from '../../../domain/ledger.ts';
import type { Tick } from './standstill.ts';
import { LIMITS } from '../../../domain/limits.ts';

/**
 * Prefix of the command IDs of ticks, the transactions that advance a synchronizer's time. Readers of the ledger see
 * it.
 */
export const TICK = 'tenure:tick';

/** Returns whether a command is a tick. */
export const isTick = (commandId: string): boolean => commandId.startsWith(`${TICK}:`);

interface Round {
  readonly sentMs: number;
  /** Why the participant refused a tick of this round at once. */
  refusedAtOnce: string | null;
}

/**
 * The ticks that this process has submitted, and their outcomes. The participant's immediate acceptance says little:
 * only the completion shows whether a tick could be paid for and was sequenced.
 */
export class Ticks {
  readonly #open = new Map<SubmissionId, number>();
  readonly #last = new Map<ParticipantName, Round>();
  /** The refusal from each participant's latest tick completion. */
  readonly #refused = new Map<ParticipantName, string>();

  /** Begins a round of ticks: one tick for each synchronizer. */
  begin(participant: ParticipantName, sentMs: number): void {
    this.#last.set(participant, { sentMs, refusedAtOnce: null });
  }

  sent(submissionId: SubmissionId, sentMs: number): void {
    this.#open.set(submissionId, sentMs);
    for (const oldest of this.#open.keys()) {
      if (this.#open.size <= LIMITS.ticksOpenMax) return;
      this.#open.delete(oldest);
    }
  }

  /** Records that the participant refused the tick at once. */
  refused(participant: ParticipantName, submissionId: SubmissionId, explanation: string): void {
    this.#open.delete(submissionId);
    const round = this.#last.get(participant);
    if (round !== undefined) round.refusedAtOnce = explanation;
  }

  /**
   * Takes note of a tick's completion.
   *
   * @returns when the tick was sent, ISO 8601; `null` if the completion is not a tick's
   */
  completed({ participant, submissionId, answer }: LedgerCompletion): string | null {
    const sentMs = this.#open.get(submissionId);
    if (sentMs === undefined) return null;
    this.#open.delete(submissionId);
    if (answer === null) this.#refused.delete(participant);
    else this.#refused.set(participant, answer.explanation);
    return new Date(sentMs).toISOString();
  }

  /**
   * Returns the participant's last tick. Until the tick's outcome is known, the outcome of the previous tick is
   * returned.
   */
  last(participant: ParticipantName): Tick | null {
    const round = this.#last.get(participant);
    if (round === undefined) return null;
    const refusal = round.refusedAtOnce ?? this.#refused.get(participant) ?? null;
    return { sentMs: round.sentMs, refusal };
  }
}
