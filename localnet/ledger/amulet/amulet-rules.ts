import { abort, decimalOr } from '../contract-failures.ts';
import { contractId, numeric, optional, party, record } from '../lf-types.ts';
import type { Optional } from '../lf-types.ts';
import { choice, template } from '../package-definition.ts';
import type { ChoiceContext, TemplateDefinition } from '../package-definition.ts';
import { Metadata } from '../tokens/metadata.ts';
import { Amulet, AmuletCreateSummary } from './amulet.ts';
import { executeTransfer, outputFeeOf } from './execute-transfer.ts';
import { FormerAmuletRules } from './former-rules.ts';
import { FeaturedAppRight } from './rights.ts';
import { fetchOpenRound, holdingFeeOf } from './round.ts';
import {
  AmuletRulesPayload,
  ComputeFees,
  CreatePreapproval,
  FetchRules,
  TransferAmulets,
  inRules,
  preapprovalFee,
  rulesChoice,
} from './rules-interface.ts';
import { splitAndBurn } from './split-and-burn.ts';
import { transactionMetadata } from './transaction-metadata.ts';
import type { TransferOutput } from './transfer.ts';
import { TransferPreapproval } from './transfer-preapproval.ts';

function checkExpectedDso(
  ledger: ChoiceContext,
  { dso }: AmuletRulesPayload,
  expected: Optional<string>,
): void {
  if (expected === null) {
    abort(
      ledger,
      'Expected DSO party not set by caller. Please change your code to set it as a prudent security measure.',
    );
  } else if (expected.some !== dso) {
    abort(
      ledger,
      `DSO party expected by caller '${expected.some}' does not match actual DSO party '${dso}'`,
    );
  }
}

const computeFeesChoice = choice({
  ...ComputeFees,
  controllers: (_rules: AmuletRulesPayload, { sender }) => [sender],
  exercise: (ledger, { payload: rules }, { context, sender, outputs, expectedDso }) => {
    checkExpectedDso(ledger, rules, expectedDso);
    const round = fetchOpenRound(ledger, rules.dso, context.openMiningRound);
    const feeOf = (output: TransferOutput) => outputFeeOf(round, sender, output);
    return { fees: outputs.map((output) => decimalOr(ledger, feeOf(output), 'ADD_NUMERIC')) };
  },
});

const transferChoice = choice({
  ...TransferAmulets,
  controllers: (_rules: AmuletRulesPayload, { transfer }) => [
    transfer.sender,
    transfer.provider,
    ...transfer.outputs.flatMap(({ receiver, lock }) => [receiver, ...(lock?.some.holders ?? [])]),
  ],
  exercise: (ledger, { payload: rules }, { transfer, context, expectedDso }) => {
    checkExpectedDso(ledger, rules, expectedDso);
    return executeTransfer(ledger, context, rules.dso, transfer);
  },
});

const createPreapprovalChoice = choice({
  ...CreatePreapproval,
  controllers: (_rules: AmuletRulesPayload, { provider, receiver }) => [provider, receiver],
  exercise: (ledger, { payload: rules }, argument) => {
    const { inputs, receiver, provider, expiresAt } = argument;
    const { dso } = rules;
    const { context } = argument.context;
    checkExpectedDso(ledger, rules, argument.expectedDso);
    const now = ledger.getTime();
    ledger.require('expiresAt is not in the past', expiresAt > now);
    const amuletPaid = preapprovalFee(ledger, rules, expiresAt - now, context.openMiningRound);
    const payment = { payer: provider, amount: amuletPaid, inputs, context, dso };
    const paid = splitAndBurn(ledger, payment, 'create TransferPreapproval');
    const transferPreapprovalCid = ledger.create(TransferPreapproval, {
      dso,
      receiver,
      provider,
      validFrom: now,
      lastRenewedAt: now,
      expiresAt,
    });
    const { transferResult, meta } = paid;
    return { transferPreapprovalCid, transferResult, amuletPaid, meta: { some: meta } };
  },
});

const MINTING = { receiver: party, amount: numeric(10), openRound: contractId };

const Mint = choice({
  ...rulesChoice(
    'AmuletRules_Mint',
    MINTING,
    record(inRules('AmuletRules_MintResult'), { amuletSum: AmuletCreateSummary }),
  ),
  controllers: ({ dso }: AmuletRulesPayload, { receiver }) => [dso, receiver],
  exercise: (ledger, { payload: { dso, isDevNet } }, { receiver, amount, openRound }) => {
    ledger.require('isDevNet flag is true', isDevNet);
    const round = fetchOpenRound(ledger, dso, openRound);
    const amulet = ledger.create(Amulet, {
      dso,
      owner: receiver,
      amount: {
        initialAmount: amount,
        createdAt: round.round,
        ratePerRound: { rate: holdingFeeOf(round) },
      },
    });
    return { amuletSum: { amulet, amuletPrice: round.amuletPrice, round: round.round } };
  },
});

/** Creates amulets for a receiver without a payment. Only test networks permit this. */
export const DevNetTap = choice({
  ...rulesChoice(
    'AmuletRules_DevNet_Tap',
    MINTING,
    record(inRules('AmuletRules_DevNet_TapResult'), {
      amuletSum: AmuletCreateSummary,
      meta: optional(Metadata),
    }),
  ),
  controllers: (_rules: AmuletRulesPayload, { receiver }) => [receiver],
  exercise: (ledger, { contractId: self, payload: { isDevNet } }, argument) => {
    ledger.require('isDevNet flag is true', isDevNet);
    const { amuletSum } = ledger.exercise(AmuletRules, self, Mint, argument);
    const meta = transactionMetadata('mint', { reason: 'tapped faucet' });
    return { amuletSum, meta: { some: meta } };
  },
});

/** Gives an app the right of a featured app, as test networks do. */
export const DevNetFeatureApp = choice({
  ...rulesChoice(
    'AmuletRules_DevNet_FeatureApp',
    { provider: party },
    record(inRules('AmuletRules_DevNet_FeatureAppResult'), { featuredAppRightCid: contractId }),
  ),
  controllers: (_rules: AmuletRulesPayload, { provider }) => [provider],
  exercise: (ledger, { payload: { dso, isDevNet } }, { provider }) => {
    ledger.require('isDevNet flag is true', isDevNet);
    return { featuredAppRightCid: ledger.create(FeaturedAppRight, { dso, provider }) };
  },
});

const fetchChoice = choice({
  ...FetchRules,
  controllers: (_rules: AmuletRulesPayload, { p }) => [p],
  exercise: (_ledger, { payload }) => payload,
});

/**
 * The DSO party's agreement to every correct transfer of its amulets. The network discloses this contract to a party
 * that makes a transfer.
 */
export const AmuletRules: TemplateDefinition<AmuletRulesPayload> = template({
  name: inRules('AmuletRules'),
  payload: AmuletRulesPayload,
  signatories: ({ dso }) => [dso],
  observers: () => [],
  choices: [
    computeFeesChoice,
    transferChoice,
    createPreapprovalChoice,
    Mint,
    DevNetTap,
    DevNetFeatureApp,
    fetchChoice,
  ],
  former: FormerAmuletRules,
});
