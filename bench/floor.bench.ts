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
import { LocalRedisError, startLocalRedis } from '../embedded/redis.ts';
import { NODE_ENVIRONMENT, NODE_FLAGS } from '../src/main/node-flags.ts';
import { BareLedger, backendToken } from './bare-ledger.ts';
import { createLicense, makeInstalls } from './create-license.ts';
import { spread } from './figures.ts';
import type { FloorLayer } from './floor-peer.ts';
import { closedLoop, openLoop } from './load.ts';
import { cpuSeconds, familyOf, processorTime, startBenchWorld } from './world.ts';
import type { BenchWorld } from './world.ts';

/*
 * What the least would cost that can stand between REST and the ledger (`bench/floor-peer.ts`), layer by layer, each
 * beside the bare loop on the same LocalNet, and then Tenure: what bounds its figures on this machine. As in `make
 * bench` the bare loop's updates are followed by what it stands beside.
 *
 *   node bench/floor.bench.ts [rounds=3] [seconds=4]
 */

setGlobalDispatcher(new Agent({ connections: 256, pipelining: 1 }));

const ROUNDS = Number(process.argv[2] ?? 3);
const SECONDS = Number(process.argv[3] ?? 4);
const CALLERS = 50;
const RATE = 150;
const WARM_SECONDS = 8;

interface Peer {
  readonly layer: FloorLayer;
  readonly onRedis: boolean;
  /** For how long a request rests for others. */
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
];

/** What was seen of one peer in one round. */
interface Seen {
  readonly bare: number;
  readonly perSecond: number;
  readonly aloneAbove: number;
  readonly aloneAboveP99: number;
  readonly pacedP99: number;
  /** Milliseconds of processor time an operation, by kind. */
  readonly costs: readonly number[];
}

const PEER = fileURLToPath(new URL('floor-peer.ts', import.meta.url));
const TABLES = [
  'create table floor_change (id uuid primary key, install text, party text, state smallint, update_id text)',
  'create table floor_contract (contract_id text primary key, change uuid, template text, payload json)',
  'create table floor_cursor (read_to bigint)',
  'insert into floor_cursor values (0)',
];
const { signal } = new AbortController();

/** Whose processor time is told apart. */
const KINDS = ['client', 'localnet', 'peer', 'stores'] as const;
/** Seconds of processor time so far, by these kinds. */
type Spent = () => readonly number[];

const spentBy = (localnet: number, peerPid: number, stores: readonly number[]): Spent => {
  const of = (pid: number) => familyOf(pid).reduce((sum, one) => sum + cpuSeconds(one), 0);
  return () => {
    const { user, system } = process.cpuUsage();
    const kept = stores.reduce((sum, pid) => sum + of(pid), 0);
    return [(user + system) / 1e6, of(localnet), of(peerPid), kept];
  };
};

const spentByTenure =
  ({ pid }: BenchWorld): Spent =>
  () => {
    const found = processorTime(pid);
    const of = (kind: string) => found.get(kind) ?? 0;
    return [of('client'), of('localnet'), of('tenure'), of('postgres') + of('redis')];
  };

/** The bare loop and the peer by turns, on installs of their own. */
async function measure(
  bareCall: (n: number) => Promise<void>,
  call: (n: number) => Promise<void>,
  spent: Spent,
): Promise<Seen> {
  await closedLoop(CALLERS, WARM_SECONDS, call);
  const bareAlone = await closedLoop(1, SECONDS / 2, bareCall);
  const alone = await closedLoop(1, SECONDS, call);
  const paced = await openLoop(RATE, SECONDS, (n) => call(n % CALLERS));
  const bare = await closedLoop(CALLERS, SECONDS, bareCall);
  const before = spent();
  const full = await closedLoop(CALLERS, SECONDS, call);
  const costs = spent().map((all, n) => ((all - (before[n] ?? 0)) * 1_000) / full.count);
  if (full.failures + alone.failures > 0) throw new Error('a peer has failed operations');
  return {
    bare: bare.perSecond,
    perSecond: full.perSecond,
    aloneAbove: alone.p50 - bareAlone.p50,
    aloneAboveP99: alone.p99 - bareAlone.p50,
    pacedP99: paced.p99,
    costs,
  };
}

const calling = (world: BenchWorld, installs: readonly string[]) => (n: number) =>
  createLicense(world, installs[n] ?? '');

/** What a peer stands beside, and what it stands on. */
interface Ground {
  readonly world: BenchWorld;
  readonly localnet: LocalNetwork;
  readonly postgres: EmbeddedPostgres;
  readonly redis: { readonly url: string; readonly pid: number } | null;
  readonly bareCall: (n: number) => Promise<void>;
  readonly address: string;
  readonly token: string;
}

async function measurePeer(
  { layer, restMs, onRedis }: Peer,
  ground: Ground,
  installs: readonly string[],
): Promise<Seen> {
  const { world, localnet, postgres, redis } = ground;
  const child = spawn(process.execPath, [...NODE_FLAGS, PEER], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: {
      ...NODE_ENVIRONMENT,
      PATH: process.env['PATH'],
      FLOOR_LAYER: layer,
      FLOOR_REST_MS: String(restMs),
      FLOOR_LEDGER: ground.address,
      FLOOR_TOKEN: ground.token,
      FLOOR_PARTY: localnet.ready.parties.appProvider,
      FLOOR_DATABASE: postgres.socketUrl ?? postgres.url,
      ...(onRedis && redis !== null ? { FLOOR_REDIS: redis.url } : {}),
    },
  });
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('the peer has ended')));
  try {
    const [{ port }] = (await Promise.race([once(child, 'message'), ended])) as [{ port: number }];
    const state = { ...world.state, apiUrl: `http://127.0.0.1:${port}` };
    const stores = redis === null ? [postgres.pid] : [postgres.pid, redis.pid];
    const spent = spentBy(localnet.pid, child.pid ?? 0, stores);
    const call = calling({ ...world, state }, installs);
    return await Promise.race([measure(ground.bareCall, call, spent), ended]);
  } finally {
    child.kill('SIGKILL');
    await ended.catch(() => undefined);
  }
}

