import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildClient } from '../../client/build.ts';
import { createClient, NoAnswerError, webStore } from '../../client/index.ts';
import type { ClientOptions } from '../../client/index.ts';
import { forFile } from '../kit/for-file.ts';
import { openLossyDoor } from './kit/lossy-door.ts';
import { startWorld } from './kit/world.ts';

/* The client package: with a whole Tenure, behind a proxy that drops answers; and in a program that runs on Node 20. */

const run = promisify(execFile);
const PLAN = { id: 'team', name: 'Team', period: 'P30D', fee: '100', trial: 'P1D' };

const world = await forFile(startWorld());
const door = await forFile(openLossyDoor(world.tenure.state.apiUrl));
let app: string;

const clientOf = (who: 'provider' | 'user', more: Partial<ClientOptions> = {}) =>
  createClient({ url: door.url, token: () => world.tokenOf(who), ...more });
const provider = clientOf('provider');

/** The command IDs of requests to a path since the given position. */
const commandIdsAt = (path: string, since = 0): readonly (string | null)[] =>
  door.asked
    .slice(since)
    .filter((asked) => asked.startsWith(`POST ${path}`))
    .map((asked) => new URL(asked.slice(5), door.url).searchParams.get('commandId'));

/**
 * Returns this machine's own Node, if it is not the one that runs the tests, because the package must work on Node 20.
 */
async function otherNode(): Promise<string> {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  for (const folder of folders.filter((name) => !name.includes('node_modules'))) {
    const node = join(folder, 'node');
    const found = await run(node, ['--version']).catch(() => null);
    if (found !== null) return node;
  }
  return process.execPath;
}

async function sell(count: number): Promise<void> {
  const { data: request } = await clientOf('user').command('/app-install-requests', { body: {} });
  const { data: install } = await provider.command('/app-install-requests/{contractId}/accept', {
    path: { contractId: request.contractId },
    body: { installMeta: {} },
  });
  await provider.write('post', '/plans', { body: PLAN });
  for (let number = 0; number < count; number += 1) {
    await provider.command('/app-installs/{contractId}/create-license', {
      path: { contractId: install.contractId },
      body: { planId: 'team', params: {} },
    });
  }
}

beforeAll(async () => {
  app = await mkdtemp(join(tmpdir(), 'tenure-client-'));
  const installed = join(app, 'node_modules/tenure-client');
  await mkdir(installed, { recursive: true });
  await Promise.all([buildClient(installed), sell(5)]);
  await cp('examples/renewal-job', app, { recursive: true });
});
afterAll(() => rm(app, { recursive: true, force: true }));

test('the package is one module below 12 kB without imports', async () => {
  const script = await readFile(join(app, 'node_modules/tenure-client/dist/index.js'));
  expect(gzipSync(script).length).toBeLessThan(12 * 1_024);
  expect(script.toString()).not.toMatch(/^import\b|\bimport\(|\brequire\(/mu);
});

test('a list has each entry once, over its pages', async () => {
  const since = door.asked.length;
  const numbers: number[] = [];
  for await (const { licenseNum } of provider.list('/licenses', { query: { limit: 2 } })) {
    numbers.push(licenseNum);
  }
  expect(numbers.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5]);
  expect(door.asked.slice(since)).toHaveLength(3);
});

test('a page that was closed before its answer continues the command after its reload', async () => {
  const kept = new Map<string, string>();
  const storage = {
    get length() {
      return kept.size;
    },
    key: (index: number) => [...kept.keys()][index] ?? null,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
  const open = (more: Partial<ClientOptions> = {}) =>
    clientOf('user', { store: webStore(storage, 'app-user:'), ...more });
  const since = door.asked.length;
  door.lose(/^POST \/app-install-requests\?/u);
  const asked = { name: 'install', body: {} };
  const first = open({ patienceMs: 0 }).command('/app-install-requests', asked);
  await expect(first).rejects.toThrow(NoAnswerError);
  const reloaded = open();
  expect(await reloaded.pending()).toEqual(['install']);
  expect(await reloaded.resume('install')).toMatchObject({ status: 201, isRepeat: true });
  expect(await reloaded.pending()).toEqual([]);
  expect(kept.size).toBe(0);
  const [sent, again] = commandIdsAt('/app-install-requests', since);
  expect(again).toBe(sent);
  expect((await reloaded.get('/app-install-requests')).data).toHaveLength(1);
});

test('a command that the server only records is followed to its end by the stream of events', async () => {
  const since = door.asked.length;
  const commandId = 'followed-1';
  const [request] = (await provider.get('/app-install-requests')).data;
  const { status } = await provider.command('/app-install-requests/{contractId}/reject', {
    path: { contractId: String(request?.contractId) },
    body: {},
    commandId,
    headers: { prefer: 'respond-async, wait=0' },
  });
  expect(status).toBe(204);
  expect(door.asked.slice(since).some((asked) => asked.startsWith('GET /events?'))).toBe(true);
  for await (const told of provider.events({ after: '0', types: ['tenure.operation.*'] })) {
    if (told.kind !== 'event' || told.event.data['commandId'] !== commandId) continue;
    expect(told.event.type).toBe('tenure.operation.accepted');
    break;
  }
});

test('the job renews each licence once on Node 20, with a lost answer and in a second run', async () => {
  const node = await otherNode();
  const token = await world.tokenOf('provider');
  const env = { TENURE_API_URL: door.url, TENURE_TOKEN: token, PLAN: 'team', WITHIN: 'P14D' };
  const runJob = async (): Promise<readonly string[]> => {
    const { stdout } = await run(node, ['job.mjs'], { cwd: app, env });
    const lines = stdout.trim().split('\n');
    return lines.map((line) => (JSON.parse(line) as { readonly renewal: string }).renewal);
  };
  door.lose(/^POST \/licenses\/[^/]+\/renew/u);
  const first = await runJob();
  expect(first.toSorted()).toEqual(['asked', 'asked', 'asked', 'asked', 'asked before']);
  const ids = commandIdsAt('/licenses/');
  expect([ids.length, new Set(ids).size]).toEqual([6, 5]);
  expect(await runJob()).toEqual(Array.from({ length: 5 }, () => 'asked before'));
  expect((await provider.get('/license-renewal-requests')).data).toHaveLength(5);
});
