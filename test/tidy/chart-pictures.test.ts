import { readFileSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { pictures } from '../../scripts/chart-pictures.ts';

/* The charts in docs/machines are committed, match the state machines, and are each shown in a document. */

const FOLDER = 'docs/machines';

test('the pictures are what `node scripts/chart-pictures.ts` writes', () => {
  const written = new Map(
    readdirSync(FOLDER).map((name) => [name, readFileSync(`${FOLDER}/${name}`, 'utf8')]),
  );
  expect([...written.keys()].toSorted()).toEqual([...pictures().keys()].toSorted());
  for (const [name, text] of pictures()) expect(written.get(name), name).toBe(text);
});

test('docs/ARCHITECTURE.md shows all of them', () => {
  const text = readFileSync('docs/ARCHITECTURE.md', 'utf8');
  const shown = [...text.matchAll(/(?:src|srcset)="machines\/([^"]+)"/gu)].map(
    ([, name = '']) => name,
  );
  expect(shown.toSorted()).toEqual([...pictures().keys()].toSorted());
});
