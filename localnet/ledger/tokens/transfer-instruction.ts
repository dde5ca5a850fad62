import {
  contractId,
  genMap,
  list,
  numeric,
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
import { InstrumentId } from './holding.ts';
import { ExtraArgs, Metadata } from './metadata.ts';

const PACKAGE_NAME = 'splice-api-token-transfer-instruction-v1';
const named = typeNamer(PACKAGE_NAME);
const inModule = (entity: string) => named(`Splice.Api.Token.TransferInstructionV1:${entity}`);

/** The transfer that a wallet requests. `executeBefore` is exclusive. */
export const TransferSpecification = record(inModule('Transfer'), {
  sender: party,
  receiver: party,
  amount: numeric(10),
  instrumentId: InstrumentId,
  requestedAt: timestamp,
  executeBefore: timestamp,
  inputHoldingCids: list(contractId),
  meta: Metadata,
});
export type TransferSpecification = LfValue<typeof TransferSpecification>;

const Output = variant(inModule('TransferInstructionResult_Output'), {
  TransferInstructionResult_Pending: record(
    inModule('TransferInstructionResult_Output.TransferInstructionResult_Pending'),
    { transferInstructionCid: contractId },
  ),
  TransferInstructionResult_Completed: record(
    inModule('TransferInstructionResult_Output.TransferInstructionResult_Completed'),
    { receiverHoldingCids: list(contractId) },
  ),
  TransferInstructionResult_Failed: unit,
});

const InstructionResult = record(inModule('TransferInstructionResult'), {
  output: Output,
  senderChangeCids: list(contractId),
  meta: Metadata,
});
export type InstructionResult = LfValue<typeof InstructionResult>;

const Status = variant(inModule('TransferInstructionStatus'), {
  TransferPendingReceiverAcceptance: unit,
  TransferPendingInternalWorkflow: record(
    inModule('TransferInstructionStatus.TransferPendingInternalWorkflow'),
    { pendingActions: genMap(party, text) },
  ),
});

const InstructionView = record(inModule('TransferInstructionView'), {
  originalInstructionCid: optional(contractId),
  transfer: TransferSpecification,
  status: Status,
  meta: Metadata,
});
export type TransferInstructionView = LfValue<typeof InstructionView>;

interface WithExtraArgs {
  readonly extraArgs: ExtraArgs;
}

const receiverOf = ({ transfer }: TransferInstructionView) => [transfer.receiver];

const instructionChoice = (
  name: string,
  controllers: (view: TransferInstructionView) => readonly string[],
): InterfaceChoice<TransferInstructionView, WithExtraArgs, InstructionResult> => ({
  name,
  kind: 'consuming',
  argument: record(inModule(name), { extraArgs: ExtraArgs }),
  result: InstructionResult,
  controllers,
});

/** Accepts the transfer. The receiver exercises this choice. */
export const AcceptTransfer = instructionChoice('TransferInstruction_Accept', receiverOf);

/** Rejects the transfer. The receiver exercises this choice. */
export const RejectTransfer = instructionChoice('TransferInstruction_Reject', receiverOf);

/** Withdraws the transfer. The sender exercises this choice. */
export const WithdrawTransfer = instructionChoice(
  'TransferInstruction_Withdraw',
  ({ transfer }) => [transfer.sender],
);

/** Lets the instrument's administrator continue the transfer. */
export const UpdateTransfer: InterfaceChoice<
  TransferInstructionView,
  WithExtraArgs & { readonly extraActors: readonly string[] },
  InstructionResult
> = {
  name: 'TransferInstruction_Update',
  kind: 'consuming',
  argument: record(inModule('TransferInstruction_Update'), {
    extraActors: list(party),
    extraArgs: ExtraArgs,
  }),
  result: InstructionResult,
  controllers: ({ transfer }, { extraActors }) => [transfer.instrumentId.admin, ...extraActors],
};

/** A transfer that is not complete yet. */
export const TransferInstruction: InterfaceDefinition<TransferInstructionView> = {
  kind: 'interface',
  name: inModule('TransferInstruction'),
  view: InstructionView,
  choices: [AcceptTransfer, RejectTransfer, WithdrawTransfer, UpdateTransfer],
};

const FactoryView = record(inModule('TransferFactoryView'), { admin: party, meta: Metadata });
type TransferFactoryView = LfValue<typeof FactoryView>;

const TransferArgument = record(inModule('TransferFactory_Transfer'), {
  expectedAdmin: party,
  transfer: TransferSpecification,
  extraArgs: ExtraArgs,
});
export type TransferArgument = LfValue<typeof TransferArgument>;

/** Transfers holdings at once, or starts a transfer in several steps. */
export const InstructTransfer: InterfaceChoice<
  TransferFactoryView,
  TransferArgument,
  InstructionResult
> = {
  name: 'TransferFactory_Transfer',
  kind: 'nonconsuming',
  argument: TransferArgument,
  result: InstructionResult,
  controllers: (_view, { transfer }) => [transfer.sender],
};

/** Returns the factory's view to a party to which the factory has been disclosed. */
export const FetchTransferFactory: InterfaceChoice<
  TransferFactoryView,
  { readonly expectedAdmin: string; readonly actor: string },
  TransferFactoryView
> = {
  name: 'TransferFactory_PublicFetch',
  kind: 'nonconsuming',
  argument: record(inModule('TransferFactory_PublicFetch'), {
    expectedAdmin: party,
    actor: party,
  }),
  result: FactoryView,
  controllers: (_view, { actor }) => [actor],
};

/** A contract through which holdings of an administrator's instruments are transferred. */
export const TransferFactory: InterfaceDefinition<TransferFactoryView> = {
  kind: 'interface',
  name: inModule('TransferFactory'),
  view: FactoryView,
  choices: [InstructTransfer, FetchTransferFactory],
};

export const tokenTransferInstructionPackage = definePackage({
  name: PACKAGE_NAME,
  version: '1.0.0',
  publishedId: '55ba4deb0ad4662c4168b39859738a0e91388d252286480c7331b3f71a517281',
  interfaces: [TransferInstruction, TransferFactory],
});
