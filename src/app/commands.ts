import type { Change } from '../domain/change.ts';
import type { Party } from '../domain/ids.ts';
import type { JsonRecord } from '../domain/json.ts';
import { recordAt, textAt } from '../domain/json.ts';
import type { LedgerCommand } from '../domain/ledger.ts';
import type { Lifecycle } from '../domain/lifecycle.ts';
import { assert, unreachable } from '../domain/unreachable.ts';
import { OPERATION_RULES } from './operations.ts';

/** REST metadata `{data: {k: v}}` is the ledger's `Metadata{values}`. */
const metadata = (body: JsonRecord, key: string): JsonRecord => ({
  values: recordAt(recordAt(body, key), 'data'),
});

/** Every template has it; all signatories together may exercise it. */
export const ARCHIVE = 'Archive';

/** Says on the ledger that the provider's signature was used for a user's wish, as the reference does. */
const USER_NOTE = { Note: 'Triggered by user request' };

function withNote(meta: JsonRecord, caller: Party, provider: Party): JsonRecord {
  if (caller === provider) return meta;
  return { values: { ...recordAt(meta, 'values'), ...USER_NOTE } };
}

/** What differs between versions of the licensing package on different ledgers. */
export interface ContractModel {
  /** Without it a user takes a request back by the built-in `Archive`, which needs the same signature. */
  readonly hasRequestCancel: boolean;
}

/** The package that LocalNet has. */
const NEWEST_MODEL: ContractModel = { hasRequestCancel: true };

function choiceArgument(change: Change, lifecycle: Lifecycle): JsonRecord {
  const { body } = change;
  const meta = metadata(body, 'meta');
  switch (change.operation) {
    case 'accept-install-request':
      return { installMeta: metadata(body, 'installMeta'), meta };
    case 'reject-install-request':
    case 'cancel-install-request':
      return { meta };
    case 'create-license':
      return { params: { meta: metadata(recordAt(body, 'params'), 'meta') } };
    case 'cancel-install':
      return { actor: lifecycle.provider, meta };
    case 'expire-license':
      return {
        actor: lifecycle.provider,
        meta: withNote(meta, change.callerParty, lifecycle.provider),
      };
    case 'request-install':
      throw new Error('a create has no choice argument');
    default:
      return unreachable(change.operation);
  }
}

/**
 * The ledger command of a change, on the contract that stands for its lifecycle at this moment. Arguments
 * depend on the recorded change alone, so every attempt of a change carries the same.
 */
export function commandFor(
  change: Change,
  lifecycle: Lifecycle | null,
  model: ContractModel = NEWEST_MODEL,
): LedgerCommand {
  const rule = OPERATION_RULES[change.operation];
  if (rule.choice === null) {
    const provider = textAt(change.body, 'provider');
    assert(provider !== undefined, 'the provider of an install request is recorded with it');
    return {
      kind: 'create',
      template: rule.template,
      argument: {
        provider,
        user: change.submitter.actAs,
        meta: metadata(change.body, 'meta'),
      },
    };
  }
  assert(lifecycle !== null, 'a choice is exercised on a lifecycle');
  if (change.operation === 'cancel-install-request' && !model.hasRequestCancel) {
    const { contractId } = lifecycle;
    return { kind: 'exercise', template: rule.template, contractId, choice: ARCHIVE, argument: {} };
  }
  return {
    kind: 'exercise',
    template: rule.template,
    contractId: lifecycle.contractId,
    choice: rule.choice,
    argument: choiceArgument(change, lifecycle),
  };
}
