import type { ParticipantName } from '../ports.ts';
import { stakeholdersOf } from './contract.ts';
import type { Contract } from './contract.ts';
import type { ActiveContracts, Contracts } from './contracts.ts';
import type { Entries } from './entries.ts';
import { HashIndex } from './hash-index.ts';
import type { IdentityProvider } from './identity-providers.ts';
import { KnownContracts } from './known-contracts.ts';
import type { KnownContract } from './known-contracts.ts';
import { toJson } from './lf-json.ts';
import type { ObjectMeta, User } from './participant.ts';
import type { TemplateDefinition } from './package-definition.ts';
import { Placed } from './placed.ts';
import type { Right } from './rights.ts';
import { TrafficAccount } from './traffic.ts';
import { changeKey } from './update.ts';
import type {
  Completion,
  CreatedEvent,
  ExercisedEvent,
  LedgerTransaction,
  PartyAdded,
  Update,
} from './update.ts';
import { Vetting } from './vetting.ts';
import { Wakeup } from './wakeup.ts';

/** An update with its offset on one participant. */
export interface PlacedUpdate {
  readonly offset: bigint;
  readonly update: Update;
}

/**
 * An event at one participant, with its offset: an update, a completion, both, or only a proof that time has passed.
 */
export interface Arrival {
  readonly offset: bigint;
  readonly recordTime: bigint;
  /** The number of the entry that contains the update and the completion. */
  readonly entry?: number;
  readonly hasUpdate?: boolean;
  readonly hasCompletion?: boolean;
}

/**
 * How far a participant has received the synchronizer's events. Nothing after this offset has an earlier record time.
 */
export interface Reached {
  readonly offset: bigint;
  /** The record time of the last arrival up to this offset, microseconds. */
  readonly recordTime: bigint;
}

/** The last accepted submission of a change. Deduplication needs nothing else. */
export interface AcceptedChange {
  readonly offset: bigint;
  readonly submissionId: string;
  /** When this participant published the acceptance, microseconds. */
  readonly publishedAt: bigint;
}

export interface UserEntry {
  readonly user: User;
  readonly rights: readonly Right[];
}

const payloadKey = ({ name, payload: type }: TemplateDefinition, payload: unknown): string =>
  JSON.stringify([name.packageName, name.module, name.entity, toJson(type, payload)]);

const later = (one: bigint, other: bigint): bigint => (one > other ? one : other);

/**
 * Additional steps between offsets. A real participant's offsets are not consecutive either, because its other traffic
 * uses some. The steps make sure that clients do not rely on consecutive offsets.
 */
const GAPS = [0n, 1n, 0n, 2n, 0n, 0n, 3n] as const;

/** All state of one participant. It changes only when `LedgerState` applies records. */
export class ParticipantState {
  readonly name: ParticipantName;
  readonly namespace: string;
  readonly participantId: string;
  readonly published = new Wakeup();
  readonly hosted = new Set<string>();
  /** The hosts of each party, as far as this participant has seen updates. */
  readonly hosts = new Map<string, ReadonlySet<ParticipantName>>();
  /** Annotations of parties. Each participant has its own annotations. */
  readonly partyMetadata = new Map<string, ObjectMeta>();
  /** The identity providers of parties, except for parties of the participant's default provider. */
  readonly partyProviders = new Map<string, string>();
  readonly identityProviders = new Map<string, IdentityProvider>();
  readonly users = new Map<string, UserEntry>();
  readonly contracts: KnownContracts;
  /** The updates, in ascending order of offset. */
  readonly updates: Placed<PlacedUpdate>;
  /** The completions, in ascending order of offset. */
  readonly completions: Placed<Completion>;
  readonly #entries: Entries;
  /** Numbers of the entries that accepted a change, by change. */
  readonly #acceptances = new HashIndex();
  /** IDs of active contracts, by payload, for templates whose contracts are found by payload. */
  readonly #byPayload = new Map<string, Set<string>>();
  /** Increases with each change of users and rights, so that open streams notice the change. */
  usersVersion = 0;
  readonly vetting = new Vetting();
  /** The participant's traffic balance on the synchronizer, and its spending. */
  readonly traffic = new TrafficAccount();
  ledgerEnd = 0n;
  /**
   * The record time of the last arrival that was seen here, microseconds. Only messages from the synchronizer advance
   * it.
   */
  recordTime = 0n;
  prunedUpTo = 0n;
  /** A time in microseconds. No pruned completion was published later. */
  prunedPublishedAt = 0n;
  /** The last arrival that was sequenced for this participant, whether or not it has been seen. */
  #received: Reached = { offset: 0n, recordTime: 0n };
  /** Arrivals that the participant has not seen yet; set only while the participant is held behind. */
  #waiting: Arrival[] | undefined;
  /** Completions that have been seen and not been reported to the listener yet. */
  #news: Completion[] = [];
  readonly #gapPhase: number;

  constructor(
    name: ParticipantName,
    namespace: string,
    gapPhase: number,
    { entries, contracts }: { readonly entries: Entries; readonly contracts: Contracts },
  ) {
    this.name = name;
    this.namespace = namespace;
    this.participantId = `participant::${namespace}`;
    this.#gapPhase = gapPhase;
    this.#entries = entries;
    this.contracts = new KnownContracts(contracts);
    const isNear = (entry: number) => entries.isNear(entry);
    this.updates = new Placed({
      itemOf: (entry, offset) => ({ offset, update: entries.update(entry) }),
      isNear,
    });
    this.completions = new Placed({ itemOf: (entry) => entries.completion(entry), isNear });
  }

