import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Agent, setGlobalDispatcher } from 'undici';
import { rowsOf } from '../chaos/rows.ts';
import { table } from '../cli/table.ts';
import type { LocalNetwork } from '../embedded/localnet.ts';
import { localnetAddresses, localnetDataDir, startLocalNetwork } from '../embedded/localnet.ts';
import type { EmbeddedPostgres } from '../embedded/postgres/embedded-postgres.ts';
import { startEmbeddedPostgres } from '../embedded/postgres/embedded-postgres.ts';
import type { LocalRedis } from '../embedded/redis.ts';
import { LocalRedisError, startLocalRedis } from '../embedded/redis.ts';
import { NODE_ENVIRONMENT, NODE_FLAGS } from '../src/main/node-flags.ts';
import { BareLedger, backendToken } from './bare-ledger.ts';
import { createLicense, makeInstalls } from './create-license.ts';
import { logMark, loggedBetween, prepareDatabase } from './database-work.ts';
import { spread } from './figures.ts';
import type { FloorLayer } from './floor-peer.ts';
import type { Figures } from './load.ts';
import { closedLoop, openLoop } from './load.ts';
import { cpuSeconds, ofFamily, processorTime, startBenchWorld } from './world.ts';
import type { BenchWorld } from './world.ts';

/*
 * Measures the smallest possible cost of a service between REST and the ledger (`bench/floor-peer.ts`), layer by layer,
 * alternating with Tenure. Tenure's figures on this machine cannot be better. Together with each layer and with Tenure,
 * a bare loop on the same LocalNet is measured. As in `make bench`, the service also reads the updates of the bare
 * loop, except with the layer `call`.
 *
 *   node bench/floor.bench.ts [rounds=3] [seconds=4]
 */

setGlobalDispatcher(new Agent({ connections: 256, pipelining: 1 }));

const ROUNDS = Number(process.argv[2] ?? 3);
const SECONDS = Number(process.argv[3] ?? 4);
const CALLERS = 50;
const RATE = 150;
const AT_ONCE = 100;
const BARE_WARM_SECONDS = 2;
/**
 * How many seconds of load precede the measurement. A new peer is started for each round. Tenure needs more, because it
 * has more code to compile, but it keeps running between its rounds.
 */
const WARM_SECONDS = 8;
const TENURE_WARM_SECONDS = 20;
/**
 * Installs are requested in groups of this size, because admission control refuses requests that would wait too long.
 */
const INSTALLS_AT_ONCE = 200;

interface Peer {
  readonly layer: FloorLayer;
  readonly onRedis: boolean;
  /** How long a batch of requests waits for further requests while others are in progress. */
  readonly restMs: number;
}

const peer = (layer: FloorLayer, restMs = 0, onRedis = false): Peer => ({ layer, restMs, onRedis });
const nameOf = ({ layer, restMs, onRedis }: Peer): string =>
  `${layer}${onRedis ? ' on Redis' : ''}${restMs === 0 ? '' : `, rests ${restMs} ms`}`;
const PEERS: readonly Peer[] = [
  peer('call'),
  peer('stream'),
  peer('stored'),
  peer('queued'),
  peer('queued', 45),
  peer('queued', 0, true),
  peer('queued', 45, true),
];

/** The kinds of processes whose processor time is measured separately. */
const KINDS = ['client', 'localnet', 'peer', 'stores'] as const;

/** The measurements of one peer in one round. */
interface Seen {
  readonly bare: number;
  readonly perSecond: number;
  /** The p50 with a single caller, minus that of the bare loop, in milliseconds. */
  readonly alone: number;
  readonly aloneP99: number;
  readonly pacedP99: number;
  /** How many seconds many concurrent requests on one install took. */
  readonly atOnce: number;
  /** The processor time per operation, by kind of process, in milliseconds. */
  readonly costs: readonly number[];
  /** KiB of the write-ahead log per operation, without full-page images. */
  readonly logKiB: number;
}

const PEER = fileURLToPath(new URL('floor-peer.ts', import.meta.url));
const TABLES = [
  'create table floor_change (id uuid primary key, install text, party text, state smallint, update_id text)',
  'create table floor_contract (contract_id text primary key, change uuid, template text, payload json)',
  'create table floor_cursor (read_to bigint)',
  'insert into floor_cursor values (0)',
];
const { signal } = new AbortController();

/** A measured service, and its probes. */
interface Subject {
  readonly call: (n: number) => Promise<void>;
  readonly bareCall: (n: number) => Promise<void>;
  /** Returns the processor time so far, in seconds, by kind of process. */
  readonly spent: () => readonly number[];
  readonly databaseUrl: string;
  readonly warmSeconds: number;
}

/**
 * Returns the figures. @throws Error if an operation has failed, because the figures of the others would then look too
 * good
 */
function whole(figures: Figures): Figures {
  if (figures.failures > 0) throw new Error(`${figures.failures} operations have failed`);
  return figures;
}

