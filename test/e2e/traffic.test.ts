import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PATIENCE_MS } from '../kit/patience.ts';
import { runCommand } from './kit/tenure-command.ts';
import type { World } from './kit/world.ts';
import { startWorld } from './kit/world.ts';

/*
 * A participant without traffic credit for the network: operations wait instead of failing, attempts are rare, and
 * after a purchase everything continues without a person's help.
 */

const INSTALLS = 6;

let world: World;
let installs: readonly string[];

const commandId = () => `?commandId=${randomUUID()}`;

async function newInstall(): Promise<string> {
  const request = await world.call('user', 'POST', `/app-install-requests${commandId()}`, {
    body: {},
  });
  const path = `/app-install-requests/${request.body.contractId}:accept${commandId()}`;
  const body = { installMeta: {}, meta: {} };
  return (await world.call('provider', 'POST', path, { body })).body.contractId;
}

beforeAll(async () => {
  world = await startWorld();
  installs = await Promise.all(Array.from({ length: INSTALLS }, newInstall));
});
afterAll(() => world[Symbol.asyncDispose]());

async function control(path: string, body: object): Promise<void> {
  const answer = await fetch(`${world.tenure.state.localnet!.networkUrl}/control/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  expect(answer.ok, await answer.text()).toBe(true);
}
const traffic = (what: object) => control('traffic', { participant: 'app-provider', ...what });

/** Requests a licence without waiting for the outcome. @returns the operation's ID */
async function ask(install: string): Promise<string> {
  const path = `/app-installs/${install}:create-license${commandId()}`;
  const { status, body } = await world.call('provider', 'POST', path, {
    body: { params: { meta: { data: {} } } },
    headers: { prefer: 'respond-async' },
  });
  expect(status).toBe(202);
  return body.id;
}

const get = async (path: string) => (await world.call('operator', 'GET', path)).body;
const all = (ids: readonly string[]) => Promise.all(ids.map((id) => get(`/ops/operations/${id}`)));
const attemptsOf = async (ids: readonly string[]): Promise<number> =>
  (await all(ids)).reduce((sum, { attempts }) => sum + attempts.length, 0);

const states = async (ids: readonly string[]) =>
  (await all(ids)).map(({ state }) => state as string);

/**
 * Requests licences while there is no traffic credit, until each of the operations reports that it waits for credit.
 */
async function askInVain(refusedAt: 'sending' | 'sequencing'): Promise<readonly string[]> {
  await traffic({ balance: 0, refusedAt });
  const ids = await Promise.all(installs.map(ask));
  const waits = async () =>
    (await all(ids)).map(({ waitingFor }) => waitingFor?.kind as string | undefined);
  await expect.poll(waits).toEqual(installs.map(() => 'traffic'));
  expect(await get('/ops/pauses')).toMatchObject([
    {
      name: 'app-provider',
      mode: 'traffic',
      reason: expect.stringContaining('SEQUENCER_NOT_ENOUGH_TRAFFIC_CREDIT'),
    },
  ]);
  return ids;
}

/**
 * Buys traffic, and checks that all operations continue: a single probe has found out that there is credit, and each
 * change that waited was submitted once.
 */
async function buyAndSee(ids: readonly string[]): Promise<void> {
  const tried = await attemptsOf(ids);
  await traffic({ topUp: 10_000_000 });
  await expect.poll(() => states(ids)).toEqual(ids.map(() => 'succeeded'));
  expect(await get('/ops/pauses')).toEqual([]);
  expect(await attemptsOf(ids)).toBeLessThanOrEqual(tried + ids.length + 4);
  for (const { attempts, cost } of await all(ids)) {
    expect(attempts.at(-1)).toMatchObject({ answer: 'accepted', cost: expect.any(Number) });
    expect(cost.bytes).toBeGreaterThanOrEqual(attempts.at(-1).cost);
  }
}

describe('without traffic', () => {
  test('operations wait, one at a time tries, an alarm says what to do, and all go on when there is some', async () => {
    const ids = await askInVain('sending');
    const alarms = async () =>
      (await get('/ops/alarms')).filter((one: { changeId: string }) => ids.includes(one.changeId));
    await expect.poll(async () => (await alarms()).length).toBe(INSTALLS);
    for (const alarm of await alarms()) {
      const detail = expect.stringMatching(/bought more/u);
      expect(alarm).toMatchObject({ kind: 'traffic', detail });
    }
    // These are the attempts that were already on their way when the credit ran out, and then one attempt after each
    // delay, which doubles every time.
    expect(await attemptsOf(ids)).toBeLessThan(INSTALLS + 12);
    for (const { attempts } of await all(ids)) {
      for (const { answer, ledgerCode } of attempts) {
        expect([answer, ledgerCode]).toEqual(['refused', 'SEQUENCER_NOT_ENOUGH_TRAFFIC_CREDIT']);
      }
    }
    await buyAndSee(ids);
    await expect.poll(async () => (await alarms()).length).toBe(0);
  });

  test('it is the same where the network finds out only when it orders what was sent', async () => {
    const ids = await askInVain('sequencing');
    await buyAndSee(ids);
    expect(await states(ids)).not.toContain('failed');
  });
});

test('a price that has changed is tried again soon, without an alarm and without leaving anybody alone', async () => {
  await traffic({ balance: null });
  await control('faults', { kind: 'reject', code: 'OUTDATED_TRAFFIC_COST', times: 1, seconds: 60 });
  const id = await ask(installs[0]!);
  await expect.poll(async () => (await get(`/ops/operations/${id}`)).state).toBe('succeeded');
  const { attempts } = await get(`/ops/operations/${id}`);
  expect(attempts).toMatchObject([
    { answer: 'refused', ledgerCode: 'OUTDATED_TRAFFIC_COST' },
    { answer: 'accepted' },
  ]);
  expect(await get('/ops/pauses')).toEqual([]);
});

test('what one party cannot pay for holds back nobody else', async () => {
  await control('faults', {
    kind: 'error',
    code: 'TRAFFIC_ACCOUNT_VALIDATION_FAILED',
    times: 1,
    seconds: 60,
  });
  const id = await ask(installs[0]!);
  const attempts = async () => (await get(`/ops/operations/${id}`)).attempts;
  await expect
    .poll(attempts)
    .toMatchObject([{ answer: 'refused', ledgerCode: 'TRAFFIC_ACCOUNT_VALIDATION_FAILED' }, {}]);
  expect(await get('/ops/pauses')).toEqual([]);
  await expect.poll(async () => (await get(`/ops/operations/${id}`)).state).toBe('succeeded');
});

test('what was paid is added up', async () => {
  const [row] = await get('/ops/costs?operation=create-license&groupBy=operation');
  expect(row).toMatchObject({ operation: 'create-license', operations: 2 * INSTALLS + 2 });
  expect(row.bytes).toBeGreaterThan(0);
  const told = await runCommand(
    world.dataDir,
    ['ops', 'costs', '--group-by', 'operation', '--operation', 'create-license', '--json'],
    { TENURE_API_URL: world.tenure.state.apiUrl, TENURE_TOKEN: await world.tokenOf('operator') },
  );
  expect([told.code, JSON.parse(told.out)]).toEqual([0, [row]]);
  const metrics = await (await fetch(`${world.tenure.state.managementUrl}/metrics`)).text();
  const paid = /^tenure_traffic_bytes_total\{participant="app-provider"\} (\d+)/mu.exec(metrics);
  expect(Number(paid?.[1])).toBeGreaterThanOrEqual(row.bytes);
});
