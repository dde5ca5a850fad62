import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { startEmbedded } from '../embedded/embedded.ts';
import type { Embedded } from '../embedded/embedded.ts';
import { readEnvironment } from '../src/main/config.ts';
import { createLog } from '../src/main/log.ts';
import { NODE_FLAGS } from '../src/main/node-flags.ts';
import type { Figure } from './figures.ts';
import { runTable } from './figures.ts';
import { createLicenses, makeInstalls } from './ledger-fill.ts';
import { cpuSeconds, familyOf, kindOf } from './world.ts';

/*
 * Measures how fast a projector catches up: with an empty query store, which it fills from the active contracts, and
 * with transactions that it has not read, which it projects one after another. Every transaction creates a licence and
 * replaces an installation. At the end, the rows in the store are counted.
 *
 *   node bench/catch-up.bench.ts [transactions=30000] [folder for processor profiles of the projector]
 */

const TRANSACTIONS = Number(process.argv[2] ?? 30_000);
const PROFILES = process.argv[3];
const PROFILING = PROFILES === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${PROFILES}`];
const INSTALLS = 50;
const LOOK_MS = 20;
const GIVE_UP_MS = 600_000;

/** How far the projector has come, according to the store. */
interface Reached {
  readonly offset: bigint;
  readonly active: number;
  readonly updates: number;
}

async function reached(database: Client): Promise<Reached> {
  const { rows } = await database.query<{ at: string | null; active: string; updates: string }>(
    `select (select max("offset") from query_store_offset where stream = 'updates') as at,
            (select count(*) from contract
              where archived_at_offset is null and template_fqn like '%:Licensing.%') as active,
            (select count(*) from ledger_update) as updates`,
  );
  const [row] = rows;
  return {
    offset: BigInt(row?.at ?? 0),
    active: Number(row?.active ?? 0),
    updates: Number(row?.updates ?? 0),
  };
}

const positionOf = async (database: Client): Promise<bigint> => {
  const { rows } = await database.query<{ at: string | null }>(
    `select max("offset") as at from query_store_offset where stream = 'updates'`,
  );
  return BigInt(rows[0]?.at ?? 0);
};

const costsOf = (pids: readonly number[]): Map<string, number> => {
  const costs = new Map<string, number>();
  for (const pid of pids) {
    const name = kindOf(pid) === 'other' ? 'tenure' : kindOf(pid);
    costs.set(name, (costs.get(name) ?? 0) + cpuSeconds(pid));
  }
  return costs;
};

/** Starts the role `projector` and waits until it has reached the ledger end. */
async function catchUp(embedded: Embedded, dataDir: string, database: Client, end: bigint) {
  const before = await positionOf(database);
  const child = spawn(process.execPath, [...NODE_FLAGS, ...PROFILING, 'src/main/role.ts'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      ...embedded.environment,
      TENURE_DATA_DIR: dataDir,
      TENURE_ROLES: 'projector',
      TENURE_LOG_LEVEL: 'warn',
      BACKEND_PORT: '0',
    },
  });
  const began = performance.now();
  const family = () => familyOf(process.pid);
  const costsAtFirst = costsOf(family());
  let [beganMs, costsBefore] = [0, costsAtFirst];
  for (;;) {
    const at = await positionOf(database);
    // The time before this was needed to load code and to connect, and not to catch up.
    if (beganMs === 0 && (at > before || at >= end)) {
      beganMs = performance.now();
      costsBefore = costsOf(family());
    }
    if (at >= end) break;
    if (performance.now() - began > GIVE_UP_MS || child.exitCode !== null) {
      throw new Error(`the projector is at ${at}, the ledger ends at ${end}`);
    }
    await sleep(LOOK_MS);
  }
  const endedMs = performance.now();
  const costsAtEnd = costsOf(family());
  child.kill('SIGTERM');
  await once(child, 'exit');
  const since = (then: ReadonlyMap<string, number>) =>
    new Map([...costsAtEnd].map(([name, s]) => [name, s - (then.get(name) ?? 0)]));
  return {
    /** This includes the start of the process. */
    whole: { ms: endedMs - began, costs: since(costsAtFirst) },
    applied: { ms: endedMs - beganMs, costs: since(costsBefore) },
  };
}

type Taken = Awaited<ReturnType<typeof catchUp>>['whole'];

/** Returns how many transactions were projected per second, and the processor time for each. */
function figuresOf(what: string, { ms, costs }: Taken): Figure[] {
  return [
    {
      name: `${what}, transactions per s`,
      goal: '≥ 3000',
      seen: TRANSACTIONS / (ms / 1_000),
      digits: 0,
    },
    { name: '  in all, s', goal: '', seen: ms / 1_000, digits: 2 },
    ...[...costs].map(([kind, seconds]) => ({
      name: `  processor time of each in ${kind}, ms`,
      goal: '',
      seen: (seconds / TRANSACTIONS) * 1_000,
      digits: 2,
    })),
  ];
}

function expectCount(what: string, found: number, wanted: number): void {
  if (found !== wanted) throw new Error(`${what}: ${found}, and must be ${wanted}`);
}

/** Returns the ledger end of the provider's participant. */
async function ledgerEnd({ localnet }: Embedded): Promise<bigint> {
  if (localnet === null) throw new Error('the bench needs LocalNet');
  const answer = await fetch(
    `http://127.0.0.1:${localnet.ready.ports.network}/control/participants`,
  );
  const participants = (await answer.json()) as Record<string, { readonly ledgerEnd: string }>;
  return BigInt(participants['app-provider']?.ledgerEnd ?? 0);
}

const cpu = cpus();
console.log(`${cpu.length} × ${cpu[0]?.model ?? '?'}, ${TRANSACTIONS} transactions`);
const dataDir = await mkdtemp(join(tmpdir(), 'tenure-catch-up-'));
const embedded = await startEmbedded({
  environment: readEnvironment({ TENURE_DATA_DIR: dataDir }),
  passOn: { PATH: process.env['PATH'] },
  ports: 'free',
  signal: AbortSignal.timeout(GIVE_UP_MS),
  log: createLog('warn'),
});
try {
  const ready = embedded.localnet?.ready;
  if (ready === undefined) throw new Error('the bench needs LocalNet');
  let installs = await makeInstalls(ready, INSTALLS);
  installs = await createLicenses(ready, installs, TRANSACTIONS);
  const database = new Client({ connectionString: embedded.environment['DATABASE_URL'] });
  await database.connect();
  await import('../src/store/sql/migrate.ts').then(({ migrate }) =>
    migrate({
      url: embedded.environment['DATABASE_URL'] ?? '',
      signal: AbortSignal.timeout(60_000),
    }),
  );
  const filled = await catchUp(embedded, dataDir, database, await ledgerEnd(embedded));
  const atFirst = await reached(database);
  expectCount('active contracts', atFirst.active, TRANSACTIONS + INSTALLS);
  await createLicenses(ready, installs, TRANSACTIONS);
  const followed = await catchUp(embedded, dataDir, database, await ledgerEnd(embedded));
  const atLast = await reached(database);
  expectCount('active contracts', atLast.active, 2 * TRANSACTIONS + INSTALLS);
  expectCount('updates', atLast.updates - atFirst.updates, TRANSACTIONS);
  await database.end();
  console.log(
    runTable([
      ...figuresOf('an empty store', filled.whole),
      ...figuresOf('a backlog', followed.applied),
    ]),
  );
} finally {
  await embedded[Symbol.asyncDispose]();
  await rm(dataDir, { recursive: true, force: true });
}
