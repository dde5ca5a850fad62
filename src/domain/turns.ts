/**
 * A caller, as far as limits need it: the party of its tenant, and its identity within the tenant. Limits apply to
 * whole tenants first.
 */
export interface TenantCaller {
  readonly party: string;
  readonly subject: string;
}

/** Moves an entry to the end of its map, or removes it if its value is empty. */
function rotate<Value>(map: Map<string, Value>, key: string, value: Value, isEmpty: boolean): void {
  map.delete(key);
  if (!isEmpty) map.set(key, value);
}

/**
 * A queue from which tenants take turns: one item of each tenant and, among the items of a tenant, one item of each
 * subject. A caller with many requests waits only behind its own requests, and so does a tenant with many subjects.
 *
 * @example
 * const turns = new Turns<string>();
 * turns.add(caller, 'first');
 * const next = turns.take();
 */
export class Turns<Item> {
  readonly #tenants = new Map<string, Map<string, Item[]>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add({ party, subject }: TenantCaller, item: Item): void {
    const subjects = this.#tenants.get(party) ?? new Map<string, Item[]>();
    this.#tenants.set(party, subjects);
    const line = subjects.get(subject) ?? [];
    subjects.set(subject, line);
    line.push(item);
    this.#size += 1;
  }

  /** Takes the next item from the queue. @param mayGo returns whether a tenant has a turn now; others are skipped */
  take(mayGo: (party: string) => boolean = () => true): Item | undefined {
    for (const [party, subjects] of this.#tenants) {
      if (!mayGo(party)) continue;
      for (const [subject, line] of subjects) {
        const item = line.shift();
        this.#size -= 1;
        rotate(subjects, subject, line, line.length === 0);
        rotate(this.#tenants, party, subjects, subjects.size === 0);
        return item;
      }
    }
    return undefined;
  }

  /** Removes an item from the queue. @returns false if the item was already taken */
  remove({ party, subject }: TenantCaller, item: Item): boolean {
    const subjects = this.#tenants.get(party);
    const line = subjects?.get(subject);
    const index = line?.indexOf(item) ?? -1;
    if (subjects === undefined || line === undefined || index < 0) return false;
    line.splice(index, 1);
    this.#size -= 1;
    if (line.length === 0) subjects.delete(subject);
    if (subjects.size === 0) this.#tenants.delete(party);
    return true;
  }

  /** Returns how many items will leave the queue until the next item that this caller adds has left it. */
  upTo({ party, subject }: TenantCaller): number {
    const subjects = this.#tenants.get(party) ?? new Map<string, Item[]>();
    const own = (subjects.get(subject)?.length ?? 0) + 1;
    let ofTenant = own;
    for (const [other, { length }] of subjects)
      if (other !== subject) ofTenant += Math.min(length, own);
    let all = ofTenant;
    for (const [other, lines] of this.#tenants) {
      if (other === party) continue;
      let waiting = 0;
      for (const { length } of lines.values()) waiting += length;
      all += Math.min(waiting, ofTenant);
    }
    return all;
  }
}
