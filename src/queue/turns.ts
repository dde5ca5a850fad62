import type { Party } from '../domain/ids.ts';
import { QUEUE_LIMITS } from './limits.ts';

/* The order of effects that are dispatched to the queue, and of effects that a worker has taken. */

/** The caller of an effect's change, and the change's provider. */
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
  /** The remembered effects once the round is on the queue. */
  readonly recent: Recent;
}

/** The number of effects of each caller of a provider, and of all together. */
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
 * Returns the effects of light callers, providers in turn, and per provider the callers with the fewest effects first.
 * A caller is light if it has at most half of the effects of its provider's heaviest caller. All callers of a provider
 * are light if the provider has at most half of the heaviest provider's effects.
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
 * Chooses the effects of a round that go ahead, by the last `sharesOf` effects including the round: those of light
 * callers, but at most `aheadMax` among these. The other effects keep the remaining capacity of workers, however many
 * callers are light.
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

/** A bounded number of places, shared by all requests. */
export interface Slots {
  /**
   * Waits for a place in request order.
   *
   * @param isAhead before all requests that do not go ahead; after several in a row one of those has its turn
   * @returns a function that returns the place
   * @throws the signal's reason
   */
  take(signal: AbortSignal, isAhead?: boolean): Promise<() => void>;
  /** Takes a free place, if there is one; then no request waits. @returns a function that returns the place */
  takeFree(): (() => void) | null;
}

export function createSlots(max: number): Slots {
  const ahead = new Set<() => void>();
  const behind = new Set<() => void>();
  let taken = 0;
  /** Places given in a row to requests that go ahead. */
  let inRow = 0;

  /** Returns the line whose turn it is. */
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
