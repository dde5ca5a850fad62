import { abort, decimalOr } from '../contract-failures.ts';
import { timesUnits, unitsOf } from '../decimal.ts';
import { showNumeric } from '../lf-show.ts';
import { compareUtf8 } from '../lf-values.ts';
import type { ChoiceContext } from '../package-definition.ts';
import { Amulet, LockedAmulet, valueAsOfRound0 } from './amulet.ts';
import type { AmuletPayload, TimeLock } from './amulet.ts';
import { checkBeneficiaries, sharesOf } from './app-rewards.ts';
import { fetchChecked, forOwner, requireMatchingContract } from './contract-groups.ts';
import {
  AppRewardCoupon,
  FeaturedAppRight,
  ValidatorRewardCoupon,
  ValidatorRight,
} from './rights.ts';
import { IssuingMiningRound, coinsFor, fetchOpenRound, holdingFeeOf } from './round.ts';
import type { OpenMiningRoundPayload } from './round.ts';
import { transactionMetadata } from './transaction-metadata.ts';
import type {
  BalanceChange,
  CreatedAmulet,
  Transfer,
  TransferContext,
  TransferOutput,
  TransferResult,
  TransferSummary,
} from './transfer.ts';

/*
 * Executes a transfer of coins: checks the contracts that the caller passed, spends inputs, and creates outputs with
 * the same total amount. Intermediate amounts are in units of the smallest decimal.
 */

const ZERO = '0.0000000000';
const ONE = unitsOf('1.0000000000');

/**
 * Converts a computed amount to a decimal. For an amount that is too large, the error is the one that Daml gives for an
 * overflow in an addition.
 */
export const decimal = (ledger: ChoiceContext, units: bigint) =>
  decimalOr(ledger, units, 'ADD_NUMERIC');

export const sum = (amounts: readonly bigint[]) =>
  amounts.reduce((left, right) => left + right, 0n);

/** Checks the contracts that the transfer refers to. Returns the open round. */
function checkContext(
  ledger: ChoiceContext,
  context: TransferContext,
  dso: string,
  { sender, provider }: Transfer,
): OpenMiningRoundPayload {
  const openRound = fetchOpenRound(ledger, dso, context.openMiningRound);
  ledger.requireDeadlineExceeded('openRound.opensAt', openRound.opensAt);
  if (context.featuredAppRight !== null) {
    const right = { dso, provider };
    requireMatchingContract(ledger, FeaturedAppRight, context.featuredAppRight.some, right);
  }
  for (const [round, contractId] of context.issuingMiningRounds) {
    const issuing = ledger.fetch(IssuingMiningRound, contractId);
    const name = `issuingRound[${round.number}].opensAt`;
    ledger.requireDeadlineExceeded(name, issuing.opensAt);
  }
  for (const [user, contractId] of context.validatorRights) {
    const right = { dso, user, validator: sender };
    requireMatchingContract(ledger, ValidatorRight, contractId, right);
  }
  return openRound;
}

/** Archives the coins that are spent, and returns them. */
function spend(ledger: ChoiceContext, dso: string, { sender, inputs }: Transfer) {
  const group = forOwner(dso, sender);
  return inputs.map((input): AmuletPayload => {
    if (input.tag !== 'InputAmulet') return refuseReward(ledger, input.tag);
    const amulet = fetchChecked(ledger, Amulet, input.value, group, (payload) =>
      forOwner(payload.dso, payload.owner),
    );
    ledger.archive(Amulet, input.value);
    return amulet;
  });
}

const refuseReward = (ledger: ChoiceContext, tag: string): never =>
  abort(ledger, `TransferContext did not contain issuing mining round found for ${tag}`);

interface Output {
  readonly owner: string;
  readonly fee: bigint;
  readonly amount: bigint;
  readonly lock: TimeLock | undefined;
}

const withoutReceiver = ({ receiver, lock }: TransferOutput): TimeLock | undefined =>
  lock === null
    ? undefined
    : {
        ...lock.some,
        holders: [...new Set(lock.some.holders)]
          .filter((holder) => holder !== receiver)
          .sort(compareUtf8),
      };

/** Returns the fee for a transfer of `amount` units, at a rate that falls as the amount grows. */
function steppedFee(
  { transferConfigUsd: { transferFee } }: OpenMiningRoundPayload,
  inCoins: (usd: bigint) => bigint,
  amount: bigint,
): bigint {
  let [fee, left, reached] = [0n, amount, 0n];
  let rate = unitsOf(transferFee.initialRate);
  for (const { _1: upTo, _2: next } of transferFee.steps) {
    const step = inCoins(unitsOf(upTo)) - reached;
    if (left <= 0n) return fee;
    fee += timesUnits(left < step ? left : step, rate);
    left -= step;
    reached += step;
    rate = unitsOf(next);
  }
  return left <= 0n ? fee : fee + timesUnits(left, rate);
}

