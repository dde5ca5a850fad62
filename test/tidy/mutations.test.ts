import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FAULTS } from '../sim/kit/weather.ts';
import { MUTATIONS } from '../mutations/table.ts';
import { mutated, sourceOf } from '../mutations/tree.ts';

test.for(MUTATIONS.map((mutation) => [mutation.name, mutation] as const))(
  'the mutation %s can be made, and what is to find it is there',
  ([, mutation]) => {
    const source = sourceOf(mutation.file);
    expect(mutated(source, mutation)).not.toBe(source);
    const { found } = mutation;
    if (found.by === 'test') expect(existsSync(found.file), found.file).toBe(true);
    else expect(FAULTS).toEqual(expect.arrayContaining([...(found.faults ?? [])]));
  },
);

test('no two mutations have one name', () => {
  const names = MUTATIONS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});
