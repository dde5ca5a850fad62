import {
  contractId,
  genMap,
  list,
  optional,
  party,
  record,
  text,
  timestamp,
  unit,
  variant,
} from '../lf-types.ts';
import type { LfValue } from '../lf-types.ts';
import { definePackage, typeNamer } from '../package-definition.ts';
import type { InterfaceChoice, InterfaceDefinition } from '../package-definition.ts';
import { AllocationSpecification } from './allocation.ts';
import { ExtraArgs, Metadata } from './metadata.ts';

const PACKAGE_NAME = 'splice-api-token-allocation-instruction-v1';
const named = typeNamer(PACKAGE_NAME);
const inModule = (entity: string) => named(`Splice.Api.Token.AllocationInstructionV1:${entity}`);

const View = record(inModule('AllocationFactoryView'), { admin: party, meta: Metadata });
export type AllocationFactoryView = LfValue<typeof View>;

const AllocateArgument = record(inModule('AllocationFactory_Allocate'), {
  expectedAdmin: party,
  allocation: AllocationSpecification,
  requestedAt: timestamp,
  inputHoldingCids: list(contractId),
  extraArgs: ExtraArgs,
});
export type AllocateArgument = LfValue<typeof AllocateArgument>;

const Output = variant(inModule('AllocationInstructionResult_Output'), {
  AllocationInstructionResult_Pending: record(
    inModule('AllocationInstructionResult_Output.AllocationInstructionResult_Pending'),
    { allocationInstructionCid: contractId },
  ),
  AllocationInstructionResult_Completed: record(
    inModule('AllocationInstructionResult_Output.AllocationInstructionResult_Completed'),
    { allocationCid: contractId },
  ),
  AllocationInstructionResult_Failed: unit,
});

const AllocateResult = record(inModule('AllocationInstructionResult'), {
  output: Output,
  senderChangeCids: list(contractId),
  meta: Metadata,
});
export type AllocateResult = LfValue<typeof AllocateResult>;

const InstructionView = record(inModule('AllocationInstructionView'), {
  originalInstructionCid: optional(contractId),
  allocation: AllocationSpecification,
  pendingActions: genMap(party, text),
  requestedAt: timestamp,
  inputHoldingCids: list(contractId),
  meta: Metadata,
});
type AllocationInstructionView = LfValue<typeof InstructionView>;

/** Withdraws the instruction. The sender exercises this choice. */
const WithdrawInstruction: InterfaceChoice<
  AllocationInstructionView,
  { readonly extraArgs: ExtraArgs },
  AllocateResult
> = {
  name: 'AllocationInstruction_Withdraw',
  kind: 'consuming',
  argument: record(inModule('AllocationInstruction_Withdraw'), { extraArgs: ExtraArgs }),
  result: AllocateResult,
  controllers: ({ allocation }) => [allocation.transferLeg.sender],
};

/** Lets the instrument's administrator continue the instruction. */
const UpdateInstruction: InterfaceChoice<
  AllocationInstructionView,
  { readonly extraActors: readonly string[]; readonly extraArgs: ExtraArgs },
  AllocateResult
> = {
  name: 'AllocationInstruction_Update',
  kind: 'consuming',
  argument: record(inModule('AllocationInstruction_Update'), {
    extraActors: list(party),
    extraArgs: ExtraArgs,
  }),
  result: AllocateResult,
  controllers: ({ allocation }, { extraActors }) => [
    allocation.transferLeg.instrumentId.admin,
    ...extraActors,
  ],
};

/**
 * An allocation that takes several steps. No contract of this network has this interface, because the network's token
 * allocates in one step.
 */
const AllocationInstruction: InterfaceDefinition<AllocationInstructionView> = {
  kind: 'interface',
  name: inModule('AllocationInstruction'),
  view: InstructionView,
  choices: [WithdrawInstruction, UpdateInstruction],
};

/** Reserves holdings of the sender for one payment of a settlement. */
export const Allocate: InterfaceChoice<AllocationFactoryView, AllocateArgument, AllocateResult> = {
  name: 'AllocationFactory_Allocate',
  kind: 'nonconsuming',
  argument: AllocateArgument,
  result: AllocateResult,
  controllers: (_view, { allocation }) => [allocation.transferLeg.sender],
};

/** Returns the factory's view to a party to which the factory has been disclosed. */
export const PublicFetch: InterfaceChoice<
  AllocationFactoryView,
  { readonly expectedAdmin: string; readonly actor: string },
  AllocationFactoryView
> = {
  name: 'AllocationFactory_PublicFetch',
  kind: 'nonconsuming',
  argument: record(inModule('AllocationFactory_PublicFetch'), {
    expectedAdmin: party,
    actor: party,
  }),
  result: View,
  controllers: (_view, { actor }) => [actor],
};

/** A contract through which holdings of an administrator's instruments are allocated. */
export const AllocationFactory: InterfaceDefinition<AllocationFactoryView> = {
  kind: 'interface',
  name: inModule('AllocationFactory'),
  view: View,
  choices: [Allocate, PublicFetch],
};

export const tokenAllocationInstructionPackage = definePackage({
  name: PACKAGE_NAME,
  version: '1.0.0',
  publishedId: '275064aacfe99cea72ee0c80563936129563776f67415ef9f13e4297eecbc520',
  interfaces: [AllocationInstruction, AllocationFactory],
});