async function measure({
  call,
  bareCall,
  spent,
  databaseUrl,
  warmSeconds,
}: Subject): Promise<Seen> {
  whole(await closedLoop(CALLERS, warmSeconds, call));
  whole(await closedLoop(CALLERS, BARE_WARM_SECONDS, bareCall));
  const bareAlone = whole(await closedLoop(1, SECONDS / 2, bareCall));
  const alone = whole(await closedLoop(1, SECONDS, call));
  const paced = whole(await openLoop(RATE, SECONDS, (n) => call(n % CALLERS)));
  const began = performance.now();
  await Promise.all(Array.from({ length: AT_ONCE }, () => call(0)));
  const atOnce = (performance.now() - began) / 1_000;
  const bare = whole(await closedLoop(CALLERS, SECONDS, bareCall));
  // This call is answered only after all updates of the bare loop have been read.
  await call(0);
  const [before, mark] = [spent(), await logMark(databaseUrl)];
  const full = whole(await closedLoop(CALLERS, SECONDS, call));
  const costs = spent().map((all, n) => ((all - (before[n] ?? 0)) * 1_000) / full.count);
  const { walBytes } = await loggedBetween(databaseUrl, mark, await logMark(databaseUrl));
  return {
    bare: bare.perSecond,
    perSecond: full.perSecond,
    alone: alone.p50 - bareAlone.p50,
    aloneP99: alone.p99 - bareAlone.p50,
    pacedP99: paced.p99,
    atOnce,
    costs,
    logKiB: walBytes / 1_024 / full.count,
  };
}

const calling = (world: BenchWorld, installs: readonly string[]) => (n: number) =>
  createLicense(world, installs[n] ?? '');

async function manyInstalls(world: BenchWorld, count: number): Promise<string[]> {
  const made: string[] = [];
  while (made.length < count) {
    made.push(...(await makeInstalls(world, Math.min(INSTALLS_AT_ONCE, count - made.length))));
  }
  return made;
}

async function localRedis(dataDir: string): Promise<LocalRedis | null> {
  try {
    return await startLocalRedis({ dataDir, searchPath: process.env['PATH'] ?? '', signal });
  } catch (error) {
    if (!(error instanceof LocalRedisError)) throw error;
    console.warn(`Redis is left out: ${error.message}`);
    return null;
  }
}

/** The servers and installs that all peers use. */
interface Ground extends AsyncDisposable {
  readonly localnet: LocalNetwork;
  readonly postgres: EmbeddedPostgres;
  readonly redis: LocalRedis | null;
  /** Returns as many installs as there are callers. They are different each time. */
  readonly installs: () => readonly string[];
}

/** Creates installs with a Tenure, which is stopped before this function returns. */
async function madeBefore(dataDir: string, count: number): Promise<readonly string[]> {
  await using world = await startBenchWorld({ dataDir });
  const made = await manyInstalls(world, count);
  return made;
}

/** Prepares the servers for the peers. They use the data of the LocalNet on which the installs were created. */
async function openGround(): Promise<Ground> {
  await using started = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'tenure-floor-'));
  started.defer(() => rm(dataDir, { recursive: true, force: true }));
  const made = await madeBefore(dataDir, CALLERS * 2 * ROUNDS * PEERS.length);
  const localnet = await startLocalNetwork({
    dataDir: localnetDataDir(dataDir),
    logFile: join(dataDir, 'floor-localnet.log'),
    ports: 'free',
    environment: {},
    signal,
  });
  started.defer(() => localnet.stop());
  const postgres = await startEmbeddedPostgres({ dataDir: join(dataDir, 'floor'), signal });
  started.defer(() => postgres.stop());
  const redis = await localRedis(join(dataDir, 'floor-redis'));
  started.defer(() => redis?.stop());
  for (const statement of TABLES) await rowsOf(postgres.url, statement);
  await prepareDatabase(postgres.url);
  const whenDone = started.move();
  let taken = 0;
  return {
    localnet,
    postgres,
    redis,
    installs: () => made.slice(taken, (taken += CALLERS)),
    [Symbol.asyncDispose]: () => whenDone.disposeAsync(),
  };
}

/**
 * Measures one peer, and the bare loop. The tokens of both are equally old, because tokens are valid for only a few
 * minutes.
 */
