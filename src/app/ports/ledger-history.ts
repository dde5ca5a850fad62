import type { ParticipantName } from '../../domain/ids.ts';
import type { ActiveContract, LedgerCompletion, LedgerTransaction } from '../../domain/ledger.ts';

/** What the participants have recorded up to a point, for whatever compares it with something else. */
export interface LedgerHistory {
  /**
   * The updates in (`after`, `upTo`] of the projected participant, and no more.
   *
   * @throws an error that has an `earliestOffset` where the participant no longer has the first of them
   */
  updates(after: bigint, upTo: bigint, signal: AbortSignal): AsyncIterable<LedgerTransaction>;
  /** Completions of our ledger user in (`after`, `upTo`]; ends earlier when nothing comes for a while. */
  completions(
    participant: ParticipantName,
    after: bigint,
    upTo: bigint,
    signal: AbortSignal,
  ): AsyncIterable<LedgerCompletion>;
  activeContracts(at: bigint, signal: AbortSignal): AsyncIterable<ActiveContract>;
}
