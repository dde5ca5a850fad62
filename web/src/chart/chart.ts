/* A chart of a lifecycle's machine, as `GET /machines/{kind}/{version}` tells it: what the pictures need of it. */

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
  /** Any of them, as `kind` of a history entry names it. */
  readonly events: readonly string[];
  readonly label: string;
  /** Where a caller asks for it. */
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
  /** What happens whatever the state. */
  readonly rail: Box & { readonly label: string; readonly transitions: readonly ChartLine[] };
}

/** All lines of a chart. Elsewhere a line is named by its place in this list. */
export const linesOf = ({ transitions, rail }: Chart): readonly ChartLine[] => [
  ...transitions,
  ...rail.transitions,
];

/** What may be asked for now, as `GET …/actions` tells it. */
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

/** Who may ask, in words. */
export const roleWords = (role: string): string => ROLES[role] ?? role;

/** Why an action cannot be asked for now; undefined where it can be, or nothing is known of it. */
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
