/** Compares versions number by number. If one version is a prefix of the other, the longer one is later. */
export function compareVersions(left: string, right: string): number {
  const [own, other] = [left.split('.'), right.split('.')];
  for (const [index, segment] of own.entries()) {
    if (index >= other.length) return 1;
    const difference = Number(segment) - Number(other[index]);
    if (difference !== 0) return difference;
  }
  return own.length - other.length;
}
