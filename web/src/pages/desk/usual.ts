import { useRead } from '../../api/use-read.ts';
import type { OperationSummary } from './operation-table.tsx';
import type { OpsOperation } from './ops-operation.tsx';

/** Usual durations, from the last operations that succeeded. */
export interface Usual {
  readonly medianMs: number;
  /** Nine of ten operations took no longer than this. */
  readonly mostMs: number;
  /** The number of operations that were measured. */
  readonly count: number;
}

export const LOOKED_AT = 50;
/** The smallest number of operations from which a usual duration is computed. */
const COUNT_MIN = 5;

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

/** Returns the usual time from acceptance to the end, for operations that succeeded; `null` if there are too few. */
export function usualOf(
  succeeded: readonly Pick<OperationSummary, 'acceptedAt' | 'finishedAt'>[],
): Usual | null {
  const spans = succeeded
    .flatMap(({ acceptedAt, finishedAt }) =>
      finishedAt === undefined ? [] : [Date.parse(finishedAt) - Date.parse(acceptedAt)],
    )
    .toSorted((a, b) => a - b);
  if (spans.length < COUNT_MIN) return null;
  return { medianMs: at(spans, 0.5), mostMs: at(spans, 0.9), count: spans.length };
}

/** Returns the usual duration of the last successful operations of the same kind. */
export function useUsual({ id, operation }: Pick<OpsOperation, 'id' | 'operation'>): Usual | null {
  const query = { state: ['succeeded' as const], operation: [operation], limit: LOOKED_AT };
  const { data } = useRead('/ops/operations', { query });
  return usualOf((data?.data ?? []).filter((one) => one.id !== id));
}
