import type { Party } from '../../../domain/ids.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { beginOfDay } from '../../../domain/quota.ts';
import type { Tx } from '../../ports/transaction.ts';

interface Known {
  readonly bytes: number;
  readonly readAtMs: number;
  /** All operations from before this instant have ended, so their bytes in `settledBytes` are final. */
  readonly since: string;
  readonly settledBytes: number;
}

/**
 * Traffic of tenants on the current day, as this process last read it. Each read adds only the operations since the
 * previous read, so that requests of a busy tenant do not sum up the whole day.
 */
export class TrafficCount {
  readonly #known = new Map<Party, Known>();
  #day = '';

  /** @returns bytes by party, at most `LIMITS.trafficReadMs` old */
  async read(
    tx: Pick<Tx, 'traffic'>,
    parties: readonly Party[],
    nowMs: number,
  ): Promise<ReadonlyMap<Party, number>> {
    const day = new Date(beginOfDay(nowMs)).toISOString();
    if (day !== this.#day) this.#known.clear();
    this.#day = day;
    const old = parties.filter((party) => {
      const readAtMs = this.#known.get(party)?.readAtMs ?? -Infinity;
      return nowMs - readAtMs >= LIMITS.trafficReadMs;
    });
    if (old.length > 0) await this.#readAgain(tx, old, nowMs, day);
    return new Map(parties.map((party) => [party, this.#known.get(party)?.bytes ?? 0]));
  }

  async #readAgain(
    tx: Pick<Tx, 'traffic'>,
    parties: readonly Party[],
    nowMs: number,
    day: string,
  ): Promise<void> {
    const before = new Map(this.#known);
    const asked = parties.map((party) => ({ party, since: before.get(party)?.since ?? day }));
    for (const found of await tx.traffic(asked)) {
      const settled = before.get(found.party)?.settledBytes ?? 0;
      this.#known.set(found.party, {
        bytes: settled + found.bytes,
        readAtMs: nowMs,
        since: found.settledUntil,
        settledBytes: settled + found.settledBytes,
      });
    }
    // During the read, a transaction may have begun the count of another day.
    if (day !== this.#day) for (const party of parties) this.#known.delete(party);
  }
}
