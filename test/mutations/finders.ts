import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { DidNotRun } from './did-not-run.ts';
import type { Finder, Mutation } from './mutation.ts';
import { HISTORIES_MAX } from './mutation.ts';
import { Session } from './session.ts';
import type { Sessions } from './sessions.ts';
import type { Tree } from './tree.ts';

/** Whether a mutation was detected, and by which test or history. */
export interface Verdict {
  /** A short description of the test or history that detected the mutation; `null` if none did. */
  readonly foundBy: string | null;
  /** How many histories were run, including the one that detected the mutation. */
  readonly histories: number | null;
}

/**
 * The time after which a run counts as one that never ends. `HISTORIES_MAX` histories take less, even on a busy
 * machine.
 */
const HANGS_MS = 30 * 60_000;
/** The time for all histories. It is less than the time limit of the whole run. */
const HISTORIES_MINUTES = 25;

/** Runs a program in the copied sources until it ends. @throws DidNotRun if it does not end */
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

/** Returns the report that a program has written. @throws DidNotRun if the program ended before it wrote its report */
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

/** Runs histories, beginning with a seed, until one has a finding. */
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

/** The name of a finding that reports a failure of the process in which a history ran, and not a violated invariant. */
const OF_PROCESS = 'simulation';

/**
 * First tries the seed that is known to detect the mutation. Only if this seed does not detect it, tries the others.
 */
async function searched(tree: Tree, finder: Sim): Promise<SimReport> {
  if (finder.seed !== undefined) {
    const known = await histories(tree, finder, finder.seed, 1);
    if (known.failed.length > 0) return known;
  }
  return histories(tree, finder, 1, HISTORIES_MAX);
}

async function bySim(tree: Tree, mutation: Mutation, finder: Sim): Promise<Verdict> {
  const { seeds, failed } = await tree.within(mutation, () => searched(tree, finder));
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

type TestFile = Extract<Finder, { by: 'test' }>;

/** The full names of the tests that failed, by the path of their file. Files that were not run are missing. */
export type Failures = ReadonlyMap<string, readonly string[] | DidNotRun>;

/** Runs tests in some files of a project. @throws DidNotRun if there is no result for any of the files */
async function failuresOf(
  tree: Tree,
  session: Session,
  { files, name, mutated }: Run,
): Promise<Failures> {
  const paths = (all: readonly string[]) => all.map((file) => join(tree.path, file));
  const results = await session.run(paths(files), name, paths(mutated));
  return new Map<string, readonly string[] | DidNotRun>(
    results.map(({ path, failed, passed, isBroken }) => {
      const file = relative(tree.path, path);
      if (failed.length > 0) return [file, failed];
      if (isBroken) {
        return [file, new DidNotRun(`${file} cannot be loaded, or has nothing to run on`)];
      }
      if (passed > 0) return [file, []];
      return [file, new DidNotRun(`${file} has no test ${name || 'at all'}`)];
    }),
  );
}

interface Run {
  readonly files: readonly string[];
  /** A pattern for the names of tests; if empty, all tests are run. */
  readonly name: string;
  /** The files in which a mistake has been made. */
  readonly mutated: readonly string[];
}

/**
 * Runs the tests that must detect mistakes, but without any mistake, because a test that fails even then proves
 * nothing. All files of a project are run together, so that the modules that they have in common are loaded once.
 * @throws DidNotRun
 */
export async function failuresWithoutMistakes(
  tree: Tree,
  finders: readonly Finder[],
): Promise<Failures> {
  const asked = finders.filter((finder) => finder.by === 'test');
  const failures = new Map<string, readonly string[] | DidNotRun>();
  for (const project of new Set(asked.map((finder) => finder.project))) {
    await using session = new Session(tree, project, 0);
    const here = asked.filter((finder) => finder.project === project);
    const whole = new Set(here.flatMap(({ file, name }) => (name === undefined ? [file] : [])));
    const named = here.filter(({ file }) => !whole.has(file));
    const name = [...new Set(named.map((finder) => finder.name))]
      .map((one) => `(?:${one})`)
      .join('|');
    for (const [files, pattern] of [
      [whole, ''],
      [new Set(named.map(({ file }) => file)), name],
    ] as const) {
      if (files.size === 0) continue;
      const run = { files: [...files], name: pattern, mutated: [] };
      const found = await failuresOf(tree, session, run);
      for (const [file, failed] of found) failures.set(file, failed);
    }
  }
  return failures;
}

/** The parts with which a job checks mutations. */
export interface Means {
  readonly tree: Tree;
  readonly sessions: Sessions;
  /** The result of `failuresWithoutMistakes`; `null` if another run proves that no test fails without a mistake. */
  readonly sound: Failures | null;
}

/**
 * Checks a mutation by its tests. @throws DidNotRun if the tests fail without any mistake, so that they cannot judge
 * one
 */
async function byTest(
  { tree, sessions, sound }: Means,
  mutation: Mutation,
  { project, file, name = '' }: TestFile,
): Promise<Verdict> {
  const failing = sound === null ? [] : known(sound, file);
  const anyway = failing.find((test) => new RegExp(name, 'u').test(test));
  if (anyway !== undefined) throw new DidNotRun(`it fails without the mistake: ${anyway}`);
  const failures = await tree.within(mutation, async () => {
    const session = await sessions.for(project, mutation.file);
    return failuresOf(tree, session, { files: [file], name, mutated: [mutation.file] });
  });
  const [found] = known(failures, file);
  const place = file.replaceAll(/^test\/|\.test\.ts$/gu, '');
  return { foundBy: found === undefined ? null : `${place}: ${found}`, histories: null };
}

/** @throws DidNotRun */
function known(failures: Failures, file: string): readonly string[] {
  const found = failures.get(file) ?? new DidNotRun(`${file} did not run`);
  if (found instanceof DidNotRun) throw found;
  return found;
}

/**
 * Makes the mistake, and runs the test or simulation that must detect it.
 *
 * @throws StaleMutation
 * @throws DidNotRun
 */
export function look(means: Means, mutation: Mutation): Promise<Verdict> {
  const { found } = mutation;
  return found.by === 'sim' ? bySim(means.tree, mutation, found) : byTest(means, mutation, found);
}
