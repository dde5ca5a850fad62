import { noteOf, originOf } from '../../domain/automatic.ts';
import type { Change, Operation } from '../../domain/change.ts';
import type { ContractId, Party } from '../../domain/ids.ts';
import type { JsonRecord } from '../../domain/json.ts';
import { recordAt, textAt } from '../../domain/json.ts';
import type { LedgerCommand } from '../../domain/ledger.ts';
import { APP_INSTALL_REQUEST } from '../../domain/licensing.ts';
import type { Lifecycle } from '../../domain/lifecycle.ts';
import { assert, unreachable } from '../../domain/unreachable.ts';
import { OPERATION_RULES } from './operations.ts';

/** REST metadata `{data: {k: v}}` is the ledger's `Metadata{values}`. */
const metadata = (body: JsonRecord, key: string): JsonRecord => ({
  values: recordAt(recordAt(body, key), 'data'),
});

/** Every template has it; all signatories together may exercise it. */
export const ARCHIVE = 'Archive';

/**
 * Says on the ledger that the provider's signature was used for a user's wish, as the reference does. A policy's change
 * says so in the same place.
 */
const USER_NOTE = { Note: 'Triggered by user request' };

function withNote(meta: JsonRecord, change: Change, provider: Party): JsonRecord {
  const origin = originOf(change);
  if (origin === null && change.callerParty === provider) return meta;
  const note = origin === null ? USER_NOTE : noteOf(origin);
  return { values: { ...recordAt(meta, 'values'), ...note } };
}

/** What differs between versions of the licensing package on different ledgers. */
export interface ContractModel {
  /** Without it a user takes a request back by the built-in `Archive`, which needs the same signature. */
  readonly hasRequestCancel: boolean;
  /** Without the template nobody can comment. */
  readonly hasComments: boolean;
}

/** The package that LocalNet has. */
export const NEWEST_MODEL: ContractModel = { hasRequestCancel: true, hasComments: true };

/** Why the ledger's package cannot do what is asked, in words; `undefined` when it can. */
export const missingIn = (model: ContractModel, operation: Operation): string | undefined =>
  operation === 'comment-license' && !model.hasComments
    ? 'the licensing package of this ledger has no comments'
    : undefined;

/** What can only be told by asking others when a command is about to be submitted. */
export interface Gathered {
  /** The contract that stands for the licence which a renewal extends. */
  readonly licenseContract?: ContractId;
  /** Who issues the token that fees are paid in. */
  readonly instrumentAdmin?: Party;
  /** The token standard's choice context: entries by name, each `{tag: 'AV_…', value}`. */
  readonly choiceContext?: JsonRecord;
}

/** The token that fees are paid in: the network's own. */
const INSTRUMENT = 'Amulet';

const NO_METADATA = { values: {} };

function needed<T>(value: T | undefined, what: string): T {
  assert(value !== undefined, `${what} is gathered before the command is made`);
  return value;
}

function choiceArgument(change: Change, lifecycle: Lifecycle, gathered: Gathered): JsonRecord {
  const { body, fixed } = change;
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
        meta: withNote(meta, change, lifecycle.provider),
      };
    case 'renew-license':
      return {
        requestId: fixed['requestId'] ?? null,
        licenseFeeInstrumentId: {
          admin: needed(gathered.instrumentAdmin, 'the instrument’s admin'),
          id: INSTRUMENT,
        },
        licenseFeeAmount: body['licenseFeeCc'] ?? null,
        licenseExtensionDuration: { microseconds: body['licenseExtensionMicros'] ?? null },
        requestedAt: fixed['requestedAt'] ?? null,
        prepareUntil: fixed['prepareUntil'] ?? null,
        settleBefore: fixed['settleBefore'] ?? null,
        description: body['description'] ?? null,
      };
    case 'complete-renewal':
      return {
        allocationCid: body['allocationContractId'] ?? null,
        licenseCid: needed(gathered.licenseContract, 'the licence’s contract'),
        extraArgs: {
          context: { values: needed(gathered.choiceContext, 'the choice context') },
          meta: withNote(NO_METADATA, change, lifecycle.provider),
        },
      };
    case 'withdraw-renewal': {
      const noted = withNote(NO_METADATA, change, lifecycle.provider);
      return { extraArgs: { context: { values: {} }, meta: noted } };
    }
    case 'request-install':
    case 'comment-license':
      throw new Error('a create has no choice argument');
    default:
      return unreachable(change.operation);
  }
}

function createArgument({ operation, body, fixed, submitter }: Change): JsonRecord {
  if (operation === 'comment-license') {
    return { ...fixed, commenter: submitter.actAs, body: body['body'] ?? null };
  }
  const provider = textAt(body, 'provider');
  assert(provider !== undefined, 'the provider of an install request is recorded with it');
  return { provider, user: submitter.actAs, meta: metadata(body, 'meta') };
}

/** Carried by the transactions that move a synchronizer's time, for those who read the ledger. */
export const TICK = 'tenure:tick';

/** Whether a command is one of those. */
export const isTick = (commandId: string): boolean => commandId.startsWith(`${TICK}:`);

/**
 * A command that does nothing but take part in the order of the network, so that the time of a synchronizer moves on
 * which nothing else happens: a party's request to the provider, taken back in the same transaction. Both are told of it, by
 * their participants. Every model has it.
 */
export const tickCommand = (user: Party, provider: Party): LedgerCommand => ({
  kind: 'create-and-archive',
  template: APP_INSTALL_REQUEST,
  argument: { provider, user, meta: NO_METADATA },
});

/**
 * The ledger command of a change, on the contract that stands for its lifecycle at this moment. Arguments
 * depend on the recorded change alone, so every attempt of a change carries the same; but for what is gathered for each
 * attempt anew, which names contracts that others replace.
 */
export function commandFor(
  change: Change,
  lifecycle: Lifecycle | null,
  model: ContractModel = NEWEST_MODEL,
  gathered: Gathered = {},
): LedgerCommand {
  const rule = OPERATION_RULES[change.operation];
  if (rule.choice === null) {
    return { kind: 'create', template: rule.template, argument: createArgument(change) };
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
    argument: choiceArgument(change, lifecycle, gathered),
  };
}
