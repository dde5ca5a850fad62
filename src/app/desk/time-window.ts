import type { ChangeFilter } from '../../domain/change-filter.ts';
import { CHANGE_FILTER } from '../../domain/change-filter.ts';
import type { TimeGrouping } from '../../domain/grouping.ts';
import { fail } from '../../domain/problems.ts';
import { HOUR_MS, isoToMs } from '../../domain/time.ts';

/** For each unit: the length of a step, the default number of steps, and the maximum number. */
const UNITS: Readonly<
  Record<TimeGrouping, { readonly stepMs: number; readonly usual: number; readonly max: number }>
> = {
  hour: { stepMs: HOUR_MS, usual: 24, max: 14 * 24 },
  day: { stepMs: 24 * HOUR_MS, usual: 30, max: 400 },
};

/** A period of time, divided into steps in which changes are counted. UTC. */
export interface TimeWindow {
  readonly stepMs: number;
  /** When the steps begin, in milliseconds since 1970, earliest first; the end of the window is in the last step. */
  readonly steps: readonly number[];
  /** The filter, completed with both ends of the window. */
  readonly filter: ChangeFilter;
}

/**
 * Returns the steps that a filter covers. They end at the filter's end, or now; they begin at the filter's beginning,
 * or 24 hours (by the hour) or thirty days (by the day) before the end.
 *
 * @throws ProblemError `REQUEST_INVALID` for more than two weeks of hours, or 400 days
 */
export function timeWindow(filter: ChangeFilter, unit: TimeGrouping, nowMs: number): TimeWindow {
  const { stepMs, usual, max } = UNITS[unit];
  const untilMs = filter.before === undefined ? nowMs : isoToMs(filter.before);
  const stepOf = (ms: number): number => Math.floor(ms / stepMs) * stepMs;
  const usualMs = stepOf(untilMs) - (usual - 1) * stepMs;
  const fromMs = filter.from === undefined ? usualMs : isoToMs(filter.from);
  const first = stepOf(fromMs);
  const count = Math.max(0, Math.ceil((untilMs - first) / stepMs));
  if (count > max) {
    const { name } = CHANGE_FILTER.from;
    return fail('REQUEST_INVALID', `${name}: a request may have at most ${max} groups by ${unit}`, {
      extra: { field: name },
    });
  }
  const { from = new Date(fromMs).toISOString(), before = new Date(untilMs).toISOString() } =
    filter;
  return {
    stepMs,
    steps: Array.from({ length: count }, (_, n) => first + n * stepMs),
    filter: { ...filter, from, before },
  };
}
