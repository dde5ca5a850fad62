import type { ParticipantName } from '../../domain/ids.ts';
import type { ActiveContract, LedgerCompletion, LedgerTransaction } from '../../domain/ledger.ts';

/** Reads what the participants recorded in a range of offsets, for comparison with the store. */
export interface LedgerHistory {
  /**
   * Returns the updates of the projected participant in (`after`, `upTo`].
   *
   * @throws an error with an `earliestOffset` if the participant has pruned the first of them
   */
  updates(after: bigint, upTo: bigint, signal: AbortSignal): AsyncIterable<LedgerTransaction>;
  /** Returns the completions of our ledger user in (`after`, `upTo`]; ends earlier if none arrives for a while. */
  completions(
    participant: ParticipantName,
    after: bigint,
    upTo: bigint,
    signal: AbortSignal,
  ): AsyncIterable<LedgerCompletion>;
  activeContracts(at: bigint, signal: AbortSignal): AsyncIterable<ActiveContract>;
}
