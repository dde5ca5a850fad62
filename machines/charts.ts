import { readFileSync } from 'node:fs';
import type { ActionRole } from './machine-kit.ts';

/*
 * Machines as charts. The charts of all machine versions that may have written a stored lifecycle are drawn in advance
 * (`scripts/charts.ts`), so that a client needs neither the machine nor a layout algorithm to show one. Lengths are
 * pixels for text of 12 px; the position of a box is its upper left corner.
 */

export interface ChartPoint {
  readonly x: number;
  readonly y: number;
}

export interface ChartBox extends ChartPoint {
  readonly width: number;
  readonly height: number;
}

export interface ChartState extends ChartBox {
  readonly id: string;
  /** The label that people see. */
  readonly label: string;
  readonly initial: boolean;
  readonly final: boolean;
  /** Whether a command is on its way to the ledger in this state. */
  readonly waits: boolean;
}

/** The cause of a transition: a caller's request, the answer to a command, or a fact of the ledger. */
export const CAUSES = ['caller', 'answer', 'ledger'] as const;

/** The caller's action behind a transition, and the role that may take it. */
export interface ChartAction {
  /** The action's name in `GET …/actions`. */
  readonly name: string;
  readonly operation: string;
  readonly role: ActionRole;
  /** The suffix of the action's path after that of the lifecycle: `:expire`, `/comments`. */
  readonly path: string;
}

export interface ChartTransition {
  /** `null` means every state that is not final. */
  readonly from: string | null;
  /** `null` means that the state does not change. */
  readonly to: string | null;
  /** The machine's events that cause the transition. Entries of a history refer to the transition by these names. */
  readonly events: readonly string[];
  readonly cause: (typeof CAUSES)[number];
  readonly label: string;
  readonly action?: ChartAction;
  /** The condition of the transition, in words. */
  readonly guard?: string;
  /**
   * The points of the transition's line, from its beginning to its end. If the state does not change, the line goes
   * around the box.
   */
  readonly points: readonly ChartPoint[];
  readonly labelBox: ChartBox;
}

/** One version of the machine of one kind of lifecycle. */
export interface Chart {
  readonly kind: string;
  readonly version: number;
  /** Whether new steps use this version. */
  readonly newest: boolean;
  readonly title: string;
  readonly width: number;
  readonly height: number;
  readonly states: readonly ChartState[];
  readonly transitions: readonly ChartTransition[];
  /**
   * Transitions that are possible in every state. They are listed separately, because lines from every state could not
   * be distinguished.
   */
  readonly rail: ChartBox & {
    readonly label: string;
    readonly transitions: readonly ChartTransition[];
  };
}

/** All charts, by kind, the newest version of each first. */
export const CHARTS = JSON.parse(
  readFileSync(new URL('charts.json', import.meta.url), 'utf8'),
) as readonly Chart[];

/** @returns `undefined` if there is no such chart */
export const chartOf = (kind: string, version: number): Chart | undefined =>
  CHARTS.find((chart) => chart.kind === kind && chart.version === version);
