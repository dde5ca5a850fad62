import {
  contractId,
  int64,
  list,
  party,
  record,
  text,
  timestamp,
  unit,
} from '../../../localnet/ledger/lf-types.ts';
import type { LfType, LfValue } from '../../../localnet/ledger/lf-types.ts';
import {
  choice,
  definePackage,
  template,
  typeNamer,
} from '../../../localnet/ledger/package-definition.ts';
import type {
  InterfaceDefinition,
  TemplateDefinition,
} from '../../../localnet/ledger/package-definition.ts';

/*
 * A small shop: a seller shows an offer to readers, both parties sign an order, and there is a receipt. The package has
 * a choice of each kind, an interface, fetches, nested exercises, and checks that fail.
 */

const named = typeNamer('shop');
const empty = (entity: string) => record(named(`Shop:${entity}`), {});

interface PricedView {
  readonly seller: string;
  readonly price: bigint;
}
const PricedView: LfType<PricedView> = record(named('Shop:PricedView'), {
  seller: party,
  price: int64,
});

const Priced: InterfaceDefinition<PricedView> = {
  kind: 'interface',
  name: named('Shop:Priced'),
  view: PricedView,
  choices: [
    { name: 'Priced_Total', kind: 'nonconsuming', argument: empty('Priced_Total'), result: int64 },
  ],
};

const ReceiptPayload = record(named('Shop:Receipt'), { seller: party, buyer: party, note: text });
type ReceiptPayload = LfValue<typeof ReceiptPayload>;

const Receipt = template<ReceiptPayload>({
  name: named('Shop:Receipt'),
  payload: ReceiptPayload,
  signatories: ({ seller }) => [seller],
  observers: ({ buyer }) => [buyer],
  ensure: ({ note }) => note !== 'void',
});

const OrderPayload = record(named('Shop:Order'), {
  seller: party,
  buyer: party,
  dueAt: timestamp,
});
type OrderPayload = LfValue<typeof OrderPayload>;

const settleOrder = choice({
  name: 'Settle',
  kind: 'postconsuming',
  argument: record(named('Shop:Settle'), { note: text }),
  result: contractId,
  controllers: ({ buyer }: OrderPayload) => [buyer],
  exercise: (ledger, { contractId: self, payload: { seller, buyer, dueAt } }, { note }) => {
    // While a postconsuming choice runs, its own contract is still active.
    ledger.fetch(Order, self);
    ledger.requireWithinDeadline('dueAt', dueAt);
    return ledger.create(Receipt, { seller, buyer, note });
  },
});

const lapseOrder = choice({
  name: 'Lapse',
  kind: 'consuming',
  argument: empty('Lapse'),
  result: unit,
  controllers: ({ seller }: OrderPayload) => [seller],
  exercise: (ledger, { payload }) => {
    ledger.requireDeadlineExceeded('dueAt', payload.dueAt);
    return {};
  },
});

const Order: TemplateDefinition<OrderPayload> = template({
  name: named('Shop:Order'),
  payload: OrderPayload,
  signatories: ({ seller, buyer }) => [seller, buyer],
  observers: () => [],
  choices: [settleOrder, lapseOrder],
});

const OfferPayload = record(named('Shop:Offer'), {
  seller: party,
  readers: list(party),
  price: int64,
});
type OfferPayload = LfValue<typeof OfferPayload>;

const orderAndSettle = choice({
  name: 'BuyNow',
  kind: 'consuming',
  argument: record(named('Shop:BuyNow'), { buyer: party, dueAt: timestamp, note: text }),
  result: contractId,
  controllers: (_offer: OfferPayload, { buyer }) => [buyer],
  exercise: (ledger, { payload: { seller } }, { buyer, dueAt, note }) => {
    const orderId = ledger.create(Order, { seller, buyer, dueAt });
    return ledger.exercise(Order, orderId, settleOrder, { note });
  },
});

const look = choice({
  name: 'Look',
  kind: 'nonconsuming',
  argument: record(named('Shop:Look'), { actor: party }),
  result: int64,
  controllers: (_offer: OfferPayload, { actor }) => [actor],
  exercise: (_ledger, { payload }) => payload.price,
});

/** Fetches another contract with the seller's authority. So a reader sees a third party's contract. */
const quote = choice({
  name: 'Quote',
  kind: 'nonconsuming',
  argument: record(named('Shop:Quote'), { actor: party, receiptId: contractId }),
  result: text,
  controllers: (_offer: OfferPayload, { actor }) => [actor],
  exercise: (ledger, _self, { receiptId }) => ledger.fetch(Receipt, receiptId).note,
});

const withdrawTwice = choice({
  name: 'WithdrawTwice',
  kind: 'nonconsuming',
  argument: empty('WithdrawTwice'),
  result: unit,
  controllers: ({ seller }: OfferPayload) => [seller],
  exercise: (ledger, { contractId: self }) => {
    ledger.archive(Offer, self);
    ledger.archive(Offer, self);
    return {};
  },
});

const insist = choice({
  name: 'Insist',
  kind: 'nonconsuming',
  argument: record(named('Shop:Insist'), { left: int64, right: int64 }),
  result: unit,
  controllers: ({ seller }: OfferPayload) => [seller],
  exercise: (ledger, _self, { left, right }) => {
    ledger.require('Left is positive', left > 0n);
    ledger.requireEqual(left, right, int64);
    return ledger.fail('shop.example.org/insisted', 'Nothing left to insist on', {
      shop: 'closed',
    });
  },
});

const totalOffer = choice({
  name: 'Priced_Total',
  kind: 'nonconsuming',
  argument: empty('Priced_Total'),
  result: int64,
  controllers: ({ seller }: OfferPayload) => [seller],
  exercise: (ledger, { contractId: self }) => ledger.fetchInterface(Priced, self).price * 2n,
});

const Offer: TemplateDefinition<OfferPayload> = template({
  name: named('Shop:Offer'),
  payload: OfferPayload,
  signatories: ({ seller }) => [seller],
  observers: ({ readers }) => readers,
  choices: [orderAndSettle, look, quote, withdrawTwice, insist],
  implements: [
    {
      iface: Priced,
      view: ({ seller, price }) => ({ seller, price }),
      choices: { Priced_Total: totalOffer },
    },
  ],
});

export const shopPackage = definePackage({
  name: 'shop',
  version: '1.0.0',
  templates: [Offer, Order, Receipt],
  interfaces: [Priced],
});
