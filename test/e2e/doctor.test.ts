import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Broken } from '../../chaos/broken.ts';
import { examineLive } from '../../chaos/doctor.ts';
import { LedgerControl } from '../../chaos/ledger-control.ts';
import { watch } from '../../chaos/watch.ts';
import { fetchToken } from '../../cli/commands/token.ts';
import { openWallet } from '../../cli/wallet.ts';
import type { Finding } from '../../src/main/doctor.ts';
import { AREAS, examine } from '../../src/main/doctor.ts';
import type { LocalNetwork } from '../../embedded/localnet.ts';
import {
  localnetAddresses,
  localnetEnvironment,
  startLocalNetwork,
} from '../../embedded/localnet.ts';
import { runTenure } from '../../embedded/run.ts';
import type { RunningTenure } from '../../embedded/run.ts';
import type { TestDatabase } from '../kit/postgres.ts';
import { testDatabase } from '../kit/postgres.ts';
import { queryOnce } from '../kit/postgres-query.ts';
import { PLANTED } from './kit/planted-rows.ts';
import { callApi } from './kit/call-api.ts';

/* The doctor on a running Tenure: healthy and under load, with damaged rows, and without a ledger. */

let folder: string;
let database: TestDatabase;
let localnet: LocalNetwork;
let tenure: RunningTenure;
let environment: Readonly<Record<string, string>>;
const tokens = { provider: '', user: '' };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenure-doctor-'));
  database = await testDatabase();
  // The server of the tests loses its last transactions when it crashes, because it does not wait for the disk. The
  // doctor would report this, so commits of this database wait.
  await sql(`alter database ${database.name} set synchronous_commit = on`);
  const { signal } = new AbortController();
  localnet = await startLocalNetwork({
    dataDir: join(folder, 'localnet'),
    logFile: join(folder, 'localnet.log'),
    ports: 'free',
    environment: { PATH: process.env['PATH'], LOCALNET_TIME: 'static' },
    signal,
  });
  environment = {
    TENURE_LOG_LEVEL: 'silent',
    TENURE_DATA_DIR: folder,
    BACKEND_PORT: '0',
    DATABASE_URL: database.url,
    TENANT_ISSUERS_ALLOWED: 'loopback',
    ...(await localnetEnvironment(localnet.ready)),
  };
  tenure = await runTenure({ environment, ports: 'free', signal });
  const addresses = localnetAddresses(localnet.ready);
  tokens.provider = await fetchToken(addresses, 'provider');
  tokens.user = await fetchToken(addresses, 'user');
  await live();
});
afterAll(async () => {
  await tenure?.stop();
  await localnet?.stop();
  await database?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const call = (who: 'provider' | 'user', path: string, body?: object) =>
  callApi(`${tenure.state.apiUrl}${path}`, {
    body,
    token: tokens[who],
    headers: { prefer: 'wait=30' },
  });

async function post(who: 'provider' | 'user', path: string, body: object = {}) {
  const answer = await call(who, `${path}?commandId=${randomUUID()}`, body);
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer.body;
}

let install: string;

/** Performs one operation of each kind: request, install, licences, renewal, settlement, comment, expiry. */
async function live(): Promise<void> {
  const request = await post('user', '/app-install-requests');
  const accepted = await post('provider', `/app-install-requests/${request.contractId}:accept`, {
    installMeta: {},
    meta: {},
  });
  install = accepted.contractId;
  const { licenseId } = await post('provider', `/app-installs/${install}:create-license`, {
    params: {},
  });
  await post('provider', `/app-installs/${install}:create-license`, { params: {} });
  await post('user', `/licenses/${licenseId}/comments`, { body: 'How long is it good for?' });
  await post('provider', `/licenses/${licenseId}:renew`, {
    licenseFeeCc: 12.5,
    licenseExtensionDuration: 'P30D',
    prepareUntilDuration: 'PT10M',
    settleBeforeDuration: 'PT20M',
    description: 'One more month',
  });
  const wallet = openWallet(localnetAddresses(localnet.ready).userWalletUrl, tokens.user);
  await wallet.tap('100.0');
  const [renewal] = (await call('provider', `/licenses/${licenseId}`)).body.renewalRequests;
  const allocationContractId = await wallet.accept(renewal.requestId);
  const complete = `/licenses/${licenseId}:complete-renewal?commandId=${randomUUID()}`;
  const paid = { renewalRequestContractId: renewal.contractId, allocationContractId };
  // The wallet is another client of the ledger: the query store sees its payments with a delay.
  await vi.waitFor(async () => {
    expect((await call('provider', complete, paid)).status).toBe(200);
  }, 120_000);
  await fetch(`${localnetAddresses(localnet.ready).networkUrl}/control/time`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ advanceSeconds: 31 * 86_400 }),
  });
  await post('user', `/licenses/${licenseId}:expire`);
}