async function measurePeer(
  { layer, restMs, onRedis }: Peer,
  { localnet, postgres, redis, installs }: Ground,
  world: BenchWorld,
): Promise<Seen> {
  const { ports, parties } = localnet.ready;
  const address = `127.0.0.1:${ports.participants['app-provider']['ledger']}`;
  const { providerTokenUrl } = localnetAddresses(localnet.ready);
  const token = await backendToken(providerTokenUrl);
  const bare = await BareLedger.open(address, providerTokenUrl, parties.appProvider);
  const child = spawn(process.execPath, [...NODE_FLAGS, PEER], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: {
      ...NODE_ENVIRONMENT,
      PATH: process.env['PATH'],
      FLOOR_LAYER: layer,
      FLOOR_REST_MS: String(restMs),
      FLOOR_LEDGER: address,
      FLOOR_TOKEN: token,
      FLOOR_PARTY: parties.appProvider,
      FLOOR_DATABASE: postgres.socketUrl ?? postgres.url,
      ...(onRedis && redis !== null ? { FLOOR_REDIS: redis.url } : {}),
    },
  });
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('the peer has ended')));
  try {
    const [{ port }] = (await Promise.race([once(child, 'message'), ended])) as [{ port: number }];
    const state = { ...world.state, apiUrl: `http://127.0.0.1:${port}` };
    const stores = [postgres.pid, ...(redis === null ? [] : [redis.pid])];
    const secondsOf = (pid = NaN) =>
      ofFamily(pid, cpuSeconds).reduce((sum, seconds) => sum + seconds, 0);
    const subject: Subject = {
      call: calling({ ...world, state }, installs()),
      bareCall: bare.callers(installs()),
      spent: () => {
        const { user, system } = process.cpuUsage();
        const kept = stores.reduce((sum, pid) => sum + secondsOf(pid), 0);
        return [(user + system) / 1e6, secondsOf(localnet.pid), secondsOf(child.pid), kept];
      },
      databaseUrl: postgres.url,
      warmSeconds: WARM_SECONDS,
    };
    return await Promise.race([measure(subject), ended]);
  } finally {
    bare.close();
    child.kill('SIGKILL');
    await ended.catch(() => undefined);
  }
}

/**
 * Tenure itself, with its own LocalNet. On the LocalNet of the peers, it would first have to read all their updates.
 */
interface Tenure extends AsyncDisposable {
  readonly world: BenchWorld;
  readonly measured: () => Promise<Seen>;
}

async function openTenure(env: Readonly<Record<string, string>>): Promise<Tenure> {
  const world = await startBenchWorld({ env });
  const { databaseUrl } = world.state;
  await prepareDatabase(databaseUrl);
  const call = calling(world, await makeInstalls(world, CALLERS));
  whole(await closedLoop(CALLERS, TENURE_WARM_SECONDS, call));
  const spent = () => {
    const found = processorTime(world.pid);
    const of = (kind: string) => found.get(kind) ?? 0;
    return [of('client'), of('localnet'), of('tenure'), of('postgres') + of('redis')];
  };
  return {
    world,
    measured: async () => {
      const bare = await BareLedger.beside(world.state);
      const bareCall = bare.callers(await makeInstalls(world, CALLERS));
      try {
        return await measure({ call, bareCall, spent, databaseUrl, warmSeconds: WARM_SECONDS });
      } finally {
        bare.close();
      }
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

const HEADS = ['bare', 'per s', 'ratio', 'alone', 'p99', `${RATE}/s`, 'at once', 'KiB', 'ms'];

function rowOf(name: string, found: readonly Seen[]): string[] {
  const of = (digits: number, pick: (one: Seen) => number) => spread(found.map(pick), digits);
  return [
    name,
    of(0, ({ bare }) => bare),
    of(0, ({ perSecond }) => perSecond),
    of(2, ({ perSecond, bare }) => perSecond / bare),
    of(1, ({ alone }) => alone),
    of(0, ({ aloneP99 }) => aloneP99),
    of(0, ({ pacedP99 }) => pacedP99),
    of(2, ({ atOnce }) => atOnce),
    of(1, ({ logKiB }) => logKiB),
    of(2, ({ costs }) => costs.reduce((sum, ms) => sum + ms, 0)),
    ...KINDS.map((_, n) => of(2, ({ costs }) => costs[n] ?? 0)),
  ];
}

await using ground = await openGround();
const hasRedis = ground.redis !== null;
await using tenure = await openTenure({});
await using onRedis = hasRedis ? await openTenure({ REDIS_URL: 'local' }) : null;
const entrants: (readonly [string, () => Promise<Seen>])[] = [
  ...PEERS.filter((each) => hasRedis || !each.onRedis).map(
    (each) => [nameOf(each), () => measurePeer(each, ground, tenure.world)] as const,
  ),
  ['Tenure', tenure.measured],
  ...(onRedis === null ? [] : [['Tenure on Redis', onRedis.measured] as const]),
];
const seen = new Map<string, Seen[]>(entrants.map(([name]) => [name, []]));
for (let round = 0; round < ROUNDS; round += 1) {
  // Every second round has the reverse order.
  for (const [name, measured] of round % 2 === 0 ? entrants : entrants.toReversed()) {
    const found = await measured();
    seen.get(name)?.push(found);
    console.log(rowOf(name, [found]).join('  '));
  }
}
console.log(
  `\nthe bare loop beside it and ${CALLERS} callers, a second; one alone above the bare loop's p50, p50 and p99, ms; ` +
    `p99 at ${RATE}/s, ms; ${AT_ONCE} at once on one install, s; log and processor time of an operation`,
);
const rows = [...seen].map(([name, found]) => rowOf(name, found));
console.log(table(['what', ...HEADS, ...KINDS], rows));
