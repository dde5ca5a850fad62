import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fetchToken } from '../../cli/commands/token.ts';
import type { LocalNetwork } from '../../embedded/localnet.ts';
import {
  localnetAddresses,
  localnetEnvironment,
  startLocalNetwork,
} from '../../embedded/localnet.ts';
import type { RunningTenure } from '../../embedded/run.ts';
import { runTenure } from '../../embedded/run.ts';
import { sleep } from '../../src/app/ports/wakeup.ts';
import type { Violation } from '../../src/doctor/invariants/violation.ts';
import { examine } from '../../src/main/doctor.ts';
import { PATIENCE_MS } from '../kit/patience.ts';
import type { TestDatabase } from '../kit/postgres.ts';
import { testDatabase } from '../kit/postgres.ts';
import { queryOnce } from '../kit/postgres-query.ts';
import { callApi } from './kit/call-api.ts';
import type { Finished } from './kit/tenure-command.ts';
import { runCommand, startCommand } from './kit/tenure-command.ts';

/*
 * A provider moves between two deployments on one ledger while its callers continue. Each command of the move is killed
 * between two of its steps, and then run again.
 */

const CALLERS = 4;
const ADDRESS = 'https://b.tenure.example.com';

const stack = new AsyncDisposableStack();
let folder: string;
let localnet: LocalNetwork;
let token: string;
type Cell = { readonly database: TestDatabase; readonly environment: Record<string, string> };
const cells: Partial<Record<'old' | 'new', Cell>> = {};

