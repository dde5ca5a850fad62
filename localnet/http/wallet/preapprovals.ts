import { AmuletRules, DevNetFeatureApp } from '../../ledger/amulet/amulet-rules.ts';
import { CancelFeaturing, FeaturedAppRight } from '../../ledger/amulet/rights.ts';
import {
  SendToPreapproved,
  TransferPreapproval,
} from '../../ledger/amulet/transfer-preapproval.ts';
import type { TransferPreapprovalPayload } from '../../ledger/amulet/transfer-preapproval.ts';
import { heldContracts } from '../../ledger/in-process.ts';
import { TransferPreapprovalProposal } from '../../ledger/amulet/wallet-package.ts';
import { amuletContractsOf, featuredAppRightOf, preapprovalOf } from '../dso-contracts.ts';
import { Refusal } from '../plain-errors.ts';
import type { Automation } from './automation.ts';
import { amountOf, DECIMAL, PARTY, TEXT, TRACKING_ID } from './requests.ts';
import {
  afterOtherPayments,
  create,
  exercise,
  newCommandId,
  paymentOf,
  submitterOf,
  transferInputsOf,
} from './use.ts';
import type { WalletUse } from './use.ts';

/* Preapprovals, payments to parties with a preapproval, and the right of a featured app. */

/** Creates a preapproval for which the party's validator pays. `isNew` is true if there was none before. */
export async function createPreapproval(wallet: WalletUse, automation: Automation) {
  const { ledger, party } = wallet;
  const existing = preapprovalOf(ledger, party);
  if (existing !== undefined) return { isNew: false, contractId: existing.contractId };
  await proposePreapproval(wallet, automation.operator.party);
  await automation.settle();
  const made = preapprovalOf(ledger, party);
  if (made === undefined) {
    throw new Refusal(
      429,
      'Transfer preapproval creation request timed out because validator automation did not complete it in time. This is most likely because the validator has insufficient funds to cover the transfer preapproval creation fee.',
    );
  }
  return { isNew: true, contractId: made.contractId };
}

/** Creates a proposal unless one is open already. The validator accepts an open proposal as soon as it can pay. */
async function proposePreapproval(wallet: WalletUse, provider: string): Promise<void> {
  const { ledger, participant, party } = wallet;
  const open = heldContracts(participant, party, TransferPreapprovalProposal);
  if (open.some(({ value }) => value.receiver === party && value.provider === provider)) return;
  await create(wallet, {
    ...submitterOf(wallet, newCommandId('preapproval')),
    template: TransferPreapprovalProposal,
    payload: { receiver: party, provider, expectedDso: { some: ledger.parties.dso } },
  });
}

export const SEND_BODY = {
  type: 'object',
  required: ['receiver_party_id', 'amount', 'deduplication_id'],
  properties: {
    receiver_party_id: PARTY,
    amount: DECIMAL,
    deduplication_id: TRACKING_ID,
    description: TEXT,
  },
} as const;

export interface SendBody {
  readonly receiver_party_id: string;
  readonly amount: string;
  /** An ID that is the same in every repeat of one payment's request. */
  readonly deduplication_id: string;
  readonly description?: string;
}

/** Sends coins to a party with a preapproval. */
export async function sendToPreapproved(wallet: WalletUse, body: SendBody): Promise<void> {
  const { ledger } = wallet;
  const { receiver_party_id: receiver, description } = body;
  const preapproval = preapprovalOf(ledger, receiver);
  if (preapproval === undefined) {
    throw new Refusal(400, `Receiver ${receiver} does not have a TransferPreapproval`);
  }
  const { provider } = preapproval.payload as TransferPreapprovalPayload;
  const { context, disclosed } = paymentOf(ledger, featuredAppRightOf(ledger, provider));
  await afterOtherPayments(wallet, () =>
    exercise(wallet, {
      ...submitterOf(wallet, `wallet-send-${body.deduplication_id}`),
      target: TransferPreapproval,
      contractId: preapproval.contractId,
      choice: SendToPreapproved,
      argument: {
        context,
        inputs: transferInputsOf(wallet),
        amount: amountOf(body.amount, 'amount'),
        sender: wallet.party,
        description: description === undefined ? null : { some: description },
      },
      disclosedContracts: [preapproval, ...disclosed],
    }),
  );
}

/** Makes the party the provider of a featured app. Test networks permit this to every party. */
export async function featureOneself(wallet: WalletUse) {
  const { amuletRules } = amuletContractsOf(wallet.ledger);
  const { result } = await exercise(wallet, {
    ...submitterOf(wallet, newCommandId('feature')),
    target: AmuletRules,
    contractId: amuletRules.contractId,
    choice: DevNetFeatureApp,
    argument: { provider: wallet.party },
    disclosedContracts: [amuletRules],
  });
  return { contract_id: result.featuredAppRightCid };
}

/** Gives up the party's right of a featured app. Does nothing if the party has none. */
export async function cancelFeaturing(wallet: WalletUse): Promise<void> {
  const right = featuredAppRightOf(wallet.ledger, wallet.party);
  if (right === undefined) return;
  await exercise(wallet, {
    ...submitterOf(wallet, newCommandId('feature-cancel')),
    target: FeaturedAppRight,
    contractId: right.contractId,
    choice: CancelFeaturing,
    argument: {},
  });
}
