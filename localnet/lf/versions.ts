/** Orders versions of packages, number by number; of two that begin alike the longer one is the later one. */
export function compareVersions(left: string, right: string): number {
  const [own, other] = [left.split('.'), right.split('.')];
  for (const [index, segment] of own.entries()) {
    if (index >= other.length) return 1;
    const difference = Number(segment) - Number(other[index]);
    if (difference !== 0) return difference;
  }
  return own.length - other.length;
}
