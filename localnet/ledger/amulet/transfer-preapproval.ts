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
import { choice, template } from '../package-definition.ts';
import type { TemplateDefinition } from '../package-definition.ts';
import { EMPTY_METADATA, Metadata } from '../tokens/metadata.ts';
import { fetchRulesAs, inRules, preapprovalFee, transferByRules } from './rules-interface.ts';
import { splitAndBurn } from './split-and-burn.ts';
import { withReason } from './transaction-metadata.ts';
import { PaymentContext, TransferInput, TransferResult } from './transfer.ts';

const Payload = record(inRules('TransferPreapproval'), {
  dso: party,
  receiver: party,
  provider: party,
  validFrom: timestamp,
  lastRenewedAt: timestamp,
  expiresAt: timestamp,
});
export type TransferPreapprovalPayload = LfValue<typeof Payload>;

/** Sends coins to the receiver without asking for consent. */
export const SendToPreapproved = choice({
  name: 'TransferPreapproval_Send',
  kind: 'nonconsuming',
  argument: record(inRules('TransferPreapproval_Send'), {
    context: PaymentContext,
    inputs: list(TransferInput),
    amount: numeric(10),
    sender: party,
    description: optional(text),
  }),
  result: record(inRules('TransferPreapproval_SendResult'), {
    result: TransferResult,
    meta: optional(Metadata),
  }),
  controllers: (_preapproval: TransferPreapprovalPayload, { sender }) => [sender],
  exercise: (ledger, { payload }, { context, inputs, amount, sender, description }) => {
    const { dso, receiver, provider, expiresAt } = payload;
    ledger.requireWithinDeadline('TransferPreapproval.expiresAt', expiresAt);
    const output = { receiver, receiverFeeRatio: '0.0000000000', amount, lock: null };
    const transfer = { sender, provider, inputs, outputs: [output], beneficiaries: null };
    const result = transferByRules(ledger, dso, context, transfer);
    const meta = withReason(result.meta?.some ?? EMPTY_METADATA, description);
    return { result: { ...result, meta: null }, meta: { some: meta } };
  },
});

const Renew = choice({
  name: 'TransferPreapproval_Renew',
  kind: 'consuming',
  argument: record(inRules('TransferPreapproval_Renew'), {
    context: PaymentContext,
    inputs: list(TransferInput),
    newExpiresAt: timestamp,
  }),
  result: record(inRules('TransferPreapproval_RenewResult'), {
    transferPreapprovalCid: contractId,
    transferResult: TransferResult,
    receiver: party,
    provider: party,
    amuletPaid: numeric(10),
    meta: optional(Metadata),
  }),
  controllers: ({ provider }: TransferPreapprovalPayload) => [provider],
  exercise: (ledger, { payload }, { context: payment, inputs, newExpiresAt }) => {
    const { dso, receiver, provider, expiresAt } = payload;
    const { amuletRules, context } = payment;
    const now = ledger.getTime();
    ledger.require('Contract is not expired', expiresAt > now);
    ledger.require('newExpiresAt is after expiresAt', newExpiresAt > expiresAt);
    const rules = fetchRulesAs(ledger, dso, amuletRules);
    const extension = newExpiresAt - expiresAt;
    const amuletPaid = preapprovalFee(ledger, rules, extension, context.openMiningRound);
    const burning = { payer: provider, amount: amuletPaid, inputs, context, dso };
    const { transferResult, meta } = splitAndBurn(ledger, burning, 'renew TransferPreapproval');
    const renewed = { ...payload, lastRenewedAt: now, expiresAt: newExpiresAt };
    const transferPreapprovalCid = ledger.create(TransferPreapproval, renewed);
    return {
      transferPreapprovalCid,
      transferResult,
      receiver,
      provider,
      amuletPaid,
      meta: { some: meta },
    };
  },
});

const Expire = choice({
  name: 'TransferPreapproval_Expire',
  kind: 'consuming',
  argument: record(inRules('TransferPreapproval_Expire'), {}),
  result: record(inRules('TransferPreapproval_ExpireResult'), {}),
  controllers: ({ dso }: TransferPreapprovalPayload) => [dso],
  exercise: (ledger, { payload: { expiresAt } }) => {
    ledger.require('Contract has expired', ledger.getTime() >= expiresAt);
    return {};
  },
});

const CANCELLED = 'TransferPreapproval_CancelResult';

/** Ends the preapproval. The receiver and the provider may do this. */
export const CancelPreapproval = choice({
  name: 'TransferPreapproval_Cancel',
  kind: 'consuming',
  argument: record(inRules('TransferPreapproval_Cancel'), { p: party }),
  result: enumeration(inRules(CANCELLED), [CANCELLED]),
  controllers: (_preapproval: TransferPreapprovalPayload, { p }) => [p],
  exercise: (ledger, { payload: { receiver, provider, expiresAt } }, { p }) => {
    const isEither = p === receiver || p === provider;
    ledger.require(`Controller '${p}' is either receiver or provider`, isEither);
    ledger.requireWithinDeadline('TransferPreapproval.expiresAt', expiresAt);
    return CANCELLED;
  },
});

const FetchPreapproval = choice({
  name: 'TransferPreapproval_Fetch',
  kind: 'nonconsuming',
  argument: record(inRules('TransferPreapproval_Fetch'), { p: party }),
  result: Payload,
  controllers: (_preapproval: TransferPreapprovalPayload, { p }) => [p],
  exercise: (_ledger, { payload }) => payload,
});

/** A receiver's consent to accept coins from all parties. Its provider has paid for this consent until a given time. */
export const TransferPreapproval: TemplateDefinition<TransferPreapprovalPayload> = template({
  name: inRules('TransferPreapproval'),
  payload: Payload,
  signatories: ({ receiver, provider, dso }) => [receiver, provider, dso],
  observers: () => [],
  ensure: ({ validFrom, lastRenewedAt, expiresAt }) =>
    expiresAt > validFrom && lastRenewedAt >= validFrom,
  choices: [FetchPreapproval, SendToPreapproved, Renew, Expire, CancelPreapproval],
});
