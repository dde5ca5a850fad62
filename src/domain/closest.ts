import { LIMITS } from './limits.ts';

/** Returns the smallest number of insertions, deletions and replacements from one text to the other (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 0; i < a.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j += 1) {
      const replaced = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

const isPartOf = (a: string, b: string): boolean =>
  a.length > 2 && (a.includes(b) || b.includes(a));

/** Returns the known name that is most similar to a misspelt one; `null` if no name is similar. */
export function closestOf(name: string, known: readonly string[]): string | null {
  if (name.length > LIMITS.nameCharsMax) return null;
  let best: { readonly word: string; readonly cost: number } | null = null;
  const given = name.toLowerCase();
  for (const word of known) {
    const wanted = word.toLowerCase();
    const cost = isPartOf(given, wanted) ? 1 : distance(given, wanted);
    const isNear = cost <= Math.max(1, Math.floor(Math.max(given.length, wanted.length) / 3));
    if (isNear && (best === null || cost < best.cost)) best = { word, cost };
  }
  return best?.word ?? null;
}
