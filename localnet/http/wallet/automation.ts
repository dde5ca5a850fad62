import { sameType } from '../../ledger/contract.ts';
import type { Contract } from '../../ledger/contract.ts';
import { Amulet } from '../../ledger/amulet/amulet.ts';
import type { AmuletPayload } from '../../ledger/amulet/amulet.ts';
import { LedgerError } from '../../ledger/ledger-error.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { ChoiceType, TemplateDefinition } from '../../ledger/package-definition.ts';
import type { ParticipantApi } from '../../ledger/participant.ts';
import { AcceptProposal, TransferPreapprovalProposal } from '../../ledger/amulet/wallet-package.ts';
import type { ProposalPayload } from '../../ledger/amulet/wallet-package.ts';
import {
  AbortOffer,
  AcceptedTransferOffer,
  CompleteOffer,
  ExpireAcceptedOffer,
} from '../../ledger/amulet/transfer-offer.ts';
import type { AcceptedOfferPayload } from '../../ledger/amulet/transfer-offer.ts';
import type { Log } from '../../log.ts';
import { operatorOf } from './operator.ts';
import type { Operator } from './operator.ts';
import { afterOtherPayments, exercise, newCommandId, paymentOf, transferInputsOf } from './use.ts';
import type { WalletUse } from './use.ts';

const DAY_MICROS = 86_400_000_000n;

/** For how many days a preapproval that a validator has paid for is valid. */
const PREAPPROVAL_DAYS = 90n;

interface AutomationOptions {
  readonly ledger: Ledger;
  readonly participant: ParticipantApi;
  readonly log: Log;
}

const isOne =
  (...templates: readonly TemplateDefinition[]) =>
  ({ name }: TemplateDefinition): boolean =>
    templates.some((template) => sameType(template.name, name));

const isMoney = isOne(Amulet);
/** Selects contracts that a validator has to process. */
const isWork = isOne(TransferPreapprovalProposal, AcceptedTransferOffer);

/**
 * A validator's automation: it pays for preapprovals that users of its participant propose to it, and completes
 * accepted offers with coins from its users' wallets. It checks for work whenever a contract is created that a
 * validator may have to process.
 */
export class Automation implements AsyncDisposable {
  readonly #options: AutomationOptions;
  readonly #closed = new AbortController();
  readonly #running: Promise<void>;
  /** The latest check for work. Checks run one after another. */
  #look: Promise<void> = Promise.resolve();
  /** Parties that could not pay in the last check. When one of them gets new coins, the check is repeated. */
  readonly #payers = new Set<string>();

  constructor(options: AutomationOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /** The party that pays for preapprovals, with its ledger user. */
  get operator(): Operator {
    return operatorOf(this.#options.ledger, this.#options.participant);
  }

  /** Resolves when all contracts that can be processed at present have been processed. */
  settle(): Promise<void> {
    this.#look = this.#look.then(() => this.#lookOnce());
    return this.#look;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort();
    await this.#running;
    await this.#look;
  }

  async #run(): Promise<void> {
    const { participant } = this.#options;
    const { signal } = this.#closed;
    for (let seen = 0n; !signal.aborted;) {
      const end = participant.ledgerEnd();
      if (seen === 0n || participant.hasCreatedSince(seen, this.#isForUs)) await this.settle();
      seen = end;
      if (participant.ledgerEnd() === end) await participant.untilPublished(signal);
    }
  }

  readonly #isForUs = ({ template, payload }: Contract): boolean =>
    isWork(template) || (isMoney(template) && this.#payers.has((payload as AmuletPayload).owner));

  async #lookOnce(): Promise<void> {
    const { participant } = this.#options;
    this.#payers.clear();
    const { operator } = this;
    for (const contract of Array.from(participant.activeContracts(undefined, isWork))) {
      if (this.#closed.signal.aborted) return;
      try {
        await this.#actOn(contract, operator);
      } catch (error) {
        this.#payers.add(payerOf(contract, operator));
        const { log } = this.#options;
        const reason = error instanceof LedgerError ? error.text : String(error);
        const { contractId } = contract;
        const site = { surface: 'validator', participant: participant.name, level: 'info' };
        log({ ...site, contractId, reason });
      }
    }
  }

  async #actOn(contract: Contract, operator: Operator): Promise<void> {
    if (sameType(contract.template.name, TransferPreapprovalProposal.name)) {
      const { provider } = contract.payload as ProposalPayload;
      if (provider === operator.party) await this.#pay(contract, operator);
      return;
    }
    const { sender } = contract.payload as AcceptedOfferPayload;
    const [host] = this.#options.participant.parties.get([sender]);
    if (host?.isLocal === true) await this.#complete(contract, operator);
  }

  #wallet({ userId }: Operator, party: string): WalletUse {
    const { ledger, participant } = this.#options;
    return { ledger, participant, party, userId, signal: this.#closed.signal };
  }

  /** Pays for a preapproval that a user has proposed to the operator. */
  async #pay({ contractId }: Contract, operator: Operator): Promise<void> {
    const { ledger } = this.#options;
    const wallet = this.#wallet(operator, operator.party);
    const { context, disclosed } = paymentOf(ledger);
    await afterOtherPayments(wallet, () =>
      exercise(wallet, {
        userId: operator.userId,
        actAs: [operator.party],
        commandId: newCommandId('preapproval-accept'),
        target: TransferPreapprovalProposal,
        contractId,
        choice: AcceptProposal,
        argument: {
          context,
          inputs: transferInputsOf(wallet),
          expiresAt: ledger.nowMicros() + PREAPPROVAL_DAYS * DAY_MICROS,
        },
        disclosedContracts: disclosed,
      }),
    );
  }

  /** Completes an accepted offer, or ends it if it has expired or its sender lacks the coins. */
  async #complete(contract: Contract, operator: Operator): Promise<void> {
    const { ledger } = this.#options;
    const { sender, expiresAt } = contract.payload as AcceptedOfferPayload;
    const wallet = this.#wallet(operator, sender);
    const end = <A, R>(choice: ChoiceType<A, R>, argument: A) =>
      exercise(wallet, {
        userId: operator.userId,
        actAs: [sender],
        commandId: newCommandId('offer-end'),
        target: AcceptedTransferOffer,
        contractId: contract.contractId,
        choice,
        argument,
      });
    if (expiresAt <= ledger.nowMicros()) {
      await end(ExpireAcceptedOffer, { actor: sender });
      return;
    }
    const { context, disclosed } = paymentOf(ledger);
    try {
      await afterOtherPayments(wallet, () =>
        exercise(wallet, {
          userId: operator.userId,
          actAs: [...new Set([sender, operator.party])],
          commandId: newCommandId('offer-complete'),
          target: AcceptedTransferOffer,
          contractId: contract.contractId,
          choice: CompleteOffer,
          argument: {
            inputs: transferInputsOf(wallet),
            transferContext: context,
            walletProvider: operator.party,
          },
          disclosedContracts: disclosed,
        }),
      );
    } catch (error) {
      if (!(error instanceof LedgerError && error.code === 'DAML_FAILURE')) throw error;
      await end(AbortOffer, { reason: `out of funds: ${error.text}`.slice(0, REASON_CHARS_MAX) });
    }
  }
}

/** Returns the party that has to pay for processing the contract. */
const payerOf = ({ template, payload }: Contract, { party }: Operator): string =>
  sameType(template.name, AcceptedTransferOffer.name)
    ? (payload as AcceptedOfferPayload).sender
    : party;

const REASON_CHARS_MAX = 200;
