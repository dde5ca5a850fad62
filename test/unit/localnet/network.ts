import type { Json } from '../../../localnet/ledger/lf-json.ts';
import { LedgerNetwork } from '../../../localnet/ledger/ledger-network.ts';
import type { LedgerNetworkOptions } from '../../../localnet/ledger/ledger-network.ts';
import type { ParticipantNode } from '../../../localnet/ledger/participant-node.ts';
import type { Accepted } from '../../../localnet/ledger/participant.ts';
import type { LedgerCommand, RawSubmission } from '../../../localnet/ledger/submission.ts';
import { shopPackage } from './shop-package.ts';
import { create } from './interpreting.ts';

let commands = 0;
const NEVER = new AbortController().signal;

/** A whole network in this process. The seller's and the buyer's participants are different. */
export class ShopNetwork implements AsyncDisposable {
  readonly network: LedgerNetwork;
  readonly seller: string;
  readonly buyer: string;

  private constructor(network: LedgerNetwork) {
    this.network = network;
    this.seller = partyOf(network.participants['app-provider'], 'seller');
    this.buyer = partyOf(network.participants['app-user'], 'buyer');
  }

  static async open(options: LedgerNetworkOptions = {}): Promise<ShopNetwork> {
    return new ShopNetwork(await LedgerNetwork.open({ extraPackages: [shopPackage], ...options }));
  }

  get provider(): ParticipantNode {
    return this.network.participants['app-provider'];
  }

  get user(): ParticipantNode {
    return this.network.participants['app-user'];
  }

  submission(
    node: ParticipantNode,
    actAs: string,
    command: LedgerCommand,
    changes: Partial<RawSubmission> = {},
  ) {
    commands += 1;
    const raw = {
      commandId: `command-${commands}`,
      actAs: [actAs],
      commands: [command],
      ...changes,
    };
    return node.readSubmission(raw, 'tester');
  }

  /** Submits a command and waits for its verdict. @throws if the command is rejected */
  transact(
    node: ParticipantNode,
    actAs: string,
    command: LedgerCommand,
    changes: Partial<RawSubmission> = {},
  ): Promise<Accepted> {
    return node.submitAndWait(this.submission(node, actAs, command, changes), { signal: NEVER });
  }

  /** @returns the contract ID of a new offer that the buyer may read */
  async offer(changes: Partial<RawSubmission> = {}): Promise<string> {
    const payload: Json = { seller: this.seller, readers: [this.buyer], price: '7' };
    const { updateId } = await this.transact(
      this.provider,
      this.seller,
      create('Offer', payload),
      changes,
    );
    const placed = this.provider.updateById(updateId);
    if (placed?.update.kind !== 'transaction') throw new Error('the offer is missing');
    return placed.update.events[0]!.contract.contractId;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.network.close();
  }
}

function partyOf(node: ParticipantNode, hint: string): string {
  const party = `${hint}::${node.state.namespace}`;
  return node.parties.get([party])[0]?.party ?? node.parties.allocate(hint).party;
}
