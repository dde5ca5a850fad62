import type { Chart, ChartLine } from './chart.ts';
import { linesOf } from './chart.ts';

/* The path of a lifecycle through its chart, derived from its history. */

/** An entry of the history. It stands for a step of the machine. */
export interface Entry {
  /** The event that caused the step. */
  readonly kind: string;
  /** The state after the step. */
  readonly state: string;
}

export interface Step {
  /** Index of the entry in the history; the first entry has 0. People see it as the number of the step. */
  readonly at: number;
  readonly event: string;
  /** The state before the step; `null` for the first step. */
  readonly from: string | null;
  readonly to: string;
  /** The line that was taken, as an index in `linesOf`. `null`: the step follows no line of the chart. */
  readonly line: number | null;
}

function lineTaken(lines: readonly ChartLine[], from: string, { kind, state }: Entry): number {
  const isTaken = (line: ChartLine) => line.events.includes(kind) && (line.to ?? from) === state;
  const own = lines.findIndex((line) => line.from === from && isTaken(line));
  return own === -1 ? lines.findIndex((line) => line.from === null && isTaken(line)) : own;
}

/** Returns the steps of a history. @param history oldest entry first */
export function stepsOf(chart: Chart, history: readonly Entry[]): readonly Step[] {
  const lines = linesOf(chart);
  return history.map((entry, at) => {
    const from = history[at - 1]?.state ?? null;
    const line = from === null ? -1 : lineTaken(lines, from, entry);
    return { at, event: entry.kind, from, to: entry.state, line: line === -1 ? null : line };
  });
}

/**
 * How recent the last use of a line is: 0 for the last step, 1 and 2 for the two steps before it, 3 for older steps.
 */
export type Age = 0 | 1 | 2 | 3;

const OLDEST = 3;

export interface Taken {
  /** Numbers of the steps that took the line, in order. */
  readonly steps: readonly number[];
  readonly age: Age;
}

export interface Path {
  /** The state in which the path ends; `null` without steps. */
  readonly end: string | null;
  readonly steps: readonly Step[];
  /** The lines that were taken, by their index in `linesOf`. */
  readonly lines: ReadonlyMap<number, Taken>;
  /** Numbers of the steps that entered each state. */
  readonly visits: ReadonlyMap<string, readonly number[]>;
}

/** Returns the path up to a moment of the history. @param until number of the last step; null: the newest step */
export function pathUntil(all: readonly Step[], until: number | null): Path {
  const steps = until === null ? all : all.slice(0, until + 1);
  const along = steps.filter(({ line }) => line !== null);
  const byLine = Map.groupBy(along, ({ line }) => line ?? -1);
  const ages = new Map(
    along.slice(-OLDEST).map(({ line }, n, last) => [line, last.length - 1 - n]),
  );
  const entered = steps.filter(({ from, to }) => from !== to);
  return {
    end: steps.at(-1)?.to ?? null,
    steps,
    lines: new Map(
      [...byLine].map(([line, taken]) => [
        line,
        { steps: taken.map(({ at }) => at), age: (ages.get(line) ?? OLDEST) as Age },
      ]),
    ),
    visits: new Map(
      [...Map.groupBy(entered, ({ to }) => to)].map(([state, into]) => [
        state,
        into.map(({ at }) => at),
      ]),
    ),
  };
}

/**
 * Returns the step to show when a state is selected: its last visit or, if a visit of the state is already shown, the
 * visit before it.
 */
export function momentOf(
  { visits }: Path,
  state: string,
  selected: number | null,
): number | undefined {
  const into = visits.get(state) ?? [];
  const isLookedAt = selected !== null && into.includes(selected);
  return (isLookedAt ? into.findLast((at) => at < selected) : undefined) ?? into.at(-1);
}
