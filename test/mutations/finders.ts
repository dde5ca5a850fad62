import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Finder, Mutation } from './mutation.ts';
import { HISTORIES_MAX } from './mutation.ts';
import type { Tree } from './tree.ts';

/** What came of looking for a mutation. */
export interface Verdict {
  /** What has noticed it, in a few words; `null`: nothing has, it survives. */
  readonly foundBy: string | null;
  /** Histories that were run, the one that found it included. */
  readonly histories: number | null;
}

/** Nothing can be said of a mutation: what is to notice it did not run, or fails without it. */
export class DidNotRun extends Error {}

/** Longer than any test file, or so many histories, takes on a busy machine. */
const HANGS_MS = 30 * 60_000;
/** For each thing that a test waits for, with and without a mistake. Unit tests wait for their own process only. */
const patienceOf = (project: string): number => (project === 'unit' ? 10_000 : 30_000);
/** Of these, all histories must have been run. */
const HISTORIES_MINUTES = 25;

/** Runs a program in the tree until it ends. @throws DidNotRun when it does not */
function run(tree: Tree, file: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const bin = join(tree.path, 'node_modules', '.bin');
  const child = spawn(file, args, {
    cwd: tree.path,
    env: { ...process.env, PATH: `${bin}:${process.env['PATH'] ?? ''}`, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: HANGS_MS,
  });
  return new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (_code, signal) => {
      if (signal === null) resolve();
      else reject(new DidNotRun(`${file} was ended by ${signal}`));
    });
  });
}

/** @throws DidNotRun when nothing was written: the program did not come so far */
function written(file: string): unknown {
  if (!existsSync(file)) throw new DidNotRun('it did not come to its report');
  return JSON.parse(readFileSync(file, 'utf8'));
}

interface SimReport {
  readonly seeds: number;
  readonly failed: readonly {
    readonly seed: number;
    readonly findings: readonly { readonly invariant: string }[];
  }[];
}

type Sim = Extract<Finder, { by: 'sim' }>;

/** Histories from a seed on, until one has a finding. */
async function histories(
  tree: Tree,
  { faults }: Sim,
  from: number,
  many: number,
): Promise<SimReport> {
  const out = join(tree.path, '.tenure', 'sim');
  rmSync(out, { recursive: true, force: true });
  await run(tree, 'node', ['test/sim/run.ts'], {
    FROM: String(from),
    SEEDS: String(many),
    MINUTES: String(HISTORIES_MINUTES),
    JOBS: '1',
    FAILURES: '1',
    OUT: out,
    ...(faults === undefined ? {} : { FAULTS: faults.join(',') }),
  });
  return written(join(out, 'report.json')) as SimReport;
}

/** What the process says that runs a history, and no invariant. */
const OF_PROCESS = 'simulation';

async function bySim(tree: Tree, mutation: Mutation, finder: Sim): Promise<Verdict> {
  const { seeds, failed } = await tree.within(mutation, () =>
    histories(tree, finder, 1, HISTORIES_MAX),
  );
  const [first] = failed;
  if (first === undefined) {
    if (seeds >= HISTORIES_MAX) return { foundBy: null, histories: seeds };
    throw new DidNotRun(`${HISTORIES_MINUTES} minutes were enough for ${seeds} histories only`);
  }
  const invariants = [...new Set(first.findings.map(({ invariant }) => invariant))];
  if (invariants.every((invariant) => invariant === OF_PROCESS)) {
    throw new DidNotRun(`seed ${first.seed} has no end`);
  }
  const anyway = await histories(tree, finder, first.seed, 1);
  if (anyway.failed.length > 0) throw new DidNotRun(`seed ${first.seed} fails without it`);
  return { foundBy: `seed ${first.seed}: ${invariants.join(', ')}`, histories: seeds };
}

interface TestReport {
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

type TestFile = Extract<Finder, { by: 'test' }>;

/**
 * The full names of the tests of a file that fail.
 *
 * @param firstOnly ends the run at the first failure
 * @throws DidNotRun when the file fails otherwise than by a test
 */
async function failuresOf(
  tree: Tree,
  { project, file, name = '' }: Omit<TestFile, 'by'>,
  firstOnly = false,
): Promise<string[]> {
  const out = join(tree.path, '.tenure', 'tests.json');
  rmSync(out, { force: true });
  const named = name === '' ? [] : ['--testNamePattern', name];
  const bail = firstOnly ? ['--bail', '1'] : [];
  const reports = ['--reporter', 'json', '--outputFile', out];
  await run(tree, 'vitest', ['run', '--project', project, file, ...named, ...bail, ...reports], {
    TENURE_TEST_PATIENCE_MS: String(patienceOf(project)),
  });
  const { testResults } = written(out) as TestReport;
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = tests.filter(({ status }) => status === 'failed');
  if (failed.length > 0) return failed.map(({ fullName }) => fullName.trim());
  if (testResults.some(({ status }) => status === 'failed')) {
    throw new DidNotRun(`${file} cannot be loaded, or has nothing to run on`);
  }
  if (!tests.some(({ status }) => status === 'passed')) {
    throw new DidNotRun(`${file} has no test ${name || 'at all'}`);
  }
  return [];
}

/** What fails without any mistake, by file, each looked at once. */
const failing = new Map<string, Promise<readonly string[]>>();

/** By the tests of its file that are asked for at all: one run of many costs little more than one of one. */
function failingAnyway(
  tree: Tree,
  { project, file }: TestFile,
  asked: readonly Finder[],
): Promise<readonly string[]> {
  const key = `${project} ${file}`;
  const names = asked.flatMap((other) =>
    other.by === 'test' && `${other.project} ${other.file}` === key ? [other.name ?? ''] : [],
  );
  const name = names.includes('') ? '' : [...new Set(names)].map((each) => `(?:${each})`).join('|');
  const known = failing.get(key) ?? failuresOf(tree, { project, file, name });
  failing.set(key, known);
  return known;
}

/** @throws DidNotRun when its tests fail without any mistake: what they say of one is nothing */
async function byTest(
  tree: Tree,
  mutation: Mutation,
  finder: TestFile,
  asked: readonly Finder[],
): Promise<Verdict> {
  const named = new RegExp(finder.name ?? '', 'u');
  const anyway = (await failingAnyway(tree, finder, asked)).find((test) => named.test(test));
  if (anyway !== undefined) throw new DidNotRun(`it fails without the mistake: ${anyway}`);
  const [found] = await tree.within(mutation, () => failuresOf(tree, finder, true));
  const file = finder.file.replaceAll(/^test\/|\.test\.ts$/gu, '');
  return { foundBy: found === undefined ? null : `${file}: ${found}`, histories: null };
}

/**
 * Makes the mistake, and runs what is said to notice it.
 *
 * @param asked what is said to notice any of those that are looked for in one go
 * @throws StaleMutation
 * @throws DidNotRun
 */
export function look(tree: Tree, mutation: Mutation, asked: readonly Finder[]): Promise<Verdict> {
  const { found } = mutation;
  return found.by === 'sim' ? bySim(tree, mutation, found) : byTest(tree, mutation, found, asked);
}
