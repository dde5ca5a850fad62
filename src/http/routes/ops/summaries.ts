import type { OpsScope } from '../../../app/ports/ops-scope.ts';
import { HTTP_LIMITS } from '../../limits.ts';

interface Reading {
  readonly found: Promise<unknown>;
  /** When the result expires. A read in progress has no end time. */
  endsMs: number;
}

/**
 * Summaries of the desk. Each is expensive to read, so all operators of a scope share one read while it runs and for a
 * second afterwards. A change that an operator makes through this process is visible at once.
 */
export class Summaries {
  readonly #scopes = new Map<string, Map<string, Reading>>();
  readonly #nowMs: () => number;

  /** @param nowMs a clock that does not go back */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /**
   * Returns a summary, from memory if possible.
   *
   * @param name includes all options of the caller, so that it differs from every other summary of the scope
   */
  async read<Found>(
    { of, party }: OpsScope,
    name: string,
    read: () => Promise<Found>,
  ): Promise<Found> {
    this.#dropOld();
    const scope = `${of} ${party}`;
    const readings = this.#scopes.get(scope) ?? new Map<string, Reading>();
    this.#scopes.set(scope, readings);
    const known = readings.get(name);
    if (known !== undefined) return known.found as Promise<Found>;
    const found = read();
    const reading: Reading = { found, endsMs: Infinity };
    readings.set(name, reading);
    try {
      await found;
      reading.endsMs = this.#nowMs() + HTTP_LIMITS.summaryKeptMs;
    } catch {
      reading.endsMs = -Infinity;
    }
    return found;
  }

  /** Drops the stored summaries of the scope. Called after a change. */
  forget({ of, party }: OpsScope): void {
    this.#scopes.delete(`${of} ${party}`);
  }

  #dropOld(): void {
    const nowMs = this.#nowMs();
    for (const [scope, readings] of this.#scopes) {
      for (const [name, { endsMs }] of readings) if (endsMs <= nowMs) readings.delete(name);
      if (readings.size === 0) this.#scopes.delete(scope);
    }
  }
}
