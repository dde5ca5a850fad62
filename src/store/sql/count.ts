import type { Count } from '../../app/ports/views.ts';
import { LIMITS } from '../../domain/limits.ts';

/** How many entries one part of a count has found, and whether it has left some unread. */
interface Counted {
  readonly n: bigint;
  readonly more: boolean;
}

/** Returns the sum of the parts of a count. */
export function countIn(parts: readonly Counted[]): Count {
  const sum = parts.reduce((all, { n }) => all + Number(n), 0);
  const isOver = sum > LIMITS.countMax;
  return { count: isOver ? LIMITS.countMax : sum, more: isOver || parts.some(({ more }) => more) };
}
