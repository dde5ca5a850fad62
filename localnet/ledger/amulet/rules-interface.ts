import { decimalOr } from '../contract-failures.ts';
import { divideUnits, timesUnits, unitsOf } from '../decimal.ts';
import {
  bool,
  contractId,
  list,
  numeric,
  optional,
  party,
  record,
  timestamp,
} from '../lf-types.ts';
import type { FieldTypes, LfType, LfValue } from '../lf-types.ts';
import { typeNamer } from '../package-definition.ts';
import type { ChoiceContext, ChoiceTarget } from '../package-definition.ts';
import { Metadata } from '../tokens/metadata.ts';
import { ConfigSchedule, PREAPPROVAL_FEE, configAt } from './amulet-config.ts';
import { forDso, requireGroup } from './contract-groups.ts';
import { fetchOpenRoundAs } from './round.ts';
import {
  PaymentContext,
  Transfer,
  TransferContext,
  TransferInput,
  TransferOutput,
  TransferResult,
} from './transfer.ts';

/* The choices of the DSO party's rules, as other contracts' choices call them. */

export const inRules = (entity: string) =>
  typeNamer('splice-amulet')(`Splice.AmuletRules:${entity}`);

export const AmuletRulesPayload = record(inRules('AmuletRules'), {
  dso: party,
  configSchedule: ConfigSchedule,
  isDevNet: bool,
});
export type AmuletRulesPayload = LfValue<typeof AmuletRulesPayload>;

const RULES: ChoiceTarget = { kind: 'template', name: inRules('AmuletRules') };

/**
 * Declares one of the rules' choices for other contracts that call it. None of these choices consumes the rules
 * contract.
 */
export const rulesChoice = <F extends FieldTypes, R>(
  name: string,
  fields: F,
  result: LfType<R>,
) => ({ name, kind: 'nonconsuming' as const, argument: record(inRules(name), fields), result });

export const ComputeFees = rulesChoice(
  'AmuletRules_ComputeFees',
  {
    context: TransferContext,
    sender: party,
    outputs: list(TransferOutput),
    expectedDso: optional(party),
  },
  record(inRules('AmuletRules_ComputeFeesResult'), { fees: list(numeric(10)) }),
);

/** Returns the fees that the given outputs would cost their sender. */
export const computeFees = (
  ledger: ChoiceContext,
  dso: string,
  { amuletRules, context }: PaymentContext,
  sender: string,
  outputs: readonly TransferOutput[],
): readonly string[] =>
  ledger.exercise(RULES, amuletRules, ComputeFees, {
    context,
    sender,
    outputs,
    expectedDso: { some: dso },
  }).fees;

/** Spends amulets of the sender, creates others with the same total amount, and returns the change to the sender. */
export const TransferAmulets = rulesChoice(
  'AmuletRules_Transfer',
  { transfer: Transfer, context: TransferContext, expectedDso: optional(party) },
  TransferResult,
);

/** Transfers amulets by the rules that the payment's context names. */
export const transferByRules = (
  ledger: ChoiceContext,
  dso: string,
  { amuletRules, context }: PaymentContext,
  transfer: Transfer,
): TransferResult =>
  ledger.exercise(RULES, amuletRules, TransferAmulets, {
    transfer,
    context,
    expectedDso: { some: dso },
  });

export const CreatePreapproval = rulesChoice(
  'AmuletRules_CreateTransferPreapproval',
  {
    context: PaymentContext,
    inputs: list(TransferInput),
    receiver: party,
    provider: party,
    expiresAt: timestamp,
    expectedDso: optional(party),
  },
  record(inRules('AmuletRules_CreateTransferPreapprovalResult'), {
    transferPreapprovalCid: contractId,
    transferResult: TransferResult,
    amuletPaid: numeric(10),
    meta: optional(Metadata),
  }),
);

/**
 * Creates a preapproval, for a fee that the provider pays. With it, other parties may send coins to the receiver
 * without asking.
 */
export const createPreapproval = (
  ledger: ChoiceContext,
  argument: LfValue<typeof CreatePreapproval.argument>,
): LfValue<typeof CreatePreapproval.result> =>
  ledger.exercise(RULES, argument.context.amuletRules, CreatePreapproval, argument);

export const FetchRules = rulesChoice('AmuletRules_Fetch', { p: party }, AmuletRulesPayload);

/**
 * Fetches the rules through a choice of theirs, for the body of a choice that has no authority to fetch them itself.
 */
export function fetchRulesAs(
  ledger: ChoiceContext,
  dso: string,
  amuletRules: string,
): AmuletRulesPayload {
  const rules = ledger.exercise(RULES, amuletRules, FetchRules, { p: dso });
  requireGroup(ledger, forDso(dso), forDso(rules.dso), () => amuletRules);
  return rules;
}

const DAY_MICROS = 86_400_000_000n;

/** Returns the price of a preapproval that is valid for `micros` microseconds. */
export function preapprovalFee(
  ledger: ChoiceContext,
  { dso, configSchedule }: AmuletRulesPayload,
  micros: bigint,
  openMiningRound: string,
): string {
  ledger.require('duration is positive', micros > 0n);
  const { transferPreapprovalFee } = configAt(configSchedule, ledger.getTime());
  const usdPerDay = unitsOf(transferPreapprovalFee?.some ?? PREAPPROVAL_FEE);
  const usd = timesUnits(divideUnits(micros, DAY_MICROS), usdPerDay);
  const { amuletPrice } = fetchOpenRoundAs(ledger, dso, openMiningRound, dso);
  return decimalOr(ledger, divideUnits(usd, unitsOf(amuletPrice)), 'DIV_NUMERIC');
}
