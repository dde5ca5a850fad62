import { randomUUID } from 'node:crypto';
import { eventsOf } from './formats.ts';
import { http } from './http.ts';
import type { HttpReply, HttpRequest } from './http.ts';
import { change } from './commands.ts';
import { PROVIDER_BACKEND, USER_PERSON } from './identities.ts';
import type { Identity } from './identities.ts';
import { accept, createLicense, INSTALL, LICENSE, LICENSING } from './licensing.ts';
import type { Network } from './network.ts';
import { activeContracts, createdOf, newRequest, transact } from './steps.ts';

/* A payment over HTTP, with JSON, as the public wallet and a backend make it. */

// oxlint-disable-next-line typescript/no-explicit-any -- tests state what they expect of it
export type Body = any;

/** One caller's access to a validator's wallet, and to the validator's other routes. */
export class WalletClient {
  readonly #network: Network;
  readonly #base: string;
  readonly #as: Identity | string;

  constructor(network: Network, base: string, as: Identity | string) {
    this.#network = network;
    this.#base = base;
    this.#as = as;
  }

  ask(path: string, request: HttpRequest = {}): Promise<HttpReply> {
    const url = `${this.#base}/api/validator/v0${path}`;
    return http(this.#network, url, { as: this.#as, ...request });
  }

  /** Returns the body of an answer, whose status must be a success. */
  async expectOk(path: string, request: HttpRequest = {}): Promise<Body> {
    const { status, text, json } = await this.ask(path, request);
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    return json as Body;
  }

  async balance(): Promise<{ readonly free: string; readonly locked: string }> {
    const body = await this.expectOk('/wallet/balance');
    return { free: body.effective_unlocked_qty, locked: body.effective_locked_qty };
  }

  tap(amount: string): Promise<{ readonly contract_id: string }> {
    return this.expectOk('/wallet/tap', { body: { amount } });
  }

  /** Returns the listed request with the given ID; `undefined` if none is listed. */
  async request(requestId: string): Promise<Body> {
    const { allocation_requests } = await this.expectOk(
      '/wallet/token-standard/allocation-requests',
    );
    return (allocation_requests as Body[])
      .map(({ contract }) => contract)
      .find(({ payload }) => payload.settlement.settlementRef.id === requestId);
  }

  /** Accepts a request as the public wallet does. @returns the allocation's contract ID */
  async accept(request: Body, changes: Body = {}): Promise<string> {
    const { output } = await this.expectOk('/allocations', {
      body: { ...acceptanceOf(request), ...changes },
    });
    return output.allocation_cid;
  }
}

const microsOf = (iso: string): number => Date.parse(iso) * 1_000;

/** Returns the body with which a wallet accepts a listed request. */
export function acceptanceOf({ payload }: Body): Body {
  const { settlement, transferLegs } = payload;
  const [[legId, leg]] = Object.entries<Body>(transferLegs) as [[string, Body]];
  return {
    settlement: {
      executor: settlement.executor,
      settlement_ref: { id: settlement.settlementRef.id },
      requested_at: microsOf(settlement.requestedAt),
      allocate_before: microsOf(settlement.allocateBefore),
      settle_before: microsOf(settlement.settleBefore),
      meta: settlement.meta.values,
    },
    transfer_leg_id: legId,
    transfer_leg: { receiver: leg.receiver, amount: leg.amount, meta: leg.meta.values },
  };
}

export const ledgerUserWallet = (network: Network, as: Identity | string = USER_PERSON) =>
  new WalletClient(network, network.localnet.urls.participants['app-user'].validator, as);

/**
 * Creates a new licence of the network's user, through a request, its acceptance and a creation. @returns the licence's
 * contract ID
 */
export async function newUserLicense(network: Network): Promise<string> {
  const { appUser: user, appProvider: provider } = network.localnet.parties;
  const byProvider = { actAs: [provider] };
  const request = await newRequest(network.as(USER_PERSON), { user, provider });
  const backend = network.as(PROVIDER_BACKEND);
  const accepted = await transact(backend, change(accept(request.contractId), byProvider));
  const install = createdOf(accepted, INSTALL);
  const created = await transact(backend, change(createLicense(install.contractId), byProvider));
  return createdOf(created, LICENSE).contractId;
}

/** Exercises a choice as the provider's backend, over the JSON Ledger API. */
export async function exerciseAsProvider(
  network: Network,
  exercise: { readonly template: string; readonly contractId: string; readonly choice: string },
  choiceArgument: Body,
  disclosedContracts: readonly Body[] = [],
): Promise<HttpReply> {
  const { template, contractId, choice } = exercise;
  const templateId = `${LICENSING}:Licensing.License:${template}`;
  const { urls, parties } = network.localnet;
  return http(network, `${urls.participants['app-provider'].json}/v2/commands/submit-and-wait`, {
    as: PROVIDER_BACKEND,
    body: {
      commands: [{ ExerciseCommand: { templateId, contractId, choice, choiceArgument } }],
      commandId: randomUUID(),
      actAs: [parties.appProvider],
      disclosedContracts,
    },
  });
}

export interface RenewalTerms {
  readonly amount: string;
  readonly description?: string;
  /** The time for the allocation, in milliseconds from now. @default 10 minutes */
  readonly allocateWithinMs?: number;
}

const iso = (ms: number) => new Date(ms).toISOString();

/**
 * Requests the fee for a renewal, as the provider. @returns the request's ID, which the wallet shows as the reference
 */
export async function askForRenewal(
  network: Network,
  licenseCid: string,
  { amount, description = 'One more year', allocateWithinMs = 600_000 }: RenewalTerms,
): Promise<string> {
  const requestId = randomUUID();
  const now = Date.now();
  const license = { template: 'License', contractId: licenseCid, choice: 'License_Renew' };
  const { status, text } = await exerciseAsProvider(network, license, {
    requestId,
    licenseFeeInstrumentId: { admin: network.localnet.parties.dso, id: 'Amulet' },
    licenseFeeAmount: amount,
    licenseExtensionDuration: { microseconds: '2592000000000' },
    requestedAt: iso(now - 1_000),
    prepareUntil: iso(now + allocateWithinMs),
    settleBefore: iso(now + 2 * allocateWithinMs),
    description,
  });
  if (status !== 200) throw new Error(`renew: ${status} ${text}`);
  return requestId;
}

/** Settles a renewal as a backend does: with the arguments and contracts that the registry provides for the choice. */
export async function completeRenewal(
  network: Network,
  cids: { readonly renewal: string; readonly allocation: string; readonly license: string },
): Promise<HttpReply> {
  const { registry } = network.localnet.urls;
  const url = `${registry}/registry/allocations/v1/${cids.allocation}/choice-contexts/execute-transfer`;
  const { json } = await http(network, url, { body: { meta: {} } });
  const { choiceContextData, disclosedContracts } = json as Body;
  return exerciseAsProvider(
    network,
    {
      template: 'LicenseRenewalRequest',
      contractId: cids.renewal,
      choice: 'LicenseRenewalRequest_CompleteRenewal',
    },
    {
      allocationCid: cids.allocation,
      licenseCid: cids.license,
      extraArgs: { context: choiceContextData, meta: { values: {} } },
    },
    disclosedContracts,
  );
}

/** Returns the IDs of the contracts that the provider's party sees on its participant. */
export async function seenByProvider(network: Network): Promise<readonly string[]> {
  const { appProvider } = network.localnet.parties;
  const contracts = await activeContracts(network.as(PROVIDER_BACKEND), eventsOf([appProvider]));
  return contracts.map(({ createdEvent }) => createdEvent!.contractId);
}
