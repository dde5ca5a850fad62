/*
 * Measures how other callers are affected by hostile loads: `node bench/abuse.bench.ts [seconds=3] [load]`. Tenure runs
 * twice: first without the limits that settings can switch off, then with all limits at their defaults. During each
 * load, one tenant creates licences and reads lists, and a probe requests `/readyz`. Anonymous clients send bodies
 * without credentials, request open documents, and send slow headers, forged sessions and hundreds of requests at once.
 * Another tenant sends reads, writes and bodies, and opens event streams. In the last load it sends all of this at
 * once, as 400 subjects over 2,000 connections, with failed logins, from a process of its own. The first row shows the
 * values without a load. This client runs on the same machine.
 */
import { execFile, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Agent, request, setGlobalDispatcher } from 'undici';
import { table } from '../cli/table.ts';
import { makeKey, startIssuer } from '../test/kit/issuer.ts';
import type { SenderOrder } from './abuse-sender.ts';
import { createLicense, makeInstalls } from './create-license.ts';
import { startBenchWorld } from './world.ts';

const SECONDS = Number(process.argv[2] ?? 3);
/** Selects loads by name. */
const ONLY = new RegExp(process.argv[3] ?? '', 'u');
/**
 * The limits under which this process measures; undefined in the main process, which starts one process for each run.
 */
const RUN = process.argv[4];
if (RUN === undefined) {
  for (const [run, title] of [
    ['without', 'Before: without limits'],
    ['with', 'After: with the limits as shipped'],
  ] as const) {
    console.log(`\n${title}\n`);
    const args = [import.meta.filename, String(SECONDS), ONLY.source, run];
    const [code] = await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'exit');
    if (code !== 0) throw new Error(`the run ended with ${code}`);
  }
  process.exit();
}
/** How many subjects the tenant that sends everything at once has. */
const SUBJECTS = 400;
/** How many slow connections one address opens. Tenure closes those beyond its limit. */
const SLOW = 2_000;

setGlobalDispatcher(new Agent({ connections: 1_024, pipelining: 1 }));

/** Settings that disable the limits per address. */
const NO_LIMITS = { TENURE_FAILED_AUTHENTICATIONS: '0', TENURE_CONNECTIONS_PER_ADDRESS: '0' };
await using world = await startBenchWorld(
  RUN === 'with' ? { hasLimits: true } : { env: NO_LIMITS },
);
const { apiUrl } = world.state;
const [install = ''] = await makeInstalls(world, 1);

/** A token of the tenant that sends the hostile load. */
const user = await world.token('user');
const asUser = { authorization: `Bearer ${user}` };

/** An issuer of that tenant, for which the bench can sign tokens of any subject. */
await using issuer = await startIssuer(
  'many',
  await makeKey('ES256', 'many'),
  Date.now,
  (port) => `http://127.0.0.1:${port}`,
);
const ALL_AT_ONCE = { reads: 150, writes: 400, streams: 300, logins: 50, slow: SLOW };

async function subjects(): Promise<string[]> {
  const me = await request(`${apiUrl}/user`, { headers: asUser });
  const { party: partyId } = (await me.body.json()) as { party: string };
  const registration = { tenantId: 'Many', partyId, clientId: 'many', issuerUrl: issuer.issuer };
  const status = await statusOf('/admin/tenant-registrations', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await world.token('provider')}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ ...registration, walletUrl: 'http://127.0.0.1:1' }),
  });
  if (status !== 201) throw new Error(`the tenant was not registered: ${status}`);
  const claims = (n: number) => ({ sub: `subject-${n}`, azp: 'many' });
  const tokens = await Promise.all(
    Array.from({ length: SUBJECTS }, (_, n) => issuer.token({ claims: claims(n) })),
  );
  // Makes Tenure read the issuer's keys before the load begins.
  const headers = { authorization: `Bearer ${tokens[0] ?? ''}` };
  const entered = await statusOf('/user', { headers });
  if (entered !== 200) throw new Error(`a token of the tenant is not taken: ${entered}`);
  return tokens;
}

type Send = (over: AbortSignal) => Promise<number>;

async function statusOf(path: string, options: Parameters<typeof request>[1]): Promise<number> {
  const { statusCode, body } = await request(`${apiUrl}${path}`, options);
  await body.dump();
  return statusCode;
}

/** Opens a connection, begins a request, and sends nothing more. */
async function slowHeaders(over: AbortSignal): Promise<number> {
  const { hostname, port } = new URL(apiUrl);
  const socket: Socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write('GET /livez HTTP/1.1\r\nHost: ');
  const closed = new Promise<number>((resolve) => socket.once('close', () => resolve(408)));
  const ended = await Promise.race([closed, sleep(SECONDS * 1_000, 0, { signal: over })]).catch(
    () => 0,
  );
  socket.destroy();
  return ended;
}

