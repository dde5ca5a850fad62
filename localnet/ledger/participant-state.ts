import type { ParticipantName } from '../ports.ts';
import { stakeholdersOf } from './contract.ts';
import type { Contract } from './contract.ts';
import { toJson } from './lf-json.ts';
import type { ObjectMeta, User } from './participant.ts';
import type { TemplateDefinition } from './package-definition.ts';
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
import { Wakeup } from './wakeup.ts';

/** An update at its place on one participant. */
export interface PlacedUpdate {
  readonly offset: bigint;
  readonly update: Update;
}

/** Something at its place on one participant: an update, a completion, both, or only that time has passed. */
export interface Arrival {
  readonly offset: bigint;
  readonly recordTime: bigint;
  readonly update?: Update;
  readonly completion?: Completion;
}

/** How far a participant has come. The two belong together: nothing earlier is still to come at this offset. */
export interface Reached {
  readonly offset: bigint;
  /** Microseconds: record time of the last thing that was seen up to this offset. */
  readonly recordTime: bigint;
}

/** What one participant knows of one contract. */
export interface KnownContract {
  readonly contract: Contract;
  readonly created: {
    readonly offset: bigint;
    readonly event: CreatedEvent;
    readonly workflowId: string;
  };
  archived: { readonly offset: bigint; readonly event: ExercisedEvent } | undefined;
  /** A stakeholder is hosted here. Otherwise the creation was only witnessed, and the contract is never active here. */
  readonly isStake: boolean;
}

/** The last accepted submission of a change, which is all that deduplication asks for. */
export interface AcceptedChange {
  readonly offset: bigint;
  readonly submissionId: string;
  /** Microseconds: when the acceptance became known here. */
  readonly publishedAt: bigint;
}

export interface UserEntry {
  readonly user: User;
  readonly rights: readonly Right[];
}

