import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { buildPackage, ROOT } from './build.ts';

/*
 * Tests the package as a user would: builds and packs it, copies the example to an empty folder, installs the tarball
 * there with an empty home folder, and runs the example's tests and the command. Removes everything afterwards.
 */

const run = promisify(execFile);
const EXAMPLE = join(ROOT, 'examples/licence-desk');
/** Far more than the test needs, because the package registry and other programs on the machine take time too. */
const ALL_MS_MAX = 150_000;
const READY_MS_MAX = 400;
const STARTS = 5;

const began = performance.now();
const say = (text: string) =>
  void process.stdout.write(`${((performance.now() - began) / 1_000).toFixed(1)} s  ${text}\n`);

/** A folder for all files, and an environment that contains little more than a path. */
interface Place {
  readonly app: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

async function inApp(place: Place, command: string, args: readonly string[]): Promise<string> {
  const { app: cwd, env, signal } = place;
  try {
    return (await run(command, [...args], { cwd, env, signal })).stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command} ${args.join(' ')}\n${stdout}${stderr}`, { cause: error });
  }
}

/** Returns the Node that runs this script, and the Node of the machine if it is another one. */
async function nodes(env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const folders = (env['PATH'] ?? '').split(delimiter);
  for (const folder of folders.filter((name) => !name.includes('node_modules'))) {
    const found = join(folder, 'node');
    const { stdout } = await run(found, ['--version']).catch(() => ({ stdout: '' }));
    if (stdout === '') continue;
    return stdout.trim() === process.version ? [process.execPath] : [process.execPath, found];
  }
  return [process.execPath];
}

async function install(folder: string, place: Place): Promise<void> {
  const built = join(folder, 'package');
  await buildPackage(built);
  const packing = ['pack', '--silent', built, '--pack-destination', folder];
  const { stdout } = await run('npm', packing, { env: place.env, signal: place.signal });
  const tarball = join(folder, stdout.trim());
  say(`packed ${stdout.trim()}`);
  await cp(EXAMPLE, place.app, {
    recursive: true,
    filter: (name) => !name.includes('node_modules'),
  });
  await inApp(place, 'npm', ['install', '--no-save', '--ignore-scripts', tarball]);
  say('installed');
}

/** Writes the first test of the manual to a file next to the example's tests. */
async function writeFirstTest({ app }: Place): Promise<void> {
  const manual = await readFile(join(ROOT, 'kit/README.md'), 'utf8');
  const [, code] = /`first\.test\.js`:\n\n```js\n(.*?)```/su.exec(manual) ?? [];
  if (code === undefined) throw new Error('kit/README.md has no first.test.js');
  await writeFile(join(app, 'test/first.test.js'), `// @ts-nocheck\n${code}`);
}

/** Runs the example's tests and the manual's test, and counts the results. */
async function testExample(place: Place, node: string): Promise<void> {
  const version = (await inApp(place, node, ['--version'])).trim();
  const told = await inApp(place, node, ['--test', '--test-reporter=tap']);
  const [, passed] = /^# pass (\d+)$/mu.exec(told) ?? [];
  if (passed === undefined || Number(passed) === 0) throw new Error(`no test ran:\n${told}`);
  say(`${passed} tests of the example pass on Node ${version}`);
}

const MEASURE = `
import { startLocalnet } from 'tenure-localnet';
const [times, costs] = [[], []];
for (let count = 0; count < ${STARTS}; count += 1) {
  const [began, used] = [performance.now(), process.cpuUsage()];
  const localnet = await startLocalnet({ parties: { alice: 'app-user' } });
  const { user, system } = process.cpuUsage(used);
  times.push(Math.round(performance.now() - began));
  costs.push(Math.round((user + system) / 1_000));
  await localnet.close();
}
console.log(JSON.stringify({ times, costs }));
`;

/**
 * Checks the processor time of the cheapest start, because other load on the machine is not the package's cost. A start
 * does not wait for anything, so on an idle machine it takes no longer than its processor time.
 */
async function measure(place: Place, node: string): Promise<void> {
  const file = join(place.app, 'measure.mjs');
  await writeFile(file, MEASURE);
  const { times, costs } = JSON.parse(await inApp(place, node, [file])) as {
    readonly times: readonly number[];
    readonly costs: readonly number[];
  };
  say(`starts in ${times.join(', ')} ms; of processor time, ${costs.join(', ')} ms`);
  if (node !== process.execPath || Math.min(...costs) <= READY_MS_MAX) return;
  throw new Error(`no start took ${READY_MS_MAX} ms of processor time or less`);
}

async function tryCommand(place: Place, node: string): Promise<void> {
  const bin = join(place.app, 'node_modules/.bin/tenure-localnet');
  const child = spawn(node, [bin, '--json', '--ports', 'free', '--party', 'alice@app-user'], {
    cwd: place.app,
    env: place.env,
    signal: place.signal,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const told = JSON.parse(line) as { readonly tokens: { readonly alice: string } };
  child.kill('SIGTERM');
  const [code] = (await exited) as [number | null];
  if (told.tokens.alice === '' || code !== 0) throw new Error(`tenure-localnet ended with ${code}`);
  say('the command starts and ends');
}

const folder = await mkdtemp(join(tmpdir(), 'tenure-localnet-'));
try {
  const [app, home] = [join(folder, 'app'), join(folder, 'home')];
  await mkdir(home);
  // Removes the settings of an npm that started this script, because a user with an empty home folder would not have
  // them.
  const kept = Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_PATH)/iu.test(name));
  const env = { ...Object.fromEntries(kept), HOME: home };
  const place: Place = { app, env, signal: AbortSignal.timeout(ALL_MS_MAX) };
  await install(folder, place);
  await writeFirstTest(place);
  const found = await nodes(env);
  for (const node of found) await testExample(place, node);
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  await inApp(place, process.execPath, [tsc]);
  say('its types are right');
  for (const node of found) {
    await measure(place, node);
    await tryCommand(place, node);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
