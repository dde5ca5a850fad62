import {
  contractId,
  list,
  numeric,
  optional,
  party,
  record,
  text,
  timestamp,
} from '../lf-types.ts';
import type { LfValue } from '../lf-types.ts';
import { definePackage, typeNamer } from '../package-definition.ts';
import type { InterfaceChoice, InterfaceDefinition } from '../package-definition.ts';
import { InstrumentId } from './holding.ts';
import { ExtraArgs, Metadata } from './metadata.ts';

const PACKAGE_NAME = 'splice-api-token-allocation-v1';
const named = typeNamer(PACKAGE_NAME);
const inModule = (entity: string) => named(`Splice.Api.Token.AllocationV1:${entity}`);

const Reference = record(inModule('Reference'), { id: text, cid: optional(contractId) });

/** A settlement that an app wants to execute. The deadlines are exclusive. */
export const SettlementInfo = record(inModule('SettlementInfo'), {
  executor: party,
  settlementRef: Reference,
  requestedAt: timestamp,
  allocateBefore: timestamp,
  settleBefore: timestamp,
  meta: Metadata,
});

/** One payment of a settlement. */
export const TransferLeg = record(inModule('TransferLeg'), {
  sender: party,
  receiver: party,
  amount: numeric(10),
  instrumentId: InstrumentId,
  meta: Metadata,
});

export const AllocationSpecification = record(inModule('AllocationSpecification'), {
  settlement: SettlementInfo,
  transferLegId: text,
  transferLeg: TransferLeg,
});
export type AllocationSpecification = LfValue<typeof AllocationSpecification>;

const View = record(inModule('AllocationView'), {
  allocation: AllocationSpecification,
  holdingCids: list(contractId),
  meta: Metadata,
});
export type AllocationView = LfValue<typeof View>;

const ExecuteTransferResult = record(inModule('Allocation_ExecuteTransferResult'), {
  senderHoldingCids: list(contractId),
  receiverHoldingCids: list(contractId),
  meta: Metadata,
});
const CancelResult = record(inModule('Allocation_CancelResult'), {
  senderHoldingCids: list(contractId),
  meta: Metadata,
});
const WithdrawResult = record(inModule('Allocation_WithdrawResult'), {
  senderHoldingCids: list(contractId),
  meta: Metadata,
});

const withExtraArgs = (entity: string) => record(inModule(entity), { extraArgs: ExtraArgs });

const settlementParties = ({
  allocation: { settlement, transferLeg },
}: AllocationView): readonly string[] => [
  settlement.executor,
  transferLeg.sender,
  transferLeg.receiver,
];

/** Pays the allocated holdings. The executor, the sender and the receiver together exercise this choice. */
export const ExecuteTransfer: InterfaceChoice<
  AllocationView,
  { readonly extraArgs: ExtraArgs },
  LfValue<typeof ExecuteTransferResult>
> = {
  name: 'Allocation_ExecuteTransfer',
  kind: 'consuming',
  argument: withExtraArgs('Allocation_ExecuteTransfer'),
  result: ExecuteTransferResult,
  controllers: settlementParties,
};

/** Returns the holdings to the sender. The executor, the sender and the receiver together exercise this choice. */
export const CancelAllocation: InterfaceChoice<
  AllocationView,
  { readonly extraArgs: ExtraArgs },
  LfValue<typeof CancelResult>
> = {
  name: 'Allocation_Cancel',
  kind: 'consuming',
  argument: withExtraArgs('Allocation_Cancel'),
  result: CancelResult,
  controllers: settlementParties,
};

/** Returns the holdings to the sender. The sender alone may do this. */
export const WithdrawAllocation: InterfaceChoice<
  AllocationView,
  { readonly extraArgs: ExtraArgs },
  LfValue<typeof WithdrawResult>
> = {
  name: 'Allocation_Withdraw',
  kind: 'consuming',
  argument: withExtraArgs('Allocation_Withdraw'),
  result: WithdrawResult,
  controllers: ({ allocation }) => [allocation.transferLeg.sender],
};

/** Holdings that are reserved for one payment of a settlement. */
export const Allocation: InterfaceDefinition<AllocationView> = {
  kind: 'interface',
  name: inModule('Allocation'),
  view: View,
  choices: [ExecuteTransfer, CancelAllocation, WithdrawAllocation],
};

export const tokenAllocationPackage = definePackage({
  name: PACKAGE_NAME,
  version: '1.0.0',
  publishedId: '93c942ae2b4c2ba674fb152fe38473c507bda4e82b4e4c5da55a552a9d8cce1d',
  interfaces: [Allocation],
});
