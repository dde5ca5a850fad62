import type { DecideDoubt } from '../../../src/app/desk/decide-doubt.ts';
import { DECISIONS } from '../../../src/app/desk/decide-doubt.ts';
import type { Change } from '../../../src/domain/change.ts';
import type { UpdateId } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import { SENT_WITHIN_MS } from '../../../src/app/engine/doubts/proof.ts';
import { callerFor } from './callers.ts';
import type { Cluster } from './cluster.ts';
import { commandOf } from './evidence.ts';
import { BOUNDS } from './roles.ts';
import type { World } from './world.ts';

type Found = Pick<DecideDoubt, 'decision' | 'updateId'>;

/** The time after which an attempt can no longer be sequenced. An operator who decides earlier can only guess. */
const CERTAIN_AFTER_MS =
  SENT_WITHIN_MS + 2 * BOUNDS.toleranceMs + 2 * BOUNDS.clockDifferenceMs + 10_000;

/**
 * The probability that an operator guesses at a check. Checks are made every second, so nearly half of the decisions
 * are made before the result is certain.
 */
const WRONG = 0.003;

/** An operator who decides changes in doubt: reads their results from the ledger, or guesses. */
export class Operator {
  readonly #world: World;
  readonly #cluster: Cluster;

  constructor(world: World, cluster: Cluster) {
    this.#world = world;
    this.#cluster = cluster;
  }

  /** Reads about every change in doubt, and decides those that can be decided. */
  async look(): Promise<void> {
    const { contents } = this.#world.database;
    for (const { change } of contents.changes()) {
      if (change.state !== 'in-doubt') continue;
      if (this.#world.random.chance(WRONG)) await this.guess(change);
      else if (this.#isCertain(change)) await this.#say(change, this.#found(change));
    }
  }

  /** Decides a change without knowing anything about its result. */
  async guess(change: Change): Promise<void> {
    const { random, database } = this.#world;
    const decision = random.pick(DECISIONS);
    const updates = database.contents.updates();
    const isNamed = decision === 'took-effect' && updates.length > 0 && random.chance(0.5);
    const named = isNamed ? { updateId: random.pick(updates).updateId } : {};
    await this.#say(change, { decision, ...named }, 'guessed');
  }

  #isCertain(change: Change): boolean {
    const { database, clock, restoredAtMs } = this.#world;
    // A restore may have lost attempts that are still in flight, so the operator waits.
    if (restoredAtMs + CERTAIN_AFTER_MS >= clock.nowMs) return false;
    return database.contents
      .attempts()
      .filter(({ changeId }) => changeId === change.id)
      .every(({ at }) => Date.parse(at) + CERTAIN_AFTER_MS < clock.nowMs);
  }

  async #say(change: Change, found: Found, how = 'decided'): Promise<void> {
    const { ledger, trace, weather } = this.#world;
    const asked = { changeId: change.id, reason: 'the ledger says so', ...found };
    trace.add('operator', `${change.commandId}: ${how} ${asked.decision}`);
    const { provider } = ledger;
    const caller = {
      ...callerFor(provider, provider),
      roles: new Set(['provider', 'operator'] as const),
    };
    const called = await this.#cluster.callApi((api) => api.decide(caller, asked), 40_000);
    const taken = called.kind === 'value' ? '' : ', refused';
    if (called.kind !== 'gone') weather.count(how, `${asked.decision}${taken}`);
    if (called.kind === 'error') trace.add('operator', String(called.error));
  }

  #found(change: Change): Found {
    const { database, truth, random, watcher } = this.#world;
    const mine = commandOf(change);
    const effect = truth.transactions.find((one) => watcher.commandBehind(one) === mine);
    if (effect === undefined) return { decision: random.pick(['submit-again', 'no-effect']) };
    const isSeen = database.contents.updates().some(({ updateId }) => updateId === effect.updateId);
    return isSeen
      ? { decision: 'took-effect', updateId: trusted<UpdateId>(effect.updateId) }
      : { decision: 'took-effect' };
  }
}
