import type { ContractModel } from '../app/contract/model.ts';
import { defectOf } from '../app/engine/facts.ts';
import { errorLine } from '../domain/error-text.ts';
import type { Party } from '../domain/ids.ts';
import type { LedgerUpdate } from '../domain/ledger.ts';
import type { StreamElement } from './inbox.ts';
import { StreamStopped } from './stream-pump.ts';

/*
 * What arrived and cannot be taken. It is not skipped, because then the store would no longer be the ledger's: its
 * stream stops before it, says why, and is tried again rarely, until a version that can take it runs.
 */

/** @throws StreamStopped when an update says something about our contracts that cannot be meant */
export function refuseDefective(
  model: ContractModel,
  update: LedgerUpdate,
  readAs: ReadonlySet<Party>,
): void {
  if (update.kind !== 'transaction') return;
  const defect = defectOf(model, update, readAs);
  if (defect === null) return;
  throw new StreamStopped('UNREADABLE_UPDATE', `${nameOf(update)} ${defect}`, 'person');
}

export function cannotApply({ element }: StreamElement, error: unknown): StreamStopped {
  const reason = `${nameOf(element)} cannot be applied: ${errorLine(error)}`;
  return new StreamStopped('CANNOT_APPLY', reason, 'person', { cause: error });
}

const nameOf = (element: StreamElement['element']): string => {
  const id = element.kind === 'position' ? null : element.updateId;
  return `${element.kind}${id === null ? '' : ` ${id}`} at offset ${element.offset}`;
};
