/*
 * Measures end to end how a flood of requests of one caller delays another caller of the same provider. The user
 * requests installations, hundreds at once, each in a new lane, while the provider creates licences one after another.
 * For comparison, the times of the flood itself are shown: if requests were processed in the order of their arrival,
 * the other caller would wait as long.
 *
 *   node bench/fairness.bench.ts [seconds=10] [floods=200,1000,2000] [postgres,redis] [same,other]
 *
 * `same`: the flood comes from one caller of the same provider. `other`: it comes from twenty callers of another
 * provider. A deployment has only one provider. So the bench changes the provider in rows of the database, because
 * dispatch knows providers only from these rows.
 */
import { randomUUID } from 'node:crypto';
import { cpus } from 'node:os';
import { Agent, setGlobalDispatcher } from 'undici';
import { rowsOf } from '../chaos/rows.ts';
import { table } from '../cli/table.ts';
import { redisProgram } from '../test/e2e/kit/has-redis.ts';
import { askForInstall, createLicense, makeInstalls } from './create-license.ts';
import type { Asked } from './fairness-stages.ts';
import { STAGES, passedBy, stagesOf } from './fairness-stages.ts';
import { checkInvariants } from './invariants.ts';
import type { Figures } from './load.ts';
import { closedLoop } from './load.ts';
import { startBenchWorld } from './world.ts';
import type { BenchWorld } from './world.ts';

const SECONDS = Number(process.argv[2] ?? 10);
const FLOODS = (process.argv[3] ?? '200,1000,2000').split(',').map(Number);
const QUEUES = (process.argv[4] ?? 'postgres,redis').split(',');
const WHOSE = (process.argv[5] ?? 'same,other').split(',');
/** How long the flood takes to reach its full depth. */
const RISE_SECONDS = 3;
const LOOK_MS = 500;

setGlobalDispatcher(new Agent({ connections: Math.max(...FLOODS) + 16, pipelining: 1 }));

/** SQL: a trigger that assigns the requests of a user to another provider and to twenty callers. */
const OF_ANOTHER = `
  create or replace function bench_of_another() returns trigger language plpgsql as $$
  begin
    if new.party <> new.provider then
      new.provider := 'another';
      new.party := 'caller ' || (random() * 19)::int;
    end if;
    return new;
  end $$;
  create or replace trigger bench_of_another before insert on effect
    for each row execute function bench_of_another()`;

const BACKLOG = `select count(*)::int as count from effect where done_at is null`;

interface Flooded {
  readonly quiet: Figures;
  readonly flood: Figures;
  /** The median of the number of effects that had not ended. */
  readonly backlog: number;
  /**
   * While one of the quiet caller's requests waited, how many requests of the flood were begun: the median and the
   * maximum.
   */
  readonly passedBy: readonly [number, number];
  /** The median duration of each stage, for the quiet caller and for the flood. */
  readonly stages: { readonly quiet: readonly number[]; readonly flood: readonly number[] };
}

const medianOf = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

const wallMs = (): number => performance.timeOrigin + performance.now();

/** Returns a function that makes a call, and records when it was made and answered. */
function noting(asked: Asked[], call: (commandId: string) => Promise<void>): () => Promise<void> {
  return async () => {
    const commandId = randomUUID();
    const sentMs = wallMs();
    await call(commandId);
    asked.push({ commandId, sentMs, answeredMs: wallMs() });
  };
}

async function mediansOf(world: BenchWorld, asked: readonly Asked[]): Promise<readonly number[]> {
  const all = await stagesOf(world.state.databaseUrl, asked);
  return STAGES.map((_, n) =>
    medianOf(all.map((stages) => stages[n] ?? NaN).filter(Number.isFinite)),
  );
}

/** Measures the quiet caller's requests while this number of requests of the flood wait. */
async function under(world: BenchWorld, callers: number): Promise<Flooded> {
  const [install = ''] = await makeInstalls(world, 1);
  const asked = { quiet: [] as Asked[], flood: [] as Asked[] };
  const create = noting(asked.quiet, (id) => createLicense(world, install, id));
  const ask = noting(asked.flood, (id) => askForInstall(world, id));
  const backlogs: number[] = [];
  const look = setInterval(() => {
    void rowsOf<{ count: number }>(world.state.databaseUrl, BACKLOG).then(
      ([row]) => void backlogs.push(row?.count ?? 0),
      () => undefined,
    );
  }, LOOK_MS);
  try {
    const flooding = closedLoop(callers, RISE_SECONDS + SECONDS, ask);
    await new Promise((resolve) => setTimeout(resolve, RISE_SECONDS * 1_000));
    const quiet = await closedLoop(1, SECONDS, create);
    const flood = await flooding;
    const stages = {
      quiet: await mediansOf(world, asked.quiet),
      flood: await mediansOf(world, asked.flood),
    };
    const passed = await passedBy(world.state.databaseUrl, asked.quiet, asked.flood);
    return {
      quiet,
      flood,
      backlog: medianOf(backlogs),
      stages,
      passedBy: [medianOf(passed), Math.max(...passed)],
    };
  } finally {
    clearInterval(look);
  }
}

const ms = (value: number): string => value.toFixed(0);

function line(callers: number, { quiet, flood, backlog, passedBy: passed }: Flooded): string[] {
  return [
    String(callers),
    String(backlog),
    `${ms(quiet.p50)} / ${ms(quiet.p99)}`,
    String(quiet.count),
    callers === 0 ? '' : passed.join(' / '),
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
  'others begun before it, p50 / most',
  'flood p50 / p99 ms',
  'flood per s',
  'refused',
];

async function measure(env: Readonly<Record<string, string>>, whose: string): Promise<void> {
  await using world = await startBenchWorld({ env });
  if (whose === 'other') await rowsOf(world.state.databaseUrl, OF_ANOTHER);
  await under(world, 50);
  const lines: string[][] = [];
  const stages: string[][] = [];
  for (const callers of [0, ...FLOODS]) {
    const flooded = await under(world, callers);
    lines.push(line(callers, flooded));
    for (const who of ['quiet', 'flood'] as const) {
      stages.push([String(callers), who, ...flooded.stages[who].map(ms)]);
    }
  }
  console.log(table(HEADING, lines));
  console.log(table(['flood', 'p50 ms until', ...STAGES], stages));
  await checkInvariants(world, []);
}

const [cpu] = cpus();
console.log(`${cpus().length} × ${cpu?.model ?? '?'}, Node ${process.versions.node}`);
for (const queue of QUEUES) {
  if (queue === 'redis' && redisProgram() === undefined) {
    console.log('Not measured on Redis: neither valkey-server nor redis-server is installed');
    continue;
  }
  for (const whose of WHOSE) {
    console.log(`\nQueue in ${queue}, flood of the ${whose} provider, ${SECONDS} s each`);
    await measure(queue === 'redis' ? { REDIS_URL: 'local' } : {}, whose);
  }
}
