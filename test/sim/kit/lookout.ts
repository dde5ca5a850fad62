import type { Finding } from './judge.ts';
import { judgeAlways } from './judge.ts';
import { Random } from './random.ts';
import type { World } from './world.ts';

/** The minimum and maximum numbers of records of database and ledger between two checks. */
const RECORDS = { least: 5, most: 55 };

/**
 * Checks at random moments the rules that must hold at any moment. A check changes nothing, so a history is the same
 * with and without it.
 */
export class Lookout {
  readonly #world: World;
  readonly #random: Random;
  readonly #broken = Promise.withResolvers<readonly Finding[]>();
  #left: number;
  #looks = 0;

  constructor(world: World, seed: number) {
    this.#world = world;
    this.#random = new Random(`lookout ${seed}`);
    this.#left = this.#draw();
  }

  /** Resolves with the first violations, each with the time at which it was seen. Never resolves if there are none. */
  get broken(): Promise<readonly Finding[]> {
    return this.#broken.promise;
  }

  get looks(): number {
    return this.#looks;
  }

  #draw(): number {
    return this.#random.integer(RECORDS.least, RECORDS.most);
  }

  /** Called after every record. At that moment, a commit is complete, and no process has reacted to it yet. */
  count(): void {
    this.#left -= 1;
    if (this.#left > 0) return;
    this.#left = this.#draw();
    this.#looks += 1;
    const found = judgeAlways(this.#world);
    if (found.length === 0) return;
    const { clock, trace } = this.#world;
    const when = `after ${trace.elapsedMs().toFixed(3)} ms, at step ${clock.fired}`;
    this.#broken.resolve(
      found.map(({ invariant, what }) => ({ invariant, what: `${when}: ${what}` })),
    );
  }
}
