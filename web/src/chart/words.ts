import type { Chart, Permission } from './chart.ts';
import { labelOf, linesOf } from './chart.ts';
import type { Path, Step } from './path.ts';

/* Sentences that describe a chart. */

const SPOKEN_STEPS = 3;

const BESIDE: Readonly<Record<string, string>> = {
  'ledger.created': 'created',
  'command.succeeded': 'done',
  'command.refused': 'refused',
};

/** Returns the name of an event: "renew", "licence expired". */
export function eventWords(event: string): string {
  const known = BESIDE[event];
  if (known !== undefined) return known;
  return (event.split('.').at(-1) ?? event)
    .replaceAll(/([a-z0-9])([A-Z])/gu, '$1 $2')
    .replaceAll('-', ' ')
    .toLowerCase()
    .replaceAll('license', 'licence');
}

/** Returns a step in words: "renew leads to renewing", or "created as active" for the first step. */
export function stepWords(chart: Chart, { event, from, to }: Step): string {
  const words = eventWords(event);
  if (from === null) return `${words} as ${labelOf(chart, to)}`;
  return from === to ? words : `${words} leads to ${labelOf(chart, to)}`;
}

const times = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

export const chartName = ({ title, version }: Chart): string =>
  `${title}, machine version ${version}`;

interface Moment {
  /** The present state of the lifecycle. */
  readonly state: string;
  readonly path: Path;
  /** Number of the step whose moment is shown; null: the present. */
  readonly selected: number | null;
  readonly permissions: readonly Permission[];
}

/** Returns a description of a lifecycle's picture. */
export function lifecycleSentence(chart: Chart, moment: Moment): string {
  const { state, path, selected, permissions } = moment;
  const now = labelOf(chart, state);
  const count = Math.max(path.steps.length - 1, 0);
  const where =
    selected === null || path.end === null
      ? `now ${now}, after ${times(count, 'step')}`
      : `${labelOf(chart, path.end)} at step ${selected}, now ${now}`;
  const last = path.steps.slice(-SPOKEN_STEPS).map((step) => stepWords(chart, step));
  const asked = linesOf(chart).flatMap(({ action }) => (action === undefined ? [] : [action.name]));
  const possible = permissions.filter(({ name, allowed }) => allowed && asked.includes(name));
  return [
    sentence(`${chartName(chart)}: ${where}`),
    ...(last.length === 0 ? [] : [sentence(`last: ${last.join(', then ')}`)]),
    ...(selected === null && possible.length > 0
      ? [sentence(`possible now: ${possible.map(({ name }) => eventWords(name)).join(', ')}`)]
      : []),
  ].join(' ');
}

/** How many lifecycles are in a state. */
export interface Count {
  readonly state: string;
  readonly count: number;
  /** Whether there are more lifecycles than were counted. */
  readonly more?: boolean | undefined;
}

export function countText(counts: readonly Count[], state: string): string {
  const found = counts.find((count) => count.state === state);
  if (found === undefined) return '0';
  return `${new Intl.NumberFormat('en').format(found.count)}${found.more === true ? '+' : ''}`;
}

/** Returns a description of a picture with counts. */
export function countsSentence(chart: Chart, counts: readonly Count[]): string {
  const told = chart.states
    .map(({ id, label }) => [label, countText(counts, id)] as const)
    .filter(([, count]) => count !== '0')
    .map(([label, count]) => `${count} ${label}`);
  return sentence(
    `${chartName(chart)}: ${told.length === 0 ? 'none in any state' : told.join(', ')}`,
  );
}
