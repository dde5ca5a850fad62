import { randomUUID } from 'node:crypto';
import type {
  Command,
  DisclosedContract,
} from '../../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import type { CreatedEvent } from '../../../proto/gen/com/daml/ledger/api/v2/event.ts';
import type { Transaction } from '../../../proto/gen/com/daml/ledger/api/v2/transaction.ts';
import type { Identifier } from '../../../proto/gen/com/daml/ledger/api/v2/value.ts';
import type { LedgerClients } from './clients.ts';
import { change } from './commands.ts';
import { eventsOf, LEDGER_EFFECTS, transactions } from './formats.ts';
import { PROVIDER_ADMIN, USER_ADMIN } from './identities.ts';
import { accept, createLicense, INSTALL, LICENSE, templateName } from './licensing.ts';
import {
  allocate,
  AMULET_ALLOCATION,
  AMULET_RULES,
  anyBool,
  anyContractId,
  complete,
  FACTORY,
  HOLDING,
  OPEN_ROUND,
  renew,
  RENEWAL,
  tap,
} from './money.ts';
import type { AllocateArguments, Context, Specification, Terms } from './money.ts';
import type { Network } from './network.ts';
import { activeContracts, createdOf, newRequest, transact } from './steps.ts';
import { createdIn, exercisedIn } from './streams.ts';
import { selfSignedToken } from './tokens.ts';
import { readRecord } from './values.ts';

const MINUTE_MICROS = 60_000_000n;
export const DAY_MICROS = 86_400_000_000n;

/** Converts a `Timestamp` message to microseconds. */
const microsOf = ({ seconds, nanos }: { seconds: bigint; nanos: number }) =>
  seconds * 1_000_000n + BigInt(Math.trunc(nanos / 1_000));

interface HeldAmount {
  readonly amount: string;
  readonly lock?: { readonly some: unknown } | null;
}

/**
 * A payer and a payee, with the contracts that their payments need. For each test, they are new parties on two
 * participants.
 */
export class Market {
  readonly network: Network;
  /** Clients of the user's participant. */
  readonly userSide: LedgerClients;
  /** Clients of the provider's participant. */
  readonly providerSide: LedgerClients;
  /** Clients of the super validator's participant, which hosts the DSO party. */
  readonly dsoSide: LedgerClients;
  readonly user: string;
  readonly provider: string;
  readonly dso: string;
  readonly rules: DisclosedContract;
  readonly round: DisclosedContract;
  readonly factory: DisclosedContract;

  private constructor(
    network: Network,
    dsoSide: LedgerClients,
    parties: { readonly user: string; readonly provider: string },
    [rules, round, factory]: readonly DisclosedContract[],
  ) {
    this.network = network;
    this.userSide = network.as(USER_ADMIN);
    this.providerSide = network.as(PROVIDER_ADMIN);
    this.dsoSide = dsoSide;
    this.user = parties.user;
    this.provider = parties.provider;
    this.dso = network.localnet.parties.dso;
    this.rules = rules!;
    this.round = round!;
    this.factory = factory!;
  }

  static async open(network: Network): Promise<Market> {
    const dsoSide = network.bearing('sv', () => selfSignedToken());
    const { dso } = network.localnet.parties;
    const only = (template: Identifier) => disclosedOf(dsoSide, dso, template);
    return new Market(
      network,
      dsoSide,
      {
        user: await network.party('user', USER_ADMIN),
        provider: await network.party('provider', PROVIDER_ADMIN),
      },
      [await only(AMULET_RULES), await only(OPEN_ROUND), await only(FACTORY)],
    );
  }

  /** Returns a market with the same parties and contracts on another network, for example after a restart. */
  on(network: Network): Market {
    const dsoSide = network.bearing('sv', () => selfSignedToken());
    return new Market(network, dsoSide, this, [this.rules, this.round, this.factory]);
  }

  asUser(command: Command, disclosed: readonly DisclosedContract[] = []): Promise<Transaction> {
    const commands = change(command, { actAs: [this.user], disclosed });
    return transact(this.userSide, commands, effectsOf(this.user));
  }

