import type { Caller } from '../../domain/caller.ts';
import type { ParticipantName } from '../../domain/ids.ts';
import type { Io } from './io.ts';

/* Previews of single acts that cannot be taken back: see `src/app/desk/confirm-act.ts`. */

/** An act, and the person who asks for it. */
export interface PreviewedAct {
  readonly act: string;
  /** SHA-256 of all parameters. */
  readonly digest: string;
  readonly by: Caller;
  readonly tokenHash: string;
}

export interface Previews {
  remember(
    preview: PreviewedAct & { readonly count: number; readonly expiresInMs: number },
    io: Io,
  ): Promise<void>;
  /**
   * Uses the token up.
   *
   * @returns the count of the preview; `null` for a token that is unknown, expired or used, or of another act or person
   */
  use(act: PreviewedAct, io: Io): Promise<number | null>;
  /** Open operations that were submitted through a participant and have no answer. */
  undecidedAt(participant: ParticipantName, io: Io): Promise<number>;
  /** Counts the things that end with a tenant. */
  endsWith(tenantId: string, io: Io): Promise<TenantEnds>;
}

export interface TenantEnds {
  readonly sessions: number;
  readonly webhooks: number;
  readonly bulkActs: number;
}
