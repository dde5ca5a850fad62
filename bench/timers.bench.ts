import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IQueueBackend, JobProgress } from 'bullmq';
import { Queue, Worker } from 'bullmq';
import { Client } from 'pg';
import { Agent, setGlobalDispatcher } from 'undici';
import { table } from '../cli/table.ts';
import { startLocalRedis } from '../embedded/redis.ts';
import type { QueueBackend } from '../src/queue/backend.ts';
import { postgresBackend } from '../src/queue/postgres-backend.ts';
import { redisBackend } from '../src/queue/redis-backend.ts';
import { startEmbeddedPostgres } from '../embedded/postgres/embedded-postgres.ts';
import { BareLedger } from './bare-ledger.ts';
import { createLicense, makeInstalls } from './create-license.ts';
import { runTable } from './figures.ts';
import { partyOf } from './lists-fill.ts';
import { closedLoop, openLoop } from './load.ts';
import { cpuSeconds, familyOf, kindOf, startBenchWorld } from './world.ts';
import type { BenchWorld } from './world.ts';

/*
 * Measures the cost of a provider's expiry policy. Each part has its own Tenure and LocalNet:
 *
 * - `burst`: very many licences lapse at the same instant. For comparison, the rate of callers over REST is measured
 *   just before.
 * - `idle`: very many timers are due in the far future.
 * - `steady`: licences lapse at regular intervals.
 * - `delayed`: for comparison, BullMQ's delayed jobs, with a processor that does nothing.
 *
 *   node bench/timers.bench.ts [burst,idle,steady,delayed] [licences=10000]
 */

setGlobalDispatcher(new Agent({ connections: 256, pipelining: 1 }));

const PARTS = new Set((process.argv[2] ?? 'burst,idle,steady,delayed').split(','));
const BURST = Number(process.argv[3] ?? 10_000);
const FAR = 100_000;
const INSTALLS = 1;
const CALLERS = 50;
const WARM_SECONDS = 10;
const SUBMIT_SECONDS = 4;
const BURST_GRACE_S = 3_600;
const IN_FLIGHT = 50;
/**
 * The maximum number of expiries in flight in the part `steady`. It is sufficient for the rate even if an expiry takes
 * four seconds.
 */
const PACED_IN_FLIGHT = 200;
const RATE = 50;
const STEADY_S = 40;
const IDLE_S = 20;
/**
 * The grace of a licence in the part `steady`. It is so long that all licences have been created before the first one
 * lapses.
 */
const GRACE_S = STEADY_S + 15;
/**
 * How many seconds after its end by the ledger's time a grace has certainly ended: clocks may differ, and commands may
 * be late (the defaults of `CLOCK_DIFFERENCE_MAX` and `LEDGER_TIME_TOLERANCE`). The policy acts only then.
 */
const CERTAIN_AFTER_S = 10 + 60;
const GIVE_UP_MS = 1_200_000;
/** With this setting, a confirmed policy takes effect at once. */
const NO_DELAY = { POLICY_DELAY: 'PT0S' };
/** The number of jobs that one command adds, because the size of a command is limited. */
const ADDED_AT_ONCE = 200;

const percentile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0;
};
const spread = (values: readonly number[]): string[] =>
  [0.5, 0.99, 1].map((share) => percentile(values, share).toFixed(0));

