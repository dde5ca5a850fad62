import { numberText } from '../texts/intl.ts';
import * as t from '../texts/chart.tsx';
import type { Chart, Permission } from './chart.ts';
import { labelOf, linesOf } from './chart.ts';
import type { Path, Step } from './path.ts';

/* Sentences that describe a chart. */

const SPOKEN_STEPS = 3;

/** Returns the name of an event: "renew", "licence expired". */
export function eventWords(event: string): string {
  const known = t.beside[event];
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
  if (from === null) return t.createdAs(words, labelOf(chart, to));
  return from === to ? words : t.leadsTo(words, labelOf(chart, to));
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

export const chartName = ({ title, version }: Chart): string => t.machineVersion(title, version);

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
      ? t.nowAfter(now, count)
      : t.atStepNow(labelOf(chart, path.end), selected, now);
  const last = path.steps.slice(-SPOKEN_STEPS).map((step) => stepWords(chart, step));
  const asked = linesOf(chart).flatMap(({ action }) => (action === undefined ? [] : [action.name]));
  const possible = permissions.filter(({ name, allowed }) => allowed && asked.includes(name));
  return [
    sentence(t.named(chartName(chart), where)),
    ...(last.length === 0 ? [] : [sentence(t.lastSteps(last))]),
    ...(selected === null && possible.length > 0
      ? [sentence(t.possibleNowOf(possible.map(({ name }) => eventWords(name)).join(', ')))]
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
  return found.more === true ? t.many(found.count) : numberText(found.count);
}

/** Returns a description of a picture with counts. */
export function countsSentence(chart: Chart, counts: readonly Count[]): string {
  const told = chart.states
    .map(({ id, label }) => [label, countText(counts, id)] as const)
    .filter(([, count]) => count !== '0')
    .map(([label, count]) => t.inState(count, label));
  return sentence(
    t.named(chartName(chart), told.length === 0 ? t.noneInAnyState : told.join(', ')),
  );
}
