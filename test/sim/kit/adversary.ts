import type { Commands } from '../../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import type { ErrorCode } from '../../../localnet/ledger/ledger-error.ts';
import { LIMITS } from '../../../src/domain/limits.ts';
import type { SimProcess } from './process.ts';
import { actingFor } from './virtual-clock.ts';
import type { VirtualClock } from './virtual-clock.ts';
import type { CallFate, CommandKind, Weather } from './weather.ts';
import { possible } from './weather.ts';

/*
 * Whoever makes the worst of what goes wrong: when nothing is known of an attempt, the next one is refused for certain
 * as often as not, and the first one, which was on its way all the time, is read right after that.
 */

/** Refusals of one attempt that say nothing of any other, by whatever way they come. */
const DEFINITE: readonly ErrorCode[] = [
  'PERMISSION_DENIED',
  'DAML_FAILURE',
  'INVALID_ARGUMENT',
  'CONTRACT_NOT_FOUND',
  'UNKNOWN_SUBMITTERS',
  'INVALID_DEDUPLICATION_PERIOD',
];

/** So long a request may be on its way that nobody hears of any more: far less than an attempt is waited for. */
const HELD_MS_MAX = 100_000;

/** So long the first copy of a submission is in flight on a slow ledger: not quite two tolerances. */
const COPY_MS = 115_000;
/** The bound of a doubt that is so old passes before a copy is sequenced. */
const OLD_MS = 60_000;

const keyOf = ({ commandId, actAs }: Commands): string => `${commandId} ${actAs.join()}`;

/** A command of which an attempt may still take effect, as far as Tenure can know. */
interface Doubted {
  /** Lets go the requests of earlier attempts that are on their way. */
  readonly held: (() => void)[];
  readonly sinceMs: number;
  /** What is next for a submission that is delivered twice. */
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

  /** @param fate what chance has made of the call */
  worsen(commands: Commands, kind: CommandKind, fate: CallFate): CallFate {
    const key = keyOf(commands);
    const doubted = this.#doubted.get(key);
    const repeated = doubted === undefined ? null : this.#repeat(doubted);
    if (repeated !== null) return repeated;
    const code =
      doubted === undefined ? null : this.#weather.refusalAfterDoubt(possible(DEFINITE, kind));
    if (doubted !== undefined && code !== null) {
      // Answered in the worst order: what nobody hopes for any more is read after the refusal.
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
   * An attempt is on its way. Whatever leaves it without an answer, or with one that says nothing, leaves doubt: a lost
   * call, a connection that breaks, a participant that does not read or is started again, the end of the process.
   *
   * @returns what is to be told how it came out
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

  /** By the network: what a paused process has sent arrives all the same. */
  #letGo(read: () => void, afterMs: number): void {
    actingFor(undefined, () => this.#clock.set(read, afterMs));
  }

  /**
   * A submission is delivered twice. Its first copy is in flight on a slow ledger when nothing can come of the doubted
   * attempt any more, and the ledger refuses the next attempt for good. Attempts before that lack a right.
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
