import { contractJson, heldContract, heldContracts } from '../../ledger/in-process.ts';
import type { SeenTransaction } from '../../ledger/participant.ts';
import type { ExercisedEvent } from '../../ledger/update.ts';
import {
  AcceptedTransferOffer,
  AcceptOffer,
  CompleteOffer,
  RejectOffer,
  TransferOffer,
  WithdrawOffer,
} from '../../ledger/amulet/transfer-offer.ts';
import type { AcceptedOfferPayload } from '../../ledger/amulet/transfer-offer.ts';
import { sameType } from '../../ledger/contract.ts';
import { Refusal } from '../plain-errors.ts';
import type { Wallet } from './holdings.ts';
import { latestTransactions } from './latest.ts';
import { amountOf, instantOf } from './requests.ts';
import type { TransferBody } from './transfers.ts';
import { create, exercise, newCommandId, submitterOf } from './use.ts';
import type { WalletUse } from './use.ts';

/*
 * Offers of transfers. An offer locks no coins: the sender's validator pays after the receiver has accepted. The
 * outcome of an offer can be looked up by its tracking ID.
 */

/** Offers coins to a party. */
export async function createOffer(wallet: WalletUse, body: TransferBody) {
  const { ledger, party: sender } = wallet;
  if ((await latestEventOf(wallet, body.tracking_id)) !== undefined) {
    const text = `Transfer offer with trackingId ${body.tracking_id} already exists.`;
    throw new Refusal(409, text);
  }
  const { contract } = await create(wallet, {
    ...submitterOf(wallet, `wallet-offer-${body.tracking_id}`),
    template: TransferOffer,
    payload: {
      sender,
      receiver: body.receiver_party_id,
      dso: ledger.parties.dso,
      amount: { amount: amountOf(body.amount, 'amount'), unit: 'AmuletUnit' },
      description: body.description,
      expiresAt: instantOf(body.expires_at, 'expires_at'),
      trackingId: body.tracking_id,
    },
  });
  return { offer_contract_id: contract.contractId };
}

/** Returns the offers that the party has made or received. */
export const offersOf = ({ participant, party }: Wallet) => ({
  offers: heldContracts(participant, party, TransferOffer).map(({ contract }) =>
    contractJson(contract),
  ),
});

/** Returns the accepted offers that have not been paid yet. */
export const acceptedOffersOf = ({ participant, party }: Wallet) => ({
  accepted_offers: heldContracts(participant, party, AcceptedTransferOffer).map(({ contract }) =>
    contractJson(contract),
  ),
});

function requireOffer({ participant, party }: Wallet, contractId: string): void {
  if (heldContract(participant, party, TransferOffer, contractId) === undefined) {
    throw new Refusal(404, `TransferOffer '${contractId}' not found.`);
  }
}

export async function acceptOffer(wallet: WalletUse, contractId: string) {
  requireOffer(wallet, contractId);
  const { result } = await exercise(wallet, {
    ...submitterOf(wallet, newCommandId('offer-accept')),
    target: TransferOffer,
    contractId,
    choice: AcceptOffer,
    argument: {},
  });
  return { accepted_offer_contract_id: result.acceptedTransferOffer };
}

export async function rejectOffer(wallet: WalletUse, contractId: string): Promise<void> {
  requireOffer(wallet, contractId);
  await exercise(wallet, {
    ...submitterOf(wallet, newCommandId('offer-reject')),
    target: TransferOffer,
    contractId,
    choice: RejectOffer,
    argument: {},
  });
}

export async function withdrawOffer(wallet: WalletUse, contractId: string): Promise<void> {
  requireOffer(wallet, contractId);
  await exercise(wallet, {
    ...submitterOf(wallet, newCommandId('offer-withdraw')),
    target: TransferOffer,
    contractId,
    choice: WithdrawOffer,
    argument: { reason: 'Withdrawn by sender' },
  });
}

/** The latest event of an offer. */
interface OfferEvent {
  readonly updateId: string;
  /** If absent, the event is the creation of `contractId`. */
  readonly exercised?: ExercisedEvent;
  readonly contractId: string;
}

function eventIn(
  { updateId, events }: SeenTransaction,
  party: string,
  trackingId: string,
): OfferEvent | undefined {
  const own = events.filter(({ contract: { template, payload }, witnesses }) => {
    const isOffer =
      sameType(template.name, TransferOffer.name) ||
      sameType(template.name, AcceptedTransferOffer.name);
    if (!isOffer || !witnesses.includes(party)) return false;
    return (payload as AcceptedOfferPayload).trackingId === trackingId;
  });
  const exercised = own.find((event) => event.kind === 'exercised');
  const created = own.find((event) => event.kind === 'created');
  const last = created ?? exercised;
  if (last === undefined) return undefined;
  const { contractId } = last.contract;
  return { updateId, contractId, ...(exercised === undefined ? {} : { exercised }) };
}

async function latestEventOf(
  { participant, party }: Wallet,
  trackingId: string,
): Promise<OfferEvent | undefined> {
  for await (const transaction of latestTransactions(participant)) {
    const event = eventIn(transaction, party, trackingId);
    if (event !== undefined) return event;
  }
  return undefined;
}

/** For each choice that ends an offer without a payment, the status of the offer after it. */
const FAILURES: Readonly<Record<string, 'expired' | 'rejected' | 'withdrawn'>> = {
  TransferOffer_Reject: 'rejected',
  TransferOffer_Withdraw: 'withdrawn',
  TransferOffer_Expire: 'expired',
  AcceptedTransferOffer_Abort: 'withdrawn',
  AcceptedTransferOffer_Withdraw: 'withdrawn',
  AcceptedTransferOffer_Expire: 'expired',
};

/** Returns the status of the offer with this tracking ID, among the offers that the party has made or received. */
export async function offerStatusOf(wallet: Wallet, trackingId: string) {
  const event = await latestEventOf(wallet, trackingId);
  if (event === undefined) {
    throw new Refusal(404, `Couldn't find transfer offer with tracking id ${trackingId}`);
  }
  const { updateId: transaction_id, exercised, contractId: contract_id } = event;
  if (exercised === undefined) return { status: 'created', transaction_id, contract_id };
  const { choice } = exercised;
  if (choice === AcceptOffer.name) return { status: 'accepted', transaction_id, contract_id };
  if (choice === CompleteOffer.name) {
    const { transferResult } = exercised.result as CompleteResult;
    const [paid] = transferResult.createdAmulets;
    return { status: 'completed', transaction_id, contract_id: paid?.value ?? '' };
  }
  const { reason } = exercised.argument as { readonly reason?: string };
  return {
    status: 'failed',
    failure_kind: FAILURES[choice],
    ...(reason === undefined ? {} : { withdrawn_reason: reason }),
  };
}

interface CompleteResult {
  readonly transferResult: { readonly createdAmulets: readonly { readonly value: string }[] };
}
