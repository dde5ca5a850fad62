import type { ParticipantName, Party } from '../domain/ids.ts';
import { assert } from '../domain/unreachable.ts';
import type { Participant } from './channel.ts';
import type { Wanted } from './formats.ts';
import { eventFormat, updateFormat } from './formats.ts';
import type { ParticipantRights } from './rights.ts';
import { readActiveContract, readCompletionElement, readUpdate } from './stream-elements.ts';
import { streamEnded } from './streams.ts';
import type { LedgerHistory } from '../app/ports/ledger-history.ts';

export interface LedgerHistoryOptions {
  readonly participants: readonly Participant[];
  readonly projected: ParticipantName;
  readonly readAs: readonly Party[];
  readonly wanted: Wanted;
  readonly rightsOf: (participant: ParticipantName) => ParticipantRights;
  /** Completion streams do not end: if no completion has arrived for this long, the read is complete. */
  readonly quietMs: number;
}

export function createLedgerHistory(options: LedgerHistoryOptions): LedgerHistory {
  const { projected, readAs, wanted, rightsOf, quietMs } = options;
  const participantOf = (name: ParticipantName): Participant => {
    const participant = options.participants.find((found) => found.name === name);
    assert(participant !== undefined, `participant ${name} is configured`);
    return participant;
  };
  return {
    async *updates(after, upTo, signal) {
      if (after >= upTo) return;
      const request = {
        beginExclusive: after,
        endInclusive: upTo,
        updateFormat: updateFormat(readAs, wanted),
      };
      const stream = participantOf(projected).update.getUpdates(request, { signal });
      for await (const message of translated(stream, signal)) {
        const element = readUpdate(message, wanted.interfaces);
        if (element?.kind === 'transaction') yield element;
      }
    },
    async *completions(name, after, upTo, signal) {
      if (after >= upTo) return;
      const { ledgerUser, actAs } = rightsOf(name);
      const quiet = new AbortController();
      const either = AbortSignal.any([signal, quiet.signal]);
      const stream = participantOf(name).completion.completionStream(
        { userId: ledgerUser, parties: [...actAs], beginExclusive: after },
        { signal: either },
      );
      const timer = setTimeout(() => quiet.abort(), quietMs);
      try {
        for await (const message of translated(stream, either)) {
          timer.refresh();
          const element = readCompletionElement(name, message);
          if (element === null) continue;
          if (element.kind === 'completion' && element.offset <= upTo) yield element;
          if (element.offset >= upTo) return;
        }
      } finally {
        clearTimeout(timer);
        signal.throwIfAborted();
      }
    },
    async *activeContracts(at, signal) {
      const request = { activeAtOffset: at, eventFormat: eventFormat(readAs, wanted) };
      const stream = participantOf(projected).state.getActiveContracts(request, { signal });
      for await (const message of translated(stream, signal)) {
        const contract = readActiveContract(message, wanted.interfaces);
        if (contract !== null) yield contract;
      }
    },
  };
}

/** Converts the errors of a stream. Ends without an error if the stream was aborted. */
async function* translated<T>(
  stream: AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T, void, undefined> {
  try {
    yield* stream;
  } catch (error) {
    if (!signal.aborted) throw streamEnded(error);
  }
}
