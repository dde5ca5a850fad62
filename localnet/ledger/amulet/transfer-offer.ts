import { fetchOpenRoundAs } from './round.ts';
import { transferByRules } from './rules-interface.ts';
import { PaymentContext, TransferInput, TransferResult } from './transfer.ts';
import { abort, decimalOr } from '../contract-failures.ts';
import { divideUnits, unitsOf } from '../decimal.ts';
import {
  contractId,
  enumeration,
  list,
  numeric,
  optional,
  party,
  record,
  text,
  timestamp,
} from '../lf-types.ts';
import type { LfValue } from '../lf-types.ts';
import { choice, template, typeNamer } from '../package-definition.ts';
import type { ChoiceContext, TemplateDefinition } from '../package-definition.ts';

/*
 * A transfer of coins that needs the receiver's agreement. The offer locks no coins: the sender pays after the receiver
 * has agreed, if the sender still has the coins.
 */

const inModule = (entity: string) =>
  typeNamer('splice-wallet')(`Splice.Wallet.TransferOffer:${entity}`);
const inPayments = (entity: string) =>
  typeNamer('splice-wallet-payments')(`Splice.Wallet.Payment:${entity}`);

const PaymentAmount = record(inPayments('PaymentAmount'), {
  amount: numeric(10),
  unit: enumeration(inPayments('Unit'), ['USDUnit', 'AmuletUnit', 'ExtUnit']),
});

const OfferPayload = record(inModule('TransferOffer'), {
  sender: party,
  receiver: party,
  dso: party,
  amount: PaymentAmount,
  description: text,
  expiresAt: timestamp,
  trackingId: text,
});
export type TransferOfferPayload = LfValue<typeof OfferPayload>;

const AcceptedPayload = record(inModule('AcceptedTransferOffer'), {
  sender: party,
  receiver: party,
  dso: party,
  amount: PaymentAmount,
  expiresAt: timestamp,
  trackingId: text,
});
export type AcceptedOfferPayload = LfValue<typeof AcceptedPayload>;

const TrackingInfo = record(inModule('TransferOfferTrackingInfo'), {
  trackingId: text,
  sender: party,
  receiver: party,
});

type Tracked = Pick<AcceptedOfferPayload, 'trackingId' | 'sender' | 'receiver'>;

const tracked = ({ trackingId, sender, receiver }: Tracked) => ({
  trackingInfo: { trackingId, sender, receiver },
});

const trackedResult = (entity: string) => record(inModule(entity), { trackingInfo: TrackingInfo });

/**
 * Declares a choice that ends an offer. `by` returns the party that may exercise it. The choice's reason is only
 * recorded.
 */
const ending = <P extends Tracked>(name: string, by: (payload: P) => string) =>
  choice({
    name,
    kind: 'consuming',
    argument: record(inModule(name), { reason: text }),
    result: trackedResult(`${name}Result`),
    controllers: (payload: P) => [by(payload)],
    exercise: (_ledger, { payload }) => tracked(payload),
  });

const senderOf = ({ sender }: Tracked) => sender;
const receiverOf = ({ receiver }: Tracked) => receiver;

const expiring = <P extends Tracked & { readonly expiresAt: bigint }>(name: string) =>
  choice({
    name,
    kind: 'consuming',
    argument: record(inModule(name), { actor: party }),
    result: trackedResult(`${name}Result`),
    controllers: (_payload: P, { actor }) => [actor],
    exercise: (ledger, { payload }, { actor }) => {
      ledger.require('Contract has expired', payload.expiresAt <= ledger.getTime());
      const isStakeholder = actor === payload.sender || actor === payload.receiver;
      ledger.require('Actor is a stakeholder', isStakeholder);
      return tracked(payload);
    },
  });

/** Accepts the offer. The receiver exercises this choice. */
export const AcceptOffer = choice({
  name: 'TransferOffer_Accept',
  kind: 'consuming',
  argument: record(inModule('TransferOffer_Accept'), {}),
  result: record(inModule('TransferOffer_AcceptResult'), { acceptedTransferOffer: contractId }),
  controllers: ({ receiver }: TransferOfferPayload) => [receiver],
  exercise: (ledger, { payload }) => {
    const { sender, receiver, dso, amount, expiresAt, trackingId } = payload;
    ledger.require('Offer has not expired', ledger.getTime() < expiresAt);
    const accepted = { sender, receiver, dso, amount, expiresAt, trackingId };
    return { acceptedTransferOffer: ledger.create(AcceptedTransferOffer, accepted) };
  },
});

