import type { ParticipantName, SubmissionId } from '../../domain/ids.ts';
import type { LedgerCompletion } from '../../domain/ledger.ts';
import type { Tick } from './standstill.ts';
import { LIMITS } from '../../domain/limits.ts';

/** Carried by the transactions that move a synchronizer's time, for those who read the ledger. */
export const TICK = 'tenure:tick';

/** Whether a command is one of those. */
export const isTick = (commandId: string): boolean => commandId.startsWith(`${TICK}:`);

interface Round {
  readonly sentMs: number;
  /** Why the participant did not take one of them. */
  refusedAtOnce: string | null;
}

/**
 * The transactions that this process has submitted to move the time of synchronizers, and what became of them. That one
 * was taken by its participant says little: what cannot be paid for, or is never sequenced, is told by its completion.
 */
export class Ticks {
  readonly #open = new Map<SubmissionId, number>();
  readonly #last = new Map<ParticipantName, Round>();
  /** By the newest completion of one. */
  readonly #refused = new Map<ParticipantName, string>();

  /** Several are sent at once where there are several synchronizers. */
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

  /** The participant answered at once that it will not submit it. */
  refused(participant: ParticipantName, submissionId: SubmissionId, explanation: string): void {
    this.#open.delete(submissionId);
    const round = this.#last.get(participant);
    if (round !== undefined) round.refusedAtOnce = explanation;
  }

  /** @returns when it was sent, ISO 8601, where it is the completion of one of these; otherwise `null` */
  completed({ participant, submissionId, answer }: LedgerCompletion): string | null {
    const sentMs = this.#open.get(submissionId);
    if (sentMs === undefined) return null;
    this.#open.delete(submissionId);
    if (answer === null) this.#refused.delete(participant);
    else this.#refused.set(participant, answer.explanation);
    return new Date(sentMs).toISOString();
  }

  /** As far as is known: what became of the one before holds until more is known. */
  last(participant: ParticipantName): Tick | null {
    const round = this.#last.get(participant);
    if (round === undefined) return null;
    const refusal = round.refusedAtOnce ?? this.#refused.get(participant) ?? null;
    return { sentMs: round.sentMs, refusal };
  }
}
