import { withRoomFor } from './columns.ts';
import type { Journal } from './journal.ts';
import type { PackageRegistry } from './package-registry.ts';
import { Recent } from './recent.ts';
import { decodeRecord } from './record-codec.ts';
import { createdIn } from './transaction-codec.ts';
import type { ContractLookup, CreatedIn } from './transaction-codec.ts';
import type { Completion, Update } from './update.ts';

/** The result of one record for the participants: an update, a completion, or both. */
export interface Entry {
  readonly update?: Update;
  readonly completion?: Completion;
}

/** The position of a record's line in the journal, in bytes. */
export interface Place {
  readonly start: number;
  readonly length: number;
}

/**
 * The maximum size of decoded entries in memory, measured as bytes of their lines in the journal. In memory, they take
 * about four times as much.
 */
export const NEAR_BYTES = 4 << 20;

/**
 * Updates and completions by number, in order of arrival. The latest and the most recently used ones are in memory; the
 * others are read from the journal when needed.
 */
export class Entries {
  readonly #journal: Pick<Journal, 'read'>;
  readonly #registry: PackageRegistry;
  readonly #lookUp: ContractLookup;
  #starts = new Float64Array(256);
  #lengths = new Uint32Array(256);
  #count = 0;
  /** Entries without a line in the journal. They stay in memory. */
  readonly #pinned = new Map<number, Entry>();
  /** Entries whose lines may not have been written to the journal yet. */
  readonly #fresh = new Map<number, Entry>();
  readonly #near: Recent<Entry>;
  /** The number of reads from the journal. */
  reads = 0;

  constructor(
    journal: Pick<Journal, 'read'>,
    registry: PackageRegistry,
    lookUp: ContractLookup,
    nearBytes: number,
  ) {
    this.#journal = journal;
    this.#registry = registry;
    this.#lookUp = lookUp;
    this.#near = new Recent(nearBytes);
  }

  /** Adds an entry and returns its number. After `written`, the entry may be removed from memory. */
  add(entry: Entry, { start, length }: Place): number {
    const number = this.#next();
    this.#starts[number] = start;
    this.#lengths[number] = length;
    this.#fresh.set(number, entry);
    return number;
  }

  /** Adds an entry that has no line in the journal. The entry stays in memory. */
  pin(entry: Entry): number {
    const number = this.#next();
    this.#pinned.set(number, entry);
    return number;
  }

  /** Marks all added entries as written to the journal. */
  written(): void {
    if (this.#fresh.size === 0) return;
    for (const [number, entry] of this.#fresh) {
      this.#near.set(number, entry, this.#lengths[number] ?? 0);
    }
    this.#fresh.clear();
  }

  /** Returns whether an entry is in memory. */
  isNear(number: number): boolean {
    return this.#fresh.has(number) || this.#pinned.has(number) || this.#near.has(number);
  }

  get(number: number): Entry {
    const found = this.#inMemory(number);
    if (found !== undefined) return found;
    const entry = this.#entryOf(this.#line(number));
    this.#near.set(number, entry, this.#lengths[number] ?? 0);
    return entry;
  }

  update(number: number): Update {
    const { update } = this.get(number);
    if (update === undefined) throw new TypeError(`entry ${number} is no update`);
    return update;
  }

  completion(number: number): Completion {
    const { completion } = this.get(number);
    if (completion === undefined) throw new TypeError(`entry ${number} is no completion`);
    return completion;
  }

  /** Returns a creation. If its transaction is not in memory, only this creation is decoded. */
  created(number: number, nodeId: number): CreatedIn {
    const update = this.#inMemory(number)?.update;
    if (update === undefined) return createdIn(this.#line(number), this.#registry, nodeId);
    const event =
      update.kind === 'transaction'
        ? update.events.find((one) => one.nodeId === nodeId)
        : undefined;
    if (update.kind !== 'transaction' || event?.kind !== 'created') {
      throw new TypeError(`entry ${number} creates nothing at node ${nodeId}`);
    }
    return { event, workflowId: update.workflowId };
  }

  /** Returns the size of an entry in the journal, in bytes; 0 if it has no line there. */
  bytesOf(number: number): number {
    return this.#lengths[number] ?? 0;
  }

  #inMemory(number: number): Entry | undefined {
    return this.#fresh.get(number) ?? this.#pinned.get(number) ?? this.#near.get(number);
  }

  #next(): number {
    const number = this.#count;
    this.#count += 1;
    this.#starts = withRoomFor(this.#starts, this.#count);
    this.#lengths = withRoomFor(this.#lengths, this.#count);
    return number;
  }

  #line(number: number): string {
    this.reads += 1;
    return this.#journal.read(this.#starts[number] ?? 0, this.#lengths[number] ?? 0);
  }

  #entryOf(line: string): Entry {
    const record = decodeRecord(line, this.#registry, this.#lookUp);
    if (record.kind === 'rejection') return { completion: record.completion };
    if (record.kind !== 'transaction') throw new TypeError(`a ${record.kind} is read back`);
    return { update: record.transaction, completion: record.completion };
  }
}
