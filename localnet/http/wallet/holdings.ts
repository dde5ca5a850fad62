import { Amulet, LockedAmulet, amuletInstrument } from '../../ledger/amulet/amulet.ts';
import { AmuletAllocation } from '../../ledger/amulet/amulet-allocation.ts';
import type { OpenMiningRoundPayload } from '../../ledger/amulet/round.ts';
import { decimalOf, unitsOf } from '../../ledger/decimal.ts';
import { contractJson, heldContract, heldContracts } from '../../ledger/in-process.ts';
import type { HeldContract } from '../../ledger/in-process.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { AppPaymentRequest } from '../../ledger/licensing/payment-request.ts';
import type { ParticipantApi } from '../../ledger/participant.ts';
import { AllocationRequest } from '../../ledger/tokens/allocation-request.ts';
import { amuletContractsOf, withState } from '../dso-contracts.ts';
import { Refusal } from '../plain-errors.ts';

/** A wallet: its party, the party's participant, and the ledger. */
export interface Wallet {
  readonly ledger: Ledger;
  readonly participant: ParticipantApi;
  readonly party: string;
}

/** Returns the instrument that wallets hold: the coin of the network's DSO. */
export const walletInstrument = ({ parties }: Ledger) => amuletInstrument(parties.dso);

export const unlockedAmulets = ({ participant, party }: Wallet) =>
  heldContracts(participant, party, Amulet).filter(({ value }) => value.owner === party);

const lockedAmulets = ({ participant, party }: Wallet) =>
  heldContracts(participant, party, LockedAmulet).filter(
    ({ value }) => value.amulet.owner === party,
  );

const LARGEST = '9999999999999999999999999999.9999999999';

/** Returns the exact sum, or the largest decimal if the sum is larger. */
const sumOf = (amounts: readonly string[]): string =>
  decimalOf(amounts.reduce((units, amount) => units + unitsOf(amount), 0n)) ?? LARGEST;

/**
 * LocalNet's rounds do not advance and coins cost no holding fees, so a coin's initial amount is also its current
 * amount.
 */
const NO_FEES = '0.0000000000';

const roundOf = (ledger: Ledger): number => {
  const { payload } = amuletContractsOf(ledger).openMiningRound;
  return Number((payload as OpenMiningRoundPayload).round.number);
};

/** Returns the answer to `GET /wallet/balance`. */
export function balanceOf(wallet: Wallet) {
  return {
    round: roundOf(wallet.ledger),
    effective_unlocked_qty: sumOf(
      unlockedAmulets(wallet).map(({ value }) => value.amount.initialAmount),
    ),
    effective_locked_qty: sumOf(
      lockedAmulets(wallet).map(({ value }) => value.amulet.amount.initialAmount),
    ),
    total_holding_fees: NO_FEES,
  };
}

interface ExpiringAmount {
  readonly initialAmount: string;
  readonly createdAt: { readonly number: bigint };
}

const positionOf = (wallet: Wallet, held: HeldContract<unknown>, amount: ExpiringAmount) => ({
  contract: withState(wallet.ledger, held.contract),
  round: Number(amount.createdAt.number),
  accrued_holding_fee: NO_FEES,
  effective_amount: amount.initialAmount,
});

/** Returns the answer to `GET /wallet/amulets`: all holdings, in order of creation. */
export const amuletsOf = (wallet: Wallet) => ({
  amulets: unlockedAmulets(wallet).map((held) => positionOf(wallet, held, held.value.amount)),
  locked_amulets: lockedAmulets(wallet).map((held) =>
    positionOf(wallet, held, held.value.amulet.amount),
  ),
});

/**
 * Returns the answer to `GET /wallet/token-standard/allocation-requests`: requests in the wallet's coin in which the
 * party pays or is paid. Each request has the form of its interface: `payload` is the interface's view.
 */
export function allocationRequestsOf(wallet: Wallet) {
  const { participant, party, ledger } = wallet;
  const { admin } = walletInstrument(ledger);
  const isOurs = ({ value }: ReturnType<typeof requests>[number]) =>
    [...value.transferLegs.values()].some(
      (leg) => leg.instrumentId.admin === admin && (leg.sender === party || leg.receiver === party),
    );
  const requests = () => heldContracts(participant, party, AllocationRequest);
  const { name } = AllocationRequest;
  const templateId = `${packageIdOf(participant, name.packageName)}:${name.module}:${name.entity}`;
  return {
    allocation_requests: requests()
      .filter(isOurs)
      .map(({ contract, json }) => ({
        contract: { ...contractJson(contract, json), template_id: templateId },
      })),
  };
}

/** Returns the ID of a package that every participant has. */
export function packageIdOf({ packages }: ParticipantApi, name: string): string {
  const known = packages.list().find((one) => one.name === name);
  if (known === undefined) throw new TypeError(`no package ${name}`);
  return known.id;
}

/** Returns the answer to `GET /allocations`: allocations from which the party pays. */
export const allocationsOf = ({ participant, party }: Wallet) => ({
  allocations: heldContracts(participant, party, AmuletAllocation)
    .filter(({ value }) => value.allocation.transferLeg.sender === party)
    .map(({ contract }) => ({ contract: contractJson(contract) })),
});

/**
 * Returns the answer to `GET /wallet/app-payment-requests`: the payment requests that apps create together with their
 * allocation requests. They cannot be accepted here, because they end together with the allocation requests.
 */
export const paymentRequestsOf = (wallet: Wallet) => ({
  payment_requests: heldContracts(wallet.participant, wallet.party, AppPaymentRequest)
    .filter(({ value }) => value.user === wallet.party)
    .map(({ contract }) => withState(wallet.ledger, contract)),
});

/** Returns one payment request. */
export function paymentRequestOf({ ledger, participant, party }: Wallet, contractId: string) {
  const held = heldContract(participant, party, AppPaymentRequest, contractId);
  if (held?.value.user !== party) {
    throw new Refusal(404, `AppPaymentRequest '${contractId}' not found.`);
  }
  return withState(ledger, held.contract);
}
