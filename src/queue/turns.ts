import type { Party } from '../domain/ids.ts';
import { QUEUE_LIMITS } from './limits.ts';

/*
 * Decides the order in which effects are dispatched to the queue, and in which a worker starts the effects that it has
 * taken.
 */

/** The provider of an effect's change, and the change's caller. */
export interface Asker {
  readonly provider: Party;
  readonly party: Party;
}

/** A dispatched effect, as a relay remembers it. */
interface Dispatch extends Asker {
  readonly isAhead: boolean;
}

/** The last effects that one relay dispatched, the latest at the end. */
export type Recent = readonly Dispatch[];

export interface Shared<Of> {
  /** Effects that go ahead of waiting jobs. */
  readonly ahead: ReadonlySet<Of>;
  /** The effects to remember once the round is on the queue. */
  readonly recent: Recent;
}

/** The number of a provider's effects, the number of the caller with the most, and the number of each caller. */
interface ProviderShare {
  readonly all: number;
  readonly most: number;
  readonly byParty: ReadonlyMap<Party, number>;
}

function byProviderOf(askers: readonly Asker[]): ReadonlyMap<Party, ProviderShare> {
  const byProvider = Map.groupBy(askers, ({ provider }) => provider);
  return new Map(
    [...byProvider].map(([provider, own]) => {
      const byParty = new Map(
        [...Map.groupBy(own, ({ party }) => party)].map(([party, one]) => [party, one.length]),
      );
      return [provider, { all: own.length, most: Math.max(...byParty.values()), byParty }];
    }),
  );
}

/**
 * Returns the effects of light callers. Providers take turns and, within a provider, callers with the fewest effects
 * come first. A caller is light if it has at most half as many effects as the provider's heaviest caller. All callers
 * of a provider are light if the provider has at most half as many effects as the heaviest provider.
 */
function lightOf<Of extends Asker>(round: readonly Of[], all: readonly Asker[]): readonly Of[] {
  const shares = byProviderOf(all);
  const heaviest = Math.max(...[...shares.values()].map((share) => share.all));
  const turns = [...Map.groupBy(round, ({ provider }) => provider)].flatMap(([provider, own]) => {
    const share = shares.get(provider);
    if (share === undefined) return [];
    const has = ({ party }: Of): number => share.byParty.get(party) ?? 0;
    const isLight = (one: Of): boolean => 2 * share.all <= heaviest || 2 * has(one) <= share.most;
    return own
      .filter(isLight)
      .toSorted((a, b) => has(a) - has(b))
      .map((one, turn) => ({ one, turn, all: share.all }));
  });
  return turns.toSorted((a, b) => a.turn - b.turn || a.all - b.all).map(({ one }) => one);
}

/**
 * Chooses the effects of a round that go ahead of waiting jobs: those of light callers, as counted over the last
 * `sharesOf` effects including this round. At most `aheadMax` of these last effects go ahead, so that workers always
 * have capacity left for the other effects, however many callers are light.
 */
export function shareOut<Of extends Asker>(recent: Recent, round: readonly Of[]): Shared<Of> {
  const { sharesOf, aheadMax } = QUEUE_LIMITS;
  const before = round.length < sharesOf ? recent.slice(round.length - sharesOf) : [];
  const room = aheadMax - before.filter(({ isAhead }) => isAhead).length;
  const ahead = new Set(lightOf(round, [...before, ...round]).slice(0, Math.max(0, room)));
  const now = round.map((one) => ({
    provider: one.provider,
    party: one.party,
    isAhead: ahead.has(one),
  }));
  return { ahead, recent: [...before, ...now].slice(-sharesOf) };
}

/** A limited number of places that all requests share. */
export interface Slots {
  /**
   * Waits for a place, in the order of the requests.
   *
   * @param isAhead whether the request goes before all requests that do not; after several in a row, one of the others
   * gets a place
   * @returns a function that frees the place
   * @throws the signal's reason
   */
  take(signal: AbortSignal, isAhead?: boolean): Promise<() => void>;
  /** Takes a free place; `null` if there is none. @returns a function that frees the place */
  takeFree(): (() => void) | null;
}

export function createSlots(max: number): Slots {
  const ahead = new Set<() => void>();
  const behind = new Set<() => void>();
  let taken = 0;
  /** Number of places given in a row to requests that go ahead. */
  let inRow = 0;

  /** Returns the set of waiting requests from which the next one is taken. */
  const next = (): Set<() => void> => {
    const isAhead = ahead.size > 0 && (behind.size === 0 || inRow < QUEUE_LIMITS.aheadInRow);
    inRow = isAhead ? inRow + 1 : 0;
    return isAhead ? ahead : behind;
  };
  const giveBack = (): void => {
    taken -= 1;
    const among = next();
    const [turn] = among;
    if (turn === undefined) return;
    among.delete(turn);
    turn();
  };
  const hold = (): (() => void) => {
    taken += 1;
    return giveBack;
  };
  return {
    async take(signal, isAhead = false) {
      signal.throwIfAborted();
      if (taken < max) return hold();
      const waiting = isAhead ? ahead : behind;
      const { promise, resolve, reject } = Promise.withResolvers<() => void>();
      const turn = (): void => {
        signal.removeEventListener('abort', leave);
        resolve(hold());
      };
      const leave = (): void => {
        waiting.delete(turn);
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      waiting.add(turn);
      return promise;
    },
    takeFree: () => (taken < max ? hold() : null),
  };
}
