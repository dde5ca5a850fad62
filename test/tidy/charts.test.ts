import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Chart, ChartBox, ChartPoint } from '../../machines/charts.ts';
import { CHARTS } from '../../machines/charts.ts';
import { describe as describeKind } from '../../machines/registry.ts';
import { chartsText } from '../../scripts/charts.ts';
import { LIFECYCLE_KINDS } from '../../src/domain/licensing.ts';

/* machines/charts.json is committed, matches the state machines, and can be read by people. */

test('machines/charts.json is what `node scripts/charts.ts` writes', async () => {
  expect(readFileSync('machines/charts.json', 'utf8')).toBe(await chartsText());
});

test('every version of every machine has a chart, and the newest is known', () => {
  const known = LIFECYCLE_KINDS.flatMap((kind) => {
    const { version } = describeKind(kind);
    return Array.from({ length: version }, (_, n) => [kind, version - n, n === 0]);
  });
  expect(CHARTS.map(({ kind, version, newest }) => [kind, version, newest])).toEqual(known);
});

const shape = ({ kind, version }: Chart) =>
  JSON.parse(readFileSync(`test/histories/shapes/${kind}.v${version}.json`, 'utf8')) as {
    readonly initial: string;
    readonly final: readonly string[];
    readonly transitions: Readonly<Record<string, readonly string[]>>;
  };

const allOf = ({ transitions, rail }: Chart) => [...transitions, ...rail.transitions];

const overlaps = (a: ChartBox, b: ChartBox): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

/** Returns whether a point is on the border of a box, or so close that it looks like it. */
const touches = ({ x, y }: ChartPoint, box: ChartBox): boolean =>
  overlaps({ x: x - 1, y: y - 1, width: 2, height: 2 }, box);

const LETTER_PX = 6;

describe.each(CHARTS.map((chart) => ({ chart, name: `${chart.kind}, version ${chart.version}` })))(
  '$name',
  ({ chart }) => {
    const { states, rail, width, height } = chart;
    const boxes = [
      ...states.map((state) => ({ ...state, name: state.id })),
      { ...rail, name: '*' },
    ];

    // Fails if a machine has changed but has no new version, because the chart of a version that was committed must not
    // change.
    test('has the states and transitions that were recorded of it, and no others', () => {
      const { initial, final, transitions } = shape(chart);
      const ids = Object.keys(transitions).filter((node) => node !== '*');
      expect(states.map(({ id }) => id)).toEqual(ids);
      expect(states.flatMap((state) => (state.final ? [state.id] : []))).toEqual(final);
      expect(states.flatMap((state) => (state.initial ? [state.id] : []))).toEqual([initial]);
      const drawn = allOf(chart).flatMap(({ from, to, events, guard }) =>
        events.map((event) => `${from ?? '*'}: ${event}${guard ? ' [guard]' : ''} > ${to ?? ''}`),
      );
      const recorded = Object.entries(transitions).flatMap(([node, texts]) =>
        texts.map((text) => {
          const [event] = text.split(' ');
          const to = text.split('→ ')[1] ?? '';
          return `${node}: ${event}${text.includes('[') ? ' [guard]' : ''} > ${to}`;
        }),
      );
      expect(drawn.toSorted()).toEqual(recorded.toSorted());
    });

    test('draws no box over another, and nothing beyond its bounds', () => {
      for (const [n, box] of boxes.entries()) {
        expect([box.width >= 132, box.height]).toEqual([true, 40]);
        const under = boxes.slice(n + 1).filter((other) => overlaps(box, other));
        expect(under, `under ${box.name}`).toEqual([]);
      }
      const whole = { x: 0, y: 0, width, height };
      const points = allOf(chart).flatMap((transition) => transition.points);
      const corners = [...boxes, ...allOf(chart).map(({ labelBox }) => labelBox)].flatMap((box) => [
        { x: box.x, y: box.y },
        { x: box.x + box.width, y: box.y + box.height },
      ]);
      for (const point of [...points, ...corners]) expect(touches(point, whole)).toBe(true);
    });

    test('gives each label a place that it fits into, over no box and no other label', () => {
      const labels = allOf(chart).map(({ label, labelBox, from }) => ({
        label,
        from,
        ...labelBox,
      }));
      for (const [n, label] of labels.entries()) {
        expect(label.width, label.label).toBeGreaterThanOrEqual(label.label.length * LETTER_PX);
        expect(label.height).toBeGreaterThanOrEqual(16);
        const over = [...boxes, ...labels.slice(n + 1)].filter((other) => overlaps(label, other));
        expect(over, `over ${label.from}: ${label.label}`).toEqual([]);
      }
    });

    test('leads each line from its state to its state, straight along or down', () => {
      const boxOf = (id: string | null) => boxes.find(({ name }) => name === (id ?? '*'))!;
      for (const { from, to, points } of allOf(chart)) {
        expect(touches(points[0]!, boxOf(from))).toBe(true);
        expect(touches(points.at(-1)!, boxOf(to ?? from))).toBe(true);
        for (const [n, point] of points.slice(1).entries()) {
          const before = points[n]!;
          expect(point.x === before.x || point.y === before.y).toBe(true);
        }
      }
    });

    test('says of what callers ask for who may, and of what is guarded when', () => {
      for (const { cause, action, events } of allOf(chart)) {
        expect(action !== undefined).toBe(cause === 'caller');
        expect(events.some((event) => event.startsWith('ledger.'))).toBe(cause === 'ledger');
      }
    });
  },
);