async function findings(over: Partial<Parameters<typeof examine>[0]> = {}): Promise<Finding[]> {
  const found: Finding[] = [];
  await examine({
    environment,
    replay: true,
    deep: true,
    onFinding: (finding) => found.push(finding),
    onProgress: () => undefined,
    signal: AbortSignal.timeout(120_000),
    ...over,
  });
  return found;
}

const wrongs = (found: readonly Finding[]): string[] =>
  found.filter(({ level }) => level === 'wrong').map(({ what }) => what);

const sql = (text: string) => queryOnce(database.url, text);

/** Runs one doctor command in a folder without settings. */
function doctor(args: readonly string[], over: Readonly<Record<string, string>> = {}) {
  const child = spawn(resolve('cli/tenure'), ['doctor', ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, ...environment, ...over },
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => (out += chunk));
  child.stderr.on('data', (chunk) => (err += chunk));
  const done = Promise.withResolvers<{ code: number | null; out: string; err: string }>();
  child.once('close', (code) => done.resolve({ code, out, err }));
  return done.promise;
}

describe('a sound system', () => {
  test('is well, and the command says so without a secret', async () => {
    const { code, out, err } = await doctor(['--deep']);
    expect({ code, err }, out).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/no violation of invariants I1 to I\d+ in/u);
    expect(out).toMatch(
      /^ok {2}invariants .*[1-9]\d* changes, [1-9]\d* lifecycles, [1-9]\d* updates/mu,
    );
    const told = await doctor(['--json', '--no-replay']);
    // The doctor skips none of its checks.
    const { findings: looked } = JSON.parse(told.out) as { findings: readonly Finding[] };
    const areas = new Set(looked.filter(({ level }) => level === 'well').map(({ area }) => area));
    expect(areas).toEqual(new Set(AREAS));
    expect(JSON.parse(told.out).findings).toContainEqual({
      area: 'invariants',
      level: 'unseen',
      what: 'the store was not compared with the ledger: the option --no-replay is set',
    });
    for (const secret of [
      environment['AUTH_APP_PROVIDER_BACKEND_CLIENT_SECRET']!,
      environment['APP_USER_BACKEND_USER_TOKEN']!,
      new URL(database.url).password || 'no password here',
    ]) {
      expect(out + told.out).not.toContain(secret);
    }
  });

  test('is well while everything is in flight', async () => {
    const path = () => `/app-installs/${install}:create-license?commandId=${randomUUID()}`;
    const asked = Array.from({ length: 60 }, () => call('provider', path(), { params: {} }));
    const all = Promise.all(asked);
    // Operations in progress are not findings; streams may lag slightly while the load lasts.
    const isBroken = ({ area, level }: Finding) => area !== 'streams' && level === 'wrong';
    for (let look = 0; look < 3; look += 1) {
      expect((await findings()).filter(isBroken)).toEqual([]);
    }
    const answers = await all;
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(wrongs(await findings())).toEqual([]);
  });
});

/** A chaos run runs the doctor while faults are active, and its ledger withholds completions. */
describe('a chaos', () => {
  const networkUrl = () => localnetAddresses(localnet.ready).networkUrl;
  const world = () => ({
    databaseUrl: database.url,
    environment: async () => ({ ...environment }),
  });

  test('sees what is broken in its midst and mended before its end, and says so once', async () => {
    const broken: Broken[] = [];
    const over = new AbortController();
    const watching = watch({
      world: world(),
      control: new LedgerControl(networkUrl),
      signal: over.signal,
      nowMs: () => performance.now(),
      onBroken: (one) => broken.push(one),
      checkMs: 50,
      examineMs: 50,
    });
    const evidence = () => broken.map((one) => one.evidence);
    const planted = ['I1', 'I6, a payload'].map((name) =>
      PLANTED.find(({ what }) => what === name),
    );
    for (const one of planted) await sql(one?.plant ?? '');
    await vi.waitFor(() => {
      expect(evidence()).toContainEqual(expect.stringContaining('renewed its licence 2 times'));
      expect(evidence()).toContainEqual(expect.stringContaining('LicenseComment'));
    }, 120_000);
    for (const one of planted) await sql(one?.undo ?? '');
    const seen = evidence().length;
    over.abort();
    await watching;
    expect(new Set(evidence()).size).toBe(evidence().length);
    expect(evidence().length).toBeLessThanOrEqual(seen + 2);
    expect(broken.every(({ atMs }) => atMs !== undefined && atMs > 0)).toBe(true);
    expect(wrongs(await findings())).toEqual([]);
  });

  test('blames nobody for the very completion that the ledger withheld, and for no other', async () => {
    const control = new LedgerControl(networkUrl);
    const commandId = randomUUID();
    await control.begin({ kind: 'withhold', where: { commandId } });
    const path = `/app-installs/${install}:create-license?commandId=${commandId}`;
    const { status } = await call('provider', path, { params: {} });
    expect(status).toBe(201);
    await control.endAll();
    const signal = AbortSignal.timeout(120_000);
    const sentence = expect.stringContaining('the attempt has no answer');
    expect(wrongs(await findings())).toEqual([sentence]);
    expect(await examineLive(world(), control, signal)).toEqual([]);
    const unaware = new LedgerControl(networkUrl);
    const evidence = expect.stringContaining(commandId);
    expect(await examineLive(world(), unaware, signal)).toEqual([
      { promise: '`tenure doctor` finds everything well', evidence },
    ]);
    await sql(
      `update attempt a set verdict = 'accepted', answered_at = now(), explanation = 'told by the test'
       from change c where c.id = a.change_id and c.command_id = '${commandId}'`,
    );
    expect(wrongs(await findings())).toEqual([]);
  });
});

