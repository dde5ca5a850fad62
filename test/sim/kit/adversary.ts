import type { Commands } from '../../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import type { ErrorCode } from '../../../localnet/ledger/ledger-error.ts';
import { LIMITS } from '../../../src/domain/limits.ts';
import type { SimProcess } from './process.ts';
import { actingFor } from './virtual-clock.ts';
import type { VirtualClock } from './virtual-clock.ts';
import type { CallFate, CommandKind, Weather } from './weather.ts';
import { possible } from './weather.ts';

/*
 * Arranges the worst order of failures. While the result of an attempt is unknown, the next attempt is often refused
 * definitely, and right after that refusal the first attempt, which was still in flight, is processed.
 */

/**
 * Refusals that concern one attempt and say nothing about any other attempt, no matter whether the call or a completion
 * reports them.
 */
const DEFINITE: readonly ErrorCode[] = [
  'PERMISSION_DENIED',
  'DAML_FAILURE',
  'INVALID_ARGUMENT',
  'CONTRACT_NOT_FOUND',
  'UNKNOWN_SUBMITTERS',
  'INVALID_DEDUPLICATION_PERIOD',
];

/**
 * The longest time for which a request stays in flight after its caller gave up. It is far shorter than the time in
 * which an attempt can take effect.
 */
const HELD_MS_MAX = 100_000;

/** How long the first copy of a submission is in flight on a slow ledger: almost twice the ledger's time tolerance. */
const COPY_MS = 115_000;
/**
 * The minimum age of a doubt before a submission is delivered twice. With this age, the doubted attempt's last possible
 * record time passes before the copy is sequenced.
 */
const OLD_MS = 60_000;

const keyOf = ({ commandId, actAs }: Commands): string => `${commandId} ${actAs.join()}`;

/** A command of which an attempt may still take effect, as far as Tenure can know. */
interface Doubted {
  /** Functions that release requests of earlier attempts which are kept in flight. */
  readonly held: (() => void)[];
  readonly sinceMs: number;
  /** The next step in the plan to deliver a submission twice. */
  plan: 'none' | 'wait' | 'refuse' | 'done';
}

export class Adversary {
  readonly #weather: Weather;
  readonly #clock: VirtualClock;
  readonly #doubted = new Map<string, Doubted>();

  constructor(weather: Weather, clock: VirtualClock) {
    this.#weather = weather;
    this.#clock = clock;
  }

  /** @param fate the fate of the call that was chosen at random */
  worsen(commands: Commands, kind: CommandKind, fate: CallFate): CallFate {
    const key = keyOf(commands);
    const doubted = this.#doubted.get(key);
    const repeated = doubted === undefined ? null : this.#repeat(doubted);
    if (repeated !== null) return repeated;
    const code =
      doubted === undefined ? null : this.#weather.refusalAfterDoubt(possible(DEFINITE, kind));
    if (doubted !== undefined && code !== null) {
      // This is the worst order: the request that was kept in flight is processed after the refusal.
      for (const letGo of doubted.held.splice(0)) {
        this.#letGo(letGo, this.#weather.random.pick([0, 500, 20_000, 60_000]));
      }
      const isCompleted = this.#weather.random.chance(0.5);
      return {
        ...this.#weather.hops(),
        ...(isCompleted ? { completion: code } : { refusal: code }),
      };
    }
    if (fate.requestMs <= LIMITS.submitDeadlineMs) return fate;
    const { held } = doubted ?? this.#doubt(key);
    const read = Promise.withResolvers<void>();
    held.push(() => read.resolve());
    this.#letGo(() => read.resolve(), HELD_MS_MAX);
    return { ...fate, requestMs: 0, until: read.promise };
  }

  /**
   * Called when an attempt is submitted. An attempt without an answer, or with an answer that proves nothing, is in
   * doubt. This may be caused by a lost call, a broken connection, a participant that is stopped or restarted, or the
   * end of the process.
   * @returns a function that must be called with the result
   */
  watch(commands: Commands, process: SimProcess): (isAnswered: boolean) => void {
    const key = keyOf(commands);
    let isOpen = true;
    const end = (isAnswered: boolean): void => {
      if (isOpen && !isAnswered && !this.#doubted.has(key)) this.#doubt(key);
      isOpen = false;
    };
    process.onKill(() => end(false));
    return end;
  }

  /**
   * Releases a request after `afterMs`, as an event of the network: a request that a process sent before it was paused
   * still arrives.
   */
  #letGo(read: () => void, afterMs: number): void {
    actingFor(undefined, () => this.#clock.set(read, afterMs));
  }

  /**
   * Delivers a submission twice. When the last possible record time of the doubted attempt has passed, the first copy
   * is still in flight on a slow ledger, and the ledger refuses the next attempt definitely. Attempts before that are
   * refused because of a missing right.
   */
  #repeat(doubted: Doubted): CallFate | null {
    const hops = this.#weather.hops();
    if (doubted.plan === 'refuse') {
      doubted.plan = 'done';
      return { ...hops, refusal: 'DAML_FAILURE' };
    }
    if (doubted.plan === 'none' && this.#weather.strikes('submitted-twice')) doubted.plan = 'wait';
    if (doubted.plan !== 'wait') return null;
    if (this.#clock.nowMs < doubted.sinceMs + OLD_MS)
      return { ...hops, refusal: 'PERMISSION_DENIED' };
    doubted.plan = 'refuse';
    const read = Promise.withResolvers<void>();
    this.#letGo(() => read.resolve(), COPY_MS);
    return { ...hops, copy: read.promise, refusal: 'SUBMISSION_ALREADY_IN_FLIGHT' };
  }

  #doubt(key: string): Doubted {
    const doubted: Doubted = { held: [], sinceMs: this.#clock.nowMs, plan: 'none' };
    this.#doubted.set(key, doubted);
    return doubted;
  }
}
