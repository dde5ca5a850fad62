import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fetchToken } from '../../cli/commands/token.ts';
import { readEnvironment } from '../../src/main/config.ts';
import type { Embedded } from '../../embedded/embedded.ts';
import { startEmbedded } from '../../embedded/embedded.ts';
import { localnetAddresses } from '../../embedded/localnet.ts';
import { createLog } from '../../src/main/log.ts';
import { NODE_FLAGS } from '../../src/main/node-flags.ts';
import { callApi } from './kit/call-api.ts';

/* Every role in a process of its own, as in the compose file; some of the processes are killed. */

interface RoleProcess {
  readonly child: ChildProcess;
  readonly port: number;
}

let dataDir: string;
let embedded: Embedded;
let api: string;
const tokens = { provider: '', user: '' };
const started: ChildProcess[] = [];
let processes: readonly RoleProcess[] = [];

async function startRole(roles: string): Promise<RoleProcess> {
  const child = spawn(process.execPath, [...NODE_FLAGS, 'src/main/role.ts'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      TENURE_DATA_DIR: dataDir,
      BACKEND_PORT: '0',
      TENURE_ROLES: roles,
      TENURE_LOG_LEVEL: 'info',
      ...(process.env['REDIS_URL'] === undefined ? {} : { REDIS_URL: process.env['REDIS_URL'] }),
      ...embedded.environment,
    },
  });
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { message, port } = JSON.parse(line) as { message: string; port?: number };
    if (message === 'Tenure is ready' && port !== undefined) resolve(port);
  });
  child.once('exit', (code) => reject(new Error(`${roles} ended with ${code}`)));
  // If the process never becomes ready, it is ended together with the test nevertheless.
  started.push(child);
  return { child, port: await promise };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exited = once(child, 'exit');
  child.kill(signal);
  const [code] = (await exited) as [number | null];
  return code;
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tenure-roles-'));
  embedded = await startEmbedded({
    environment: readEnvironment({ TENURE_DATA_DIR: dataDir }),
    passOn: { PATH: process.env['PATH'] },
    ports: 'free',
    signal: AbortSignal.timeout(120_000),
    log: createLog('error'),
  });
  if (embedded.localnet === null) throw new Error('LocalNet is part of this world');
  const localnet = localnetAddresses(embedded.localnet.ready);
  [tokens.provider, tokens.user] = await Promise.all([
    fetchToken(localnet, 'provider'),
    fetchToken(localnet, 'user'),
  ]);
  processes = await Promise.all(
    ['api', 'worker', 'worker', 'projector', 'projector'].map(startRole),
  );
  const [served] = processes;
  api = `http://127.0.0.1:${served?.port}`;
});

afterAll(async () => {
  await Promise.all(started.map((child) => end(child, 'SIGKILL')));
  await embedded[Symbol.asyncDispose]();
  await rm(dataDir, { recursive: true, force: true });
});

const post = (who: 'provider' | 'user', path: string, body: object) =>
  callApi(`${api}${path}?commandId=${randomUUID()}`, {
    body,
    token: tokens[who],
    headers: { prefer: 'wait=60' },
  });

async function install(): Promise<string> {
  const request = await post('user', '/app-install-requests', {});
  const accepted = await post(
    'provider',
    `/app-install-requests/${request.body.contractId}:accept`,
    {
      installMeta: {},
      meta: {},
    },
  );
  expect(accepted.status, JSON.stringify(accepted.body)).toBe(201);
  return accepted.body.contractId;
}

const LICENSE = { params: { meta: { data: {} } } };

describe('roles in processes of their own', () => {
  test('work together: a licence is created and expired at once', async () => {
    const contractId = await install();
    const made = await post('provider', `/app-installs/${contractId}:create-license`, LICENSE);
    expect(made.status).toBe(201);
    const expired = await post('provider', `/licenses/${made.body.licenseId}:expire`, {});
    expect(expired).toMatchObject({ status: 200, body: 'License expired successfully' });
  });

  test('every one of them says whether it is ready', async () => {
    for (const { port } of processes) {
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
      expect(answer.status, await answer.text()).toBe(200);
    }
  });

  test('a worker and the projector are killed under load: every change has one effect, none is lost', async () => {
    const installs = await Promise.all([install(), install(), install()]);
    const asked = installs.flatMap((contractId) =>
      Array.from({ length: 12 }, () =>
        post('provider', `/app-installs/${contractId}:create-license`, LICENSE),
      ),
    );
    const [, worker, , leader] = processes;
    await Promise.race(asked);
    const killed = [worker, leader].flatMap((one) => one?.child ?? []);
    expect(killed).toHaveLength(2);
    await Promise.all(killed.map((child) => end(child, 'SIGKILL')));
    const made = await Promise.all(asked);
    expect(made.map(({ status }) => status)).toEqual(made.map(() => 201));
    expect(new Set(made.map(({ body }) => body.licenseId)).size).toBe(36);
    for (const contractId of installs) {
      const answer = await fetch(`${api}/app-installs/${contractId}`, {
        headers: { authorization: `Bearer ${tokens.user}` },
      });
      expect(await answer.json()).toMatchObject({ numLicensesCreated: 12 });
    }
  });

  test('SIGTERM ends each of them with code 0', async () => {
    const left = processes.filter(({ child }) => child.signalCode === null);
    expect(await Promise.all(left.map(({ child }) => end(child, 'SIGTERM')))).toEqual(
      left.map(() => 0),
    );
  });
});
