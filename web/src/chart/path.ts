import type { Chart, ChartLine } from './chart.ts';
import { linesOf } from './chart.ts';

/* The way that a lifecycle has taken through its chart, from its history. */

/** A step in an entry of the history. */
export interface Entry {
  /** The event. */
  readonly kind: string;
  /** The state after it. */
  readonly state: string;
}

export interface Step {
  /** The entry's place in the history, which begins at 0 with the lifecycle. People read it as the step's number. */
  readonly at: number;
  readonly event: string;
  /** `null`: there was nothing before. */
  readonly from: string | null;
  readonly to: string;
  /** The line that was taken, by its place in `linesOf`. `null`: the step was taken beside the machine. */
  readonly line: number | null;
}

function lineTaken(lines: readonly ChartLine[], from: string, { kind, state }: Entry): number {
  const isTaken = (line: ChartLine) => line.events.includes(kind) && (line.to ?? from) === state;
  const own = lines.findIndex((line) => line.from === from && isTaken(line));
  return own === -1 ? lines.findIndex((line) => line.from === null && isTaken(line)) : own;
}

/** @param history oldest first */
export function stepsOf(chart: Chart, history: readonly Entry[]): readonly Step[] {
  const lines = linesOf(chart);
  return history.map((entry, at) => {
    const from = history[at - 1]?.state ?? null;
    const line = from === null ? -1 : lineTaken(lines, from, entry);
    return { at, event: entry.kind, from, to: entry.state, line: line === -1 ? null : line };
  });
}

/** How recently a line was taken: 0 by the last step, 2 by the third from the end, 3 before. */
export type Age = 0 | 1 | 2 | 3;

const OLDEST = 3;

export interface Taken {
  /** Numbers of the steps that took the line, in their order. */
  readonly steps: readonly number[];
  readonly age: Age;
}

export interface Path {
  /** Where the path ends; `null` where there is none. */
  readonly end: string | null;
  readonly steps: readonly Step[];
  /** Taken lines, by their place in `linesOf`. */
  readonly lines: ReadonlyMap<number, Taken>;
  /** Numbers of the steps that led into a state. */
  readonly visits: ReadonlyMap<string, readonly number[]>;
}

/** The path until a moment of the history. @param until number of its last step; null: the newest */
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

/** Which moment a state stands for: its last visit, or the one before the moment that is looked at already. */
export function momentOf(
  { visits }: Path,
  state: string,
  selected: number | null,
): number | undefined {
  const into = visits.get(state) ?? [];
  const isLookedAt = selected !== null && into.includes(selected);
  return (isLookedAt ? into.findLast((at) => at < selected) : undefined) ?? into.at(-1);
}