/** First index of `items`, ascending by offset, whose offset is greater than `offset`. */
export function indexAfter(items: readonly { readonly offset: bigint }[], offset: bigint): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    if (item !== undefined && item.offset <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

const payloadKey = ({ name, payload: type }: TemplateDefinition, payload: unknown): string =>
  JSON.stringify([name.packageName, name.module, name.entity, toJson(type, payload)]);

const later = (one: bigint, other: bigint): bigint => (one > other ? one : other);

/** Holes after an offset: other traffic of a participant takes offsets too, so no client may count on the next one. */
const GAPS = [0n, 1n, 0n, 2n, 0n, 0n, 3n] as const;

/** Everything that one participant knows, in memory. It changes only by the fold of records in `LedgerState`. */
export class ParticipantState {
  readonly name: ParticipantName;
  readonly namespace: string;
  readonly participantId: string;
  readonly published = new Wakeup();
  readonly hosted = new Set<string>();
  /** The participants that each party is hosted on, as far as this one has heard. */
  readonly hosts = new Map<string, ReadonlySet<ParticipantName>>();
  /** Annotations of parties are each participant's own. */
  readonly partyMetadata = new Map<string, ObjectMeta>();
  readonly users = new Map<string, UserEntry>();
  readonly contracts = new Map<string, KnownContract>();
  /** In order of creation. */
  readonly active = new Map<string, KnownContract>();
  readonly acceptedChanges = new Map<string, AcceptedChange>();
  /** Active contracts of templates that are found by payload. */
  readonly #byPayload = new Map<string, Set<Contract>>();
  /** Counts changes of users and rights, so that open streams notice. */
  usersVersion = 0;
  /** What it may spend on the synchronizer, and has spent. */
  readonly traffic = new TrafficAccount();
  ledgerEnd = 0n;
  /** Microseconds: record time of the last thing seen here. Only what the synchronizer sends moves it. */
  recordTime = 0n;
  prunedUpTo = 0n;
  /** Microseconds: no completion that has been pruned was published later. */
  prunedPublishedAt = 0n;
  #updates: PlacedUpdate[] = [];
  #completions: Completion[] = [];
  /** The last thing that was sequenced for this participant, whether or not it has seen it. */
  #received: Reached = { offset: 0n, recordTime: 0n };
  /** What it has not seen yet because it is held behind; absent while it is not. */
  #waiting: Arrival[] | undefined;
  /** Completions that nobody has been told of yet. */
  #news: Completion[] = [];
  readonly #gapPhase: number;

  constructor(name: ParticipantName, namespace: string, gapPhase: number) {
    this.name = name;
    this.namespace = namespace;
    this.participantId = `participant::${namespace}`;
    this.#gapPhase = gapPhase;
  }

  get updates(): readonly PlacedUpdate[] {
    return this.#updates;
  }

  /** Those that it has seen and not pruned, and those that it has still to see. */
  *keptUpdates(): Generator<Update, void, undefined> {
    for (const { update } of this.#updates) yield update;
    for (const { update } of this.#waiting ?? []) if (update !== undefined) yield update;
  }

  get completions(): readonly Completion[] {
    return this.#completions;
  }

  get isHeld(): boolean {
    return this.#waiting !== undefined;
  }

  /** What the synchronizer has sent, also as far as it has not been seen here. */
  get received(): Reached {
    return this.#received;
  }

  get reached(): Reached {
    return { offset: this.ledgerEnd, recordTime: this.recordTime };
  }

  /** Where the next thing stands, whether or not what stands before it has been seen. */
  nextOffset(): bigint {
    return this.offsetAfter(this.#received.offset);
  }

  /** The offset after `after`: larger, and on every participant by another pattern. */
  offsetAfter(after: bigint): bigint {
    const index = Number((after * 5n + BigInt(this.#gapPhase)) % BigInt(GAPS.length));
    return after + 1n + (GAPS[index] ?? 0n);
  }

  /** Takes what was sequenced: it is seen at once, or when the participant is let go. */
  receive(arrival: Arrival): void {
    const { offset, recordTime } = arrival;
    this.#received = { offset, recordTime: later(recordTime, this.#received.recordTime) };
    if (this.#waiting === undefined) this.#see(arrival);
    else this.#waiting.push(arrival);
  }

  /** Sees nothing more until it is let go. */
  hold(): void {
    this.#waiting ??= [];
  }

  /** Sees what has come meanwhile, in order. */
  letGo(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const arrival of waiting) this.#see(arrival);
  }

  /** Completions that have been seen since this was asked for the last time. */
  takeNews(): readonly Completion[] {
    const news = this.#news;
    if (news.length > 0) this.#news = [];
    return news;
  }

  #see({ offset, recordTime, update, completion }: Arrival): void {
    this.ledgerEnd = offset;
    this.recordTime = later(recordTime, this.recordTime);
    if (update !== undefined) this.#addUpdate({ offset, update });
    if (completion !== undefined) this.#addCompletion(completion);
  }

  #addUpdate(placed: PlacedUpdate): void {
    const { update, offset } = placed;
    this.#updates.push(placed);
    if (update.kind === 'transaction') this.#addEvents(update, offset);
    else this.#addHost(update);
  }

  #addHost({ party, host }: PartyAdded): void {
    this.hosts.set(party, new Set([...(this.hosts.get(party) ?? []), host]));
    if (host === this.name) this.hosted.add(party);
  }

  #addCompletion(completion: Completion): void {
    this.#completions.push(completion);
    this.#news.push(completion);
    if (completion.rejection !== undefined) return;
    this.acceptedChanges.set(changeKey(completion.submitter), {
      offset: completion.offset,
      submissionId: completion.submitter.submissionId,
      publishedAt: completion.recordTime,
    });
  }

  #addEvents(transaction: LedgerTransaction, offset: bigint): void {
    for (const event of transaction.events) {
      if (event.kind === 'created') this.#addCreated(event, offset, transaction.workflowId);
      else if (event.consuming) this.#addArchived(event, offset);
    }
  }

  #addCreated(event: CreatedEvent, offset: bigint, workflowId: string): void {
    if (!event.witnesses.some((party) => this.hosted.has(party))) return;
    const { contract } = event;
    const isStake = stakeholdersOf(contract).some((party) => this.hosted.has(party));
    const created = { offset, event, workflowId };
    const known: KnownContract = { contract, created, archived: undefined, isStake };
    this.contracts.set(contract.contractId, known);
    if (isStake) this.#activate(known);
  }

  #activate(known: KnownContract): void {
    const { contract } = known;
    this.active.set(contract.contractId, known);
    if (contract.template.isFoundByPayload !== true) return;
    const key = payloadKey(contract.template, contract.payload);
    const equal = this.#byPayload.get(key) ?? new Set();
    this.#byPayload.set(key, equal.add(contract));
  }

  #deactivate({ contract }: KnownContract): void {
    this.active.delete(contract.contractId);
    if (contract.template.isFoundByPayload !== true) return;
    const key = payloadKey(contract.template, contract.payload);
    const equal = this.#byPayload.get(key);
    equal?.delete(contract);
    if (equal?.size === 0) this.#byPayload.delete(key);
  }

  /** Active contracts with a stakeholder here, of a template that is found by payload; the earliest first. */
  activeByPayload(template: TemplateDefinition, payload: unknown): Iterable<Contract> {
    return this.#byPayload.get(payloadKey(template, payload)) ?? [];
  }

  #addArchived(event: ExercisedEvent, offset: bigint): void {
    const known = this.contracts.get(event.contract.contractId);
    if (known === undefined) return;
    known.archived = { offset, event };
    this.#deactivate(known);
  }

  /** Forgets updates, completions, archived contracts and accepted changes up to and including `offset`. */
  pruneUpTo(offset: bigint): void {
    this.prunedUpTo = offset;
    this.#updates = this.#updates.slice(indexAfter(this.#updates, offset));
    const firstKept = indexAfter(this.#completions, offset);
    const lastPruned = this.#completions[firstKept - 1];
    if (lastPruned !== undefined) this.prunedPublishedAt = lastPruned.recordTime;
    this.#completions = this.#completions.slice(firstKept);
    for (const [contractId, { archived, isStake, created }] of this.contracts) {
      const isOver =
        archived === undefined ? !isStake && created.offset <= offset : archived.offset <= offset;
      if (isOver) this.contracts.delete(contractId);
    }
    for (const [key, change] of this.acceptedChanges) {
      if (change.offset <= offset) this.acceptedChanges.delete(key);
    }
  }
}