async function ask(world: BenchWorld, method: 'POST' | 'PUT', path: string, body: object) {
  const token = await world.token('provider');
  const answer = await fetch(`${world.state.apiUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/**
 * Previews the policy, and sets it with the confirmation from the preview, as a person does. `POLICY_DELAY` makes it
 * take effect at once.
 */
async function setPolicy(world: BenchWorld, graceS: number, maxInFlight = IN_FLIGHT) {
  const policy = {
    mode: 'on',
    grace: `PT${graceS}S`,
    includeNeverRenewed: true,
    quietHours: [],
    paused: false,
    maxInFlight,
  };
  const path = '/policies/expiry';
  const { token, count } = (await ask(world, 'POST', `${path}/preview`, policy)) as Preview;
  const confirmation = { token, count, reason: 'measured', includeNeverRenewed: true };
  await ask(world, 'PUT', path, { ...policy, confirmation });
}

interface Preview {
  readonly token: string;
  readonly count: number;
}

/** Returns functions that create licences directly on the participant, with a separate loop for each install. */
async function openMaker(world: BenchWorld) {
  const installs = await makeInstalls(world, INSTALLS);
  const ledger = await BareLedger.beside(world.state);
  const ready = installs.map((install) => Promise.resolve(install));
  return {
    make(n: number): Promise<string> {
      const next = ready[n % INSTALLS]!.then((install) => ledger.createLicense(install));
      ready[n % INSTALLS] = next;
      return next;
    },
    close: () => ledger.close(),
  };
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const giveUpMs = performance.now() + GIVE_UP_MS;
  while (!(await holds())) {
    if (performance.now() > giveUpMs) throw new Error(`not in time: ${what}`);
    await sleep(200);
  }
}

async function numberOf(client: Client, text: string): Promise<number> {
  const { rows } = await client.query<{ n: string }>(text);
  return Number(rows[0]?.n ?? 0);
}

const licences = (client: Client, condition: string): Promise<number> =>
  numberOf(client, `select count(*) as n from lifecycle where kind = 'license' and ${condition}`);

/**
 * SQL: the maximum number of expiries that were in flight at the same time, from acceptance to the recorded outcome.
 */
const AT_ONCE = `select max(open) as n from (
  select sum(d) over (order by at, d) as open from (
    select accepted_at as at, 1 as d from change where command_id like 'tenure:expire:%'
    union all
    select finished_at, -1 from change where command_id like 'tenure:expire:%') moves) counted`;

/**
 * SQL: the exercises of the choice License_Expire. The number of exercises and the number of their licences are equal
 * if nothing was lost and nothing was done twice.
 */
const EXPIRIES = `from exercise where choice = 'License_Expire'`;

const CHANGES = `select count(*) as n from change where command_id like 'tenure:expire:%'`;

interface Expected {
  readonly expiries: number;
  /** How many licences have not lapsed. */
  readonly left?: number;
  readonly max?: number;
}

async function checkOnce(
  client: Client,
  { expiries, left: leftOf = 0, max = IN_FLIGHT }: Expected,
): Promise<string[]> {
  const done = await numberOf(client, `select count(*) as n ${EXPIRIES}`);
  const distinct = await numberOf(client, `select count(distinct contract_id) as n ${EXPIRIES}`);
  const left = await licences(client, 'ended_at is null');
  const changes = await numberOf(client, CHANGES);
  const atOnce = await numberOf(client, AT_ONCE);
  const figures = [done, distinct, left, changes, atOnce];
  if (done !== expiries || distinct !== expiries || left !== leftOf || atOnce > max) {
    throw new Error(`lost, twice, or too many at once: ${figures.join(', ')}`);
  }
  return figures.map(String);
}

const CHECKED = ['expiries', 'of licences', 'left', 'changes', 'at once'];

/** Advances the ledger's time. It is static, so nothing else advances it. */
async function advance(world: BenchWorld, advanceSeconds: number): Promise<void> {
  const answer = await fetch(`${world.state.localnet?.networkUrl}/control/time`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ advanceSeconds }),
  });
  if (!answer.ok) throw new Error(`the time: ${answer.status} ${await answer.text()}`);
}

/** Returns how many operations per second callers over REST achieve. */
async function submitRate(world: BenchWorld): Promise<number> {
  const installs = await makeInstalls(world, CALLERS);
  const create = (n: number) => createLicense(world, installs[n] ?? '');
  await closedLoop(CALLERS, WARM_SECONDS, create);
  const { perSecond, failures, firstError } = await closedLoop(CALLERS, SUBMIT_SECONDS, create);
  if (failures > 0) throw new Error(`${failures} were not created`, { cause: firstError });
  return perSecond;
}

/** Measures licences that lapse at the same instant. This is possible because the ledger's time is static. */
async function burst(): Promise<void> {
  await using world = await startBenchWorld({ env: { ...NO_DELAY, LOCALNET_TIME: 'static' } });
  const client = await connected(world.state.databaseUrl);
  const maker = await openMaker(world);
  const began = performance.now();
  await Promise.all(Array.from({ length: BURST }, (_one, n) => maker.make(n)));
  maker.close();
  await until('licences', async () => (await licences(client, 'ended_at is null')) === BURST);
  // The licences that callers create must lapse later. And while callers send requests, the ledger's time must not be
  // far from wall time.
  const passedS = (performance.now() - began) / 1_000;
  const laterS = Math.ceil(passedS + (WARM_SECONDS + SUBMIT_SECONDS) / 2);
  await advance(world, laterS);
  const submitted = await submitRate(world);
  const left = (await licences(client, 'ended_at is null')) - BURST;
  await setPolicy(world, BURST_GRACE_S);
  const advanced = performance.now();
  await advance(world, BURST_GRACE_S - laterS);
  await until('expiries', async () => (await licences(client, 'ended_at is null')) === left);
  const tookS = (performance.now() - advanced) / 1_000;
  const checked = await checkOnce(client, { expiries: BURST, left });
  await client.end();
  console.log(`\n${BURST} licences due in the same instant, ${IN_FLIGHT} at once at the most`);
  console.log(table(['drained in s', ...CHECKED], [[tookS.toFixed(1), ...checked]]));
  const rate = BURST / tookS;
  console.log(
    runTable([
      { name: `submitted by ${CALLERS} callers, per s`, goal: '', seen: submitted, digits: 0 },
      { name: 'expiries, per s', goal: '', seen: rate, digits: 0 },
      { name: '  of what was submitted', goal: '≥ 0.8', seen: rate / submitted, digits: 2 },
    ]),
  );
}

async function connected(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  return client;
}

/**
 * Returns how much processor time each process uses, as a percentage of one core. @param root this process and all its
 * descendants are measured
 */
async function idleShares(root: number): Promise<Map<string, number>> {
  const seconds = () => {
    const found = new Map<string, number>();
    for (const pid of familyOf(root)) {
      const name = kindOf(pid);
      found.set(name, (found.get(name) ?? 0) + cpuSeconds(pid));
    }
    return found;
  };
  const before = seconds();
  await sleep(IDLE_S * 1_000);
  return new Map(
    [...seconds()].map(([name, at]) => [name, ((at - (before.get(name) ?? 0)) / IDLE_S) * 100]),
  );
}

/** SQL that writes directly to the tables. These rows are sufficient, because the licences lapse only in years. */
const fillFar = (provider: string): string => `
  insert into lifecycle (id, kind, machine_version, state, context, lane, provider, app_user, contract_id, license_num,
                         expires_at, version, created_at)
  select 'license-far-' || n, 'license', 1, 'active', '{}', 'license:far/' || n, '${provider}', ${partyOf('far', 'n % 1000')},
         'far-' || n, n, now() + interval '5 years' + n * interval '1 s', 1, now()
  from generate_series(1, ${FAR}) n;
  insert into timer (lifecycle_id, kind, provider, lapses_at, never_renewed)
  select id, 'expire', provider, expires_at, false from lifecycle where id like 'license-far-%';
  analyze lifecycle; analyze timer;`;

async function idle(): Promise<void> {
  await using world = await startBenchWorld({ env: NO_DELAY });
  const client = await connected(world.state.databaseUrl);
  await setPolicy(world, 0);
  await sleep(5_000);
  const without = await idleShares(world.pid);
  await client.query(fillFar(world.state.providerParty));
  await client.query('checkpoint');
  // Runs the clean-up that the server would otherwise do after many new rows.
  await client.query('vacuum (analyze) timer; ');
  await client.query('vacuum (analyze) lifecycle');
  await sleep(10_000);
  const with100k = await idleShares(world.pid);
  await client.end();
  console.log(`\nIdle, percent of one core over ${IDLE_S} s`);
  printShares('timers', without, with100k);
}

type Shares = ReadonlyMap<string, number>;

function printShares(what: string, without: Shares, filled: Shares): void {
  const rows = [...without].map(([name, share]) => [
    name,
    share.toFixed(1),
    (filled.get(name) ?? 0).toFixed(1),
  ]);
  console.log(table(['process', `no ${what}`, `${FAR} ${what} in five years`], rows));
}

/** SQL: how late the expiry was in ledger time, and how late the change was recorded, both in milliseconds. */
const LATE = `select extract(epoch from e.effective_at - l.expires_at) * 1000 - $1::float8 as ledger,
                     extract(epoch from c.accepted_at - l.expires_at) * 1000 - $1::float8 as recorded
  from change c join lifecycle l on l.id = c.lifecycle_id
    join lineage n on n.lifecycle_id = l.id
    join exercise e on e.contract_id = n.contract_id and e.choice = 'License_Expire'
  where c.command_id like 'tenure:expire:%'`;

async function steady(): Promise<void> {
  await using world = await startBenchWorld({ env: NO_DELAY });
  const client = await connected(world.state.databaseUrl);
  const maker = await openMaker(world);
  await setPolicy(world, GRACE_S, PACED_IN_FLIGHT);
  await openLoop(RATE, STEADY_S, async (n) => void (await maker.make(n)));
  maker.close();
  const count = RATE * STEADY_S;
  await until('expiries', async () => (await licences(client, 'ended_at is not null')) === count);
  const checked = await checkOnce(client, { expiries: count, max: PACED_IN_FLIGHT });
  const { rows } = await client.query<{ ledger: number; recorded: number }>(LATE, [
    (GRACE_S + CERTAIN_AFTER_S) * 1_000,
  ]);
  await client.end();
  console.log(
    `\n${RATE} expiries a second for ${STEADY_S} s: ms late, from when it is certain that they are due`,
  );
  console.log(
    table(
      ['until', 'p50', 'p99', 'max', ...CHECKED],
      [
        ['recorded', ...spread(rows.map(({ recorded }) => recorded)), ...checked],
        ['on the ledger', ...spread(rows.map(({ ledger }) => ledger)), ...checked],
      ],
    ),
  );
}

const log = { info() {}, warn: console.warn, error: console.error };

interface Due {
  readonly dueMs: number;
}

/** Opens a BullMQ queue, with a worker that reports each job and does nothing else. */
async function openDelayed(backend: QueueBackend, name: string, onJob: (due: Due) => void) {
  const link = await backend.connect('queue', log);
  const queue = new Queue<Due, void, string, Due, void, string, IQueueBackend, object>(
    name,
    { connection: {} },
    link.factory,
  );
  // BullMQ replaces connections on which nothing was sent for a long time. This emits an error event, which is ignored.
  queue.on('error', () => undefined);
  const workers = await backend.connect('worker', log);
  const worker = new Worker<Due, void, string, IQueueBackend, JobProgress, object>(
    name,
    async ({ data }) => onJob(data),
    { connection: {}, concurrency: IN_FLIGHT, autorun: false },
    workers.factory,
  );
  worker.on('error', () => undefined);
  return {
    begin: () => void worker.run(),
    async add(dues: readonly number[]): Promise<void> {
      for (let from = 0; from < dues.length; from += ADDED_AT_ONCE) {
        await queue.addBulk(
          dues.slice(from, from + ADDED_AT_ONCE).map((dueMs) => ({
            name: 'due',
            data: { dueMs },
            opts: { delay: Math.max(0, dueMs - Date.now()), removeOnComplete: true },
          })),
        );
      }
    },
    async [Symbol.asyncDispose]() {
      await worker.close();
      await queue.close();
      await workers.release();
      await link.release();
    },
  };
}

/** Measures BullMQ's own delayed jobs. `dues` contains when each job is due. @returns how late each job began */
async function delayed(
  backend: QueueBackend,
  name: string,
  dues: readonly number[],
): Promise<number[]> {
  const late: number[] = [];
  const all = Promise.withResolvers<void>();
  await using jobs = await openDelayed(backend, name, ({ dueMs }) => {
    late.push(Date.now() - dueMs);
    if (late.length === dues.length) all.resolve();
  });
  await jobs.add(dues);
  jobs.begin();
  await all.promise;
  return late;
}

/** Measures the cost of very many delayed jobs while they wait, in this process and in its servers. */
async function idleDelayed(kind: string, backend: QueueBackend): Promise<void> {
  await using jobs = await openDelayed(backend, `far-${kind}`, () => {
    throw new Error('a job of the far future has begun');
  });
  jobs.begin();
  await sleep(5_000);
  const without = await idleShares(process.pid);
  const farMs = Date.now() + 5 * 365 * 86_400_000;
  await jobs.add(Array.from({ length: FAR }, (_one, n) => farMs + n * 1_000));
  await sleep(10_000);
  const filled = await idleShares(process.pid);
  console.log(`\nBullMQ on ${kind}, percent of one core over ${IDLE_S} s`);
  printShares('delayed jobs', without, filled);
}

async function besides(kind: string, backend: QueueBackend): Promise<string[]> {
  const atMs = Date.now() + 15_000;
  const burstLate = await delayed(
    backend,
    `burst-${kind}`,
    Array.from({ length: BURST }, () => atMs),
  );
  const fromMs = Date.now() + 5_000;
  const steadyLate = await delayed(
    backend,
    `steady-${kind}`,
    Array.from({ length: RATE * STEADY_S }, (_one, n) => fromMs + (n * 1_000) / RATE),
  );
  return [kind, (percentile(burstLate, 1) / 1_000).toFixed(1), ...spread(steadyLate)];
}

async function delayedJobs(): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'tenure-bench-timers-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const signal = new AbortController().signal;
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'pg'), signal });
  stack.defer(() => postgres.stop());
  const redis = await startLocalRedis({
    dataDir: join(folder, 'redis'),
    searchPath: process.env['PATH'] ?? '',
    signal,
  });
  stack.defer(() => redis.stop());
  const backends = [
    ['postgres', await postgresBackend({ databaseUrl: postgres.url }, log)],
    ['redis', await redisBackend({ url: redis.url }, log)],
  ] as const;
  const rows: string[][] = [];
  for (const [kind, backend] of backends) rows.push(await besides(kind, backend));
  console.log(`\nBullMQ’s delayed jobs, with a processor that does nothing`);
  const heads = ['store', `${BURST} at once, s`, `${RATE}/s, ms late: p50`, 'p99', 'max'];
  console.log(table(heads, rows));
  for (const [kind, backend] of backends) await idleDelayed(kind, backend);
}

if (PARTS.has('burst')) await burst();
if (PARTS.has('idle')) await idle();
if (PARTS.has('steady')) await steady();
if (PARTS.has('delayed')) await delayedJobs();