/** Returns the fee for one output, in units. */
export function outputFeeOf(
  round: OpenMiningRoundPayload,
  sender: string,
  output: TransferOutput,
): bigint {
  const inCoins = (usd: bigint) => coinsFor(round, usd);
  const { createFee, lockHolderFee } = round.transferConfigUsd;
  const holders = BigInt(withoutReceiver(output)?.holders.length ?? 0);
  const moving =
    sender === output.receiver ? 0n : steppedFee(round, inCoins, unitsOf(output.amount));
  return inCoins(unitsOf(createFee.fee)) + inCoins(unitsOf(lockHolderFee.fee)) * holders + moving;
}

function checkOutput(
  ledger: ChoiceContext,
  round: OpenMiningRoundPayload,
  sender: string,
  output: TransferOutput,
): Output {
  const { receiver, amount, receiverFeeRatio } = output;
  const ratio = unitsOf(receiverFeeRatio);
  if (ratio < 0n || ratio > ONE) {
    const shown = showNumeric(receiverFeeRatio);
    abort(ledger, `Receiver fee ratio ${shown} is not between 0.0 and 1.0`);
  }
  const lock = withoutReceiver(output);
  if (lock !== undefined) {
    ledger.requireWithinDeadline('lock.expiresAt', lock.expiresAt);
    ledger.require(
      'Fewer than the allowed number of lock holders',
      BigInt(lock.holders.length) <= round.transferConfigUsd.maxNumLockHolders,
    );
  }
  const fee = outputFeeOf(round, sender, output);
  const receiverFee = timesUnits(fee, ratio);
  ledger.require('Amount is larger than receiver output fee', receiverFee < unitsOf(amount));
  return { owner: receiver, fee, amount: unitsOf(amount) - receiverFee, lock };
}

/** Returns the changes of each party's balance, converted to their equivalents in round 0. */
function balanceChanges(
  ledger: ChoiceContext,
  sender: string,
  inputs: readonly AmuletPayload[],
  outputs: readonly { readonly owner: string; readonly amount: bigint }[],
  round: OpenMiningRoundPayload,
): readonly (readonly [string, BalanceChange])[] {
  const rate = unitsOf(holdingFeeOf(round));
  const changes = new Map<string, { amount: bigint; rate: bigint }>();
  const change = (party: string, amount: bigint, rateChange: bigint) => {
    const known = changes.get(party) ?? { amount: 0n, rate: 0n };
    changes.set(party, { amount: known.amount + amount, rate: known.rate + rateChange });
  };
  change(sender, 0n, 0n);
  for (const { amount } of inputs) {
    change(sender, -valueAsOfRound0(amount), -unitsOf(amount.ratePerRound.rate));
  }
  for (const { owner, amount } of outputs) change(owner, amount + round.round.number * rate, rate);
  return [...changes]
    .sort(([a], [b]) => compareUtf8(a, b))
    .map(([party, { amount, rate: rateChange }]) => [
      party,
      {
        changeToInitialAmountAsOfRoundZero: decimal(ledger, amount),
        changeToHoldingFeesRate: decimal(ledger, rateChange),
      },
    ]);
}

function summarize(
  ledger: ChoiceContext,
  sender: string,
  round: OpenMiningRoundPayload,
  inputs: readonly AmuletPayload[],
  outputs: readonly Output[],
): TransferSummary {
  const spent = sum(inputs.map(({ amount }) => unitsOf(amount.initialAmount)));
  const left = spent - sum(outputs.map(({ amount, fee }) => amount + fee));
  const createFee = coinsFor(round, unitsOf(round.transferConfigUsd.createFee.fee));
  const changeFee = createFee < left ? createFee : left;
  const change = left - changeFee;
  const returned = change > 0n ? [{ owner: sender, amount: change }] : [];
  return {
    inputAppRewardAmount: ZERO,
    inputValidatorRewardAmount: ZERO,
    inputSvRewardAmount: ZERO,
    inputAmuletAmount: decimal(ledger, spent),
    balanceChanges: balanceChanges(ledger, sender, inputs, [...outputs, ...returned], round),
    holdingFees: ZERO,
    outputFees: outputs.map(({ fee }) => decimal(ledger, fee)),
    senderChangeFee: decimal(ledger, changeFee),
    senderChangeAmount: decimal(ledger, change),
    amuletPrice: round.amuletPrice,
    inputValidatorFaucetAmount: { some: ZERO },
    inputUnclaimedActivityRecordAmount: { some: ZERO },
  };
}

/** @param reason the exception's reason, as Daml shows it */
export const invalidTransfer = (ledger: ChoiceContext, reason: string): never =>
  ledger.fail('UNHANDLED_EXCEPTION/Splice.AmuletRules:InvalidTransfer', reason);