  asProvider(command: Command, disclosed: readonly DisclosedContract[] = []): Promise<Transaction> {
    const commands = change(command, { actAs: [this.provider], disclosed });
    return transact(this.providerSide, commands, effectsOf(this.provider));
  }

  /** Returns the ledger time in microseconds, on a ledger with static time. */
  async now(): Promise<bigint> {
    const { currentTime } = await this.userSide.time.getTime({});
    return microsOf(currentTime!);
  }

  /** Advances static time. @returns the new time */
  async travelTo(micros: bigint): Promise<void> {
    const { currentTime } = await this.userSide.time.getTime({});
    const newTime = { seconds: micros / 1_000_000n, nanos: Number(micros % 1_000_000n) * 1_000 };
    await this.userSide.time.setTime({ currentTime, newTime });
  }

  /** Creates a licence, which expires at once. */
  async newLicense(): Promise<CreatedEvent> {
    const request = await newRequest(this.userSide, this);
    await this.asProvider(accept(request.contractId));
    return this.nextLicense();
  }

  /** Creates another licence of the same install. */
  async nextLicense(): Promise<CreatedEvent> {
    const format = eventsOf([this.provider], { templates: [INSTALL] });
    const [install] = await activeContracts(this.providerSide, format);
    const command = createLicense(install!.createdEvent!.contractId);
    return createdOf(await this.asProvider(command), LICENSE);
  }

  async terms(changes: Partial<Terms> = {}): Promise<Terms> {
    const now = await this.now();
    return {
      requestId: randomUUID(),
      amount: '100.0000000000',
      instrument: { admin: this.dso, id: 'Amulet' },
      extensionMicros: 30n * DAY_MICROS,
      requestedAt: now,
      prepareUntil: now + 10n * MINUTE_MICROS,
      settleBefore: now + 20n * MINUTE_MICROS,
      description: 'another month',
      ...changes,
    };
  }

  async renew(license: CreatedEvent, terms: Terms): Promise<CreatedEvent> {
    return createdOf(await this.asProvider(renew(license.contractId, terms)), RENEWAL);
  }

  /** @returns the contract ID of the new amulet */
  async tap(amount: string): Promise<string> {
    const openRoundCid = this.round.contractId;
    const command = tap(this.rules.contractId, { receiver: this.user, amount, openRoundCid });
    const [created] = createdIn(await this.asUser(command, [this.rules, this.round]));
    return created!.contractId;
  }

  /** The choice context that the registry returns for a payment. */
  get paymentContext(): Context {
    return {
      'amulet-rules': anyContractId(this.rules.contractId),
      'open-round': anyContractId(this.round.contractId),
    };
  }

  /** The choice context that the registry returns when an allocation is to be returned. */
  returnContext(isLocked = true): Context {
    return {
      'expire-lock': anyBool(isLocked),
      'open-round': anyContractId(this.round.contractId),
    };
  }

  /** Returns the specification of the payment for a renewal. A wallet reads it from the view of the renewal request. */
  specification(terms: Terms, licenseNum: bigint): Specification {
    const meta = {
      'splice.lfdecentralizedtrust.org/reason': terms.description,
      'cn-quickstart.example.org/licenseNum': licenseNum.toString(),
    };
    return {
      executor: this.provider,
      settlementId: terms.requestId,
      requestedAt: terms.requestedAt,
      allocateBefore: terms.prepareUntil,
      settleBefore: terms.settleBefore,
      settlementMeta: meta,
      legId: 'licenseFeePayment',
      sender: this.user,
      receiver: this.provider,
      amount: terms.amount,
      instrument: terms.instrument,
      legMeta: meta,
    };
  }

  async allocateCommand(
    specification: Specification,
    inputs: readonly string[],
    changes: Partial<AllocateArguments> = {},
  ): Promise<Command> {
    return allocate(this.factory.contractId, {
      expectedAdmin: this.dso,
      specification,
      requestedAt: await this.now(),
      inputs,
      context: this.paymentContext,
      ...changes,
    });
  }

