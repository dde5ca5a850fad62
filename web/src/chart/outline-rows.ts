import type { Chart, ChartLine, ChartState, Permission } from './chart.ts';
import { isAllowed, labelOf, refusalOf, roleWords } from './chart.ts';
import type { Path } from './path.ts';

/** A transition in words. */
export interface OutlineLine {
  /** Its place in `linesOf`. */
  readonly line: number;
  /** "expire". */
  readonly label: string;
  /** The name of the action in `GET …/actions`, if callers ask for it. */
  readonly action?: string;
  /** "to expiring", "the state stays". */
  readonly leads: string;
  /** Who may ask for it, or what else causes it, and when. */
  readonly notes: readonly string[];
  /** Numbers of the steps that took it. */
  readonly steps: readonly number[];
  /** Whether it can be asked for now; undefined where nothing is known of that. */
  readonly permission?: 'allowed' | 'refused';
  readonly reason?: string;
}

export interface OutlineRow {
  /** `null`: whatever the state. */
  readonly state: ChartState | null;
  readonly label: string;
  /** Numbers of the steps that led into it. */
  readonly visits: readonly number[];
  readonly lines: readonly OutlineLine[];
}

function permissionOf(
  line: ChartLine,
  permissions: readonly Permission[],
): Pick<OutlineLine, 'permission' | 'reason'> {
  if (isAllowed(line, permissions)) return { permission: 'allowed' };
  const reason = refusalOf(line, permissions);
  return reason === undefined ? {} : { permission: 'refused', reason };
}

/** The chart as a list: all that its picture says. */
export function outlineRows(
  chart: Chart,
  path: Path,
  permissions: readonly Permission[],
): readonly OutlineRow[] {
  const lineOf = (line: ChartLine, at: number): OutlineLine => ({
    line: at,
    label: line.label,
    ...(line.action === undefined ? {} : { action: line.action.name }),
    leads: line.to === null ? 'the state stays' : `to ${labelOf(chart, line.to)}`,
    notes: [
      ...(line.action === undefined ? [] : [roleWords(line.action.role)]),
      ...(line.guard === undefined ? [] : [`only when ${line.guard}`]),
    ],
    steps: path.lines.get(at)?.steps ?? [],
    ...permissionOf(line, permissions),
  });
  const { states, transitions, rail } = chart;
  return [
    ...states.map((state) => ({
      state,
      label: state.label,
      visits: path.visits.get(state.id) ?? [],
      lines: transitions.flatMap((line, at) => (line.from === state.id ? [lineOf(line, at)] : [])),
    })),
    {
      state: null,
      label: rail.label,
      visits: [],
      lines: rail.transitions.map((line, n) => lineOf(line, transitions.length + n)),
    },
  ];
}
