import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { sharedDatabase } from './database.ts';
import { DidNotRun } from './did-not-run.ts';
import type { Failures, Means, Verdict } from './finders.ts';
import { failuresWithoutMistakes, look } from './finders.ts';
import type { Mutation } from './mutation.ts';
import { Sessions } from './sessions.ts';
import { MUTATIONS } from './table.ts';
import { StaleMutation, Tree, mutated, sourceOf } from './tree.ts';

/*
 * `make mutations`: makes one mistake after another in a copy of the sources, and checks that the test or simulation
 * that must detect it does so. Exits with 1 if a mistake is not detected, and with 2 if one cannot be judged.
 *
 *   node test/mutations/run.ts [pattern] mutations whose name, file or finder matches; also ONLY=pattern
 *   JOBS=2 mutations at a time
 *   SOUND=assumed skips the run without a mistake, because `make test` proves the same
 *   OUT=folder the folder for the table of results
 */

const { positionals } = parseArgs({ allowPositionals: true });
if (positionals.length > 1) throw new Error('usage: node test/mutations/run.ts [pattern]');
const only = new RegExp(positionals[0] ?? process.env['ONLY'] ?? '', 'u');
const jobs = Number(process.env['JOBS'] ?? Math.min(2, availableParallelism()));
if (!Number.isSafeInteger(jobs) || jobs < 1) throw new Error('JOBS is a number above 0');
const out = process.env['OUT'] ?? join('.tenure', 'mutations');

interface Row {
  readonly mutation: Mutation;
  readonly seconds: number;
  /** The verdict, or why there is none. */
  readonly verdict: Verdict | DidNotRun;
}

const finderOf = ({ found }: Mutation): string => (found.by === 'sim' ? 'sim' : found.file);

const meant = MUTATIONS.filter((mutation) =>
  only.test(`${mutation.name} ${mutation.file} ${finderOf(mutation)}`),
);

/** Checks, before anything is run, whether all mutations can still be made. */
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

const isError = ({ verdict }: Row): boolean => verdict instanceof DidNotRun;
const isSurvivor = ({ verdict }: Row): boolean =>
  !(verdict instanceof DidNotRun) && verdict.foundBy === null;

function rowOf({ mutation, verdict, seconds }: Row): string {
  const finder = finderOf(mutation);
  const [what, histories] =
    verdict instanceof DidNotRun
      ? [`**nothing can be said** by ${finder}: ${verdict.message}`, null]
      : [verdict.foundBy ?? `**survives** ${finder}`, verdict.histories];
  const cells = [mutation.name, mutation.breaks, what, histories ?? '', seconds.toFixed(0)];
  return `| ${cells.join(' | ')} |`;
}

function toMarkdown(rows: readonly Row[]): string {
  return [
    '| Mutation | What is wrong then | Found by | Histories | Seconds |',
    '| --- | --- | --- | ---: | ---: |',
    ...rows.map(rowOf),
    '',
    summaryOf(rows),
    '',
  ].join('\n');
}

/** Returns the last lines of the output, which list once more the mutations that were not found. */
function summaryOf(rows: readonly Row[]): string {
  const survivors = rows.filter(isSurvivor);
  const errors = rows.filter(isError);
  return [
    ...[...survivors, ...errors].map(rowOf),
    `${rows.length} mutations, ${survivors.length} of which survive; of ${errors.length} nothing can be said.`,
  ].join('\n');
}

async function judge(means: Means, mutation: Mutation): Promise<Verdict | DidNotRun> {
  try {
    return await look(means, mutation);
  } catch (error) {
    if (error instanceof DidNotRun) return error;
    throw error;
  }
}

/**
 * The order in which the kinds of tests are run. Kinds that take long begin first, so that no long run continues after
 * all other jobs have ended.
 */
const ORDER = ['sim', 'e2e', 'model', 'contract', 'integration', 'unit'];
const placeOf = ({ found }: Mutation): number =>
  ORDER.indexOf(found.by === 'sim' ? 'sim' : found.project);

/**
 * Mutations of one project come one after another, because a job keeps its session as long as the project stays the
 * same.
 */
const inOrder = meant.toSorted((one, other) => placeOf(one) - placeOf(other));

async function lookWithoutMistakes(): Promise<Failures> {
  const sinceMs = performance.now();
  using tree = new Tree();
  const sound = await failuresWithoutMistakes(
    tree,
    meant.map(({ found }) => found),
  );
  const seconds = ((performance.now() - sinceMs) / 1_000).toFixed(0);
  console.log(`The tests of ${sound.size} files ran without a mistake in ${seconds} s.`);
  return sound;
}

async function runAll(): Promise<Row[]> {
  const sound = process.env['SOUND'] === 'assumed' ? null : await lookWithoutMistakes();
  const rows = new Map<Mutation, Row>();
  const waiting = [...inOrder];
  const work = async (): Promise<void> => {
    using tree = new Tree();
    await using sessions = new Sessions(tree);
    const means = { tree, sessions, sound };
    for (let mutation = waiting.shift(); mutation !== undefined; mutation = waiting.shift()) {
      const sinceMs = performance.now();
      const verdict = await judge(means, mutation);
      const row = { verdict, mutation, seconds: (performance.now() - sinceMs) / 1_000 };
      rows.set(mutation, row);
      console.log(rowOf(row));
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return meant.flatMap((mutation) => rows.get(mutation) ?? []);
}

const unusable = meant.length === 0 ? [`no mutation matches ${only.source}`] : stale();
if (unusable.length > 0) {
  console.error(unusable.join('\n'));
  process.exitCode = 2;
} else {
  await using _database = await sharedDatabase();
  const rows = await runAll();
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, 'report.md'), toMarkdown(rows));
  console.log(`\n${toMarkdown(rows)}`);
  if (rows.some(isSurvivor)) process.exitCode = 1;
  if (rows.some(isError)) process.exitCode = 2;
}
