/*
 * Measures how much faster another queue or another process makes Tenure. Fifty callers use create-license over REST,
 * on one Tenure whose number of queues changes between the runs, and on Tenures with one, two and three processes. Each
 * round also measures the bare loop on the same participant. All processes use the same machine, including this client.
 *
 *   node bench/shards.bench.ts [postgres,redis,cluster,processes] [--runs 3] [--seconds 4] [--shards 1,2,4,8]
 *   [--processes 1,2,3]
 *
 * `cluster` is a Redis Cluster of three primaries and three replicas. The bench fails if an invariant is violated, but
 * never because of speed.
 */
import { randomUUID } from 'node:crypto';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { Agent, setGlobalDispatcher } from 'undici';
import { rowsOf } from '../chaos/rows.ts';
import { table } from '../cli/table.ts';
import { queueShards } from '../src/main/queue-shards.ts';
import { redisProgram } from '../test/e2e/kit/has-redis.ts';
import { startRedisCluster } from '../embedded/redis-cluster.ts';
import { BareLedger } from './bare-ledger.ts';
import { createLicense, makeInstalls } from './create-license.ts';
import { spread } from './figures.ts';
import { checkInvariants } from './invariants.ts';
import { closedLoop } from './load.ts';
import { memoryOf, processorTime, startBenchWorld } from './world.ts';
import type { BenchOptions, BenchWorld } from './world.ts';

setGlobalDispatcher(new Agent({ connections: 256, pipelining: 1 }));

const PARTS = ['postgres', 'redis', 'cluster', 'processes'] as const;
type Part = (typeof PARTS)[number];
const CALLERS = 50;
const WARM_SECONDS = 3;
/** How long to wait, after the number of queues was changed, until all processes use the new number. */
const FOLLOW_SECONDS = 1;

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '4' },
    shards: { type: 'string', default: '1,2,4,8' },
    processes: { type: 'string', default: '1,2,3' },
  },
});
const RUNS = Number(given.runs);
const SECONDS = Number(given.seconds);
const numbers = (list: string): number[] => list.split(',').map(Number);

/** The measurements of one period of load. */
interface Stretch {
  /** The number of queues or processes of the run. */
  readonly of: string;
  readonly perSecond: number;
  readonly p99: number;
  readonly bare: number;
  /** The processor time per operation, by kind of process, in milliseconds. */
  readonly costs: ReadonlyMap<string, number>;
  readonly connections: number;
  readonly memoryMiB: number;
}

interface Bench {
  readonly world: BenchWorld;
  readonly bare: BareLedger;
  readonly installs: readonly string[];
  readonly bareCall: (n: number) => Promise<void>;
  readonly answered: string[];
}

async function open(world: BenchWorld): Promise<Bench> {
  const bare = await BareLedger.beside(world.state);
  const installs = await makeInstalls(world, CALLERS);
  const bareCall = bare.callers(await makeInstalls(world, CALLERS));
  return { world, bare, installs, bareCall, answered: [] };
}

const creating =
  ({ world, installs, answered }: Bench) =>
  async (n: number): Promise<void> => {
    const commandId = randomUUID();
    await createLicense(world, installs[n] ?? '', commandId);
    answered.push(commandId);
  };

async function bareRate({ bareCall }: Bench): Promise<number> {
  const found = await closedLoop(CALLERS, SECONDS / 2, bareCall);
  return found.perSecond;
}

const CONNECTIONS = `select count(*)::int as count from pg_stat_activity
  where backend_type = 'client backend' and pid <> pg_backend_pid()`;

async function stretch(bench: Bench, of: string, bare: number): Promise<Stretch> {
  const { pid, state } = bench.world;
  const before = processorTime(process.pid);
  const found = await closedLoop(CALLERS, SECONDS, creating(bench));
  const after = processorTime(process.pid);
  if (found.failures > 0) throw new Error(`${found.failures} operations were refused or lost`);
  const [connections] = await rowsOf<{ count: number }>(state.databaseUrl, CONNECTIONS);
  // Counts all processes that were started here, including the nodes of a cluster. This process itself counts as
  // `client`.
  const kinds = [...after].filter(([kind]) => kind !== 'other');
  const costs = kinds.map(([kind, seconds]) => {
    const ms = ((seconds - (before.get(kind) ?? 0)) * 1_000) / found.count;
    return [kind, ms] as const;
  });
  return {
    of,
    perSecond: found.perSecond,
    p99: found.p99,
    bare,
    costs: new Map(costs),
    connections: connections?.count ?? 0,
    memoryMiB: memoryOf(pid).reduce((sum, { pss }) => sum + pss, 0),
  };
}

