import type { ParticipantName } from '../../domain/ids.ts';
import type { ActiveContract, LedgerCompletion, LedgerTransaction } from '../../domain/ledger.ts';

/** The records of participants up to a point, for comparisons. */
export interface LedgerHistory {
  /**
   * Returns the updates of the projected participant in (`after`, `upTo`], and no others.
   *
   * @throws an error with an `earliestOffset` if the participant no longer has the first of them
   */
  updates(after: bigint, upTo: bigint, signal: AbortSignal): AsyncIterable<LedgerTransaction>;
  /** Returns completions of our ledger user in (`after`, `upTo`]; ends earlier if nothing arrives for a while. */
  completions(
    participant: ParticipantName,
    after: bigint,
    upTo: bigint,
    signal: AbortSignal,
  ): AsyncIterable<LedgerCompletion>;
  activeContracts(at: bigint, signal: AbortSignal): AsyncIterable<ActiveContract>;
}