function checkConstraints(
  ledger: ChoiceContext,
  { inputs, outputs }: Transfer,
  { transferConfigUsd: { maxNumInputs, maxNumOutputs } }: OpenMiningRoundPayload,
  { senderChangeFee }: TransferSummary,
): void {
  const other = (description: string) =>
    invalidTransfer(ledger, `ITR_Other {description = "${description}"}`);
  if (BigInt(inputs.length) > maxNumInputs) other('More than the maximum number of inputs');
  if (BigInt(outputs.length) > maxNumOutputs) other('More than the maximum number of outputs');
  if (unitsOf(senderChangeFee) < 0n) {
    const missing = showNumeric(senderChangeFee.slice(1));
    invalidTransfer(ledger, `ITR_InsufficientFunds {missingAmount = ${missing}}`);
  }
}

/** Creates coupons for the fees, and for the use of a featured app. */
function issueRewards(
  ledger: ChoiceContext,
  transfer: Transfer,
  round: OpenMiningRoundPayload,
  isFeatured: boolean,
  fees: bigint,
): void {
  const { sender, provider } = transfer;
  const common = { dso: round.dso, round: round.round };
  if (fees > 0n) {
    const amount = decimal(ledger, fees);
    ledger.create(ValidatorRewardCoupon, { ...common, user: sender, amount });
  }
  const beneficiaries = transfer.beneficiaries?.some ?? [
    { beneficiary: provider, weight: '1.0000000000' },
  ];
  checkBeneficiaries(ledger, beneficiaries);
  const extra = unitsOf(round.transferConfigUsd.extraFeaturedAppRewardAmount);
  const total = fees + (isFeatured ? coinsFor(round, extra) : 0n);
  if (total <= 0n) return;
  for (const [beneficiary, weight] of sharesOf(beneficiaries)) {
    ledger.create(AppRewardCoupon, {
      ...common,
      provider,
      featured: isFeatured,
      amount: decimal(ledger, timesUnits(total, weight)),
      beneficiary: { some: beneficiary },
    });
  }
}

function createOutput(
  ledger: ChoiceContext,
  dso: string,
  round: OpenMiningRoundPayload,
  { owner, amount, lock }: Pick<Output, 'owner' | 'amount' | 'lock'>,
): CreatedAmulet {
  const amulet = {
    dso,
    owner,
    amount: {
      initialAmount: decimal(ledger, amount),
      createdAt: round.round,
      ratePerRound: { rate: holdingFeeOf(round) },
    },
  };
  return lock === undefined
    ? { tag: 'TransferResultAmulet', value: ledger.create(Amulet, amulet) }
    : { tag: 'TransferResultLockedAmulet', value: ledger.create(LockedAmulet, { amulet, lock }) };
}

/** Returns the total amount, in units, that a transfer burned as fees. */
export const burnedUnits = ({ outputFees, holdingFees, senderChangeFee }: TransferSummary) =>
  sum([...outputFees, holdingFees, senderChangeFee].map(unitsOf));

function metadataOf(
  ledger: ChoiceContext,
  { sender, outputs }: Transfer,
  summary: TransferSummary,
) {
  const keepsControl = ({ receiver, lock }: TransferOutput) =>
    receiver === sender && (lock === null || lock.some.holders.every((it) => it === sender));
  const facts = { burned: decimal(ledger, burnedUnits(summary)) };
  return outputs.every(keepsControl)
    ? transactionMetadata('merge-split', facts)
    : transactionMetadata('transfer', { ...facts, sender });
}

interface Rewarded {
  readonly isRewarded: boolean;
}

export function executeTransfer(
  ledger: ChoiceContext,
  context: TransferContext,
  dso: string,
  transfer: Transfer,
  { isRewarded }: Rewarded = { isRewarded: true },
): TransferResult {
  const { sender } = transfer;
  const round = checkContext(ledger, context, dso, transfer);
  const inputs = spend(ledger, dso, transfer);
  const outputs = transfer.outputs.map((output) => checkOutput(ledger, round, sender, output));
  const summary = summarize(ledger, sender, round, inputs, outputs);
  checkConstraints(ledger, transfer, round, summary);
  if (isRewarded) {
    const isFeatured = context.featuredAppRight !== null;
    issueRewards(ledger, transfer, round, isFeatured, sum(outputs.map(({ fee }) => fee)));
  } else {
    const isUnset = transfer.beneficiaries === null || transfer.beneficiaries.some.length === 0;
    ledger.require('beneficiaries are unset if issueAppRewards is false', isUnset);
  }
  const createdAmulets = outputs.map((output) => createOutput(ledger, dso, round, output));
  const change = unitsOf(summary.senderChangeAmount);
  const returned = { owner: sender, amount: change, lock: undefined };
  const changeAmulet = change > 0n ? createOutput(ledger, dso, round, returned) : undefined;
  return {
    round: round.round,
    summary,
    createdAmulets,
    senderChangeAmulet:
      changeAmulet?.tag === 'TransferResultAmulet' ? { some: changeAmulet.value } : null,
    meta: { some: metadataOf(ledger, transfer, summary) },
  };
}
