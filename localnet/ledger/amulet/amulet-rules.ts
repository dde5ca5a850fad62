import { decimalOf, unitsOf } from '../decimal.ts';
import { bool, contractId, list, numeric, optional, party, record, variant } from '../lf-types.ts';
import type { LfValue } from '../lf-types.ts';
import { choice, template, typeNamer } from '../package-definition.ts';
import type { ChoiceContext, TemplateDefinition } from '../package-definition.ts';
import { Metadata } from '../tokens/metadata.ts';
import { Amulet, AmuletCreateSummary, LockedAmulet, TimeLock, amuletOf } from './amulet.ts';
import { Round, fetchOpenRound } from './round.ts';
import type { OpenMiningRoundPayload } from './round.ts';

const named = typeNamer('splice-amulet');
const inModule = (entity: string) => named(`Splice.AmuletRules:${entity}`);

const Payload = record(inModule('AmuletRules'), { dso: party, isDevNet: bool });
type Rules = LfValue<typeof Payload>;

const TransferOutput = record(inModule('TransferOutput'), {
  receiver: party,
  receiverFeeRatio: numeric(10),
  amount: numeric(10),
  lock: optional(TimeLock),
});
type TransferOutput = LfValue<typeof TransferOutput>;

const Transfer = record(inModule('Transfer'), {
  sender: party,
  provider: party,
  inputs: list(variant(inModule('TransferInput'), { InputAmulet: contractId })),
  outputs: list(TransferOutput),
});

const CreatedAmulet = variant(inModule('CreatedAmulet'), {
  TransferResultAmulet: contractId,
  TransferResultLockedAmulet: contractId,
});

const TransferResult = record(inModule('TransferResult'), {
  round: Round,
  createdAmulets: list(CreatedAmulet),
  amuletPrice: numeric(10),
  senderChangeAmulet: optional(contractId),
  meta: optional(Metadata),
});

/** All transfers are free, as on the network since it gave up its transfer fees; only traffic costs something there. */
export const ESTIMATED_TRANSFER_FEE = '0.0000000000';

const ARITHMETIC_ERROR = 'UNHANDLED_EXCEPTION/DA.Exception.ArithmeticError:ArithmeticError';

/** A sum of amounts as a decimal, which it may be too large for. */
export function sumOf(ledger: ChoiceContext, amounts: readonly string[]): string {
  const sum = decimalOf(amounts.reduce((units, amount) => units + unitsOf(amount), 0n));
  return sum ?? ledger.fail(ARITHMETIC_ERROR, 'ArithmeticError while evaluating (ADD_NUMERIC).');
}

/** Archives the amulets that a transfer spends and gives their amounts. */
function spend(
  ledger: ChoiceContext,
  { dso }: Rules,
  { sender, inputs }: LfValue<typeof Transfer>,
): readonly string[] {
  return inputs.map(({ value: amuletCid }) => {
    const amulet = ledger.fetch(Amulet, amuletCid);
    ledger.require('Transfer input is Amulet of the DSO party', amulet.dso === dso);
    ledger.require('Transfer input is owned by the sender', amulet.owner === sender);
    ledger.archive(Amulet, amuletCid);
    return amulet.amount.initialAmount;
  });
}

function createOutput(
  ledger: ChoiceContext,
  { dso }: Rules,
  { round }: OpenMiningRoundPayload,
  { receiver, amount, lock }: TransferOutput,
): LfValue<typeof CreatedAmulet> {
  const amulet = amuletOf(dso, receiver, amount, round);
  return lock === null
    ? { tag: 'TransferResultAmulet', value: ledger.create(Amulet, amulet) }
    : {
        tag: 'TransferResultLockedAmulet',
        value: ledger.create(LockedAmulet, { amulet, lock: lock.some }),
      };
}

/** Spends amulets of the sender and creates others of the same sum; what is left over goes back to the sender. */
export const TransferAmulets = choice({
  name: 'AmuletRules_Transfer',
  kind: 'nonconsuming',
  argument: record(inModule('AmuletRules_Transfer'), {
    transfer: Transfer,
    context: record(inModule('TransferContext'), { openMiningRound: contractId }),
    expectedDso: optional(party),
  }),
  result: TransferResult,
  controllers: (_rules: Rules, { transfer }) => [
    transfer.sender,
    transfer.provider,
    ...transfer.outputs.map(({ receiver }) => receiver),
  ],
  exercise: (ledger, { payload: rules }, { transfer, context, expectedDso }) => {
    const isExpected = expectedDso === null || expectedDso.some === rules.dso;
    ledger.require('Expected DSO party matches the DSO party of the rules', isExpected);
    const openRound = fetchOpenRound(ledger, rules.dso, context.openMiningRound);
    const spent = sumOf(ledger, spend(ledger, rules, transfer));
    const amounts = transfer.outputs.map(({ amount }) => amount);
    ledger.require(
      'All outputs are positive',
      amounts.every((amount) => unitsOf(amount) > 0n),
    );
    const left = unitsOf(spent) - unitsOf(sumOf(ledger, amounts));
    if (left < 0n) insufficientFunds(ledger, -left);
    const createdAmulets = transfer.outputs.map((output) =>
      createOutput(ledger, rules, openRound, output),
    );
    const change = amuletOf(rules.dso, transfer.sender, decimalOf(left) ?? '', openRound.round);
    return {
      round: openRound.round,
      createdAmulets,
      amuletPrice: openRound.amuletPrice,
      senderChangeAmulet: left > 0n ? { some: ledger.create(Amulet, change) } : null,
      meta: null,
    };
  },
});

function insufficientFunds(ledger: ChoiceContext, missingUnits: bigint): never {
  const missing = decimalOf(missingUnits) ?? '';
  return ledger.fail(
    'UNHANDLED_EXCEPTION/Splice.AmuletRules:InvalidTransfer',
    `Transfer is invalid: ITR_InsufficientFunds { missingAmount = ${missing} }`,
    { missingAmount: missing },
  );
}

/** Gives away amulets, as test networks do. */
export const DevNetTap = choice({
  name: 'AmuletRules_DevNet_Tap',
  kind: 'nonconsuming',
  argument: record(inModule('AmuletRules_DevNet_Tap'), {
    receiver: party,
    amount: numeric(10),
    openRound: contractId,
  }),
  result: record(inModule('AmuletRules_DevNet_TapResult'), {
    amuletSum: AmuletCreateSummary,
    meta: optional(Metadata),
  }),
  controllers: (_rules: Rules, { receiver }) => [receiver],
  exercise: (ledger, { payload: { dso, isDevNet } }, { receiver, amount, openRound }) => {
    ledger.require('This network is a test network', isDevNet);
    const { round, amuletPrice } = fetchOpenRound(ledger, dso, openRound);
    const amulet = ledger.create(Amulet, amuletOf(dso, receiver, amount, round));
    return { amuletSum: { amulet, amuletPrice, round }, meta: null };
  },
});

/** The DSO party's agreement to every correct transfer of its amulets. Disclosed to whoever wants to make one. */
export const AmuletRules: TemplateDefinition<Rules> = template({
  name: inModule('AmuletRules'),
  payload: Payload,
  signatories: ({ dso }) => [dso],
  observers: () => [],
  choices: [TransferAmulets, DevNetTap],
});
