import type { Change } from '../../domain/change.ts';
import type { JsonRecord } from '../../domain/json.ts';
import type { LedgerCommand } from '../../domain/ledger.ts';
import type { Lifecycle } from '../../domain/lifecycle.ts';
import { assert } from '../../domain/unreachable.ts';
import type { ContractModel } from '../contract/model.ts';
import { ARCHIVE } from '../contract/model.ts';

/**
 * The ledger command of a change, on the contract that stands for its lifecycle at this moment. Arguments depend on the
 * recorded change alone, so every attempt of a change carries the same; but for the facts that are gathered for each
 * attempt anew, which name contracts that others replace.
 */
export function commandFor(
  model: ContractModel,
  change: Change,
  lifecycle: Lifecycle | null,
  facts?: unknown,
): LedgerCommand {
  const operation = model.operation(change.operation);
  const { command } = operation;
  const { body, fixed } = change;
  const argument = (): JsonRecord => operation.argument({ change, body, fixed, lifecycle, facts });
  if (command.kind === 'create') {
    return { kind: 'create', template: command.template, argument: argument() };
  }
  assert(lifecycle !== null, 'a choice is exercised on a lifecycle');
  const { template, name, elseArchive } = command;
  const { contractId } = lifecycle;
  return elseArchive === undefined || model.has(elseArchive.lacking)
    ? { kind: 'exercise', template, contractId, choice: name, argument: argument() }
    : { kind: 'exercise', template, contractId, choice: ARCHIVE, argument: {} };
}
