import {
  contractId,
  genMap,
  list,
  numeric,
  optional,
  party,
  record,
  unit,
  variant,
} from '../lf-types.ts';
import type { LfValue } from '../lf-types.ts';
import { typeNamer } from '../package-definition.ts';
import { AppRewardBeneficiary } from '../tokens/featured-app.ts';
import { Metadata } from '../tokens/metadata.ts';
import { TimeLock } from './amulet.ts';
import { Round } from './round.ts';

/* The data types of a transfer of coins. */

const inModule = (entity: string) => typeNamer('splice-amulet')(`Splice.AmuletRules:${entity}`);

export const TransferOutput = record(inModule('TransferOutput'), {
  receiver: party,
  receiverFeeRatio: numeric(10),
  amount: numeric(10),
  lock: optional(TimeLock),
});
export type TransferOutput = LfValue<typeof TransferOutput>;

export const TransferInput = variant(inModule('TransferInput'), {
  InputAppRewardCoupon: contractId,
  InputValidatorRewardCoupon: contractId,
  InputSvRewardCoupon: contractId,
  InputAmulet: contractId,
  ExtTransferInput: record(inModule('TransferInput.ExtTransferInput'), {
    dummyUnitField: unit,
    optInputValidatorFaucetCoupon: optional(contractId),
  }),
  InputValidatorLivenessActivityRecord: contractId,
  InputUnclaimedActivityRecord: contractId,
});
export type TransferInput = LfValue<typeof TransferInput>;

export const Transfer = record(inModule('Transfer'), {
  sender: party,
  provider: party,
  inputs: list(TransferInput),
  outputs: list(TransferOutput),
  beneficiaries: optional(list(AppRewardBeneficiary)),
});
export type Transfer = LfValue<typeof Transfer>;

export const TransferContext = record(inModule('TransferContext'), {
  openMiningRound: contractId,
  issuingMiningRounds: genMap(Round, contractId),
  validatorRights: genMap(party, contractId),
  featuredAppRight: optional(contractId),
});
export type TransferContext = LfValue<typeof TransferContext>;

/** The contracts that a payment needs: the rules, and the contracts that the choice's arguments name. */
export const PaymentContext = record(inModule('PaymentTransferContext'), {
  amuletRules: contractId,
  context: TransferContext,
});
export type PaymentContext = LfValue<typeof PaymentContext>;

const CreatedAmulet = variant(inModule('CreatedAmulet'), {
  TransferResultAmulet: contractId,
  TransferResultLockedAmulet: contractId,
  ExtCreatedAmulet: record(inModule('CreatedAmulet.ExtCreatedAmulet'), { dummyUnitField: unit }),
});
export type CreatedAmulet = LfValue<typeof CreatedAmulet>;

const BalanceChange = record(inModule('BalanceChange'), {
  changeToInitialAmountAsOfRoundZero: numeric(10),
  changeToHoldingFeesRate: numeric(10),
});
export type BalanceChange = LfValue<typeof BalanceChange>;

const TransferSummary = record(inModule('TransferSummary'), {
  inputAppRewardAmount: numeric(10),
  inputValidatorRewardAmount: numeric(10),
  inputSvRewardAmount: numeric(10),
  inputAmuletAmount: numeric(10),
  balanceChanges: genMap(party, BalanceChange),
  holdingFees: numeric(10),
  outputFees: list(numeric(10)),
  senderChangeFee: numeric(10),
  senderChangeAmount: numeric(10),
  amuletPrice: numeric(10),
  inputValidatorFaucetAmount: optional(numeric(10)),
  inputUnclaimedActivityRecordAmount: optional(numeric(10)),
});
export type TransferSummary = LfValue<typeof TransferSummary>;

export const TransferResult = record(inModule('TransferResult'), {
  round: Round,
  summary: TransferSummary,
  createdAmulets: list(CreatedAmulet),
  senderChangeAmulet: optional(contractId),
  meta: optional(Metadata),
});
export type TransferResult = LfValue<typeof TransferResult>;

/** Returns the holdings that a transfer created for receivers. */
export const createdHoldings = ({ createdAmulets }: TransferResult): readonly string[] =>
  createdAmulets.flatMap((created) => (created.tag === 'ExtCreatedAmulet' ? [] : [created.value]));

/** Returns the holdings that a transfer returned to its sender as change. */
export const changeHoldings = ({ senderChangeAmulet }: TransferResult): readonly string[] =>
  senderChangeAmulet === null ? [] : [senderChangeAmulet.some];