async function prepareCell(name: 'old' | 'new'): Promise<void> {
  const database = stack.use(await testDatabase());
  // The server of the tests loses its last transactions when it crashes, because it does not wait for the disk. The
  // doctor would report this, so commits of this database wait.
  await queryOnce(database.url, `alter database ${database.name} set synchronous_commit = on`);
  const environment = {
    PATH: process.env['PATH'] ?? '',
    TENURE_LOG_LEVEL: 'silent',
    TENURE_DATA_DIR: join(folder, name),
    BACKEND_PORT: '0',
    DATABASE_URL: database.url,
    TENANT_ISSUERS_ALLOWED: 'loopback',
    ...(await localnetEnvironment(localnet.ready)),
  };
  cells[name] = { database, environment };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenure-cells-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  localnet = await startLocalNetwork({
    dataDir: join(folder, 'localnet'),
    logFile: join(folder, 'localnet.log'),
    ports: 'free',
    environment: { PATH: process.env['PATH'] },
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  stack.defer(() => localnet.stop());
  await prepareCell('old');
  await prepareCell('new');
  token = await fetchToken(localnetAddresses(localnet.ready), 'user');
});
afterAll(() => stack.disposeAsync());

async function startCell(name: 'old' | 'new'): Promise<RunningTenure> {
  const { environment } = cells[name]!;
  const { signal } = new AbortController();
  const tenure = await runTenure({ environment, ports: 'free', signal });
  stack.defer(() => tenure.stop());
  return tenure;
}

const ask = (tenure: RunningTenure, commandId: string, wait = '30') =>
  callApi(`${tenure.state.apiUrl}/app-install-requests?commandId=${commandId}`, {
    method: 'POST',
    token,
    headers: { prefer: `wait=${wait}` },
  });

const cell = (name: 'old' | 'new', ...args: string[]): Promise<Finished> =>
  runCommand(folder, ['cell', ...args], cells[name]!.environment);

const stateOf = async (name: 'old' | 'new'): Promise<string | undefined> => {
  const { database } = cells[name]!;
  const [row] = await queryOnce<{ state: string }>(database.url, 'select state from cell_move');
  return row?.state;
};

/**
 * Takes a lock on a table. The next step of a command waits for this lock, and later lock requests wait behind that
 * step.
 */
async function gate(url: string, table: string): Promise<{ open: () => Promise<void> }> {
  const client = new Client({ connectionString: url, application_name: 'test-gate' });
  client.on('error', () => undefined);
  await client.connect();
  await client.query(`begin; lock table ${table} in row exclusive mode`);
  return { open: () => client.end() };
}

const waiting = (url: string, application: string, lock = ''): Promise<number> =>
  queryOnce<{ n: number }>(
    url,
    `select count(*)::int as n from pg_stat_activity
     where datname = current_database() and application_name = '${application}' and wait_event_type = 'Lock'
       and wait_event like '%${lock}'`,
  ).then(([row]) => row?.n ?? 0);

/** Runs a command, and kills it after it has completed this number of steps, before the next one. */
async function killAfter(steps: number, name: 'old' | 'new', ...args: string[]): Promise<void> {
  const { database, environment } = cells[name]!;
  const until = (application: string) =>
    expect
      .poll(() => waiting(database.url, application), { timeout: PATIENCE_MS, interval: 20 })
      .toBeGreaterThan(0);
  let held = await gate(database.url, 'cell_move');
  const command = startCommand(folder, ['cell', ...args], environment);
  await until('tenure-cell');
  for (let taken = 0; taken < steps; taken += 1) {
    // This request for a lock waits behind the step that waits already, and before the step after it.
    const next = gate(database.url, 'cell_move');
    await until('test-gate');
    await held.open();
    held = await next;
    await until('tenure-cell');
  }
  command.kill();
  await held.open();
  expect((await command.finished).code).toBeNull();
}

/** A trigger that makes the database wait before it deletes a pause for a command. */
const PAUSE_HELD = `create or replace function test_held() returns trigger language plpgsql as $$
  begin perform pg_advisory_xact_lock(17); return old; end $$;
  create or replace trigger test_held before delete on pause
    for each row when (current_setting('application_name') = 'tenure-cell') execute function test_held()`;

/** A trigger that makes the database wait when an import has loaded some of the tables. */
const LOAD_HELD = `create function test_loaded() returns event_trigger language plpgsql as $$
  begin if exists (select from public.attempt) then perform pg_advisory_xact_lock(17); end if; end $$;
  create event trigger test_loaded on ddl_command_start when tag in ('ALTER TABLE') execute function test_loaded()`;

/** Runs a command, and kills it while the database waits in the trigger. */
async function killHeld(held: string, name: 'old' | 'new', ...args: string[]): Promise<void> {
  const { database, environment } = cells[name]!;
  await queryOnce(database.url, held);
  const holder = new Client({ connectionString: database.url });
  holder.on('error', () => undefined);
  await holder.connect();
  await holder.query('select pg_advisory_lock(17)');
  const command = startCommand(folder, ['cell', ...args], environment);
  await expect
    .poll(() => waiting(database.url, 'tenure-cell', 'advisory'), { timeout: PATIENCE_MS })
    .toBe(1);
  command.kill();
  expect((await command.finished).code).toBeNull();
  await holder.end();
}

/**
 * Runs commands that thaw a provider, while a reader has locked the second of two tables and waits for the first. The
 * thaw locks them in the other order, so it must give up and retry.
 */
async function tangled(name: 'old' | 'new', thawing: () => Promise<void>): Promise<void> {
  const { database } = cells[name]!;
  const reader = new Client({ connectionString: database.url });
  await reader.connect();
  await reader.query(`set deadlock_timeout = '1 h'; begin; select from effect`);
  const done = thawing();
  await expect
    .poll(() => waiting(database.url, 'tenure-cell'), { timeout: PATIENCE_MS, interval: 20 })
    .toBeGreaterThan(0);
  await reader.query('select from alarm');
  await reader.end();
  await done;
}

const rowsOf = async (name: 'old' | 'new', table: string): Promise<number> => {
  const { database } = cells[name]!;
  const [row] = await queryOnce<{ n: number }>(
    database.url,
    `select count(*)::int as n from ${table}`,
  );
  return row!.n;
};

/** Returns the violations that the doctor reports. */
async function violations(name: 'old' | 'new'): Promise<Violation[]> {
  const found: Violation[] = [];
  await examine({
    environment: cells[name]!.environment,
    replay: true,
    deep: true,
    onFinding: ({ violation }) => violation !== undefined && found.push(violation),
    onProgress: () => undefined,
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  return found;
}

/** Callers that send requests one after another until they know that no further result will come. */
function callers(tenure: RunningTenure) {
  const accepted = new Map<string, string | null>();
  const refused = new Set<string>();
  const over = new AbortController();
  const done = Promise.all(
    Array.from({ length: CALLERS }, async () => {
      while (!over.signal.aborted) {
        const commandId = randomUUID();
        const { status, headers, body } = await ask(tenure, commandId, '1');
        if (status === 201) accepted.set(commandId, body.contractId);
        else if (status === 202) accepted.set(commandId, null);
        else {
          refused.add(`${status} ${body.code}`);
          await sleep(Number(headers.get('retry-after')) * 1_000, over.signal);
        }
      }
    }),
  );
  const stop = async (): Promise<void> => {
    over.abort();
    await done;
  };
  return { accepted, refused, stop };
}

/** Returns the token that a command has printed for the next command. */
const shown = ({ out, err }: Finished, before: string): string => {
  const word = new RegExp(`${before} ([0-9a-f]{48})`, 'u').exec(out)?.[1];
  expect(word, `${out}${err}`).toBeDefined();
  return word!;
};

test('a provider moves under load, whatever is killed, and each command takes effect once', async () => {
  const file = join(folder, 'provider.cell');
  const old = await startCell('old');
  const load = callers(old);
  stack.defer(load.stop);
  await expect.poll(() => load.accepted.size, { timeout: PATIENCE_MS }).toBeGreaterThan(CALLERS);
  const exporting = ['export', '--out', file, '--address', ADDRESS];

  await killAfter(1, 'old', ...exporting);
  expect(await stateOf('old')).toBe('draining');
  await killAfter(2, 'old', ...exporting);
  expect(await stateOf('old')).toBe('frozen');

  // The provider is thawed but still paused. The same command, run again, finishes the reversal, and the provider's
  // operations continue.
  await tangled('old', () => killHeld(PAUSE_HELD, 'old', 'give-back'));
  expect(await stateOf('old')).toBe('draining');
  expect(await rowsOf('old', 'pause')).toBe(1);
  expect(await cell('old', 'give-back')).toMatchObject({ code: 0 });
  expect(await rowsOf('old', 'pause')).toBe(0);
  expect(await stateOf('old')).toBeUndefined();
  expect((await ask(old, randomUUID())).status).toBe(201);

  await killAfter(2, 'old', ...exporting);
  expect(await stateOf('old')).toBe('frozen');
  expect(await ask(old, randomUUID())).toMatchObject({
    status: 503,
    body: { code: 'DATABASE_UNAVAILABLE', message: expect.stringContaining('another cell') },
  });
  expect(await cell('old', ...exporting)).toMatchObject({ code: 0 });
  await load.stop();
  expect([...load.refused]).toEqual(['503 DATABASE_UNAVAILABLE']);
  const open = [...load.accepted.values()].filter((contractId) => contractId === null).length;
  expect(open, 'some wait to be submitted').toBeGreaterThan(0);

  await killHeld(LOAD_HELD, 'new', 'import', file);
  expect(await stateOf('new')).toBeUndefined();
  expect(await rowsOf('new', 'attempt')).toBe(0);
  await killAfter(1, 'new', 'import', file);
  expect(await stateOf('new')).toBe('arrived');
  const receipt = shown(await cell('new', 'import', file), 'cell switch');

  const looked = await cell('old', 'switch', receipt);
  const [, alive = ''] = /--confirm (\d+)/u.exec(looked.err) ?? [];
  expect([looked.code, await stateOf('old')]).toEqual([3, 'copied']);
  const switching = ['switch', receipt, '--confirm', alive, '--reason', 'it grows'] as const;
  await killAfter(0, 'old', ...switching);
  expect(await stateOf('old')).toBe('copied');
  const clearance = shown(await cell('old', ...switching), 'cell open');
  const [first = ''] = load.accepted.keys();
  await expect
    .poll(() => ask(old, first), { timeout: PATIENCE_MS })
    .toMatchObject({
      status: 421,
      body: { code: 'PROVIDER_MOVED', message: expect.stringContaining(ADDRESS) },
    });
  await old.stop();

  await killHeld(PAUSE_HELD, 'new', 'open', clearance);
  expect(await stateOf('new')).toBe('open');
  expect(await rowsOf('new', 'pause')).toBe(1);
  expect(await cell('new', 'open', clearance)).toMatchObject({ code: 0 });
  expect(await rowsOf('new', 'pause')).toBe(0);
  const here = await startCell('new');
  for (const [commandId, contractId] of load.accepted) {
    const { status, body } = await ask(here, commandId);
    expect(status).toBe(201);
    if (contractId !== null) expect(body.contractId).toBe(contractId);
  }
  expect(await violations('new')).toEqual([]);
}, 240_000);
