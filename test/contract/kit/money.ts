import type { Command } from '../../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import type { Identifier, Value } from '../../../proto/gen/com/daml/ledger/api/v2/value.ts';
import { exercise, LICENSE, LICENSING, meta } from './licensing.ts';
import {
  bool,
  contractId,
  list,
  numeric,
  party,
  recordValue,
  text,
  textMapOf,
  timestamp,
  int64,
  none,
  variant,
} from './values.ts';

/*
 * Commands on renewals, on the token standard's interfaces and on the network's token, as any client would send them:
 * with package names and labels.
 */

const inModule = (packageId: string, moduleName: string) => (entityName: string) => ({
  packageId,
  moduleName,
  entityName,
});
const token = (name: string, module: string) =>
  inModule(`#splice-api-token-${name}-v1`, `Splice.Api.Token.${module}`);
const amulet = (module: string, entity: string) =>
  inModule('#splice-amulet', `Splice.${module}`)(entity);

export const HOLDING: Identifier = token('holding', 'HoldingV1')('Holding');
export const ALLOCATION: Identifier = token('allocation', 'AllocationV1')('Allocation');
export const ALLOCATION_REQUEST: Identifier = token(
  'allocation-request',
  'AllocationRequestV1',
)('AllocationRequest');
export const ALLOCATION_FACTORY: Identifier = token(
  'allocation-instruction',
  'AllocationInstructionV1',
)('AllocationFactory');

export const AMULET: Identifier = amulet('Amulet', 'Amulet');
export const LOCKED_AMULET: Identifier = amulet('Amulet', 'LockedAmulet');
export const AMULET_RULES: Identifier = amulet('AmuletRules', 'AmuletRules');
export const OPEN_ROUND: Identifier = amulet('Round', 'OpenMiningRound');
export const FACTORY: Identifier = amulet('ExternalPartyAmuletRules', 'ExternalPartyAmuletRules');
export const AMULET_ALLOCATION: Identifier = amulet('AmuletAllocation', 'AmuletAllocation');

export const RENEWAL: Identifier = inModule(
  LICENSING,
  'Licensing.License',
)('LicenseRenewalRequest');
export const PAYMENT_REQUEST: Identifier = inModule(
  LICENSING,
  'Licensing.License',
)('AppPaymentRequest');

export interface Instrument {
  readonly admin: string;
  readonly id: string;
}

const instrumentId = ({ admin, id }: Instrument): Value =>
  recordValue({ admin: party(admin), id: text(id) });

/** The terms of a renewal. Times are microseconds since the epoch. */
export interface Terms {
  readonly requestId: string;
  readonly amount: string;
  readonly instrument: Instrument;
  readonly extensionMicros: bigint;
  readonly requestedAt: bigint;
  readonly prepareUntil: bigint;
  readonly settleBefore: bigint;
  readonly description: string;
}

/** Requests a renewal. The provider exercises this choice. */
export const renew = (licenseCid: string, terms: Terms): Command =>
  exercise(
    LICENSE,
    licenseCid,
    'License_Renew',
    recordValue({
      requestId: text(terms.requestId),
      licenseFeeInstrumentId: instrumentId(terms.instrument),
      licenseFeeAmount: numeric(terms.amount),
      licenseExtensionDuration: recordValue({ microseconds: int64(terms.extensionMicros) }),
      requestedAt: timestamp(terms.requestedAt),
      prepareUntil: timestamp(terms.prepareUntil),
      settleBefore: timestamp(terms.settleBefore),
      description: text(terms.description),
    }),
  );

type Texts = Readonly<Record<string, string>>;

/** One payment of a settlement. All its terms are fields of one record. */
export interface Specification {
  readonly executor: string;
  readonly settlementId: string;
  readonly requestedAt: bigint;
  readonly allocateBefore: bigint;
  readonly settleBefore: bigint;
  readonly settlementMeta: Texts;
  readonly legId: string;
  readonly sender: string;
  readonly receiver: string;
  readonly amount: string;
  readonly instrument: Instrument;
  readonly legMeta: Texts;
}