/** Rejects the offer. The receiver exercises this choice. */
export const RejectOffer = choice({
  name: 'TransferOffer_Reject',
  kind: 'consuming',
  argument: record(inModule('TransferOffer_Reject'), {}),
  result: trackedResult('TransferOffer_RejectResult'),
  controllers: ({ receiver }: TransferOfferPayload) => [receiver],
  exercise: (_ledger, { payload }) => tracked(payload),
});

/** Withdraws the offer. The sender exercises this choice. */
export const WithdrawOffer = ending<TransferOfferPayload>('TransferOffer_Withdraw', senderOf);

const DESCRIPTION_CHARS_MAX = 280;
const codePoints = (value: string): number => Array.from(value).length;

export const TransferOffer: TemplateDefinition<TransferOfferPayload> = template({
  name: inModule('TransferOffer'),
  payload: OfferPayload,
  signatories: ({ sender }) => [sender],
  observers: ({ receiver }) => [receiver],
  ensure: ({ description, trackingId }) =>
    codePoints(description) < DESCRIPTION_CHARS_MAX &&
    codePoints(trackingId) < DESCRIPTION_CHARS_MAX,
  choices: [
    AcceptOffer,
    RejectOffer,
    WithdrawOffer,
    expiring<TransferOfferPayload>('TransferOffer_Expire'),
  ],
});

/** Converts an amount of USD or coins to coins, at the round's price. */
function inAmulets(
  ledger: ChoiceContext,
  { dso, sender, amount: { amount, unit } }: AcceptedOfferPayload,
  openMiningRound: string,
): string {
  const { amuletPrice } = fetchOpenRoundAs(ledger, dso, openMiningRound, sender);
  if (unit === 'AmuletUnit') return amount;
  if (unit === 'USDUnit') {
    return decimalOr(ledger, divideUnits(unitsOf(amount), unitsOf(amuletPrice)), 'DIV_NUMERIC');
  }
  return abort(ledger, 'ExtUnit: bare extension constructors are not allowed at runtime');
}

/** Pays an accepted offer. The sender exercises this choice. */
export const CompleteOffer = choice({
  name: 'AcceptedTransferOffer_Complete',
  kind: 'consuming',
  argument: record(inModule('AcceptedTransferOffer_Complete'), {
    inputs: list(TransferInput),
    transferContext: PaymentContext,
    walletProvider: party,
  }),
  result: record(inModule('AcceptedTransferOffer_CompleteResult'), {
    transferResult: TransferResult,
    trackingInfo: TrackingInfo,
    senderChangeAmulet: optional(contractId),
  }),
  controllers: ({ sender }: AcceptedOfferPayload, { walletProvider }) => [sender, walletProvider],
  exercise: (ledger, { payload }, { inputs, transferContext, walletProvider }) => {
    const { dso, sender, receiver, expiresAt } = payload;
    ledger.require('Offer has not expired', ledger.getTime() < expiresAt);
    const amount = inAmulets(ledger, payload, transferContext.context.openMiningRound);
    const output = { receiver, receiverFeeRatio: '0.0000000000', amount, lock: null };
    const transferResult = transferByRules(ledger, dso, transferContext, {
      sender,
      provider: walletProvider,
      inputs,
      outputs: [output],
      beneficiaries: null,
    });
    const { senderChangeAmulet } = transferResult;
    return { transferResult, ...tracked(payload), senderChangeAmulet };
  },
});

/** Ends an accepted offer that the sender cannot pay. */
export const AbortOffer = ending<AcceptedOfferPayload>('AcceptedTransferOffer_Abort', senderOf);

/** Ends an accepted offer that was not paid in time. */
export const ExpireAcceptedOffer = expiring<AcceptedOfferPayload>('AcceptedTransferOffer_Expire');

/** An offer that its receiver has accepted and its sender has not paid yet. */
export const AcceptedTransferOffer: TemplateDefinition<AcceptedOfferPayload> = template({
  name: inModule('AcceptedTransferOffer'),
  payload: AcceptedPayload,
  signatories: ({ sender, receiver }) => [sender, receiver],
  observers: () => [],
  choices: [
    CompleteOffer,
    ending<AcceptedOfferPayload>('AcceptedTransferOffer_Withdraw', receiverOf),
    AbortOffer,
    ExpireAcceptedOffer,
  ],
});
