/*
 * What one caller's flood costs another of the same provider, end to end: the user asks for installs, hundreds at once,
 * each in a lane of its own, while the provider creates licences one after the other. Beside it the flood's own times:
 * in the order of arrival all would wait as long.
 *
 *   node bench/fairness.bench.ts [seconds=10] [floods=200,1000,2000] [postgres,redis]
 */
import { cpus } from 'node:os';
import { Agent, setGlobalDispatcher } from 'undici';
import { rowsOf } from '../chaos/rows.ts';
import { table } from '../cli/table.ts';
import { redisProgram } from '../test/e2e/kit/has-redis.ts';
import { askForInstall, createLicense, makeInstalls } from './create-license.ts';
import { checkInvariants } from './invariants.ts';
import type { Figures } from './load.ts';
import { closedLoop } from './load.ts';
import { startBenchWorld } from './world.ts';
import type { BenchWorld } from './world.ts';

const SECONDS = Number(process.argv[2] ?? 10);
const FLOODS = (process.argv[3] ?? '200,1000,2000').split(',').map(Number);
const QUEUES = (process.argv[4] ?? 'postgres,redis').split(',');
/** Until the flood is as deep as it gets. */
const RISE_SECONDS = 3;
const LOOK_MS = 500;

setGlobalDispatcher(new Agent({ connections: Math.max(...FLOODS) + 16, pipelining: 1 }));

const BACKLOG = `select count(*)::int as count from effect where done_at is null`;

interface Flooded {
  readonly quiet: Figures;
  readonly flood: Figures;
  /** Effects that had not ended, as looked at now and then: the median. */
  readonly backlog: number;
}

/** The quiet caller's requests while so many others of the flood wait at any time. */
async function under(world: BenchWorld, callers: number): Promise<Flooded> {
  const [install = ''] = await makeInstalls(world, 1);
  const create = (): Promise<void> => createLicense(world, install);
  const backlogs: number[] = [];
  const look = setInterval(() => {
    void rowsOf<{ count: number }>(world.state.databaseUrl, BACKLOG).then(
      ([row]) => void backlogs.push(row?.count ?? 0),
      () => undefined,
    );
  }, LOOK_MS);
  try {
    const flooding = closedLoop(callers, RISE_SECONDS + SECONDS, () => askForInstall(world));
    await new Promise((resolve) => setTimeout(resolve, RISE_SECONDS * 1_000));
    const quiet = await closedLoop(1, SECONDS, create);
    const flood = await flooding;
    const sorted = backlogs.toSorted((a, b) => a - b);
    return { quiet, flood, backlog: sorted[Math.floor(sorted.length / 2)] ?? 0 };
  } finally {
    clearInterval(look);
  }
}

const ms = (value: number): string => value.toFixed(0);

function line(callers: number, { quiet, flood, backlog }: Flooded): string[] {
  return [
    String(callers),
    String(backlog),
    `${ms(quiet.p50)} / ${ms(quiet.p99)}`,
    String(quiet.count),
    callers === 0 ? '' : `${ms(flood.p50)} / ${ms(flood.p99)}`,
    ms(flood.perSecond),
    String(quiet.failures + flood.failures),
  ];
}

const HEADING = [
  'flood',
  'under way',
  'quiet p50 / p99 ms',
  'of it',
  'flood p50 / p99 ms',
  'flood per s',
  'refused',
];

async function measure(env: Readonly<Record<string, string>>): Promise<void> {
  await using world = await startBenchWorld({ env });
  await under(world, 50);
  const lines: string[][] = [];
  for (const callers of [0, ...FLOODS]) lines.push(line(callers, await under(world, callers)));
  console.log(table(HEADING, lines));
  await checkInvariants(world, []);
}

const [cpu] = cpus();
console.log(`${cpus().length} × ${cpu?.model ?? '?'}, Node ${process.versions.node}`);
for (const queue of QUEUES) {
  if (queue === 'redis' && redisProgram() === undefined) {
    console.log('Not measured on Redis: neither valkey-server nor redis-server is installed');
    continue;
  }
  console.log(`\nQueue in ${queue}, ${SECONDS} s each`);
  await measure(queue === 'redis' ? { REDIS_URL: 'local' } : {});
}
