import * as t from '../texts/chart.tsx';

/* The chart of a lifecycle's machine, with the members of `GET /machines/{kind}/{version}` that the pictures need. */

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A box, by its upper left corner and its size, in pixels for a text of 12 px. */
export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

export interface ChartState extends Box {
  readonly id: string;
  /** The name of the state for people. */
  readonly label: string;
  readonly initial: boolean;
  readonly final: boolean;
  /** Whether a command is on its way to the ledger in this state. */
  readonly waits: boolean;
}

/** A transition, and the points of its line. */
export interface ChartLine {
  /** The state before the transition; `null`: the transition is possible in every state that is not final. */
  readonly from: string | null;
  /** The state after the transition; `null`: the transition does not change the state. */
  readonly to: string | null;
  /** The events of the transition. A history entry names one of them in `kind`. */
  readonly events: readonly string[];
  readonly label: string;
  /** The action that causes the transition, if a caller can request one. */
  readonly action?: { readonly name: string; readonly role: string } | undefined;
  /** The condition of the transition, in words. */
  readonly guard?: string | undefined;
  readonly points: readonly Point[];
  readonly labelBox: Box;
}

export interface Chart {
  readonly kind: string;
  readonly version: number;
  readonly title: string;
  readonly width: number;
  readonly height: number;
  readonly states: readonly ChartState[];
  readonly transitions: readonly ChartLine[];
  /** Transitions that are possible in every state that is not final. */
  readonly rail: Box & { readonly label: string; readonly transitions: readonly ChartLine[] };
}

/** Returns all lines of a chart. Other modules refer to a line by its index in this list. */
export const linesOf = ({ transitions, rail }: Chart): readonly ChartLine[] => [
  ...transitions,
  ...rail.transitions,
];

/** An action and whether it is allowed now, as in `GET …/actions`. */
export interface Permission {
  readonly name: string;
  readonly allowed: boolean;
  readonly reason?: string | undefined;
}

export const labelOf = ({ states }: Chart, id: string): string =>
  states.find((state) => state.id === id)?.label ?? id;

/** Returns the name of the role that may request an action. */
export const roleWords = (role: string): string => t.roles[role] ?? role;

/** Returns why an action is refused now; undefined if it is allowed, or if its permission is not known. */
export function refusalOf(
  { action }: ChartLine,
  permissions: readonly Permission[],
): string | undefined {
  const permission = permissions.find(({ name }) => name === action?.name);
  return permission === undefined || permission.allowed
    ? undefined
    : (permission.reason ?? t.notNow);
}

/** Whether the action of a line can be requested now. */
export const isAllowed = ({ action }: ChartLine, permissions: readonly Permission[]): boolean =>
  permissions.some(({ name, allowed }) => allowed && name === action?.name);
