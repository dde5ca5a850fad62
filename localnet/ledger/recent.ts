/** A cache of the most recently used values, up to a total weight. */
export class Recent<V> {
  readonly #maxWeight: number;
  readonly #items = new Map<number, { readonly value: V; readonly weight: number }>();
  #weight = 0;

  constructor(maxWeight: number) {
    this.#maxWeight = maxWeight;
  }

  has(key: number): boolean {
    return this.#items.has(key);
  }

  get(key: number): V | undefined {
    const item = this.#items.get(key);
    if (item === undefined) return undefined;
    this.#items.delete(key);
    this.#items.set(key, item);
    return item.value;
  }

  set(key: number, value: V, weight: number): void {
    this.#weight += weight - (this.#items.get(key)?.weight ?? 0);
    this.#items.delete(key);
    this.#items.set(key, { value, weight });
    for (const [oldest, item] of this.#items) {
      if (this.#weight <= this.#maxWeight) return;
      this.#items.delete(oldest);
      this.#weight -= item.weight;
    }
  }
}
