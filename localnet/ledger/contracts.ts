import { withRoomFor } from './columns.ts';
import { stakeholdersOf } from './contract.ts';
import type { Contract } from './contract.ts';
import type { Entries } from './entries.ts';
import { HashIndex } from './hash-index.ts';
import type { TemplateDefinition } from './package-definition.ts';
import { Recent } from './recent.ts';
import type { CreatedEvent, ExercisedEvent } from './update.ts';
import { mapped } from './mapped.ts';

/** Active contracts in order of creation. A `T` stands for each. */
export interface ActiveContracts<T> {
  has(contractId: string): boolean;
  get(contractId: string): T | undefined;
  keys(): Iterable<string>;
  values(): Iterable<T>;
}

/** Stores every distinct value once, and refers to it by a number. */
class Interned<T> {
  readonly values: T[] = [];
  readonly #numbers = new Map<unknown, number>();

  numberOf(value: T, key: unknown = value): number {
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.values.length);
    return this.values.push(value) - 1;
  }
}

/**
 * Every contract that the network ever had. A contract's number follows the order of creation. For each contract the
 * following is stored: the positions of its creation and its archival, its template and its stakeholders. Payloads are
 * read from the journal when needed.
 */
export class Contracts {
  readonly #entries: Entries;
  readonly #ids = new HashIndex();
  #count = 0;
  #createdIn = new Uint32Array(256);
  #createdNodes = new Uint32Array(256);
  /** The number of the entry that archived the contract, plus one; 0 means that the contract is active. */
  #archivedIn = new Uint32Array(256);
  #archivedNodes = new Uint32Array(256);
  #templates = new Uint32Array(256);
  #stakes = new Uint32Array(256);
  readonly #knownTemplates = new Interned<TemplateDefinition>();
  readonly #knownStakes = new Interned<readonly string[]>();
  readonly #near: Recent<Contract>;
  /**
   * Active contracts of the whole network. The sequencer checks the input contracts of requests only against these
   * contracts.
   */
  readonly active: ActiveContracts<Contract> = {
    has: (contractId) => this.#activeNumber(contractId) !== undefined,
    get: (contractId) => {
      const number = this.#activeNumber(contractId);
      return number === undefined ? undefined : this.contract(number);
    },
    keys: () => mapped(this.#activeNumbers(), (number) => this.contract(number).contractId),
    values: () => mapped(this.#activeNumbers(), (number) => this.contract(number)),
  };

  /**
   * @param nearBytes how much of the contracts stays decoded in memory: the maximum size, in bytes, of the transactions
   *   that created them
   */
  constructor(entries: Entries, nearBytes: number) {
    this.#entries = entries;
    this.#near = new Recent(nearBytes);
  }

  /** The number of contracts so far. All contract numbers are smaller than this. */
  get count(): number {
    return this.#count;
  }

  add(contract: Contract, entry: number, nodeId: number): void {
    const number = this.#count;
    this.#count += 1;
    this.#makeRoom();
    this.#createdIn[number] = entry;
    this.#createdNodes[number] = nodeId;
    this.#templates[number] = this.#knownTemplates.numberOf(contract.template);
    const stake = stakeholdersOf(contract);
    this.#stakes[number] = this.#knownStakes.numberOf(stake, stake.join('\n'));
    this.#ids.add(contract.contractId, number);
    this.#near.set(number, contract, this.#entries.bytesOf(entry));
  }

  archive(contractId: string, entry: number, nodeId: number): void {
    const number = this.find(contractId);
    if (number === undefined) return;
    this.#archivedIn[number] = entry + 1;
    this.#archivedNodes[number] = nodeId;
  }

  /** Returns the number of a contract, which may be archived; `undefined` for an unknown ID. */
  find(contractId: string): number | undefined {
    return this.#ids
      .candidates(contractId)
      .find((number) => this.contract(number).contractId === contractId);
  }

  contract(number: number): Contract {
    const near = this.#near.get(number);
    if (near !== undefined) return near;
    const entry = this.createdIn(number);
    const { event } = this.#entries.created(entry, this.createdNode(number));
    this.#near.set(number, event.contract, this.#entries.bytesOf(entry));
    return event.contract;
  }

  template(number: number): TemplateDefinition | undefined {
    return this.#knownTemplates.values[this.#templates[number] ?? 0];
  }

  stakeholders(number: number): readonly string[] {
    return this.#knownStakes.values[this.#stakes[number] ?? 0] ?? [];
  }

  createdIn(number: number): number {
    return this.#createdIn[number] ?? 0;
  }

  createdNode(number: number): number {
    return this.#createdNodes[number] ?? 0;
  }

  created(
    entry: number,
    nodeId: number,
  ): { readonly event: CreatedEvent; readonly workflowId: string } {
    return this.#entries.created(entry, nodeId);
  }

  /** Returns the exercise that archived a contract. The contract must be archived. */
  archivedBy(number: number): ExercisedEvent {
    const update = this.#entries.update((this.#archivedIn[number] ?? 0) - 1);
    const nodeId = this.#archivedNodes[number];
    const events = update.kind === 'transaction' ? update.events : [];
    const event = events.find((one) => one.nodeId === nodeId);
    if (event?.kind !== 'exercised') throw new TypeError(`contract ${number} is not archived`);
    return event;
  }

  #activeNumber(contractId: string): number | undefined {
    const number = this.find(contractId);
    return number === undefined || this.#archivedIn[number] !== 0 ? undefined : number;
  }

  *#activeNumbers(): Generator<number, void, undefined> {
    for (let number = 0; number < this.#count; number += 1) {
      if (this.#archivedIn[number] === 0) yield number;
    }
  }

  #makeRoom(): void {
    this.#createdIn = withRoomFor(this.#createdIn, this.#count);
    this.#createdNodes = withRoomFor(this.#createdNodes, this.#count);
    this.#archivedIn = withRoomFor(this.#archivedIn, this.#count);
    this.#archivedNodes = withRoomFor(this.#archivedNodes, this.#count);
    this.#templates = withRoomFor(this.#templates, this.#count);
    this.#stakes = withRoomFor(this.#stakes, this.#count);
  }
}
