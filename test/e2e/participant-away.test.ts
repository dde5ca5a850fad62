import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DemoCaller } from '../../cli/demo-callers.ts';
import { fetchToken } from '../../cli/commands/token.ts';
import type { Config } from '../../src/main/config.ts';
import { loadConfig, readEnvironment } from '../../src/main/config.ts';
import type { Embedded } from '../../src/main/embedded.ts';
import { startEmbedded } from '../../src/main/embedded.ts';
import { localnetAddresses } from '../../src/main/local-network.ts';
import { createLog } from '../../src/main/log.ts';
import type { System } from '../../src/main/system.ts';
import { startSystem } from '../../src/main/system.ts';
import { PATIENCE_MS } from '../kit/patience.ts';

/* Tenure is started while participants cannot be reached, as after a crash in the middle of an outage. */

const stack = new AsyncDisposableStack();
const signal = AbortSignal.timeout(240_000);
const log = createLog('error');
let embedded: Embedded;
let config: Config;

beforeAll(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tenure-away-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  embedded = stack.use(
    await startEmbedded({
      environment: readEnvironment({ TENURE_DATA_DIR: dataDir }),
      passOn: { PATH: process.env['PATH'] },
      ports: 'free',
      signal,
      log,
    }),
  );
  config = loadConfig({
    ...embedded.environment,
    TENURE_DATA_DIR: dataDir,
    TENURE_ROLES: 'api,worker,projector,clock',
    BACKEND_PORT: '0',
  });
});
afterAll(() => stack.disposeAsync());

const ready = () => embedded.localnet!.ready;

async function faults(method: string, fault?: object): Promise<void> {
  const answer = await fetch(`${localnetAddresses(ready()).networkUrl}/control/faults`, {
    method,
    ...(fault === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(fault) }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  expect(answer.ok, await answer.text()).toBe(true);
}

type Ask = (
  who: DemoCaller,
  method: string,
  path: string,
  body?: object,
  // oxlint-disable-next-line typescript/no-explicit-any -- tests state what they expect of it
) => Promise<{ readonly status: number; readonly body: any }>;

const askOf =
  (system: System): Ask =>
  async (who, method, path, body) => {
    const answer = await fetch(`http://127.0.0.1:${system.apiPort}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${await fetchToken(localnetAddresses(ready()), who)}`,
        prefer: 'respond-async',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return { status: answer.status, body: await answer.json() };
  };

/** One life of Tenure. */
async function live(work: (ask: Ask) => Promise<void>): Promise<void> {
  const system = await startSystem(config, log, signal);
  try {
    await work(askOf(system));
  } finally {
    await system.stop();
  }
}

const commandId = () => `?commandId=${randomUUID()}`;

/** A user asks for an installation. @returns the operation's id */
async function request(ask: Ask): Promise<string> {
  const { status, body } = await ask('user', 'POST', `/app-install-requests${commandId()}`, {});
  expect(status, JSON.stringify(body)).toBe(202);
  return body.id;
}

const stateOf = async (ask: Ask, id: string): Promise<string> =>
  (await ask('operator', 'GET', `/ops/commands/${id}`)).body.state;
const succeeds = (ask: Ask, id: string) =>
  expect.poll(() => stateOf(ask, id), { timeout: PATIENCE_MS }).toBe('succeeded');

test('what was accepted is driven on by a process that starts while its participant is away, and so is what comes then', async () => {
  await live(async (ask) => succeeds(ask, await request(ask)));
  for (const away of [{ where: { participant: 'app-user' } }, {}]) {
    const asked: string[] = [];
    await faults('POST', { kind: 'down', ...away });
    await live(async (ask) => {
      asked.push(await request(ask));
      await expect
        .poll(async () => (await ask('operator', 'GET', `/ops/commands/${asked[0]!}`)).body)
        .toMatchObject({ state: 'submitting' });
    });
    await live(async (ask) => {
      asked.push(await request(ask));
      await faults('DELETE');
      for (const id of asked) await succeeds(ask, id);
    });
  }
});
