import type { ParticipantName, SubmissionId } from '../../../domain/ids.ts';
import type { LedgerCompletion } from '../../../domain/ledger.ts';
import type { Tick } from './standstill.ts';
import { LIMITS } from '../../../domain/limits.ts';

/** Prefix of command IDs of ticks, the transactions that move a synchronizer's time, for readers of the ledger. */
export const TICK = 'tenure:tick';

/** Returns whether a command is a tick. */
export const isTick = (commandId: string): boolean => commandId.startsWith(`${TICK}:`);

interface Round {
  readonly sentMs: number;
  /** Why the participant refused one of them at once. */
  refusedAtOnce: string | null;
}

/**
 * The ticks that this process has submitted, and their outcomes. Acceptance by the participant says little: only the
 * completion reports that a tick could not be paid for or was never sequenced.
 */
export class Ticks {
  readonly #open = new Map<SubmissionId, number>();
  readonly #last = new Map<ParticipantName, Round>();
  /** Refusal in the latest completion of a tick. */
  readonly #refused = new Map<ParticipantName, string>();

  /** Begins a round: several ticks are sent at once if there are several synchronizers. */
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

  /** @returns when the tick was sent, ISO 8601; `null` if the completion is not of a tick */
  completed({ participant, submissionId, answer }: LedgerCompletion): string | null {
    const sentMs = this.#open.get(submissionId);
    if (sentMs === undefined) return null;
    this.#open.delete(submissionId);
    if (answer === null) this.#refused.delete(participant);
    else this.#refused.set(participant, answer.explanation);
    return new Date(sentMs).toISOString();
  }

  /** Returns the last tick. Until its outcome is known, it has the outcome of the tick before. */
  last(participant: ParticipantName): Tick | null {
    const round = this.#last.get(participant);
    if (round === undefined) return null;
    const refusal = round.refusedAtOnce ?? this.#refused.get(participant) ?? null;
    return { sentMs: round.sentMs, refusal };
  }
}
