import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { chartOf, CHARTS } from '../../machines/charts.ts';
import { linesOf } from '../../web/src/chart/chart.ts';
import type { Chart } from '../../web/src/chart/chart.ts';
import { CHUNK, chunksOf } from '../../web/src/chart/history-chunks.ts';
import { numbersText } from '../../web/src/chart/lines.ts';
import { mermaidOf } from '../../web/src/chart/mermaid.ts';
import { neighbourOf } from '../../web/src/chart/neighbour.ts';
import { outlineRows } from '../../web/src/chart/outline-rows.ts';
import { momentOf, pathUntil, stepsOf } from '../../web/src/chart/path.ts';
import type { Entry } from '../../web/src/chart/path.ts';
import { sceneOf } from '../../web/src/chart/scene.ts';
import { COLOURS, svgText } from '../../web/src/chart/svg-text.ts';
import { countsSentence, lifecycleSentence } from '../../web/src/chart/words.ts';

/* The pure functions of the state chart: the path that follows from a history, its labels and its texts. */

const LICENSE: Chart = chartOf('license', 3)!;

const entries = (...pairs: readonly (readonly [kind: string, state: string])[]): Entry[] =>
  pairs.map(([kind, state]) => ({ kind, state }));

/**
 * The history of a licence that was renewed, commented on and renewed again, and is now being ended because it has
 * expired.
 */
const LIFE = entries(
  ['ledger.created', 'active'],
  ['license.renew', 'renewing'],
  ['ledger.licenseRenewed', 'renewing'],
  ['command.succeeded', 'active'],
  ['license.comment', 'active'],
  ['license.renew', 'renewing'],
  ['command.refused', 'active'],
  ['license.expire', 'expiring'],
);

const named = (at: number | null): string | null => {
  const line = at === null ? undefined : linesOf(LICENSE)[at];
  return line === undefined ? null : `${line.from ?? '*'}: ${line.label}`;
};

describe('the path', () => {
  const steps = stepsOf(LICENSE, LIFE);

  test('finds the line that each step took, also those whatever the state', () => {
    expect(steps.map(({ line }) => named(line))).toEqual([
      null,
      'active: renew',
      '*: licence renewed',
      'renewing: refused or done',
      '*: comment',
      'active: renew',
      'renewing: refused or done',
      'active: expire',
    ]);
  });

  test('numbers the lines by their steps, and knows the last three', () => {
    const { lines, end } = pathUntil(steps, null);
    const told = [...lines].map(([line, { steps, age }]) => [named(line), steps, age]);
    expect(end).toBe('expiring');
    expect(told).toEqual([
      ['active: renew', [1, 5], 2],
      ['*: licence renewed', [2], 3],
      ['renewing: refused or done', [3, 6], 1],
      ['*: comment', [4], 3],
      ['active: expire', [7], 0],
    ]);
  });

  test('ends at the moment that is looked at', () => {
    const { lines, end, visits } = pathUntil(steps, 2);
    expect(end).toBe('renewing');
    expect([...lines.keys()].map(named)).toEqual(['active: renew', '*: licence renewed']);
    expect([...visits]).toEqual([
      ['active', [0]],
      ['renewing', [1]],
    ]);
  });

  test('of nothing is empty', () => {
    expect(pathUntil(stepsOf(LICENSE, []), null)).toMatchObject({ end: null, steps: [] });
  });

  test('takes what no line is drawn for as a step beside the machine', () => {
    const strange = stepsOf(LICENSE, entries(['ledger.created', 'active'], ['x.y', 'nowhere']));
    expect(strange.map(({ line, to }) => [line, to])).toEqual([
      [null, 'active'],
      [null, 'nowhere'],
    ]);
  });

  test('leads from a state to its last visit, then to those before', () => {
    const path = pathUntil(steps, null);
    expect(momentOf(path, 'active', null)).toBe(6);
    expect(momentOf(path, 'active', 6)).toBe(3);
    expect(momentOf(path, 'active', 0)).toBe(6);
    expect(momentOf(path, 'expired', null)).toBeUndefined();
  });
});

describe.each(CHARTS.map((chart) => ({ chart, name: `${chart.kind} ${chart.version}` })))(
  '$name',
  ({ chart }) => {
    test('draws one path for each line, and two for its arrow and way', () => {
      const shapes = sceneOf(chart);
      const clocks = chart.states.filter(({ waits }) => waits).length;
      const paths = shapes.filter(({ tag }) => tag === 'path').length;
      expect(paths - clocks).toBe(2 * linesOf(chart).length);
    });

    test('is a file of its own in both themes, without variables', () => {
      const [light, dark] = (['light', 'dark'] as const).map((theme) =>
        svgText(chart, sceneOf(chart), 'a <chart>', theme),
      );
      expect(light).toContain('<title>a &lt;chart&gt;</title>');
      expect(`${light}${dark}`).not.toContain('var(');
      expect(light).toContain(COLOURS.text.light);
      expect(dark).toContain(COLOURS.text.dark);
    });

    test('has every state within reach of the arrow keys', () => {
      const keys = ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'];
      const reached = new Set([chart.states[0]!.id]);
      for (const from of reached) {
        for (const key of keys) {
          const next = neighbourOf(chart.states, from, key);
          if (next !== undefined) reached.add(next);
        }
      }
      expect([...reached].toSorted()).toEqual(chart.states.map(({ id }) => id).toSorted());
    });
  },
);