  /** Active contracts, in order of creation. */
  get active(): ActiveContracts<KnownContract> {
    return this.contracts.active;
  }

  /** The number of reads from the journal by all users of these entries. */
  get reads(): number {
    return this.#entries.reads;
  }

  /** Returns the last acceptance of a change, unless it has been pruned. */
  acceptedChange(key: string): AcceptedChange | undefined {
    for (const entry of this.#acceptances.candidates(key).toReversed()) {
      const { submitter, offset, recordTime } = this.#entries.completion(entry);
      if (changeKey(submitter) !== key) continue;
      if (offset <= this.prunedUpTo) return undefined;
      return { offset, submissionId: submitter.submissionId, publishedAt: recordTime };
    }
    return undefined;
  }

  get isHeld(): boolean {
    return this.#waiting !== undefined;
  }

  /** The last offset and record time that the synchronizer has sent, even if this participant has not seen them. */
  get received(): Reached {
    return this.#received;
  }

  get reached(): Reached {
    return { offset: this.ledgerEnd, recordTime: this.recordTime };
  }

  /** Returns the offset of the next arrival, whether or not earlier ones have been seen. */
  nextOffset(): bigint {
    return this.offsetAfter(this.#received.offset);
  }

  /** Returns the offset that follows `after`. The gaps between offsets differ between participants. */
  offsetAfter(after: bigint): bigint {
    const index = Number((after * 5n + BigInt(this.#gapPhase)) % BigInt(GAPS.length));
    return after + 1n + (GAPS[index] ?? 0n);
  }

  /** Receives a sequenced arrival. It is seen at once, or after the release if the participant is held. */
  receive(arrival: Arrival): void {
    const { offset, recordTime } = arrival;
    this.#received = { offset, recordTime: later(recordTime, this.#received.recordTime) };
    if (this.#waiting === undefined) this.#see(arrival);
    else this.#waiting.push(arrival);
  }

  /** Makes the participant see nothing more until `letGo`. */
  hold(): void {
    this.#waiting ??= [];
  }

  /** Makes the participant see the arrivals that waited, in order. */
  letGo(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const arrival of waiting) this.#see(arrival);
  }

  /** Returns the completions that have been seen since the last call. */
  takeNews(): readonly Completion[] {
    const news = this.#news;
    if (news.length > 0) this.#news = [];
    return news;
  }

  #see({ offset, recordTime, entry, hasUpdate, hasCompletion }: Arrival): void {
    this.ledgerEnd = offset;
    this.recordTime = later(recordTime, this.recordTime);
    if (entry === undefined) return;
    if (hasUpdate === true) this.#addUpdate(entry, offset);
    if (hasCompletion === true) this.#addCompletion(entry);
  }

  #addUpdate(entry: number, offset: bigint): void {
    const update = this.#entries.update(entry);
    this.updates.add(entry, offset, update.recordTime);
    if (update.kind === 'transaction') this.#addEvents(update, entry, offset);
    else this.#addHost(update);
  }

  #addHost({ party, host }: PartyAdded): void {
    this.hosts.set(party, new Set([...(this.hosts.get(party) ?? []), host]));
    if (host === this.name) this.hosted.add(party);
  }

  #addCompletion(entry: number): void {
    const completion = this.#entries.completion(entry);
    this.completions.add(entry, completion.offset, completion.recordTime);
    this.#news.push(completion);
    if (completion.rejection === undefined) {
      this.#acceptances.add(changeKey(completion.submitter), entry);
    }
  }

  #addEvents({ events }: LedgerTransaction, entry: number, offset: bigint): void {
    for (const event of events) {
      if (event.kind === 'created') this.#addCreated(event, entry, offset);
      else if (event.consuming) this.#addArchived(event, offset);
    }
  }

  #addCreated(event: CreatedEvent, entry: number, offset: bigint): void {
    const { contract } = event;
    if (!stakeholdersOf(contract).some((party) => this.hosted.has(party))) return;
    this.contracts.add(event, entry, offset);
    if (contract.template.isFoundByPayload !== true) return;
    const key = payloadKey(contract.template, contract.payload);
    const equal = this.#byPayload.get(key) ?? new Set();
    this.#byPayload.set(key, equal.add(contract.contractId));
  }

  /**
   * Returns active contracts of a template that is found by payload, in order of creation. Contracts without a
   * stakeholder here are omitted.
   */
  *activeByPayload(template: TemplateDefinition, payload: unknown): Generator<Contract> {
    for (const contractId of this.#byPayload.get(payloadKey(template, payload)) ?? []) {
      const contract = this.contracts.activeContract(contractId);
      if (contract !== undefined) yield contract;
    }
  }

  #addArchived({ contract }: ExercisedEvent, offset: bigint): void {
    if (!this.contracts.archive(contract.contractId, offset)) return;
    if (contract.template.isFoundByPayload !== true) return;
    const key = payloadKey(contract.template, contract.payload);
    const equal = this.#byPayload.get(key);
    equal?.delete(contract.contractId);
    if (equal?.size === 0) this.#byPayload.delete(key);
  }

  /** Removes updates, completions, archived contracts and accepted changes up to and including `offset`. */
  pruneUpTo(offset: bigint): void {
    this.prunedUpTo = offset;
    this.updates.pruneUpTo(offset);
    const lastPruned = this.completions.recordTimeAt(this.completions.indexAfter(offset) - 1);
    if (lastPruned !== undefined) this.prunedPublishedAt = lastPruned;
    this.completions.pruneUpTo(offset);
    this.contracts.pruneUpTo(offset);
  }
}
