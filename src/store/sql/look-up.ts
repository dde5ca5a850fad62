interface Asked<Key, Found> {
  readonly key: Key;
  readonly resolve: (found: Found | null) => void;
  readonly reject: (error: unknown) => void;
}

/** Look-ups by key of which those that are asked for in one go are one statement. */
export class LookUp<Key, Found> {
  readonly #findAll: (keys: readonly Key[]) => Promise<readonly (Found | null)[]>;
  #asked: Asked<Key, Found>[] = [];

  /** @param findAll answers in the order of the keys; what it fails with is what all of them fail with */
  constructor(findAll: (keys: readonly Key[]) => Promise<readonly (Found | null)[]>) {
    this.#findAll = findAll;
  }

  find(key: Key): Promise<Found | null> {
    const { promise, resolve, reject } = Promise.withResolvers<Found | null>();
    this.#asked.push({ key, resolve, reject });
    if (this.#asked.length === 1) queueMicrotask(() => void this.#flush());
    return promise;
  }

  async #flush(): Promise<void> {
    const asked = this.#asked;
    this.#asked = [];
    try {
      const found = await this.#findAll(asked.map(({ key }) => key));
      for (const [index, { resolve }] of asked.entries()) resolve(found[index] ?? null);
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }
}
