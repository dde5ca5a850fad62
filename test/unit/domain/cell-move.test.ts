import { expect, test } from 'vitest';
import type { MoveState, MoveStep } from '../../../src/domain/cell-move.ts';
import { refusalOf, takesWrites } from '../../../src/domain/cell-move.ts';

type Stand = MoveState | null;
interface Both {
  readonly old: Stand;
  readonly new: Stand;
}

/**
 * The state of a cell before and after each step. Here, the state that an interrupted step leaves is a step of its own.
 */
const STEPS: readonly {
  readonly step: MoveStep;
  readonly at: keyof Both;
  readonly from: readonly Stand[];
  readonly to: Stand;
  /** Returns whether the other cell is in a state in which this step is possible. */
  readonly needs?: (both: Both) => boolean;
}[] = [
  { step: 'export', at: 'old', from: [null, 'draining'], to: 'draining' },
  { step: 'export', at: 'old', from: ['draining', 'frozen'], to: 'frozen' },
  { step: 'export', at: 'old', from: ['frozen', 'copied'], to: 'copied' },
  { step: 'give-back', at: 'old', from: ['draining', 'frozen', 'copied'], to: null },
  {
    step: 'switch',
    at: 'old',
    from: ['copied', 'moved'],
    to: 'moved',
    needs: (both) => both.new === 'checked' || both.new === 'open',
  },
  {
    step: 'import',
    at: 'new',
    from: [null, 'arrived'],
    to: 'arrived',
    needs: (both) => both.old === 'copied',
  },
  { step: 'import', at: 'new', from: ['arrived', 'checked'], to: 'checked' },
  {
    step: 'open',
    at: 'new',
    from: ['checked', 'open'],
    to: 'open',
    needs: (both) => both.old === 'moved',
  },
];

test('whatever is called in whatever order, at most one cell takes writes', () => {
  const seen = new Set<string>();
  const reached = (both: Both): void => {
    const key = JSON.stringify(both);
    if (seen.has(key)) return;
    seen.add(key);
    // A cell into which nothing was imported has no data of the provider.
    const writers = [takesWrites(both.old), both.new !== null && takesWrites(both.new)];
    expect(writers.filter(Boolean).length, key).toBeLessThanOrEqual(1);
    for (const { step, at, from, to, needs } of STEPS) {
      if (refusalOf(step, both[at]) !== null || !from.includes(both[at])) continue;
      if (needs === undefined || needs(both)) reached({ ...both, [at]: to });
    }
  };
  reached({ old: null, new: null });
  expect(seen).toContain(JSON.stringify({ old: 'moved', new: 'open' }));
});

test('a step that does not fit is refused with where the move stands', () => {
  expect(refusalOf('give-back', 'moved')).toMatch(/has moved/u);
  expect(refusalOf('switch', 'frozen')).toMatch(/not copied yet/u);
  expect(refusalOf('open', 'arrived')).toMatch(/not checked yet/u);
  expect(refusalOf('import', 'open')).toMatch(/opened/u);
  expect(refusalOf('export', 'arrived')).toMatch(/imported/u);
  expect(refusalOf('open', null)).toMatch(/no move/u);
});
