import { readFileSync } from 'node:fs';
import type { ActionRole } from './machine-kit.ts';

/*
 * Machines as charts: every version that a stored lifecycle may have been written by, drawn beforehand
 * (`scripts/charts.ts`), so that who shows one needs neither the machine nor a layout. Lengths are pixels of a text of
 * 12 px; a place is that of the upper left corner.
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
  /** In words. */
  readonly label: string;
  readonly initial: boolean;
  readonly final: boolean;
  /** A command is on its way to the ledger. */
  readonly waits: boolean;
}

/** Who causes a transition: a caller who asks, the answer to a command, or what the ledger says happened. */
export const CAUSES = ['caller', 'answer', 'ledger'] as const;

/** What a caller asks for by a transition, and who may. */
export interface ChartAction {
  /** As `GET …/actions` names it. */
  readonly name: string;
  readonly operation: string;
  readonly role: ActionRole;
  /** What follows the address of the lifecycle: `:expire`, `/comments`. */
  readonly path: string;
}

export interface ChartTransition {
  /** `null`: whatever the state, until a final one. */
  readonly from: string | null;
  /** `null`: the state stays. */
  readonly to: string | null;
  /** Events of the machine, by which entries of a history are named; any of them. */
  readonly events: readonly string[];
  readonly cause: (typeof CAUSES)[number];
  readonly label: string;
  readonly action?: ChartAction;
  /** In words; taken only then. */
  readonly guard?: string;
  /** The way of its line, from its beginning to its end; around the box where the state stays. */
  readonly points: readonly ChartPoint[];
  readonly labelBox: ChartBox;
}

/** One version of the machine of one kind of lifecycle. */
export interface Chart {
  readonly kind: string;
  readonly version: number;
  /** The version that steps are taken by now. */
  readonly newest: boolean;
  readonly title: string;
  readonly width: number;
  readonly height: number;
  readonly states: readonly ChartState[];
  readonly transitions: readonly ChartTransition[];
  /** What happens whatever the state: apart, because lines from every state could not be told from each other. */
  readonly rail: ChartBox & {
    readonly label: string;
    readonly transitions: readonly ChartTransition[];
  };
}

/** All charts, by kind, the newest version of each first. */
export const CHARTS = JSON.parse(
  readFileSync(new URL('charts.json', import.meta.url), 'utf8'),
) as readonly Chart[];

/** @returns `undefined` where there is none */
export const chartOf = (kind: string, version: number): Chart | undefined =>
  CHARTS.find((chart) => chart.kind === kind && chart.version === version);
