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

/** Longer than any test file, or so many histories, takes on a busy machine. */
const HANGS_MS = 20 * 60_000;

/** Runs a program in the tree until it ends. */
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
    child.once('exit', () => resolve());
  });
}

/** What was written, or `null` when nothing was: the program did not come so far. */
const written = (file: string): unknown =>
  existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;

interface SimReport {
  readonly seeds: number;
  readonly failed: readonly {
    readonly seed: number;
    readonly findings: readonly { readonly invariant: string }[];
  }[];
}

async function bySim(tree: Tree, faults: readonly string[] | undefined): Promise<Verdict> {
  const out = join(tree.path, '.tenure', 'sim');
  rmSync(out, { recursive: true, force: true });
  await run(tree, 'node', ['test/sim/run.ts'], {
    SEEDS: String(HISTORIES_MAX),
    MINUTES: '15',
    JOBS: '1',
    FAILURES: '1',
    OUT: out,
    ...(faults === undefined ? {} : { FAULTS: faults.join(',') }),
  });
  const report = written(join(out, 'report.json')) as SimReport | null;
  const [failed] = report?.failed ?? [];
  if (failed === undefined) return { foundBy: null, histories: report?.seeds ?? 0 };
  const invariants = [...new Set(failed.findings.map(({ invariant }) => invariant))];
  return {
    foundBy: `seed ${failed.seed}: ${invariants.join(', ')}`,
    histories: report?.seeds ?? failed.seed,
  };
}

interface TestReport {
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

type TestFile = Extract<Finder, { by: 'test' }>;

/** The tests of a file that fail, by their full names. */
async function failuresOf(tree: Tree, { project, file, name }: TestFile): Promise<string[]> {
  const out = join(tree.path, '.tenure', 'tests.json');
  rmSync(out, { force: true });
  const named = name === undefined ? [] : ['--testNamePattern', name];
  const reports = ['--reporter', 'json', '--outputFile', out];
  await run(tree, 'vitest', ['run', '--project', project, file, ...named, ...reports]);
  const report = written(out) as TestReport | null;
  if (report === null) return [DID_NOT_RUN];
  return report.testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .flatMap(({ status, fullName }) => (status === 'failed' ? [fullName.trim()] : []));
}

/** The file could not be loaded, say. */
const DID_NOT_RUN = 'it does not run';

/** Tests that fail without any mistake, by file: what they say of one is nothing. */
const failing = new Map<string, Promise<readonly string[]>>();

function failingAnyway(tree: Tree, finder: TestFile): Promise<readonly string[]> {
  const key = `${finder.project} ${finder.file} ${finder.name ?? ''}`;
  const known = failing.get(key) ?? failuresOf(tree, finder);
  failing.set(key, known);
  return known;
}

async function byTest(tree: Tree, mutation: Mutation, finder: TestFile): Promise<Verdict> {
  const anyway = await failingAnyway(tree, finder);
  const failed = await tree.within(mutation, () => failuresOf(tree, finder));
  const found = failed.find((name) => !anyway.includes(name));
  const file = finder.file.replaceAll(/^test\/|\.test\.ts$/gu, '');
  return { foundBy: found === undefined ? null : `${file}: ${found}`, histories: null };
}

/** Makes the mistake, and runs what is said to notice it. @throws StaleMutation */
export function look(tree: Tree, mutation: Mutation): Promise<Verdict> {
  const { found } = mutation;
  return found.by === 'sim'
    ? tree.within(mutation, () => bySim(tree, found.faults))
    : byTest(tree, mutation, found);
}
