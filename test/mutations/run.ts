import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Verdict } from './finders.ts';
import { look } from './finders.ts';
import type { Mutation } from './mutation.ts';
import { MUTATIONS } from './table.ts';
import { StaleMutation, Tree, mutated, sourceOf } from './tree.ts';

/*
 * `make mutations`: makes one mistake after the other in a copy of the sources, and demands that what is said to notice
 * it does.
 *
 *   ONLY=retention   those whose name, file or finder matches
 *   JOBS=2           at a time
 *   OUT=folder       where the table goes
 */

const only = new RegExp(process.env['ONLY'] ?? '', 'u');
const jobs = Number(process.env['JOBS'] ?? Math.min(2, availableParallelism()));
const out = process.env['OUT'] ?? join('.tenure', 'mutations');

interface Row extends Verdict {
  readonly mutation: Mutation;
  readonly seconds: number;
}

const finderOf = ({ found }: Mutation): string => (found.by === 'sim' ? 'sim' : found.file);

const meant = MUTATIONS.filter((mutation) =>
  only.test(`${mutation.name} ${mutation.file} ${finderOf(mutation)}`),
);

/** Before anything is run. */
function stale(): string[] {
  return meant.flatMap((mutation) => {
    try {
      mutated(sourceOf(mutation.file), mutation);
      return [];
    } catch (error) {
      if (error instanceof StaleMutation) return [error.message];
      throw error;
    }
  });
}

function rowOf({ mutation, foundBy, histories, seconds }: Row): string {
  const what = foundBy ?? `**survives** ${finderOf(mutation)}`;
  const cells = [mutation.name, mutation.breaks, what, histories ?? '', seconds.toFixed(0)];
  return `| ${cells.join(' | ')} |`;
}

function toMarkdown(rows: readonly Row[]): string {
  const survivors = rows.filter(({ foundBy }) => foundBy === null).length;
  return [
    `${rows.length} mutations, ${survivors} of which survive.`,
    '',
    '| Mutation | What is wrong then | Found by | Histories | Seconds |',
    '| --- | --- | --- | ---: | ---: |',
    ...rows.map(rowOf),
    '',
  ].join('\n');
}

async function runAll(): Promise<Row[]> {
  const rows = new Map<Mutation, Row>();
  const waiting = [...meant];
  const work = async (): Promise<void> => {
    using tree = new Tree();
    for (let mutation = waiting.shift(); mutation !== undefined; mutation = waiting.shift()) {
      const sinceMs = performance.now();
      const verdict = await look(tree, mutation);
      const row = { ...verdict, mutation, seconds: (performance.now() - sinceMs) / 1_000 };
      rows.set(mutation, row);
      console.log(rowOf(row));
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return meant.flatMap((mutation) => rows.get(mutation) ?? []);
}

const unusable = stale();
if (unusable.length > 0) {
  console.error(unusable.join('\n'));
  process.exitCode = 2;
} else {
  const rows = await runAll();
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, 'report.md'), toMarkdown(rows));
  console.log(`\n${toMarkdown(rows)}`);
  process.exitCode = rows.some(({ foundBy }) => foundBy === null) ? 1 : 0;
}