/** Sends hundreds of requests in one packet. */
async function pipeline(over: AbortSignal): Promise<number> {
  const { hostname, port } = new URL(apiUrl);
  const socket: Socket = connect(Number(port), hostname);
  const closed = new Promise<number>((resolve) => socket.once('close', () => resolve(0)));
  socket.on('error', () => undefined).resume();
  over.addEventListener('abort', () => socket.destroy(), { once: true });
  socket.write('GET /licenses HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(500));
  return closed;
}

async function stream(over: AbortSignal): Promise<number> {
  const { statusCode, body } = await request(`${apiUrl}/events`, { headers: asUser, signal: over });
  await body.dump({ limit: 1_024, signal: over }).catch(() => undefined);
  return statusCode;
}

const FULL_BODY = `[${'1,'.repeat(524_000)}1]`;
const JSON_TYPE = { 'content-type': 'application/json' };

interface Load {
  readonly name: string;
  readonly atOnce: number;
  readonly send: Send;
}

const post = (signal: AbortSignal): Promise<number> =>
  statusOf(`/app-install-requests?commandId=${randomUUID()}`, {
    method: 'POST',
    headers: { ...asUser, ...JSON_TYPE },
    body: '{}',
    signal,
  });

const LOADS: readonly Load[] = [
  { name: 'nothing', atOnce: 0, send: async () => 0 },
  {
    name: 'strangers’ bodies of 1 MiB',
    atOnce: 6,
    send: (signal) =>
      statusOf('/logout', { method: 'POST', headers: JSON_TYPE, body: FULL_BODY, signal }),
  },
  {
    name: 'strangers’ documents',
    atOnce: 16,
    send: (signal) => statusOf('/docs/js/scalar.js', { signal }),
  },
  { name: 'strangers’ slow headers', atOnce: SLOW, send: slowHeaders },
  {
    name: 'strangers without a token',
    atOnce: 64,
    send: (signal) => statusOf('/licenses', { signal }),
  },
  {
    name: 'strangers’ forged sessions',
    atOnce: 64,
    send: (signal) => {
      const cookie = `JSESSIONID=${randomBytes(32).toString('base64url')}`;
      return statusOf('/licenses', { headers: { cookie }, signal });
    },
  },
  { name: 'strangers’ pipelines', atOnce: 16, send: pipeline },
  {
    name: 'a tenant’s reads',
    atOnce: 200,
    send: (signal) => statusOf('/app-install-requests', { headers: asUser, signal }),
  },
  { name: 'a tenant’s writes', atOnce: 400, send: post },
  {
    name: 'a tenant’s bodies of 1 MiB',
    atOnce: 64,
    send: (signal) =>
      statusOf(`/app-install-requests?commandId=${randomUUID()}`, {
        method: 'POST',
        headers: { ...asUser, ...JSON_TYPE },
        body: FULL_BODY,
        signal,
      }),
  },
  { name: 'a tenant’s streams', atOnce: 300, send: stream },
];

interface Times {
  readonly ms: number[];
  failed: number;
}

const percentile = ({ ms }: Times, share: number): string => {
  const sorted = ms.toSorted((a, b) => a - b);
  return (sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? NaN).toFixed(0);
};

/** Makes a call again and again, one at a time, until `over` is aborted. */
async function timed(over: AbortSignal, call: () => Promise<unknown>): Promise<Times> {
  const times: Times = { ms: [], failed: 0 };
  while (!over.aborted) {
    const beganMs = performance.now();
    try {
      await call();
      times.ms.push(performance.now() - beganMs);
    } catch {
      times.failed += 1;
    }
  }
  return times;
}

async function provided(path: string): Promise<void> {
  const headers = { authorization: `Bearer ${await world.token('provider')}` };
  const status = await statusOf(path, { headers });
  if (status !== 200) throw new Error(`${path}: ${status}`);
}

async function isReady(): Promise<void> {
  const status = await statusOf('/readyz', {});
  if (status !== 200) throw new Error(`/readyz: ${status}`);
  await sleep(50);
}

/** Lets each sender send one request after another. Counts the answers by status. */
async function loading({ atOnce, send }: Load, over: AbortSignal): Promise<Map<number, number>> {
  const answers = new Map<number, number>();
  const senders = Array.from({ length: atOnce }, async () => {
    while (!over.aborted) {
      const status = await send(over).catch(() => 0);
      answers.set(status, (answers.get(status) ?? 0) + 1);
      // Pauses after a refusal, so that this client does not use the processor time that the server needs.
      if (status === 429 || status === 0) await sleep(20);
    }
  });
  await Promise.all(senders);
  return answers;
}

/** @returns the number of answers of each status, as text */
async function loadingHere(load: Load, over: AbortSignal): Promise<string> {
  const answers = [...(await loading(load, over))].toSorted(([a], [b]) => a - b);
  return answers.map(([status, n]) => `${n} × ${status}`).join(', ');
}

async function allAtOnce(tokens: readonly string[]): Promise<string> {
  const file = join(world.dataDir, 'abuse.json');
  const order: SenderOrder = { apiUrl, tokens, seconds: SECONDS, atOnce: ALL_AT_ONCE };
  await writeFile(file, JSON.stringify(order));
  const args = [join(import.meta.dirname, 'abuse-sender.ts'), file];
  return (await promisify(execFile)(process.execPath, args)).stdout.trim();
}

async function measure(
  name: string,
  load: (over: AbortSignal) => Promise<string>,
): Promise<readonly string[]> {
  const over = AbortSignal.timeout(SECONDS * 1_000);
  const [told, writes, reads, probes] = await Promise.all([
    load(over),
    timed(over, () => createLicense(world, install, randomUUID())),
    timed(over, () => provided('/licenses?limit=20')),
    timed(over, isReady),
  ]);
  return [
    name,
    told,
    String(writes.ms.length),
    percentile(writes, 0.5),
    String(reads.ms.length),
    percentile(reads, 0.5),
    `${probes.ms.length}, ${probes.failed}`,
    String(writes.failed + reads.failed),
  ];
}

const tokens = await subjects();
const rows: (readonly string[])[] = [];
for (const load of LOADS.filter(({ name }) => ONLY.test(name)))
  rows.push(await measure(load.name, (over) => loadingHere(load, over)));
const ALL = 'a tenant’s requests of all kinds at once';
if (ONLY.test(ALL)) rows.push(await measure(ALL, () => allAtOnce(tokens)));
console.log(
  table(
    [
      'Load',
      'its answers (0: none)',
      'writes',
      'p50, ms',
      'reads',
      'p50, ms',
      'ready, not',
      'failed',
    ],
    rows.map((row) => [...row]),
  ),
);
