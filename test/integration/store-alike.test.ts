import { expect, test } from 'vitest';
import type { Tx } from '../../src/app/ports/transaction.ts';
import { queryOnce } from '../kit/postgres-query.ts';
import { postgresStore } from '../kit/postgres-store.ts';
import type { AskTx, Under } from '../kit/store-asks.ts';
import { Dice, answered, contentsOf, randomAsk, randomPart, text } from '../kit/store-asks.ts';
import { io } from '../kit/store-rows.ts';
import { DatabaseError } from '../sim/memory/database-error.ts';
import { createMemoryDatabase } from '../sim/memory/database.ts';
import { realAfter, realHooks } from '../sim/memory/real-hooks.ts';

/*
 * The simulated store and the real one get the same random calls, first one after another and then from two interleaved
 * transactions. Both stores must give the same answers, wait and refuse in the same cases, and end with the same
 * contents.
 */

/**
 * The number of calls, and of rounds with two concurrent transactions. With more than two transactions, their order
 * would be undefined.
 */
const TURNS = 220;
const ROUNDS = 25;

const memory = (): Under =>
  createMemoryDatabase({ now: Date.now, after: realAfter }).connect('test', realHooks());

test.each([1, 2, 3])('asked one thing after the other, seed %i', async (seed) => {
  await using real = await postgresStore();
  const both: readonly Under[] = [real, memory()];
  const dice = new Dice(seed);
  let refusals = 0;
  for (let turn = 0; turn < TURNS; turn += 1) {
    const ask = randomAsk(dice);
    const [expected, found] = await Promise.all(both.map((under) => answered(ask(under, io()))));
    expect(found, `turn ${turn}`).toBe(expected);
    refusals += Number(expected === 'refused');
    if (turn % 20 === 0) await expectSameContents(both, `turn ${turn}`);
  }
  await expectSameContents(both, 'at the end');
  // Some calls must succeed and some must be refused; otherwise, the comparison would prove little.
  expect(refusals).toBeGreaterThan(TURNS / 10);
  expect(refusals).toBeLessThan(TURNS * 0.9);
});

async function expectSameContents(both: readonly Under[], when: string): Promise<void> {
  const [expected, found] = await Promise.all(both.map(({ store }) => contentsOf(store)));
  expect(found, when).toBe(expected);
}

/** A transaction on one of the stores. Each of its steps, and its end, waits until the test releases it. */
class Actor {
  readonly #gates: readonly PromiseWithResolvers<void>[];
  readonly #answers: readonly PromiseWithResolvers<string>[];
  isDeadlocked = false;
  readonly done: Promise<string>;
  #isAbandoned = false;

  constructor({ store }: Under, parts: readonly AskTx[], isUndone: boolean) {
    const places = [...parts.keys(), parts.length];
    this.#gates = places.map(() => Promise.withResolvers<void>());
    this.#answers = places.map(() => Promise.withResolvers<string>());
    let tries = 0;
    const work = async (tx: Tx): Promise<string> => {
      tries += 1;
      if (tries > 1) throw new Error('once is enough');
      for (const [place, part] of parts.entries()) {
        await this.#gates[place]!.promise;
        if (this.#isAbandoned) throw new Error('abandoned');
        this.#answers[place]!.resolve(text(await part(tx)) ?? 'nothing');
      }
      await this.#gates[parts.length]!.promise;
      if (isUndone || this.#isAbandoned) throw new Error('changed our mind');
      return 'committed';
    };
    this.done = answered(
      store.transact(io(), (tx) =>
        work(tx).catch((error: unknown) => {
          this.isDeadlocked ||= error instanceof DatabaseError && error.code === '40P01';
          throw error;
        }),
      ),
    );
    const hear = (end: string): void => {
      for (const answer of this.#answers) answer.resolve(end);
    };
    void this.done.then(hear);
  }

  /** Releases the next step, and returns its answer. */
  go(place: number): Promise<string> {
    this.#gates[place]!.resolve();
    return this.#answers[place]!.promise;
  }

  abandon(): Promise<string> {
    this.#isAbandoned = true;
    for (const gate of this.#gates) gate.resolve();
    return this.done;
  }
}

interface Part {
  /** The answer of the simulated store, or `null` if there is none yet. */
  found: string | null;
  readonly expected: Promise<string>;
}

/** One transaction that runs on both stores. */
interface Double {
  readonly real: Actor;
  readonly simulated: Actor;
  readonly ends: number;
  place: number;
  /** The step that waits for the other transaction. */
  waiting: Part | null;
}

function start([real, simulated]: readonly [Under, Under], dice: Dice): Double {
  const parts = Array.from({ length: 2 + dice.below(4) }, () => randomPart(dice));
  const isUndone = dice.isLucky(4);
  return {
    real: new Actor(real, parts, isUndone),
    simulated: new Actor(simulated, parts, isUndone),
    ends: parts.length,
    place: 0,
    waiting: null,
  };
}

/** Lets the simulated store do everything for which it need not wait for the other transaction. */
async function turns(count = 60): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

const late = (): Promise<string> =>
  new Promise((resolve) => setTimeout(() => resolve('waits for somebody'), 10_000));

const isThrough = ({ place, ends, waiting }: Double): boolean => place > ends && waiting === null;

/** Compares an answer of the simulated store with that of the real store, which must not wait either. */
async function compare(one: Double, part: Part, when: string): Promise<void> {
  expect(await Promise.race([part.expected, late()]), when).toBe(part.found);
  one.waiting = null;
  // A step that fails ends its transaction.
  if (part.found === 'refused') one.place = one.ends + 1;
}

const WAITING = `
  select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;

/** Runs the next step of one transaction. @returns 1 if the step waits */
async function advance(one: Double, when: string, url: string): Promise<number> {
  const found = one.simulated.go(one.place);
  const part: Part = { found: null, expected: one.real.go(one.place) };
  const hear = (text: string): void => {
    part.found = text;
  };
  void found.then(hear);
  one.place += 1;
  one.waiting = part;
  await turns();
  if (part.found !== null || one.simulated.isDeadlocked) return 0;
  // The real transaction must be seen to wait, too, before the test continues.
  await expect.poll(() => queryOnce(url, WAITING), { message: `${when}: waits` }).toHaveLength(1);
  return 1;
}

test.each([1, 2, 3, 4])('asked by two at the same time, seed %i', async (seed) => {
  await using real = await postgresStore();
  const both = [real, memory()] as const;
  const dice = new Dice(seed);
  let waits = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const crowd = [start(both, dice), start(both, dice)];
    for (let turn = 0; ; turn += 1) {
      const ready = crowd.filter((one) => one.waiting === null && !isThrough(one));
      if (ready.length === 0) break;
      const when = `round ${round}, turn ${turn}`;
      waits += await advance(dice.pick(ready), when, real.url);
      if (crowd.some(({ simulated }) => simulated.isDeadlocked)) break;
      for (const one of crowd) {
        if (one.waiting?.found !== undefined && one.waiting.found !== null) {
          await compare(one, one.waiting, when);
        }
      }
    }
    // In a deadlock the two stores may abort different transactions.
    await Promise.all(crowd.flatMap((one) => [one.real.abandon(), one.simulated.abandon()]));
    await expectSameContents(both, `round ${round}`);
  }
  expect(waits).toBeGreaterThan(ROUNDS / 8);
});
