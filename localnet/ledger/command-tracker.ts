import { LedgerError } from './ledger-error.ts';
import type { Accepted, WaitOptions } from './participant.ts';
import type { Submission } from './submission.ts';
import { changeKey } from './update.ts';
import type { Completion, Rejection } from './update.ts';
import { TIMER_MS_MAX } from './wakeup.ts';

export interface CommandTrackerOptions {
  readonly maxCommandsInFlight: number;
  /** The time after which a caller that sets no deadline is no longer waited for, in milliseconds. */
  readonly commandDeadlineMs: number;
}

/** Converts a rejection to the error that a waiting caller gets. */
export const rejectionError = ({
  code,
  text,
  metadata,
  resources,
  definiteAnswer,
}: Rejection): LedgerError => new LedgerError(code, text, { metadata, resources, definiteAnswer });

const trackingKey = (of: Parameters<typeof changeKey>[0] & { readonly submissionId: string }) =>
  `${of.submissionId}\n${changeKey(of)}`;

/**
 * Waits for the completions of submissions on behalf of callers. Waits are in memory only, so a restart ends them. The
 * completion stream contains the outcomes nevertheless.
 */
export class CommandTracker {
  readonly #options: CommandTrackerOptions;
  readonly #waiting = new Map<string, (completion: Completion | LedgerError) => void>();

  constructor(options: CommandTrackerOptions) {
    this.#options = options;
  }

  /** Runs `submit` and waits for the completion. A caller that disconnects does not cancel the submission. */
  async track(
    submission: Submission,
    { signal, deadlineMs }: WaitOptions,
    submit: () => Promise<void>,
  ): Promise<Accepted> {
    signal.throwIfAborted();
    const key = trackingKey(submission);
    this.#requireRoom(key);
    const { promise, resolve } = Promise.withResolvers<Completion | LedgerError>();
    this.#waiting.set(key, resolve);
    const timeoutMs = Math.min(deadlineMs ?? this.#options.commandDeadlineMs, TIMER_MS_MAX);
    const timer = setTimeout(() => resolve(timedOut(submission)), timeoutMs);
    const leave = () => resolve(timedOut(submission));
    signal.addEventListener('abort', leave);
    try {
      // The deadline also applies while the submission waits for its minimum ledger time.
      const outcome = await Promise.race([promise, submit().then(() => promise)]);
      signal.throwIfAborted();
      if (outcome instanceof LedgerError) throw outcome;
      if (outcome.rejection !== undefined) throw rejectionError(outcome.rejection);
      return { updateId: outcome.updateId, offset: outcome.offset };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
      this.#waiting.delete(key);
    }
  }

  onDecided(completion: Completion): void {
    if (this.#waiting.size === 0) return;
    this.#waiting.get(trackingKey(completion.submitter))?.(completion);
  }

  close(): void {
    const error = new LedgerError('SERVICE_NOT_RUNNING', 'CommandService is shutting down');
    for (const resolve of this.#waiting.values()) resolve(error);
  }

  #requireRoom(key: string): void {
    if (this.#waiting.has(key)) {
      throw new LedgerError(
        'SUBMISSION_ALREADY_IN_FLIGHT',
        'A submission with the given change ID (user ID, command ID, actAs) and submission ID is already in flight',
      );
    }
    if (this.#waiting.size < this.#options.maxCommandsInFlight) return;
    throw new LedgerError(
      'PARTICIPANT_BACKPRESSURE',
      'The participant is overloaded: Maximum number of commands in-flight reached',
      { metadata: { reason: 'Maximum number of commands in-flight reached' } },
    );
  }
}

/** The outcome is unknown, because the submission continues although its caller no longer waits. */
const timedOut = ({ commandId, submissionId }: Submission) =>
  new LedgerError(
    'REQUEST_TIME_OUT',
    `Timed out while awaiting for a completion corresponding to a command submission with command-id=${commandId} and submission-id=${submissionId}.`,
  );
