import type { LifecycleId } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import type { Json } from '../../domain/json.ts';
import type { HistoryEntry } from '../../domain/lifecycle.ts';
import { assert } from '../../domain/unreachable.ts';
import type { Row } from '../../../migrations/schema.ts';

/** Checks a history line whenever it is written or read. */
function assertHistoryEntry(entry: HistoryEntry): void {
  assert(entry.seq >= 1, 'a line belongs to a version, and versions count from 1');
  assert(entry.offset === null || entry.offset >= 0n, 'offsets are not negative');
}

export function historyFromRow(row: Row<'history'>): HistoryEntry {
  const entry: HistoryEntry = {
    lifecycleId: trusted<LifecycleId>(row.lifecycle_id),
    seq: row.seq,
    at: row.at,
    kind: row.kind,
    state: row.state,
    by: row.by,
    commandId: row.command_id,
    offset: row.ledger_offset,
    updateId: row.update_id,
    contractId: row.contract_id,
    detail: row.detail,
  };
  assertHistoryEntry(entry);
  return entry;
}

/** Returns the line as an element of a JSON array that a statement unpacks. The statement adds `n`. */
export function historyToJson(entry: HistoryEntry): Record<keyof Omit<Row<'history'>, 'n'>, Json> {
  assertHistoryEntry(entry);
  return {
    lifecycle_id: entry.lifecycleId,
    seq: entry.seq,
    at: entry.at,
    kind: entry.kind,
    state: entry.state,
    by: entry.by,
    command_id: entry.commandId,
    ledger_offset: entry.offset === null ? null : String(entry.offset),
    update_id: entry.updateId,
    contract_id: entry.contractId,
    detail: entry.detail,
  };
}
