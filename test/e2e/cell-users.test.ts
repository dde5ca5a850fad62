import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Finding } from '../../src/doctor/findings.ts';
import { examine } from '../../src/main/doctor.ts';
import { loadConfig } from '../../src/main/config.ts';
import { claimLedgerUsers } from '../../cli/cells/claim.ts';
import { openConfigured } from '../../src/main/ledger-side.ts';
import { createOutgoingHttp } from '../../src/auth/outgoing-fetch.ts';
import { createOwnLedgerUsers } from '../../src/ledger/own-ledger-users.ts';
import { PATIENCE_MS } from '../kit/patience.ts';
import { runTenure } from '../../embedded/run.ts';
import { testDatabase } from '../kit/postgres.ts';
import { queryOnce } from '../kit/postgres-query.ts';
import type { Life } from './kit/lives.ts';
import { Lives } from './kit/lives.ts';
import { runCommand } from './kit/tenure-command.ts';

/*
 * Two deployments with separate databases use the same ledger users. The ledger user on the users' participant may
 * annotate itself; the one on the provider's participant may not, so only completions reveal its use by two cells.
 */

const stack = new AsyncDisposableStack();
let lives: Lives;
let first: Record<string, string>;
let second: Record<string, string>;

beforeAll(async () => {
  lives = stack.use(await Lives.open());
  const folder = await mkdtemp(join(tmpdir(), 'tenure-cell-users-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const database = stack.use(await testDatabase());
  first = { ...lives.embedded.environment };
  second = { ...first, DATABASE_URL: database.url, TENURE_DATA_DIR: folder };
});
afterAll(() => stack.disposeAsync());

const cellOf = async (environment: Record<string, string>): Promise<string> => {
  const [row] = await queryOnce<{ id: string }>(
    environment['DATABASE_URL']!,
    'select id from cell',
  );
  return row!.id;
};

/** The annotations of the ledger users on their participants. */
async function annotations(): Promise<Record<string, string | null>> {
  await using open = new AsyncDisposableStack();
  const http = createOutgoingHttp();
  open.defer(() => http.close());
  const config = loadConfig(first);
  const participants = config.participants.map((each) => openConfigured(config, each, http.fetch));
  open.defer(() => participants.forEach((participant) => participant.close()));
  const users = createOwnLedgerUsers(participants);
  const io = { signal: AbortSignal.timeout(PATIENCE_MS), deadlineMs: PATIENCE_MS };
  const read = await Promise.all(users.participants.map((name) => users.read(name, io)));
  return Object.fromEntries(read.map(({ participant, annotation }) => [participant, annotation]));
}

async function findings(environment: Record<string, string>): Promise<Finding[]> {
  const found: Finding[] = [];
  await examine({
    environment,
    replay: false,
    deep: false,
    onFinding: (finding) => found.push(finding),
    onProgress: () => undefined,
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  return found.filter(
    ({ area, what }) => area === 'ledger' && /this cell|this is|other cell/u.test(what),
  );
}

/** Creates an installation: the user requests it in one cell, and the provider accepts it in another. */
async function install(asking: Life, accepting: Life): Promise<void> {
  const commandId = randomUUID();
  await asking.ask('user', 'POST', `/app-install-requests?commandId=${commandId}`, {});
  await expect
    .poll(() => asking.stateOf('user', commandId), { timeout: PATIENCE_MS })
    .toBe('succeeded');
  const { body } = await asking.ask('user', 'GET', `/operations/${commandId}`);
  const path = `/app-install-requests/${body.result.body.contractId}:accept`;
  const accepted = randomUUID();
  const accept = () =>
    accepting.ask('provider', 'POST', `${path}?commandId=${accepted}`, {
      installMeta: {},
      meta: {},
    });
  // The other cell may see the request a little later.
  await expect
    .poll(async () => (await accept()).status, { timeout: PATIENCE_MS })
    .toBeLessThan(300);
  await expect
    .poll(() => accepting.stateOf('provider', accepted), { timeout: PATIENCE_MS })
    .toBe('succeeded');
}

const othersIn = (environment: Record<string, string>) =>
  queryOnce<{ participant: string; cell: string }>(
    environment['DATABASE_URL']!,
    'select participant, cell from other_cell order by 1',
  );

test('a cell does not start as a ledger user of another, until it is claimed', async () => {
  await using a = await lives.start();
  const cellA = await cellOf(first);
  expect(await annotations()).toEqual({ 'app-provider': null, 'app-user': cellA });
  await install(a, a);
  const submitted = await queryOnce<{ id: string }>(
    first['DATABASE_URL']!,
    'select submission_id as id from attempt',
  );
  expect(submitted.length).toBeGreaterThan(1);
  for (const { id } of submitted) expect(id.startsWith(`${cellA}:`)).toBe(true);
  // After a restart, Tenure recognises its own cell, and does not take its earlier submissions for another cell's.
  await using again = await lives.start({ TENURE_ROLES: 'api' });
  await again[Symbol.asyncDispose]();
  expect(await othersIn(first)).toEqual([]);
  expect(await findings(first)).toMatchObject([{ level: 'well' }, { level: 'well' }]);

  const refused = `participant app-user belongs to cell ${cellA}`;
  await expect(lives.start(second)).rejects.toThrow(refused);
  const cellB = await cellOf(second);
  expect(cellB > cellA).toBe(true);
  expect(await findings(second)).toMatchObject([
    {
      level: 'well',
      what: expect.stringContaining(`has no cell annotation; this cell is ${cellB}`),
    },
    { level: 'wrong', what: expect.stringContaining(`names another cell, ${cellA}`) },
  ]);

  const claim = (...confirmed: readonly string[]) =>
    claimLedgerUsers(loadConfig(second), AbortSignal.timeout(PATIENCE_MS), confirmed);
  await expect(claim(cellB)).rejects.toThrow(`belong to cell ${cellA}`);
  expect(await annotations()).toEqual({ 'app-provider': null, 'app-user': cellA });
  const claimed = await claim(cellA);
  expect(claimed).toMatchObject({
    cell: cellB,
    users: [
      { participant: 'app-provider', isAnnotated: false, annotation: null },
      { participant: 'app-user', isAnnotated: true },
    ],
  });
  expect(await annotations()).toEqual({ 'app-provider': null, 'app-user': cellB });
  await expect(lives.start({ TENURE_ROLES: 'api' })).rejects.toThrow(`belongs to cell ${cellB}`);

  // Each process sees the later submissions of the other.
  {
    await using b = await lives.start(second);
    await install(a, b);
    await install(a, a);
    await expect
      .poll(() => othersIn(first), { timeout: PATIENCE_MS })
      .toContainEqual({ participant: 'app-provider', cell: cellB });
    await expect
      .poll(() => othersIn(second), { timeout: PATIENCE_MS })
      .toContainEqual({ participant: 'app-provider', cell: cellA });
  }
  expect(await findings(first)).toContainEqual(
    expect.objectContaining({
      level: 'wrong',
      what: expect.stringMatching(
        new RegExp(`cell ${cellB} also submits commands as ledger user .* on app-provider`, 'u'),
      ),
    }),
  );
  // The second cell is started later than the first, and its ledger user on the provider's participant has no
  // annotation, so its start is refused.
  await expect(lives.start(second)).rejects.toThrow(`cell ${cellA} has submitted as ledger user`);
  await claim(cellA);
  await using b = await lives.start({ ...second, TENURE_ROLES: 'api' });
  expect((await b.ask('user', 'GET', '/app-install-requests')).status).toBe(200);
}, 240_000);

test('a deployment of one folder is claimed where its start was refused and nothing runs', async () => {
  await using folders = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'tenure-cell-folder-'));
  folders.defer(() => rm(folder, { recursive: true, force: true }));
  const dataDir = join(folder, '.tenure');
  const start = () =>
    runTenure({
      environment: {
        PATH: process.env['PATH'],
        TENURE_DATA_DIR: dataDir,
        TENURE_LOG_LEVEL: 'silent',
        BACKEND_PORT: '0',
      },
      ports: 'free',
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
  // If no process was started, there is nothing to claim, and the command creates nothing.
  const inVain = await runCommand(folder, ['cell', 'claim']);
  expect(inVain).toMatchObject({ code: 1, err: expect.stringContaining('DATABASE_URL') });
  await (await start()).stop();
  // The database is lost, but its ledger is not.
  await rm(join(dataDir, 'postgres'), { recursive: true });
  await expect(start()).rejects.toThrow('`tenure cell claim`');
  const unnamed = await runCommand(folder, ['cell', 'claim']);
  const [, other = ''] = /--confirm (\S+)/u.exec(unnamed.err) ?? [];
  expect([unnamed.code, other]).toEqual([1, expect.stringMatching(/^[0-9a-f]{16}$/u)]);
  const claimed = await runCommand(folder, ['cell', 'claim', '--confirm', other]);
  expect(claimed, claimed.err).toMatchObject({
    code: 0,
    out: expect.stringMatching(/participant app-user is annotated as its own/u),
  });
  await (await start()).stop();
}, 240_000);
