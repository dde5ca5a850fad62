import { checkViolation, uniqueViolation } from './database-error.ts';

/** An index over rows. `of` returns the key of a row in this index; `null` if the row is not in the index. */
export interface IndexShape<Row> {
  readonly of: (row: Row) => string | null;
  /** The name of the constraint, if no two rows may have the same key. */
  readonly unique?: string;
}

export interface TableShape<Row, Name extends string> {
  readonly name: string;
  readonly key: (row: Row) => string;
  readonly indexes: Readonly<Record<Name, IndexShape<Row>>>;
  /** Returns the check constraint that a row violates, or `null`. */
  readonly check?: (row: Row) => string | null;
}

/** A transaction that reads, and sees its own writes; `null` for a reader outside of transactions. */
export type Reader = object | null;

/** One committed write, for code that observes it. `before` is undefined for a new row, `after` for a deleted one. */
export interface RowChange {
  readonly table: string;
  readonly key: string;
  readonly before: unknown;
  readonly after: unknown;
}

/**
 * Rows by key and by index. They are committed, or written by an open transaction; then only this transaction sees
 * them. Rows are never changed, only replaced. No call waits: the transaction locks the rows.
 */
export class Table<Row extends object, Name extends string = never> {
  readonly name: string;
  readonly #shape: TableShape<Row, Name>;
  readonly #rows = new Map<string, Row>();
  readonly #buckets: Readonly<Record<Name, Map<string, Set<string>>>>;
  /** Rows that open transactions have written, by transaction and key; `null` for a row that is to be deleted. */
  readonly #pending = new Map<object, Map<string, Row | null>>();
  /** The unique indexes, each with its name and the name of its constraint. */
  readonly #unique: readonly (readonly [Name, string])[];
  readonly #names: readonly Name[];

