import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Caller } from '../../chaos/caller.ts';
import { createCaller } from '../../chaos/caller.ts';
import { checkAlways, openOperations } from '../../chaos/checks.ts';
import { startWorld } from '../../chaos/world.ts';
import type { RoleProcess } from '../../embedded/role-process.ts';
import { startRoleProcess } from '../../embedded/role-process.ts';
import type { PostgresPair } from '../../embedded/postgres/pair.ts';
import { promote, startPostgresPair, waitForStandby } from '../../embedded/postgres/pair.ts';
import { until } from '../../embedded/until.ts';
import { warnOfStandbys } from '../../src/main/database.ts';
import { closePool, openPool } from '../../src/store/sql/pool.ts';
import { PATIENCE_MS } from '../kit/patience.ts';
import { queryOnce } from '../kit/postgres-query.ts';
import { samplesIn } from '../kit/promql.ts';
import { SteadyLoad } from '../kit/steady-load.ts';

/*
 * Real processes under load, with the queue in the database. The primary server is killed, its standby is promoted, and
 * the old primary is started again; it accepts writes, and waits for no standby. Later, the old primary is an
 * asynchronous standby that is promoted although it lacks the newest commits.
 */

const ACTORS = 4;
const TIMEOUT_MS = 110_000;
const FOLLOWER = 'projector,clock';

/** Kills the primary. The standby is promoted as soon as the monitor of both servers has noticed this. */
async function failOver(pair: PostgresPair): Promise<void> {
  await pair.primary.kill();
  await sleep(500);
  await pair.promote();
}

const stack = new AsyncDisposableStack();
let folder: string;
let pair: PostgresPair;
let caller: Caller;
let follower: RoleProcess;
let start: (roles: string) => Promise<RoleProcess>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenure-failover-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const over = new AbortController();
  pair = stack.use(await startPostgresPair());
  const world = stack.use(
    await startWorld({
      folder,
      queue: 'postgres',
      searchPath: process.env['PATH'] ?? '',
      databaseUrl: pair.primary.url,
      signal: over.signal,
    }),
  );
  const environment = { ...(await world.environment()), DATABASE_URL: pair.url };
  start = async (roles) => {
    const logFile = join(folder, 'logs', `${roles}.log`);
    const started = await startRoleProcess({ roles, environment, logFile, signal: over.signal });
    stack.defer(async () => {
      await started.end('SIGKILL');
    });
    return started;
  };
  const [api, , last] = await Promise.all([start('api'), start('worker'), start(FOLLOWER)]);
  follower = last;
  caller = createCaller({
    apiUrl: () => `http://127.0.0.1:${api.port}`,
    addresses: () => world.addresses,
    signal: over.signal,
    giveUpMs: 60_000,
  });
  stack.defer(() => over.abort());
});
afterAll(() => stack.disposeAsync());

const ask = (commandId: string) => caller.operate('user', '/app-install-requests', {}, commandId);

test(
  'everything answered is kept, everything accepted ends well',
  async () => {
    const load = new SteadyLoad(ACTORS, ask);
    await load.more(30);
    await failOver(pair);
    await load.more(20);
    await pair.primary.start({ synchronous_standby_names: '' });
    await load.more(20);
    // A process that starts now finds two servers that accept writes. It compares them and chooses one.
    await Promise.all([start('worker'), load.more(20)]);
    await load.end();

    const { url } = pair.standby;
    const rows = await queryOnce<{ command_id: string }>(
      url,
      `select command_id from change where state = 'succeeded'`,
    );
    const kept = new Set(rows.map(({ command_id: id }) => id));
    expect(load.answered.filter(({ answer }) => answer.status !== 201)).toEqual([]);
    expect(load.answered.filter(({ commandId }) => !kept.has(commandId))).toEqual([]);
    await until('the end of all operations', async () => (await openOperations(url)).length === 0);
    expect(await checkAlways(url)).toEqual([]);
    const strays = await queryOnce(
      pair.primary.url,
      `select pid, application_name from pg_stat_activity where application_name like 'tenure%'
     and application_name <> 'tenure-servers'`,
    );
    expect(strays).toEqual([]);
    const stallMs = Math.round(load.longestStallMs());
    console.log(
      `failover of PostgreSQL: ${load.answered.length} operations answered, longest stall ${stallMs} ms, ` +
        'of which 500 ms until the promotion was asked for',
    );
  },
  TIMEOUT_MS,
);

/** Returns the value of a metric of the process that follows the ledger. */
async function metric(name: string): Promise<number | undefined> {
  const answer = await fetch(`http://127.0.0.1:${follower.managementPort}/metrics`);
  return samplesIn(await answer.text()).find((sample) => sample.name === name)?.value;
}

/** Returns the warnings about the standbys of a server that a process logs when it starts. */
async function standbysLogged(url: string): Promise<unknown[]> {
  const { signal } = new AbortController();
  const pool = await openPool({ url, max: 1, applicationName: 'test', signal });
  try {
    const warn = vi.fn();
    await warnOfStandbys(pool, { warn });
    return warn.mock.calls;
  } finally {
    await closePool(pool, PATIENCE_MS);
  }
}

const LOST = 'tenure_lost_operations';
const ASYNCHRONOUS = 'tenure_standbys_asynchronous';
/** SQL: the contracts of the ledger that the store has read so far. */
const CONTRACTS = 'select contract_id, created_at_offset from contract order by contract_id';

// The previous test has promoted the standby, so here it is the primary.
test('an asynchronous standby is reported, and what it loses is never done twice', async () => {
  const { primary: late, standby: leader } = pair;
  await until('a reading', async () => (await metric(ASYNCHRONOUS)) === 0);
  await waitForStandby(leader, false);
  await late.follow(leader);
  // The archive also receives the stream of the log, but it cannot be promoted.
  const archiving = { application_name: 'pg_receivewal', replication: 'true' };
  const archive = new Client(Object.assign(archiving, { connectionString: leader.url }));
  archive.on('error', () => undefined);
  await archive.connect();
  await until('the alarm', async () => (await metric(ASYNCHRONOUS)) === 1);
  expect(await standbysLogged(leader.url)).toEqual([
    [
      { todo: expect.stringMatching(/synchronous_standby_names.*never promote/u) },
      expect.stringMatching(
        /^1 connection streams the write-ahead log to a standby, but no commit waits/u,
      ),
    ],
  ]);
  await archive.end();

  await late.kill();
  const ids = ['lost-1', 'lost-2', 'lost-3'];
  const answers = await Promise.all(ids.map(ask));
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
  const effects = await queryOnce<{ update_id: string }>(
    leader.url,
    `select accepted_update_id as update_id from change where command_id like 'lost-%' order by command_id`,
  );
  const contracts = await queryOnce(leader.url, CONTRACTS);
  expect(await metric(LOST)).toBe(0);

  await leader.kill();
  await late.start();
  await promote(late);
  const repeated = await Promise.all(ids.map(ask));
  expect(
    repeated.map(({ status, body }) => ({ status, code: body.code, update_id: body.updateId })),
  ).toEqual(
    effects.map(({ update_id }) => ({ status: 409, code: 'COMMAND_TOOK_EFFECT', update_id })),
  );
  await expect.poll(() => queryOnce(late.url, CONTRACTS)).toEqual(contracts);
  await until('the alarm', async () => (await metric(LOST)) === ids.length);
  const log = await readFile(join(folder, 'logs', `${FOLLOWER}.log`), 'utf8');
  expect(log).toMatch(/"operations":\d+,"commandId":"lost-\d"/u);
  expect(await checkAlways(late.url)).toEqual([]);
});
