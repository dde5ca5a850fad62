import { table } from '../cli/table.ts';

/** One figure that a run has measured, with its goal. */
export interface Figure {
  readonly name: string;
  readonly goal: string;
  readonly seen: number;
  /** Number of digits after the point. */
  readonly digits: number;
  /** The same figure of the bare loop in this run, if there is one. */
  readonly bare?: number;
}

const inDigits = (value: number, digits: number): string => value.toFixed(digits);

/** Formats the figures of one run as a table. */
export function runTable(figures: readonly Figure[]): string {
  const rows = figures.map(({ name, goal, seen, digits, bare }) => [
    name,
    goal,
    inDigits(seen, digits),
    bare === undefined ? '' : inDigits(bare, digits),
    bare === undefined || bare === 0 ? '' : (seen / bare).toFixed(2),
  ]);
  return table(['what', 'goal', 'seen', 'bare', 'ratio'], rows);
}

/** Returns the minimum, the median and the maximum of several runs. */
export function spread(values: readonly number[], digits: number): string {
  const sorted = values.toSorted((a, b) => a - b);
  const [least = 0] = sorted;
  const median = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
  const shown = [least, median, sorted.at(-1) ?? 0].map((value) => inDigits(value, digits));
  return sorted.length === 1 ? (shown[0] ?? '') : shown.join(' – ');
}

/** Formats the figures of all runs as a table, each with its spread. */
export function spreadTable(runs: readonly (readonly Figure[])[]): string {
  const rows = [...Map.groupBy(runs.flat(), ({ name }) => name)].map(([name, found]) => {
    const { goal = '', digits = 0 } = found[0] ?? {};
    const paired = found.flatMap(({ seen, bare }) => (bare === undefined ? [] : [{ seen, bare }]));
    const bares = paired.map(({ bare }) => bare);
    const ratios = paired.map(({ seen, bare }) => seen / bare);
    return [
      name,
      goal,
      spread(
        found.map(({ seen }) => seen),
        digits,
      ),
      paired.length === 0 ? '' : spread(bares, digits),
      paired.length === 0 ? '' : spread(ratios, 2),
    ];
  });
  return table(['what', 'goal', 'seen: least – median – most', 'bare', 'ratio'], rows);
}