describe('rows that somebody has changed', () => {
  test.each(PLANTED)('$what', async ({ plant, undo, sentence, over }) => {
    await sql(plant);
    try {
      expect(wrongs(await findings(over))).toContainEqual(expect.stringMatching(sentence));
    } finally {
      await sql(undo);
    }
  });

  test('leave nothing to be found once they are as they were', async () => {
    expect(wrongs(await findings())).toEqual([]);
  });

  test('end the command with code 1, and each says what to do', async () => {
    await sql(`update lifecycle set app_user = app_user || 'x' where kind = 'install-request'`);
    try {
      const { code, out, err } = await doctor([]);
      expect({ code, err }, out).toEqual({ code: 1, err: '' });
      expect(out).toMatch(
        /^WRONG {2}invariants +I6: lifecycle install-request-\w+ differs from its contract \w+ in app_user/mu,
      );
      expect(out).toContain('What to do:');
    } finally {
      await sql(
        `update lifecycle set app_user = left(app_user, -1) where kind = 'install-request'`,
      );
    }
  });
});

describe('what is away is a finding', () => {
  test('an operation in doubt and one that waits too long', async () => {
    // The clock also runs these checks periodically, and removes alarms even if it has not raised them itself.
    const asked = async () => {
      await sql(
        `delete from alarm;
         insert into alarm (change_id, kind, since, detail) select id, 'ledger', now(), 'planted' from change limit 1`,
      );
      return wrongs(await findings({ replay: false }));
    };
    await expect
      .poll(asked)
      .toEqual([expect.stringMatching(/ has waited too long for ledger, since .*: planted$/u)]);
    await sql('delete from alarm');
  });

  test('bad input and missing settings are told in a line', async () => {
    const bad = await doctor(['--since', 'yesterday']);
    expect(bad).toMatchObject({ code: 2, out: '' });
    expect(bad.err).toBe('tenure: --since yesterday is not an offset: use a whole number\n');
    const nowhere = { DATABASE_URL: '', LEDGER_HOST: '', TENURE_DATA_DIR: join(folder, 'empty') };
    const nothing = await doctor([], nowhere);
    expect(nothing).toMatchObject({ code: 2, err: '' });
    expect(nothing.out).toContain('no Tenure runs with the data folder');
    const misspelt = await doctor([], { AUTH_MODE: 'maybe' });
    expect(misspelt.code).toBe(2);
    expect(misspelt.out).toContain('AUTH_MODE must be one of');
  });

  test('a database that is away', async () => {
    const found = await findings({
      environment: { ...environment, DATABASE_URL: 'postgresql://127.0.0.1:1/x' },
    });
    expect(wrongs(found)).toEqual([
      expect.stringMatching(/^cannot reach PostgreSQL at 127\.0\.0\.1:1: /u),
    ]);
    expect(found).toContainEqual({
      area: 'invariants',
      level: 'unseen',
      what: 'the database is unreachable',
    });
  });

  test('LocalNet that has stopped: the store is checked all the same', async () => {
    await localnet.stop();
    const { code, out, err } = await doctor([]);
    expect({ code, err }, out).toEqual({ code: 1, err: '' });
    expect(out).toMatch(
      /^WRONG {3}ledger +participant app-provider at 127\.0\.0\.1:\d+ cannot be queried: /mu,
    );
    expect(out).toContain(
      'the store was not compared with the ledger: the ledger cannot be queried',
    );
    expect(out).toMatch(/^ok {6}invariants +no violation of invariants I1 to I\d+ in/mu);
    expect(out).not.toContain('    at ');
  });
});
