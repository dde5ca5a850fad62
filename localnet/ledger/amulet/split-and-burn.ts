import { addDecimal } from '../contract-failures.ts';
import { unitsOf } from '../decimal.ts';
import type { ChoiceContext } from '../package-definition.ts';
import type { Metadata } from '../tokens/metadata.ts';
import { Amulet, valueAsOfRound0 } from './amulet.ts';
import { fetchChecked, forOwner } from './contract-groups.ts';
import { burnedUnits, decimal, executeTransfer, sum } from './execute-transfer.ts';
import { ValidatorRewardCoupon } from './rights.ts';
import { transactionMetadata } from './transaction-metadata.ts';
import { createdHoldings } from './transfer.ts';
import type {
  BalanceChange,
  Transfer,
  TransferContext,
  TransferResult,
  TransferSummary,
} from './transfer.ts';

/** A fee that is destroyed ("burned"). */
export interface Burning {
  readonly payer: string;
  readonly amount: string;
  readonly inputs: Transfer['inputs'];
  readonly context: TransferContext;
  readonly dso: string;
}

/** Burns coins of a party. `usage` says what for. */
export function splitAndBurn(
  ledger: ChoiceContext,
  { payer, amount, inputs, context, dso }: Burning,
  usage: string,
): { readonly transferResult: TransferResult; readonly meta: Metadata } {
  const output = { receiver: payer, receiverFeeRatio: '0.0000000000', amount, lock: null };
  const transfer = { sender: payer, provider: payer, inputs, outputs: [output] };
  const result = executeTransfer(
    ledger,
    context,
    dso,
    { ...transfer, beneficiaries: null },
    { isRewarded: false },
  );
  const [burnt] = createdHoldings(result);
  if (burnt === undefined) throw new TypeError('a transfer with one output created nothing');
  const group = forOwner(dso, payer);
  const amulet = fetchChecked(ledger, Amulet, burnt, group, (it) => forOwner(it.dso, it.owner));
  ledger.archive(Amulet, burnt);
  const { summary, round } = result;
  const fees = sum(summary.outputFees.map(unitsOf));
  const coupon = { dso, round, user: payer, amount: decimal(ledger, unitsOf(amount) + fees) };
  ledger.create(ValidatorRewardCoupon, coupon);
  const loss = {
    changeToInitialAmountAsOfRoundZero: decimal(ledger, -valueAsOfRound0(amulet.amount)),
    changeToHoldingFeesRate: decimal(ledger, -unitsOf(amulet.amount.ratePerRound.rate)),
  };
  const burned = decimal(ledger, burnedUnits(summary) + unitsOf(amount));
  return {
    transferResult: {
      ...result,
      summary: { ...summary, balanceChanges: withChange(ledger, summary, payer, loss) },
      meta: null,
    },
    meta: transactionMetadata('burn', { reason: usage, burned }),
  };
}

const withChange = (
  ledger: ChoiceContext,
  { balanceChanges }: TransferSummary,
  payer: string,
  loss: BalanceChange,
): TransferSummary['balanceChanges'] =>
  balanceChanges.map(([party, change]) => {
    if (party !== payer) return [party, change];
    const both = (key: keyof BalanceChange) => addDecimal(ledger, change[key], loss[key]);
    return [
      party,
      {
        changeToInitialAmountAsOfRoundZero: both('changeToInitialAmountAsOfRoundZero'),
        changeToHoldingFeesRate: both('changeToHoldingFeesRate'),
      },
    ];
  });
