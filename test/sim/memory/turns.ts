import type { EffectRow } from './rows.ts';
import type { ServerTransaction } from './server.ts';

/** Divides what can be taken: providers take turns, and so do the callers of each provider. */
export function inTurn(
  tx: ServerTransaction,
  due: readonly EffectRow[],
  limit: number,
): EffectRow[] {
  if (due.length <= limit) return [...due];
  const changeOf = ({ changeId }: EffectRow) => tx.tables.changes.get(tx, changeId)?.change;
  const byRank = (of: (effect: EffectRow) => string, among: readonly EffectRow[]) => {
    const seen = new Map<string, number>();
    return among
      .map((effect) => {
        const rank = (seen.get(of(effect)) ?? 0) + 1;
        seen.set(of(effect), rank);
        return { effect, rank };
      })
      .toSorted((a, b) => a.rank - b.rank)
      .map(({ effect }) => effect);
  };
  const providerOf = (effect: EffectRow): string => changeOf(effect)?.provider ?? '';
  const partyOf = (effect: EffectRow): string =>
    JSON.stringify([providerOf(effect), changeOf(effect)?.callerParty]);
  return byRank(providerOf, byRank(partyOf, due));
}
