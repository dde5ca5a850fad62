import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { fetchToken } from '../../cli/commands/token.ts';
import type { DemoCaller } from '../../cli/demo-callers.ts';
import { withSetMeta } from '../../examples/own-choice/model.ts';
import type { RunState } from '../../src/main/run-state.ts';
import { readRunState } from '../../src/main/run-state.ts';
import { darOf } from '../contract/kit/dar.ts';
import { licensingBuild, withCode } from '../kit/licensing-build.ts';
import { PATIENCE_MS } from '../kit/patience.ts';
import { callApi } from './kit/call-api.ts';
import { serversOfRun } from './kit/parts.ts';

/*
 * The example of a choice that a user adds: LocalNet runs the compiled contracts, and a patched Tenure exercises the
 * choice.
 */

/** The folders that a running Tenure requires. */
const SOURCES = [
  'cli',
  'embedded',
  'localnet',
  'machines',
  'migrations',
  'proto',
  'src',
  'workers',
];

async function patchedTenure(folder: string): Promise<string> {
  const copy = join(folder, 'tenure');
  for (const each of [...SOURCES, 'package.json']) {
    await cp(each, join(copy, each), { recursive: true });
  }
  await symlink(resolve('node_modules'), join(copy, 'node_modules'));
  execFileSync('git', ['apply', resolve('examples/own-choice/tenure.patch')], { cwd: copy });
  return join(copy, 'cli/tenure');
}

/** Starts a Tenure in a process of its own, with a LocalNet that loads the DARs of a folder. */
async function startPatched(folder: string, dars: string) {
  const tenure = await patchedTenure(folder);
  await using starting = new AsyncDisposableStack();
  const servers = starting.use(await serversOfRun());
  const dataDir = join(folder, '.tenure');
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    TENURE_DATA_DIR: dataDir,
    TENURE_LOG_LEVEL: 'error',
    LOCALNET_DARS: dars,
    ...servers.environment,
  };
  const child = spawn(tenure, ['run', '--free-ports'], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaint = '';
  child.stderr.on('data', (chunk) => (complaint += String(chunk)));
  const ended = once(child, 'exit');
  starting.defer(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  let state: RunState | null = null;
  const options = { timeout: PATIENCE_MS * 4, interval: 200 };
  await expect
    .poll(async () => {
      state = await readRunState(dataDir);
      return state !== null || child.exitCode !== null;
    }, options)
    .toBe(true);
  if (state === null) throw new Error(`Tenure has not started: ${complaint}`);
  const packages = () =>
    execFileSync(tenure, ['localnet', 'packages'], { env, cwd: folder, encoding: 'utf8' });
  const running = starting.move();
  return {
    state: state as RunState,
    packages,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

test('a choice that is added to the model and to Tenure is called over REST', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tenure-own-choice-'));
  try {
    const dars = join(folder, 'dist');
    await mkdir(dars);
    const packages = licensingBuild((source) => withSetMeta(withCode(source)));
    await writeFile(join(dars, 'quickstart-licensing-0.0.1.dar'), darOf(packages));
    await using tenure = await startPatched(folder, dars);
    const { apiUrl, localnet } = tenure.state;
    const call = async (who: DemoCaller, path: string, body?: object) => {
      const token = await fetchToken(localnet!, who);
      const answer = await callApi(`${apiUrl}${path}`, { token, ...(body && { body }) });
      expect([path, answer.status < 300 ? true : answer.body]).toEqual([path, true]);
      return answer.body;
    };
    expect(tenure.packages()).toMatch(
      new RegExp(`quickstart-licensing +0\\.0\\.1 +engine .* ${packages[0]!.id}`, 'u'),
    );
    const { contractId: request } = await call('user', '/app-install-requests?commandId=ask', {});
    const { contractId: install, lifecycleId } = await call(
      'provider',
      `/app-install-requests/${request}:accept?commandId=accept`,
      { installMeta: {} },
    );
    const argument = { meta: { values: { plan: 'team' } } };
    const { result } = await call('provider', `/contracts/${install}/exercise?commandId=set`, {
      choice: 'AppInstall_SetMeta',
      argument,
    });
    const operation = await call('provider', '/operations/set');
    expect([operation.operation, operation.state]).toEqual(['set-install-meta', 'succeeded']);
    const installs = await call('user', `/app-installs/${lifecycleId}`);
    expect(installs).toMatchObject({ contractId: result, meta: { data: { plan: 'team' } } });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
