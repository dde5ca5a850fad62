import type { VerifiedToken } from '../auth/verify.ts';
import { LedgerError } from '../ledger/ledger-error.ts';
import type { ParticipantNode } from '../ledger/participant-node.ts';
import { rightKey } from '../ledger/rights.ts';
import { TIMER_MS_MAX } from '../ledger/wakeup.ts';

export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

export interface StreamGuardOptions {
  readonly participant: ParticipantNode;
  /** Returns wall time in milliseconds, which decides when tokens expire. */
  readonly nowMs: () => number;
}

/** Ends a stream when its token expires or its user's rights change. */
export class StreamGuard {
  readonly #options: StreamGuardOptions;
  readonly #token: VerifiedToken;
  readonly #rights: string;
  #usersVersion: number;

  constructor(options: StreamGuardOptions, token: VerifiedToken) {
    this.#options = options;
    this.#token = token;
    this.#usersVersion = options.participant.state.usersVersion;
    this.#rights = this.#currentRights();
  }

  /**
   * Must be called before each element is sent. Throws ACCESS_TOKEN_EXPIRED, or STALE_STREAM_AUTHORIZATION if the
   * user's rights have changed.
   */
  check(): void {
    const { nowMs, participant } = this.#options;
    if (nowMs() >= this.#token.expiresAtMs) {
      throw new LedgerError('ACCESS_TOKEN_EXPIRED', 'Claims were valid until their token expired');
    }
    const { usersVersion } = participant.state;
    if (usersVersion === this.#usersVersion) return;
    this.#usersVersion = usersVersion;
    if (this.#currentRights() === this.#rights) return;
    throw new LedgerError(
      'STALE_STREAM_AUTHORIZATION',
      'Stale stream authorization. Retry quickly.',
    );
  }

  /** Ends an idle stream when its token expires or its user's rights change. */
  async watch(stop: AbortSignal, end: (error: unknown) => void): Promise<void> {
    const { nowMs, participant } = this.#options;
    while (!stop.aborted) {
      const leftMs = Math.max(1, this.#token.expiresAtMs - nowMs());
      await participant.state.published.wait(stop, Math.min(leftMs, TIMER_MS_MAX));
      if (participant.isStopped) await Promise.race([participant.untilReading(), aborted(stop)]);
      if (stop.aborted) return;
      try {
        this.check();
      } catch (error) {
        end(error);
      }
    }
  }

  #currentRights(): string {
    const entry = this.#options.participant.state.users.get(this.#token.userId);
    if (entry === undefined || entry.user.isDeactivated) return 'none';
    return entry.rights.map(rightKey).sort().join('\n');
  }
}
