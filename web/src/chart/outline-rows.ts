import * as t from '../texts/chart.tsx';
import type { Chart, ChartLine, ChartState, Permission } from './chart.ts';
import { isAllowed, labelOf, refusalOf, roleWords } from './chart.ts';
import type { Path } from './path.ts';

/** A transition, described in words. */
export interface OutlineLine {
  /** Index of the transition's line in `linesOf`. */
  readonly line: number;
  /** The name of the transition: "expire". */
  readonly label: string;
  /** The action's name in `GET …/actions`; absent if callers cannot request the action. */
  readonly action?: string;
  /** The target of the transition, in words: "to expiring", "the state stays". */
  readonly leads: string;
  /** Notes about the transition: who may request it, or what else causes it, and under which condition. */
  readonly notes: readonly string[];
  /** Numbers of the steps that took this transition. */
  readonly steps: readonly number[];
  /** Whether the action can be requested now; undefined if that is not known. */
  readonly permission?: 'allowed' | 'refused';
  readonly reason?: string;
}

export interface OutlineRow {
  /** The state that the row describes; `null` for the transitions of every state that is not final. */
  readonly state: ChartState | null;
  readonly label: string;
  /** Numbers of the steps that entered the state. */
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

/** Returns the chart as a list, with everything that its picture shows. */
export function outlineRows(
  chart: Chart,
  path: Path,
  permissions: readonly Permission[],
): readonly OutlineRow[] {
  const lineOf = (line: ChartLine, at: number): OutlineLine => ({
    line: at,
    label: line.label,
    ...(line.action === undefined ? {} : { action: line.action.name }),
    leads: line.to === null ? t.theStateStays : t.toState(labelOf(chart, line.to)),
    notes: [
      ...(line.action === undefined ? [] : [roleWords(line.action.role)]),
      ...(line.guard === undefined ? [] : [t.onlyWhen(line.guard)]),
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
