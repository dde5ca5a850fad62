import { setTimeout as sleep } from 'node:timers/promises';
import { createVitest } from 'vitest/node';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import type { FileResult, SessionReply, SessionRequest } from './session.ts';

/*
 * A process that runs test files of one project, one request of its parent after another. `test/mutations/session.ts`
 * starts it in a copy of the sources. Vitest keeps the modules that it has compiled for the next request. For each
 * request, the tests run in a new process, so that no module with a mistake stays in memory.
 *
 *   node test/mutations/session-process.ts <project> <failures after which a run ends, or 0>
 */

/**
 * How long a test file may clean up after the failure that ends its run. A limit is needed because, after a mistake,
 * the clean-up may wait for an event that never happens, up to the time limit of each hook.
 */
const CLEANING_MS = 10_000;

const [project = '', bail = '0'] = process.argv.slice(2);

interface Gathered {
  failed: string[];
  passed: number;
  isBroken: boolean;
}

let gathered = new Map<string, Gathered>();
let failure = Promise.withResolvers<void>();
let isLast = false;

function of(path: string): Gathered {
  const known = gathered.get(path) ?? { failed: [], passed: 0, isBroken: false };
  gathered.set(path, known);
  return known;
}

/**
 * Returns the name of a test to which patterns are compared: the names of its groups and its own, separated by spaces.
 */
function nameOf(test: TestCase): string {
  const names = [test.name];
  for (let { parent } = test; parent.type === 'suite'; parent = parent.parent) {
    names.unshift(parent.name);
  }
  return names.join(' ').trim();
}

/** Counts only results that this run reports, because vitest also keeps the results of earlier runs. */
const reporter: Reporter = {
  onTestCaseResult(test: TestCase) {
    const { state } = test.result();
    if (state === 'failed') {
      of(test.module.moduleId).failed.push(nameOf(test));
      if (bail !== '0') failure.resolve();
    }
    if (state === 'passed') of(test.module.moduleId).passed += 1;
  },
  onTestModuleEnd(module: TestModule) {
    of(module.moduleId).isBroken = module.state() === 'failed';
  },
};

const vitest = await createVitest('test', {
  watch: false,
  project: [project],
  bail: Number(bail),
  // On a busy machine, dropping the tests' databases takes longer than vitest's default.
  teardownTimeout: 60_000,
  reporters: [reporter],
});
await vitest.standalone();

/**
 * Returns whether cleaning up takes too long. End-to-end tests always clean up, because their processes could otherwise
 * keep running.
 */
async function isCleaningTooLong(): Promise<boolean> {
  await failure.promise;
  if (project === 'e2e') return new Promise(() => {});
  return sleep(CLEANING_MS, true, { ref: false });
}

async function run({ files, changed, name }: SessionRequest): Promise<readonly FileResult[]> {
  gathered = new Map();
  failure = Promise.withResolvers<void>();
  for (const file of changed) vitest.invalidateFile(file);
  const testNamePattern = name === '' ? undefined : new RegExp(name, 'u');
  const own = vitest.getProjectByName(project);
  const running = vitest.runTestSpecifications(
    files.map((file) =>
      own.createSpecification(file, testNamePattern === undefined ? {} : { testNamePattern }),
    ),
  );
  isLast = await Promise.race([running.then(() => false), isCleaningTooLong()]);
  return [...gathered].map(([path, result]) => ({ path, ...result }));
}

process.on('message', (request: SessionRequest) => {
  void run(request).then(
    (results) => process.send?.({ results, isLast } satisfies SessionReply),
    (error: unknown) => process.send?.({ error: String(error) } satisfies SessionReply),
  );
});
process.once('disconnect', () => {
  // When this process ends, vitest kills the process in which the tests run.
  if (isLast) process.exit();
  void vitest.exit(true);
});
process.send?.({ results: [], isLast } satisfies SessionReply);
