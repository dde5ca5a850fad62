import type {
  Command,
  DisclosedContract,
} from '../../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import type { Transaction } from '../../../proto/gen/com/daml/ledger/api/v2/transaction.ts';
import type { Identifier } from '../../../proto/gen/com/daml/ledger/api/v2/value.ts';
import { exercise, meta } from './licensing.ts';
import { DAY_MICROS, disclosedOf, resultOf } from './market.ts';
import type { Market } from './market.ts';
import { AMULET_RULES, anyContractId, extraArgs } from './money.ts';
import type { Context, Instrument } from './money.ts';
import { createdIn } from './streams.ts';
import {
  contractId,
  genMapOf,
  list,
  none,
  numeric,
  party,
  readValue,
  recordValue,
  some,
  text,
  timestamp,
  variant,
} from './values.ts';

/* Transfers of the network's coin according to the token standard, between the two parties of a market. */

const inModule = (packageId: string, moduleName: string) => (entityName: string) => ({
  packageId,
  moduleName,
  entityName,
});
const transferModule = inModule(
  '#splice-api-token-transfer-instruction-v1',
  'Splice.Api.Token.TransferInstructionV1',
);
export const TRANSFER_FACTORY: Identifier = transferModule('TransferFactory');
export const TRANSFER_INSTRUCTION: Identifier = transferModule('TransferInstruction');
const amulet = inModule('#splice-amulet', 'Splice.AmuletRules');
export const PREAPPROVAL: Identifier = amulet('TransferPreapproval');

export interface TransferTerms {
  readonly sender: string;
  readonly receiver: string;
  readonly amount: string;
  readonly instrument: Instrument;
  readonly requestedAt: bigint;
  readonly executeBefore: bigint;
  readonly inputs: readonly string[];
  readonly expectedAdmin: string;
  readonly reason: string | undefined;
  readonly context: Context;
}

/** Returns the terms of a transfer of ten coins from the user to the provider, with a day to accept it. */
export async function transferTerms(
  market: Market,
  inputs: readonly string[],
  changes: Partial<TransferTerms> = {},
): Promise<TransferTerms> {
  const now = await market.now();
  return {
    sender: market.user,
    receiver: market.provider,
    amount: '10.0',
    instrument: { admin: market.dso, id: 'Amulet' },
    requestedAt: now,
    executeBefore: now + DAY_MICROS,
    inputs,
    expectedAdmin: market.dso,
    reason: undefined,
    context: market.paymentContext,
    ...changes,
  };
}

export const transferCommand = (factoryCid: string, terms: TransferTerms): Command =>
  exercise(
    TRANSFER_FACTORY,
    factoryCid,
    'TransferFactory_Transfer',
    recordValue({
      expectedAdmin: party(terms.expectedAdmin),
      transfer: recordValue({
        sender: party(terms.sender),
        receiver: party(terms.receiver),
        amount: numeric(terms.amount),
        instrumentId: recordValue({
          admin: party(terms.instrument.admin),
          id: text(terms.instrument.id),
        }),
        requestedAt: timestamp(terms.requestedAt),
        executeBefore: timestamp(terms.executeBefore),
        inputHoldingCids: list(terms.inputs.map(contractId)),
        meta: meta(
          terms.reason === undefined
            ? {}
            : { 'splice.lfdecentralizedtrust.org/reason': terms.reason },
        ),
      }),
      extraArgs: extraArgs(terms.context),
    }),
  );

/** Transfers as the user, with the contracts that the registry discloses. */
export const transfer = (
  market: Market,
  terms: TransferTerms,
  beside: readonly DisclosedContract[] = [],
): Promise<Transaction> =>
  market.asUser(transferCommand(market.factory.contractId, terms), [
    market.rules,
    market.round,
    market.factory,
    ...beside,
  ]);

export interface TransferResult {
  readonly output: {
    readonly tag: string;
    readonly value: {
      readonly transferInstructionCid?: string;
      readonly receiverHoldingCids?: readonly string[];
    };
  };
  readonly senderChangeCids: readonly string[];
  readonly meta: { readonly values: Readonly<Record<string, string>> };
}

export const transferResult = (transaction: Transaction): TransferResult =>
  readValue(resultOf(transaction)) as TransferResult;

/** Exercises a choice of the transfer instruction. */
export const onInstruction = (
  choice: 'Accept' | 'Reject' | 'Withdraw',
  instructionCid: string,
  context: Context,
): Command =>
  exercise(
    TRANSFER_INSTRUCTION,
    instructionCid,
    `TransferInstruction_${choice}`,
    recordValue({ extraArgs: extraArgs(context) }),
  );

/** Returns the contract references that a transfer needs if it names no others itself. */
export const paymentOf = (market: Market) =>
  recordValue({
    amuletRules: contractId(market.rules.contractId),
    context: transferContext(market),
  });

export const transferContext = (market: Market) =>
  recordValue({
    openMiningRound: contractId(market.round.contractId),
    issuingMiningRounds: genMapOf([]),
    validatorRights: genMapOf([]),
    featuredAppRight: none,
  });

export const inputAmulet = (amuletCid: string) => variant('InputAmulet', contractId(amuletCid));

/**
 * Creates a preapproval, for which the user pays, so that other parties can send coins to the user without asking.
 * @returns the disclosure of the preapproval
 */
export async function preapprove(market: Market, expiresAt: bigint): Promise<DisclosedContract> {
  const paidWith = await market.tap('500.0');
  const command = exercise(
    AMULET_RULES,
    market.rules.contractId,
    'AmuletRules_CreateTransferPreapproval',
    recordValue({
      context: paymentOf(market),
      inputs: list([inputAmulet(paidWith)]),
      receiver: party(market.user),
      provider: party(market.user),
      expiresAt: timestamp(expiresAt),
      expectedDso: some(party(market.dso)),
    }),
  );
  const transaction = await market.asUser(command, [market.rules, market.round]);
  const created = createdIn(transaction).find(
    ({ templateId }) => templateId?.entityName === PREAPPROVAL.entityName,
  );
  return disclosedOf(market.userSide, market.user, created!.contractId);
}

export const withPreapproval = (market: Market, preapproval: DisclosedContract): Context => ({
  ...market.paymentContext,
  'transfer-preapproval': anyContractId(preapproval.contractId),
});
