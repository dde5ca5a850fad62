import type { components } from '../../../../client/schema.ts';

type OpsOperation = components['schemas']['OpsOperation'];
type Attempt = OpsOperation['attempts'][number];

/** A longer period without events is shown as a gap. */
const GAP_MS = 2_000;

/** An event at one instant or over a span. Times are in milliseconds since 1970. */
export interface TimelineRow {
  readonly key: string;
  readonly what: string;
  readonly detail: string;
  readonly at: string;
  readonly startMs: number;
  /** The end of the event; `null` while it is in progress. */
  readonly endMs: number | null;
  readonly attempt: Attempt | null;
  /** The time without any event before this one; null if there was none. */
  readonly idleMs: number | null;
}

/**
 * Returns the rows of the timeline, oldest first. An attempt and its answer are one row, and each row has the idle time
 * before it.
 */
export function timelineRows({
  timeline,
  attempts,
}: Pick<OpsOperation, 'timeline' | 'attempts'>): readonly TimelineRow[] {
  const byNumber = new Map(attempts.map((attempt) => [attempt.n, attempt]));
  const rows: TimelineRow[] = [];
  let busyUntilMs: number | null = null;
  for (const [index, { at, what, detail, attempt: n }] of timeline.entries()) {
    if (what === 'answered') continue;
    const attempt = what === 'submitted' && n !== undefined ? (byNumber.get(n) ?? null) : null;
    const startMs = Date.parse(at);
    const answeredAt = attempt?.answeredAt;
    const endMs =
      attempt === null ? startMs : answeredAt === undefined ? null : Date.parse(answeredAt);
    const idle: number = busyUntilMs === null ? 0 : startMs - busyUntilMs;
    rows.push({
      key: `${index}`,
      what,
      detail,
      at,
      startMs,
      endMs,
      attempt,
      idleMs: idle >= GAP_MS ? idle : null,
    });
    busyUntilMs = Math.max(busyUntilMs ?? 0, endMs ?? startMs);
  }
  return rows;
}

/** The position of a row, from 0 to 1, on an axis on which idle time is shortened. */
export interface Place {
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the start and the end of each row. A row never begins before the previous row, because their times come from
 * several clocks.
 *
 * @param nowMs the end of rows that are in progress
 */
function spansOf(rows: readonly TimelineRow[], nowMs: number): (readonly [number, number])[] {
  let notBeforeMs = -Infinity;
  return rows.map(({ startMs, endMs }) => {
    notBeforeMs = Math.max(notBeforeMs, startMs);
    return [notBeforeMs, Math.max(notBeforeMs, endMs ?? nowMs)];
  });
}

/**
 * Places rows on one axis. Time without an attempt in progress is shortened to a small gap.
 *
 * @param nowMs the end of rows that are in progress
 */
export function placesOf(rows: readonly TimelineRow[], nowMs: number): readonly Place[] {
  const spans = spansOf(rows, nowMs);
  const points = [...new Set(spans.flat())].toSorted((a, b) => a - b);
  const steps = points.slice(1).map((point, index) => {
    const from = points[index] ?? point;
    const isBusy = spans.some(([start, end]) => start < point && end > from);
    return isBusy ? point - from : Math.min(point - from, GAP_MS / 4);
  });
  const whole = Math.max(
    1,
    steps.reduce((sum, step) => sum + step, 0),
  );
  let sum = 0;
  const placed = new Map<number, number>(points.slice(0, 1).map((point) => [point, 0]));
  for (const [index, step] of steps.entries()) {
    sum += step;
    placed.set(points[index + 1] ?? 0, sum / whole);
  }
  return spans.map(([start, end]) => ({ from: placed.get(start) ?? 0, to: placed.get(end) ?? 1 }));
}