  /** Allocates in the same way as a wallet: acts as the user, with the contracts that the registry discloses. */
  async allocate(
    specification: Specification,
    inputs: readonly string[],
    changes: Partial<AllocateArguments> = {},
  ): Promise<Transaction> {
    const command = await this.allocateCommand(specification, inputs, changes);
    return this.asUser(command, [this.rules, this.round, this.factory]);
  }

  /** Creates an allocation that pays for the renewal. */
  async allocateFor(terms: Terms, licenseNum = 1n): Promise<CreatedEvent> {
    const amuletCid = await this.tap(terms.amount);
    const transaction = await this.allocate(this.specification(terms, licenseNum), [amuletCid]);
    return createdOf(transaction, AMULET_ALLOCATION);
  }

  /** Returns the amulet that is locked for an allocation, as the registry discloses it to the executor. */
  async lockedIn(allocation: CreatedEvent): Promise<DisclosedContract> {
    const { lockedAmulet } = readRecord(allocation.createArguments) as { lockedAmulet: string };
    return disclosedOf(this.userSide, this.user, lockedAmulet);
  }

  /** Creates a licence with a renewal request, and an allocation that pays it. */
  async paidRenewal(changes: Partial<Terms> = {}) {
    const license = await this.newLicense();
    const terms = await this.terms(changes);
    const renewal = await this.renew(license, terms);
    const allocation = await this.allocateFor(terms);
    return { license, terms, renewal, allocation };
  }

  /** Returns the amounts of the user's holdings, in order of creation. Locked amounts are in brackets. */
  async balance(): Promise<string[]> {
    const format = eventsOf([this.user], { interfaces: [HOLDING] });
    const active = await activeContracts(this.userSide, format);
    return active.map(({ createdEvent }) => {
      const view = readRecord(createdEvent!.interfaceViews[0]!.viewValue) as HeldAmount;
      const amount = view.amount.replace(/\.?0+$/, '');
      return view.lock === null || view.lock === undefined ? amount : `[${amount}]`;
    });
  }

  /** Completes a renewal in the same way as the provider: with the contracts that the registry discloses. */
  async complete(
    renewal: CreatedEvent,
    allocation: CreatedEvent,
    license: CreatedEvent,
    changes: { readonly context?: Context; readonly disclosed?: readonly DisclosedContract[] } = {},
  ): Promise<Transaction> {
    const command = complete(renewal.contractId, {
      allocationCid: allocation.contractId,
      licenseCid: license.contractId,
      context: changes.context ?? this.paymentContext,
    });
    const disclosed = changes.disclosed ?? [
      this.rules,
      this.round,
      await this.lockedIn(allocation),
    ];
    return this.asProvider(command, disclosed);
  }
}

export const effectsOf = (...parties: readonly string[]) =>
  transactions(LEDGER_EFFECTS, eventsOf(parties));

/** Returns the disclosure of an active contract, which is found by its template or its contract ID. */
export async function disclosedOf(
  clients: LedgerClients,
  party: string,
  wanted: Identifier | string,
): Promise<DisclosedContract> {
  const active = await activeContracts(clients, eventsOf([party], { blobs: true }));
  const found = active.find(({ createdEvent }) =>
    typeof wanted === 'string'
      ? createdEvent?.contractId === wanted
      : templateName(createdEvent?.templateId) === templateName(wanted),
  );
  const event = found?.createdEvent;
  if (found === undefined || event === undefined) throw new Error('nothing to disclose');
  const { templateId, contractId, createdEventBlob } = event;
  return { templateId, contractId, createdEventBlob, synchronizerId: found.synchronizerId };
}

/** Returns the result of a transaction's first choice. */
export const resultOf = (transaction: Transaction) => exercisedIn(transaction)[0]?.exerciseResult;

/** Returns the expiry of a licence, in microseconds. */
export const expiryOf = ({ createArguments }: CreatedEvent): bigint =>
  (readRecord(createArguments) as { readonly expiresAt: bigint }).expiresAt;

/** Returns the entity names of a party's active contracts, sorted. */
export async function heldBy(clients: LedgerClients, party: string): Promise<string[]> {
  const active = await activeContracts(clients, eventsOf([party]));
  return active.map(({ createdEvent }) => createdEvent!.templateId!.entityName).toSorted();
}
