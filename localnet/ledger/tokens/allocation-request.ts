import { party, record, textMap } from '../lf-types.ts';
import type { LfValue } from '../lf-types.ts';
import { definePackage, typeNamer } from '../package-definition.ts';
import type { InterfaceChoice, InterfaceDefinition } from '../package-definition.ts';
import { SettlementInfo, TransferLeg } from './allocation.ts';
import { ChoiceExecutionMetadata, ExtraArgs, Metadata } from './metadata.ts';

const PACKAGE_NAME = 'splice-api-token-allocation-request-v1';
const named = typeNamer(PACKAGE_NAME);
const inModule = (entity: string) => named(`Splice.Api.Token.AllocationRequestV1:${entity}`);

const View = record(inModule('AllocationRequestView'), {
  settlement: SettlementInfo,
  transferLegs: textMap(TransferLeg),
  meta: Metadata,
});
export type AllocationRequestView = LfValue<typeof View>;

type ExecutionMetadata = LfValue<typeof ChoiceExecutionMetadata>;

/** Rejects the request, so that nothing is allocated. */
export const RejectRequest: InterfaceChoice<
  AllocationRequestView,
  { readonly actor: string; readonly extraArgs: ExtraArgs },
  ExecutionMetadata
> = {
  name: 'AllocationRequest_Reject',
  kind: 'consuming',
  argument: record(inModule('AllocationRequest_Reject'), { actor: party, extraArgs: ExtraArgs }),
  result: ChoiceExecutionMetadata,
  controllers: (_view, { actor }) => [actor],
};

/** Withdraws the request. The app that made it exercises this choice. */
export const WithdrawRequest: InterfaceChoice<
  AllocationRequestView,
  { readonly extraArgs: ExtraArgs },
  ExecutionMetadata
> = {
  name: 'AllocationRequest_Withdraw',
  kind: 'consuming',
  argument: record(inModule('AllocationRequest_Withdraw'), { extraArgs: ExtraArgs }),
  result: ChoiceExecutionMetadata,
  controllers: ({ settlement }) => [settlement.executor],
};

/** An app's request for allocations, which wallets show. */
export const AllocationRequest: InterfaceDefinition<AllocationRequestView> = {
  kind: 'interface',
  name: inModule('AllocationRequest'),
  view: View,
  choices: [RejectRequest, WithdrawRequest],
  methods: {
    allocationRequest_RejectImpl: RejectRequest.name,
    allocationRequest_WithdrawImpl: WithdrawRequest.name,
  },
};

export const tokenAllocationRequestPackage = definePackage({
  name: PACKAGE_NAME,
  version: '1.0.0',
  publishedId: '6fe848530b2404017c4a12874c956ad7d5c8a419ee9b040f96b5c13172d2e193',
  interfaces: [AllocationRequest],
});