  constructor(shape: TableShape<Row, Name>) {
    this.name = shape.name;
    this.#shape = shape;
    this.#names = Object.keys(shape.indexes) as Name[];
    this.#buckets = Object.fromEntries(this.#names.map((name) => [name, new Map()])) as Record<
      Name,
      Map<string, Set<string>>
    >;
    this.#unique = this.#names.flatMap((name) => {
      const { unique } = shape.indexes[name];
      return unique === undefined ? [] : [[name, unique] as const];
    });
  }

  keyOf(row: Row): string {
    return this.#shape.key(row);
  }

  get(reader: Reader, key: string): Row | undefined {
    const own = this.#own(reader)?.get(key);
    return own === undefined ? this.#rows.get(key) : (own ?? undefined);
  }

  isCommitted(key: string): boolean {
    return this.#rows.has(key);
  }

  /** Returns the rows with this value, as they are now. Their order is undefined, but always the same. */
  find(reader: Reader, name: Name, value: string): Row[] {
    const own = this.#own(reader);
    const found: Row[] = [];
    for (const key of this.#buckets[name].get(value) ?? []) {
      const row = this.#rows.get(key);
      if (row !== undefined && own?.has(key) !== true) found.push(row);
    }
    if (own === undefined) return found;
    const { of } = this.#shape.indexes[name];
    for (const row of own.values()) if (row !== null && of(row) === value) found.push(row);
    return found;
  }

  /** Returns every row that a reader sees. */
  all(reader: Reader): Row[] {
    const own = this.#own(reader);
    if (own === undefined) return [...this.#rows.values()];
    const others = [...this.#rows].filter(([key]) => !own.has(key)).map(([, row]) => row);
    return [...others, ...[...own.values()].filter((row) => row !== null)];
  }

  /**
   * Returns the keys of rows that other transactions have written and not committed, and that have a unique key which
   * this row would get.
   */
  contested(owner: object, row: Row): string[] {
    const own = this.keyOf(row);
    return this.#unique
      .flatMap(([name]) => {
        const value = this.#shape.indexes[name].of(row);
        return value === null ? [] : [...(this.#buckets[name].get(value) ?? [])];
      })
      .filter((key) => key !== own && this.isWrittenByOther(owner, key));
  }

  /**
   * Returns whether the row exists and an open transaction of another owner has written it. A lock alone does not
   * count.
   */
  isWrittenByOther(owner: object, key: string): boolean {
    if (!this.#rows.has(key)) return false;
    for (const [other, rows] of this.#pending) {
      if (other !== owner && rows.has(key)) return true;
    }
    return false;
  }

  /** Checks a row. @throws DatabaseError for a violated check */
  assertChecked(row: Row): void {
    const violated = this.#shape.check?.(row) ?? null;
    if (violated !== null) throw checkViolation(violated);
  }

  /** Returns the names of the locks for the unique keys that a write frees or takes. */
  uniqueLocks(before: Row | undefined, after: Row): readonly string[] {
    const locks: string[] = [];
    for (const [name, constraint] of this.#unique) {
      const { of } = this.#shape.indexes[name];
      const [old, next] = [before === undefined ? null : of(before), of(after)];
      if (old === next) continue;
      for (const value of [old, next]) {
        if (value !== null) locks.push(`${constraint}=${value}`);
      }
    }
    return locks;
  }

  /**
   * Writes a row for a transaction that has locked the row and its unique keys.
   *
   * @throws DatabaseError for a violated constraint
   */
  write(owner: object, row: Row): void {
    this.assertChecked(row);
    const key = this.keyOf(row);
    for (const [name, constraint] of this.#unique) {
      const value = this.#shape.indexes[name].of(row);
      if (value === null) continue;
      for (const other of this.find(owner, name, value)) {
        if (this.keyOf(other) !== key) throw uniqueViolation(constraint);
      }
    }
    this.#keep(owner, key, row);
  }

  /** Deletes a row for a transaction that has locked it. */
  remove(owner: object, key: string): void {
    this.#keep(owner, key, null);
  }

  commit(owner: object): RowChange[] {
    const own = this.#pending.get(owner);
    if (own === undefined) return [];
    this.#pending.delete(owner);
    const changes: RowChange[] = [];
    for (const [key, after] of own) {
      const before = this.#rows.get(key);
      changes.push({ table: this.name, key, before, after: after ?? undefined });
      this.#put(key, after ?? undefined);
    }
    return changes;
  }

  drop(owner: object): void {
    this.#pending.delete(owner);
  }

  /** Restores a row to an earlier version. A crash of the server does this with commits that need not be durable. */
  restore(key: string, before: Row | undefined): void {
    this.#put(key, before);
  }

  /** Returns every committed row by its key. */
  copy(): ReadonlyMap<string, Row> {
    return new Map(this.#rows);
  }

  /** Replaces all committed rows by the rows of a copy. */
  putBack(copy: ReadonlyMap<string, Row>): void {
    for (const key of this.#rows.keys()) if (!copy.has(key)) this.#put(key, undefined);
    for (const [key, row] of copy) this.#put(key, row);
  }

  #own(reader: Reader): Map<string, Row | null> | undefined {
    return reader === null || this.#pending.size === 0 ? undefined : this.#pending.get(reader);
  }

  #keep(owner: object, key: string, row: Row | null): void {
    const own = this.#pending.get(owner);
    if (own === undefined) this.#pending.set(owner, new Map([[key, row]]));
    else own.set(key, row);
  }

  #put(key: string, after: Row | undefined): void {
    const before = this.#rows.get(key);
    if (after === undefined) this.#rows.delete(key);
    else this.#rows.set(key, after);
    for (const name of this.#names) {
      const { of } = this.#shape.indexes[name];
      const [old, next] = [
        before === undefined ? null : of(before),
        after === undefined ? null : of(after),
      ];
      if (old === next) continue;
      const buckets = this.#buckets[name];
      if (old !== null) {
        const bucket = buckets.get(old);
        bucket?.delete(key);
        if (bucket?.size === 0) buckets.delete(old);
      }
      if (next !== null) {
        const bucket = buckets.get(next);
        if (bucket === undefined) buckets.set(next, new Set([key]));
        else bucket.add(key);
      }
    }
  }
}