/** Reverses the order in every second run. So a change of the machine's speed during the bench favours no value. */
const inTurns = <T>(values: readonly T[], run: number): readonly T[] =>
  run % 2 === 0 ? values : values.toReversed();

async function byShards(options: BenchOptions): Promise<Stretch[]> {
  await using world = await startBenchWorld(options);
  const bench = await open(world);
  await closedLoop(CALLERS, WARM_SECONDS, creating(bench));
  const found: Stretch[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const bare = await bareRate(bench);
    for (const shards of inTurns(numbers(given.shards), run)) {
      await queueShards(world.state.databaseUrl, shards);
      await closedLoop(CALLERS, FOLLOW_SECONDS, creating(bench));
      found.push(await stretch(bench, `${shards} queues`, bare));
    }
  }
  bench.bare.close();
  await checkInvariants(world, bench.answered);
  return found;
}

async function byProcesses(): Promise<Stretch[]> {
  const found: Stretch[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    for (const processes of inTurns(numbers(given.processes), run)) {
      await using world = await startBenchWorld({ env: { TENURE_PROCESSES: String(processes) } });
      const bench = await open(world);
      await closedLoop(CALLERS, WARM_SECONDS, creating(bench));
      found.push(await stretch(bench, `${processes} processes`, await bareRate(bench)));
      bench.bare.close();
      await checkInvariants(world, bench.answered);
    }
  }
  return found;
}

async function onCluster(): Promise<Stretch[]> {
  await using cluster = await startRedisCluster(process.env['PATH'] ?? '');
  // The doctor, which checks the invariants, reads this variable as well.
  process.env['REDIS_URL'] = cluster.url;
  try {
    return await byShards({});
  } finally {
    delete process.env['REDIS_URL'];
  }
}

const MEASURES: Readonly<Record<Part, () => Promise<Stretch[]>>> = {
  postgres: () => byShards({}),
  redis: () => byShards({ env: { REDIS_URL: 'local' } }),
  cluster: onCluster,
  processes: byProcesses,
};

/**
 * Returns a table with one line for each number of queues or processes: the minimum, median and maximum of its runs.
 */
function resultTable(stretches: readonly Stretch[]): string {
  const kinds = [...new Set(stretches.flatMap(({ costs }) => [...costs.keys()]))];
  const lines = [...Map.groupBy(stretches, ({ of }) => of)].map(([of, runs]) => [
    of,
    spread(
      runs.map(({ perSecond }) => perSecond),
      0,
    ),
    spread(
      runs.map(({ p99 }) => p99),
      0,
    ),
    spread(
      runs.map(({ costs }) => costs.values().reduce((sum, ms) => sum + ms, 0)),
      2,
    ),
    ...kinds.map((kind) =>
      spread(
        runs.map(({ costs }) => costs.get(kind) ?? 0),
        2,
      ),
    ),
    spread(
      runs.map(({ bare }) => bare),
      0,
    ),
    String(Math.max(...runs.map(({ connections }) => connections))),
    spread(
      runs.map(({ memoryMiB }) => memoryMiB),
      0,
    ),
  ]);
  const heading = ['', 'per s', 'p99 ms', 'processor ms', ...kinds];
  return table([...heading, 'bare, per s', 'connections', 'MiB'], lines);
}

const [cpu] = cpus();
console.log(`${cpus().length} × ${cpu?.model ?? '?'}, Node ${process.versions.node}`);
const asked = positionals[0]?.split(',') ?? PARTS;
for (const part of PARTS.filter((one) => asked.includes(one))) {
  if (part !== 'postgres' && part !== 'processes' && redisProgram() === undefined) {
    console.log(`Not measured: ${part}, since neither valkey-server nor redis-server is installed`);
    continue;
  }
  console.log(`\n${part}, ${RUNS} runs of ${SECONDS} s each: least – median – most`);
  console.log(resultTable(await MEASURES[part]()));
}