test('arrow keys lead to the nearest state in their direction, and nowhere from the edge', () => {
  const to = (from: string, key: string) => neighbourOf(LICENSE.states, from, key);
  expect(to('active', 'ArrowRight')).toBe('expiring');
  expect(to('expiring', 'ArrowDown')).toBe('renewing');
  expect(to('renewing', 'ArrowLeft')).toBe('active');
  expect(to('active', 'ArrowLeft')).toBeUndefined();
  expect(to('active', 'Home')).toBe(LICENSE.states[0]!.id);
  expect(to('active', 'x')).toBeUndefined();
});

test('the sentence says where it is, what came last, and what is possible', () => {
  const steps = stepsOf(LICENSE, LIFE);
  const permissions = [
    { name: 'expire', allowed: false, reason: 'it is expiring' },
    { name: 'comment', allowed: true },
  ];
  const now = { state: 'expiring', selected: null, permissions };
  expect(lifecycleSentence(LICENSE, { ...now, path: pathUntil(steps, null) })).toBe(
    'Licence, machine version 3: now expiring, after 7 steps. Last: renew leads to renewing, then refused leads to ' +
      'active, then expire leads to expiring. Possible now: comment.',
  );
  expect(lifecycleSentence(LICENSE, { ...now, selected: 1, path: pathUntil(steps, 1) })).toBe(
    'Licence, machine version 3: renewing at step 1, now expiring. Last: created as active, then renew leads to renewing.',
  );
});

test('the sentence with numbers tells the states that have some', () => {
  const counts = [
    { state: 'active', count: 10_000, more: true },
    { state: 'renewing', count: 2 },
  ];
  expect(countsSentence(LICENSE, counts)).toBe(
    'Licence, machine version 3: 10,000+ active, 2 renewing.',
  );
  expect(countsSentence(LICENSE, [])).toBe('Licence, machine version 3: none in any state.');
});

test('the outline tells of each state what leads on, who may, when, and why not', () => {
  const path = pathUntil(stepsOf(LICENSE, LIFE), null);
  const permissions = [
    { name: 'expire', allowed: true },
    { name: 'renew', allowed: false, reason: 'a renewal is open' },
  ];
  const rows = outlineRows(LICENSE, path, permissions);
  expect(rows.map(({ label }) => label)).toEqual([
    ...LICENSE.states.map(({ label }) => label),
    'whatever the state',
  ]);
  expect(rows[0]).toMatchObject({
    visits: [0, 3, 6],
    lines: [
      {
        label: 'expire',
        leads: 'to expiring',
        notes: ['either side', 'only when its time is over'],
        steps: [7],
        permission: 'allowed',
      },
      {
        label: 'renew',
        leads: 'to renewing',
        steps: [1, 5],
        permission: 'refused',
        reason: 'a renewal is open',
      },
    ],
  });
  expect(rows.at(-1)?.lines.map(({ label, leads }) => `${label} ${leads}`)).toEqual([
    'licence renewed the state stays',
    'licence expired to expired',
    'gone to gone',
    'comment the state stays',
  ]);
});

test('a copy as Mermaid has every state and line, and marks the present', () => {
  expect(mermaidOf(LICENSE, 'renewing')).toMatchInlineSnapshot(`
    "stateDiagram-v2
      direction LR
      state "active" as active
      state "renewing" as renewing
      state "expiring" as expiring
      state "expired" as expired
      state "gone" as gone
      state "whatever the state" as whatever_the_state
      [*] --> active
      active --> expiring: expire [its time is over]
      active --> renewing: renew [no renewal of it is open, unless allowConcurrent is asked for]
      renewing --> active: refused or done
      expiring --> active: refused or done
      whatever_the_state --> whatever_the_state: licence renewed
      whatever_the_state --> expired: licence expired
      whatever_the_state --> gone: gone
      whatever_the_state --> whatever_the_state: comment
      expired --> [*]
      gone --> [*]
      classDef now stroke-width:3px
      class renewing now
    "
  `);
});

test('tells all numbers of a line while there is room, else the last', () => {
  expect([[1], [1, 4], [2, 5, 9], [2, 5, 9, 12], [7, 8_888]].map(numbersText)).toEqual([
    '1',
    '1 4',
    '2 5 9',
    '…12',
    '…8888',
  ]);
});

test('chunks of a history stay where they are when entries are added', () => {
  expect(chunksOf(0)).toEqual([]);
  expect(chunksOf(CHUNK + 2)).toEqual([
    { newest: CHUNK + 1, oldest: CHUNK },
    { newest: CHUNK - 1, oldest: 0 },
  ]);
  expect(chunksOf(CHUNK + 3).at(-1)).toEqual(chunksOf(CHUNK + 2).at(-1));
});

test('pictures have the colours of the pages', () => {
  const tokens = readFileSync('web/src/styles/tokens.css', 'utf8');
  for (const [name, { light, dark }] of Object.entries(COLOURS)) {
    expect(tokens).toContain(`--${name}: light-dark(${light}, ${dark});`);
  }
});
