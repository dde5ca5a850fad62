import { contractId, list, numeric, optional, party, record, timestamp } from '../lf-types.ts';
import type { LfValue } from '../lf-types.ts';
import { choice, definePackage, template, typeNamer } from '../package-definition.ts';
import type { TemplateDefinition } from '../package-definition.ts';
import { createPreapproval } from './rules-interface.ts';
import { AcceptedTransferOffer, TransferOffer } from './transfer-offer.ts';
import { PaymentContext, TransferInput, TransferResult } from './transfer.ts';

const PACKAGE_NAME = 'splice-wallet';
const named = typeNamer(PACKAGE_NAME);
const inModule = (entity: string) => named(`Splice.Wallet.TransferPreapproval:${entity}`);

const Payload = record(inModule('TransferPreapprovalProposal'), {
  receiver: party,
  provider: party,
  expectedDso: optional(party),
});
export type ProposalPayload = LfValue<typeof Payload>;

/** Accepts the proposal. The provider exercises this choice, and pays for the preapproval. */
export const AcceptProposal = choice({
  name: 'TransferPreapprovalProposal_Accept',
  kind: 'consuming',
  argument: record(inModule('TransferPreapprovalProposal_Accept'), {
    context: PaymentContext,
    inputs: list(TransferInput),
    expiresAt: timestamp,
  }),
  result: record(inModule('TransferPreapprovalProposal_AcceptResult'), {
    transferPreapprovalCid: contractId,
    transferResult: TransferResult,
    amuletPaid: numeric(10),
  }),
  controllers: ({ provider }: ProposalPayload) => [provider],
  exercise: (ledger, { payload }, { context, inputs, expiresAt }) => {
    const { receiver, provider, expectedDso } = payload;
    ledger.require('expiresAt is not in the past', ledger.getTime() < expiresAt);
    const terms = { context, inputs, receiver, provider, expiresAt, expectedDso };
    const { transferPreapprovalCid, transferResult, amuletPaid } = createPreapproval(ledger, terms);
    return { transferPreapprovalCid, transferResult, amuletPaid };
  },
});

/** A party's proposal that its provider pays for a preapproval of transfers to the party. */
export const TransferPreapprovalProposal: TemplateDefinition<ProposalPayload> = template({
  name: inModule('TransferPreapprovalProposal'),
  payload: Payload,
  signatories: ({ receiver }) => [receiver],
  observers: ({ provider }) => [provider],
  choices: [AcceptProposal],
});

/**
 * Stands for the published package of payments that apps request. It is needed because transfer offers use its type for
 * amounts.
 */
const walletPaymentsPackage = definePackage({
  name: 'splice-wallet-payments',
  version: '0.1.14',
  publishedId: '45b29d6e05b5352c39edde850c66b4535c682b9991b06eec312176b1a48ecab5',
});

/**
 * Stands for the published package of the wallet's contracts. It contains only templates that parties sign themselves.
 */
const walletPackage = definePackage({
  name: PACKAGE_NAME,
  version: '0.1.14',
  publishedId: '690c1d47bac06db419db344d59a7a30c53fa3f5d961943fe1782cfc6c78794d8',
  templates: [TransferPreapprovalProposal, TransferOffer, AcceptedTransferOffer],
});

export const WALLET_PACKAGES = [walletPaymentsPackage, walletPackage];
