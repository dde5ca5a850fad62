import type { Caller } from '../../domain/caller.ts';
import type { ParticipantName } from '../../domain/ids.ts';
import type { Io } from './io.ts';

/* Previews of single acts that cannot be undone: see `src/app/desk/confirm-act.ts`. */

/** An act, and the person who requests it. */
export interface PreviewedAct {
  readonly act: string;
  /** SHA-256 of all parameters of the act. */
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
   * Consumes the token.
   *
   * @returns the count of the preview; `null` if the token is unknown, expired, used, or belongs to another act or
   * person
   */
  use(act: PreviewedAct, io: Io): Promise<number | null>;
  /** Counts open operations that were submitted through a participant and have no answer. */
  undecidedAt(participant: ParticipantName, io: Io): Promise<number>;
  /** Counts the objects that are deleted together with a tenant. */
  endsWith(tenantId: string, io: Io): Promise<TenantEnds>;
}

export interface TenantEnds {
  readonly sessions: number;
  readonly webhooks: number;
  readonly bulkActs: number;
}
