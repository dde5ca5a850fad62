import type { Party } from '../domain/ids.ts';
import { QUEUE_LIMITS } from './limits.ts';

/* Who is first: of what is dispatched on the queue, and of what a worker has taken. */

/** Who asked for what an effect does, and of which provider. */
export interface Asker {
  readonly provider: Party;
  readonly party: Party;
}

/** What is remembered of an effect that was dispatched. */
interface Dispatch extends Asker {
  readonly isAhead: boolean;
}

/** The last effects that one relay dispatched, the latest at the end. */
export type Recent = readonly Dispatch[];

export interface Shared<Of> {
  /** Those that go ahead of what waits on the queue. */
  readonly ahead: ReadonlySet<Of>;
  /** What is remembered once the round is on the queue. */
  readonly recent: Recent;
}

/** How much the callers of a provider have, and all of them together. */
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
 * Light ones, providers in turn: of each the callers with the least first. Light is a caller with at most half of what
 * the heaviest caller of its provider has, and each of a provider with at most half of what the heaviest one has.
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
 * Says who of a round goes ahead, by what the last `sharesOf` effects were, the round among them: the light ones, but
 * no more than `aheadMax` of so many. So what does not go ahead keeps the rest of what workers can do, however many
 * light ones there are.
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

/** A bounded number of places, shared by all that ask for one. */
export interface Slots {
  /**
   * Waits for a place, in the order of the asking.
   *
   * @param isAhead before all that do not go ahead; after so many in a row one of those has its turn
   * @returns what gives it back
   * @throws the signal's reason
   */
  take(signal: AbortSignal, isAhead?: boolean): Promise<() => void>;
}

export function createSlots(max: number): Slots {
  const ahead = new Set<() => void>();
  const behind = new Set<() => void>();
  let taken = 0;
  /** Places that went ahead since one that did not. */
  let inRow = 0;

  /** Whose turn it is. */
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
  };
}
