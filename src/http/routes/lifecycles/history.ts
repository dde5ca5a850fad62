import type { Caller } from '../../../domain/caller.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import type { HistoryEntry } from '../../../domain/lifecycle.ts';

/** Hides the other party's name of its change, and which of its people made the request. */
function withoutTheirs(entry: HistoryEntry, caller: Caller): HistoryEntry {
  if (entry.by === null || entry.by === caller.party) return entry;
  const { subject: _subject, ...detail } = entry.detail;
  return { ...entry, commandId: null, detail };
}

/** One entry of a lifecycle's history as this caller may read it. */
export function historyBody(entry: HistoryEntry, caller: Caller): JsonRecord {
  const seen = withoutTheirs(entry, caller);
  return {
    at: seen.at,
    kind: seen.kind,
    state: seen.state,
    ...(seen.by === null ? {} : { by: seen.by }),
    ...(seen.commandId === null ? {} : { commandId: seen.commandId }),
    ...(seen.offset === null ? {} : { offset: Number(seen.offset) }),
    ...(seen.updateId === null ? {} : { updateId: seen.updateId }),
    ...(seen.contractId === null ? {} : { contractId: seen.contractId }),
    detail: seen.detail,
  };
}