const specification = (of: Specification): Value =>
  recordValue({
    settlement: recordValue({
      executor: party(of.executor),
      settlementRef: recordValue({ id: text(of.settlementId), cid: none }),
      requestedAt: timestamp(of.requestedAt),
      allocateBefore: timestamp(of.allocateBefore),
      settleBefore: timestamp(of.settleBefore),
      meta: meta(of.settlementMeta),
    }),
    transferLegId: text(of.legId),
    transferLeg: recordValue({
      sender: party(of.sender),
      receiver: party(of.receiver),
      amount: numeric(of.amount),
      instrumentId: instrumentId(of.instrument),
      meta: meta(of.legMeta),
    }),
  });

/** The entries of the choice context, by key. */
export type Context = Readonly<Record<string, Value>>;

export const anyContractId = (cid: string): Value => variant('AV_ContractId', contractId(cid));
export const anyBool = (value: boolean): Value => variant('AV_Bool', bool(value));
export const anyText = (value: string): Value => variant('AV_Text', text(value));
export const anyList = (values: readonly Value[]): Value => variant('AV_List', list(values));
export const anyMap = (entries: Context): Value => variant('AV_Map', textMapOf(entries));

export const extraArgs = (context: Context): Value =>
  recordValue({ context: recordValue({ values: textMapOf(context) }), meta: meta() });

export interface AllocateArguments {
  readonly expectedAdmin: string;
  readonly specification: Specification;
  readonly requestedAt: bigint;
  readonly inputs: readonly string[];
  readonly context: Context;
}

/** Allocates holdings. The sender exercises this choice. */
export const allocate = (factoryCid: string, argument: AllocateArguments): Command =>
  exercise(
    ALLOCATION_FACTORY,
    factoryCid,
    'AllocationFactory_Allocate',
    recordValue({
      expectedAdmin: party(argument.expectedAdmin),
      allocation: specification(argument.specification),
      requestedAt: timestamp(argument.requestedAt),
      inputHoldingCids: list(argument.inputs.map(contractId)),
      extraArgs: extraArgs(argument.context),
    }),
  );

/** Completes a renewal. The provider exercises this choice. */
export const complete = (
  renewalCid: string,
  argument: { allocationCid: string; licenseCid: string; context: Context },
): Command =>
  exercise(
    RENEWAL,
    renewalCid,
    'LicenseRenewalRequest_CompleteRenewal',
    recordValue({
      allocationCid: contractId(argument.allocationCid),
      licenseCid: contractId(argument.licenseCid),
      extraArgs: extraArgs(argument.context),
    }),
  );

/** Rejects a request for an allocation. `actor` must be the payer. */
export const rejectRequest = (requestCid: string, actor: string): Command =>
  exercise(
    ALLOCATION_REQUEST,
    requestCid,
    'AllocationRequest_Reject',
    recordValue({ actor: party(actor), extraArgs: extraArgs({}) }),
  );

/** Withdraws a request for an allocation. The executor exercises this choice. */
export const withdrawRequest = (requestCid: string): Command =>
  exercise(
    ALLOCATION_REQUEST,
    requestCid,
    'AllocationRequest_Withdraw',
    recordValue({ extraArgs: extraArgs({}) }),
  );

/** Exercises a choice of the interface `Allocation`. */
export const onAllocation = (
  choice: 'Allocation_ExecuteTransfer' | 'Allocation_Cancel' | 'Allocation_Withdraw',
  allocationCid: string,
  context: Context,
): Command =>
  exercise(ALLOCATION, allocationCid, choice, recordValue({ extraArgs: extraArgs(context) }));

/** Creates amulet without a payment. The receiver exercises this choice. */
export const tap = (
  rulesCid: string,
  argument: { receiver: string; amount: string; openRoundCid: string },
): Command =>
  exercise(
    AMULET_RULES,
    rulesCid,
    'AmuletRules_DevNet_Tap',
    recordValue({
      receiver: party(argument.receiver),
      amount: numeric(argument.amount),
      openRound: contractId(argument.openRoundCid),
    }),
  );

/** Unlocks coins whose lock has expired. The owner exercises this choice. */
export const expireLock = (lockedCid: string, openRoundCid: string): Command =>
  exercise(
    LOCKED_AMULET,
    lockedCid,
    'LockedAmulet_OwnerExpireLock',
    recordValue({ openRoundCid: contractId(openRoundCid) }),
  );
