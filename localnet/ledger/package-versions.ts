/** Orders package versions by their numbers, from left to right: `1.2` comes before `1.10`. */
export function compareVersions(left: string, right: string): number {
  const lefts = left.split('.').map(Number);
  const rights = right.split('.').map(Number);
  for (const [index, number] of lefts.entries()) {
    const difference = number - (rights[index] ?? -1);
    if (difference !== 0) return difference;
  }
  return lefts.length - rights.length;
}
