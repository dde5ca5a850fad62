/*
 * A chart of a lifecycle's machine: the members of `GET /machines/{kind}/{version}` that the pictures need.
 */

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A place: that of its upper left corner, in pixels for a text of 12 px. */
export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

export interface ChartState extends Box {
  readonly id: string;
  /** In words. */
  readonly label: string;
  readonly initial: boolean;
  readonly final: boolean;
  /** A command is on its way to the ledger. */
  readonly waits: boolean;
}

/** A transition, and the way of its line. */
export interface ChartLine {
  /** `null`: whatever the state, until a final one. */
  readonly from: string | null;
  /** `null`: the state stays. */
  readonly to: string | null;
  /** The events of the line; a history entry names one of them in `kind`. */
  readonly events: readonly string[];
  readonly label: string;
  /** The action that callers ask for. */
  readonly action?: { readonly name: string; readonly role: string } | undefined;
  /** Taken only then; in words. */
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
  /** Transitions that are possible in every state. */
  readonly rail: Box & { readonly label: string; readonly transitions: readonly ChartLine[] };
}

/** All lines of a chart. Elsewhere a line is named by its place in this list. */
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

const ROLES: Readonly<Record<string, string>> = {
  provider: 'the provider',
  user: 'the user',
  either: 'either side',
};

/** Returns the name of the role that may ask. */
export const roleWords = (role: string): string => ROLES[role] ?? role;

/** Returns why an action is refused now; undefined if it is allowed, or if nothing is known about it. */
export function refusalOf(
  { action }: ChartLine,
  permissions: readonly Permission[],
): string | undefined {
  const permission = permissions.find(({ name }) => name === action?.name);
  return permission === undefined || permission.allowed
    ? undefined
    : (permission.reason ?? 'not now');
}

/** Whether an action can be asked for now. */
export const isAllowed = ({ action }: ChartLine, permissions: readonly Permission[]): boolean =>
  permissions.some(({ name, allowed }) => allowed && name === action?.name);