/** Calls the bare loop, each on an install of its own, whose contract is another one after each. */
const bareCalling = (bare: BareLedger, installs: readonly string[]) => {
  const current = [...installs];
  return async (n: number): Promise<void> => {
    current[n] = await bare.createLicense(current[n] ?? '');
  };
};

async function localRedis(dataDir: string) {
  try {
    return await startLocalRedis({ dataDir, searchPath: process.env['PATH'] ?? '', signal });
  } catch (error) {
    if (!(error instanceof LocalRedisError)) throw error;
    console.warn(`Redis is left out: ${error.message}`);
    return null;
  }
}

/** Every peer, so many times by turns. Tenure is stopped; its LocalNet's data are what they work on. */
async function measurePeers(
  dataDir: string,
  world: BenchWorld,
  installs: () => readonly string[],
): Promise<Map<string, Seen[]>> {
  const localnet = await startLocalNetwork({
    dataDir: localnetDataDir(dataDir),
    logFile: join(dataDir, 'floor-localnet.log'),
    ports: 'free',
    environment: {},
    signal,
  });
  const postgres = await startEmbeddedPostgres({ dataDir: join(dataDir, 'floor'), signal });
  const redis = await localRedis(join(dataDir, 'floor-redis'));
  for (const statement of TABLES) await rowsOf(postgres.url, statement);
  const { providerTokenUrl } = localnetAddresses(localnet.ready);
  const address = `127.0.0.1:${localnet.ready.ports.participants['app-provider']['ledger']}`;
  const bare = await BareLedger.open(address, providerTokenUrl, localnet.ready.parties.appProvider);
  const bareCall = bareCalling(bare, installs());
  const token = await backendToken(providerTokenUrl);
  const ground: Ground = { world, localnet, postgres, redis, bareCall, address, token };
  const seen = new Map<string, Seen[]>();
  await closedLoop(CALLERS, WARM_SECONDS, bareCall);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const each of PEERS.filter(({ onRedis }) => !onRedis || redis !== null)) {
      const found = await measurePeer(each, ground, installs());
      seen.set(nameOf(each), [...(seen.get(nameOf(each)) ?? []), found]);
    }
  }
  bare.close();
  await localnet.stop();
  await redis?.stop();
  await postgres.stop();
  return seen;
}

/** Tenure itself, with a LocalNet of its own: it would first have to catch up with what the peers have done. */
async function measureTenure(env: Readonly<Record<string, string>>): Promise<Seen[]> {
  await using world = await startBenchWorld({ env });
  const { addresses, localnet, providerParty } = world.state;
  const address = addresses.find(({ name }) => name === 'provider, Ledger API')?.url ?? '';
  const bare = await BareLedger.open(address, localnet?.providerTokenUrl ?? '', providerParty);
  const bareCall = bareCalling(bare, await makeInstalls(world, CALLERS));
  const call = calling(world, await makeInstalls(world, CALLERS));
  const seen: Seen[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    seen.push(await measure(bareCall, call, spentByTenure(world)));
  }
  bare.close();
  return seen;
}

function floorTable(seen: ReadonlyMap<string, readonly Seen[]>): string {
  const heads = ['bare', 'per s', 'ratio', 'alone', 'p99', `${RATE}/s`, 'ms', ...KINDS];
  const rows = [...seen].map(([name, found]) => {
    const of = (digits: number, pick: (one: Seen) => number) => spread(found.map(pick), digits);
    return [
      name,
      of(0, ({ bare }) => bare),
      of(0, ({ perSecond }) => perSecond),
      of(2, ({ perSecond, bare }) => perSecond / bare),
      of(1, ({ aloneAbove }) => aloneAbove),
      of(0, ({ aloneAboveP99 }) => aloneAboveP99),
      of(0, ({ pacedP99 }) => pacedP99),
      of(2, ({ costs }) => costs.reduce((sum, ms) => sum + ms, 0)),
      ...KINDS.map((_, n) => of(2, ({ costs }) => costs[n] ?? 0)),
    ];
  });
  return table(['what', ...heads], rows);
}

const dataDir = await mkdtemp(join(tmpdir(), 'tenure-floor-'));
try {
  const count = CALLERS * (1 + ROUNDS * PEERS.length);
  const { world, all } = await (async () => {
    await using first = await startBenchWorld({ dataDir });
    return { world: first, all: await makeInstalls(first, count) };
  })();
  let taken = 0;
  const installs = () => all.slice(taken, (taken += CALLERS));
  const seen = await measurePeers(dataDir, world, installs);
  seen.set('Tenure', await measureTenure({}));
  const hasRedis = [...seen.keys()].some((name) => name.includes('Redis'));
  if (hasRedis) seen.set('Tenure on Redis', await measureTenure({ REDIS_URL: 'local' }));
  console.log(
    `bare loop beside it, a second; ${CALLERS} callers; one alone above the bare loop's p50, and its p99, ms; ` +
      `p99 at ${RATE}/s, ms; processor time, ms`,
  );
  console.log(floorTable(seen));
} finally {
  await rm(dataDir, { recursive: true, force: true });
}
