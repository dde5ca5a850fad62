/** How long elements of the streams have waited without a batch being applied, over all terms of the lease. */
export class Stall {
  readonly #nowMs: () => number;
  #sinceMs: number | null = null;
  #reason: string | null = null;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** In milliseconds; 0 while nothing waits. */
  get ms(): number {
    return this.#sinceMs === null ? 0 : this.#nowMs() - this.#sinceMs;
  }

  /** Why the last batch was not applied. */
  get reason(): string | null {
    return this.#reason;
  }

  /** Elements have arrived that are not applied yet. */
  waits(): void {
    this.#sinceMs ??= this.#nowMs();
  }

  failed(reason: string): void {
    if (this.#sinceMs !== null) this.#reason = reason;
  }

  /** A batch was applied, or another process follows. */
  ended(): void {
    this.#sinceMs = null;
    this.#reason = null;
  }
}
