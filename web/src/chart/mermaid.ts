import type { Chart, ChartLine } from './chart.ts';

const RAIL = 'whatever_the_state';

/** Removes the characters that end a label in Mermaid. */
const plain = (text: string): string => text.replaceAll(/[:;#\n]/gu, ' ').trim();

function lineText({ from, to, label, guard }: ChartLine): string {
  const start = from ?? RAIL;
  const when = guard === undefined ? '' : ` [${plain(guard)}]`;
  return `  ${start} --> ${to ?? start}: ${plain(label)}${when}`;
}

/** Returns the chart as a Mermaid state diagram, in which the lifecycle's present state is marked. */
export function mermaidOf(chart: Chart, now?: string): string {
  const { states, transitions, rail } = chart;
  return [
    'stateDiagram-v2',
    '  direction LR',
    ...states.map(({ id, label }) => `  state "${plain(label)}" as ${id}`),
    `  state "${plain(rail.label)}" as ${RAIL}`,
    ...states.filter(({ initial }) => initial).map(({ id }) => `  [*] --> ${id}`),
    ...[...transitions, ...rail.transitions].map(lineText),
    ...states.filter(({ final }) => final).map(({ id }) => `  ${id} --> [*]`),
    ...(now === undefined ? [] : ['  classDef now stroke-width:3px', `  class ${now} now`]),
    '',
  ].join('\n');
}
