import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook as Verifier } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DemoCaller } from '../../cli/demo-callers.ts';
import { openWallet } from '../../cli/wallet.ts';
import type { Finding } from '../../src/main/doctor.ts';
import { examine } from '../../src/main/doctor.ts';
import { MIGRATIONS_FOLDER, readMigrations } from '../../src/store/sql/migrate.ts';
import { PATIENCE_MS } from '../kit/patience.ts';
import { queryOnce } from '../kit/postgres-query.ts';
import type { TestDatabase } from '../kit/postgres.ts';
import { testDatabase } from '../kit/postgres.ts';
import type { Told } from './kit/earlier-data.ts';
import { readTold, restoreDatabase, restoreLedger } from './kit/earlier-data.ts';
import type { World } from './kit/world.ts';
import { startWorld } from './kit/world.ts';

/*
 * The build of commit 0f92c20 was stopped while it had work in progress. Its database is migrated, and database and
 * ledger are used again. The tests depend on each other and run in order. The ledger has static time.
 */

const HOUR = 3_600;
const DAY = 24 * HOUR;
const SOON = { timeout: PATIENCE_MS, interval: 100 };

const stack = new AsyncDisposableStack();
let database: TestDatabase;
let world: World;
let then: Told;
/** The pending deliveries before the start. */
let pending: readonly { webhook_id: string; message_id: string }[];
let open: readonly { command_id: string; id: string; state: string }[];

interface Arrived {
  readonly webhookId: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}
const arrived: Arrived[] = [];

const sql = <Row extends object>(statement: string) =>
  queryOnce<Row & Record<string, unknown>>(database.url, statement);

/** Starts a server that accepts deliveries of webhooks. @returns its address */
async function openReceiver(): Promise<string> {
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const headers = request.headers as Record<string, string>;
    arrived.push({ webhookId: request.url?.slice(1) ?? '', headers, body });
    response.writeHead(204).end();
  };
  const server = createServer((request, response) => {
    void take(request, response).catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  stack.defer(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  database = stack.use(await testDatabase('empty'));
  // The server of the tests loses its last transactions when it crashes, because it does not wait for the disk. The
  // doctor would report this, so commits of this database wait.
  await sql(`alter database ${database.name} set synchronous_commit = on`);
  await restoreDatabase(database.url);
  then = await readTold();
  // Changes the target of the fixture's webhooks to the address of this test's receiver.
  await sql(`update webhook set url = '${await openReceiver()}/' || id`);
  pending = await sql(`select webhook_id, message_id from delivery where state = 'pending'`);
  open = await sql(`select command_id, id, state from change where finished_at is null`);
  world = stack.use(
    await startWorld(
      {
        DATABASE_URL: database.url,
        // Static time differs greatly from the machine's time, which would be logged as an error.
        TENURE_LOG_LEVEL: 'silent',
        LOCALNET_TIME: 'static',
        // Under static time, ledger time equals record time. When it is set to the machine's time, the difference may
        // be large.
        LEDGER_TIME_TOLERANCE: 'PT0S',
        CLOCK_DIFFERENCE_MAX: 'PT1M',
        // The fixture is old, and none of it may be deleted because of its age.
        TENURE_KEEP_CHANGES_DAYS: '0',
        TENURE_KEEP_EVENTS_DAYS: '0',
        TENURE_KEEP_CONTRACTS_DAYS: '0',
      },
      restoreLedger,
    ),
  );
});
afterAll(() => stack.disposeAsync());

const get = async (path: string, who: DemoCaller = 'provider') =>
  (await world.call(who, 'GET', path)).body;

const post = (who: DemoCaller, path: string, body: object = {}) =>
  world.call(who, 'POST', path, { body });

/** Returns the ID under which operators know an open change. */
const changeOf = (commandId: string) => open.find((one) => one.command_id === commandId)?.id;

const stateOf = async (commandId: string): Promise<string> =>
  (await get(`/ops/operations/${changeOf(commandId)}`, 'operator')).state;

const becomes = (commandId: string, state: string) =>
  expect.poll(() => stateOf(commandId), { ...SOON, message: commandId }).toBe(state);

/** Creates an install: the user requests it, and the provider accepts it. @returns its contract ID */
async function newInstall(name: string): Promise<string> {
  const request = await post('user', `/app-install-requests?commandId=${name}-request`);
  expect(request.status).toBe(201);
  const accept = `/app-install-requests/${request.body.contractId}:accept`;
  const body = { installMeta: {}, meta: {} };
  const accepted = await post('provider', `${accept}?commandId=${name}-accept`, body);
  expect(accepted.status).toBe(201);
  return accepted.body.contractId;
}

async function moveTime(body: object): Promise<void> {
  const answer = await fetch(`${world.tenure.state.localnet?.networkUrl}/control/time`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  expect(answer.status).toBe(200);
}
const pass = (seconds: number) => moveTime({ advanceSeconds: seconds });

/**
 * Returns an answer without its trace ID, and with today's problem type, which is the address of the problem's page.
 */
const lasting = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer), (name, value: unknown) => {
    if (name === 'traceId') return undefined;
    const isType = name === 'type' && typeof value === 'string';
    return isType ? value.replace(/^urn:tenure:problem:/u, '/errors/') : value;
  });

/** Members that Tenure adds when it repeats the answer of a failure. */
const REPLAYED = {
  replayed: true,
  operationId: expect.any(String),
  retryWith: 'new-command-id',
};

const license = (name: string): string => `/licenses/${then.licenses[name]}`;

describe('data that 0f92c20 left in the midst of work', () => {
  test('is what this test is about', () => {
    const states = open.map(({ command_id: id, state }) => [id, state]);
    expect(Object.fromEntries(states)).toEqual({
      'accept-in-doubt': 'in-doubt',
      'reject-in-doubt': 'in-doubt',
      'cancel-verified': 'retrying',
      'expire-held': 'submitting',
      'comment-retrying': 'retrying',
      'create-retrying': expect.stringMatching(/^(?:retrying|submitting)$/u),
      'create-queued': 'queued',
      'comment-lost': 'submitting',
      'request-unheard': 'submitting',
    });
    expect(pending.length).toBeGreaterThan(5);
  });

  test('is migrated to what there is now', async () => {
    const applied = await sql<{ number: number }>('select number from migration order by number');
    const known = await readMigrations(MIGRATIONS_FOLDER);
    expect(applied.map(({ number }) => number)).toEqual(known.map(({ number }) => number));
  });

  test('reads as it did', async () => {
    for (const { who, path, body } of then.reads) {
      const now = await get(path, who);
      if (!Array.isArray(body)) expect(now, path).toMatchObject(lasting(body) as object);
      // The operations that were open have continued, so lists may have more entries than before.
      else for (const one of body) expect(now, path).toContainEqual(expect.objectContaining(one));
    }
  });

  test('answers each command ID that had ended as it did then', async () => {
    for (const { who, path, commandId, asked, status, answer } of then.told) {
      const again = await post(who, `${path}?commandId=${commandId}`, asked);
      const kept = lasting(answer);
      const body = status < 400 ? kept : { ...(kept as object), ...REPLAYED };
      expect([commandId, again.status, lasting(again.body)]).toEqual([commandId, status, body]);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
    }
    const [{ who, path, commandId }] = then.told as [Told['told'][number]];
    const other = await post(who, `${path}?commandId=${commandId}`, {
      meta: { data: { is: 'new' } },
    });
    expect([other.status, other.body.code]).toEqual([422, 'COMMAND_ID_REUSED']);
  });

  test('what was retried, queued, lost on the way or unheard is driven to its end', async () => {
    await becomes('create-retrying', 'succeeded');
    await becomes('create-queued', 'succeeded');
    await becomes('comment-retrying', 'succeeded');
    await becomes('comment-lost', 'succeeded');
    await becomes('request-unheard', 'succeeded');
    const said = (await get(`${license('renewed')}/comments`)).map(
      ({ body }: { body: string }) => body,
    );
    expect(said.toSorted()).toEqual([
      'Does this arrive?',
      'In a month. \u{1f600}',
      'Is this heard?',
      'When does it end?',
    ]);
    const asked = (await get('/app-install-requests')).map(
      ({ meta }: { meta: { data: { asked: string } } }) => meta.data.asked,
    );
    expect(asked.filter((id: string) => id === 'request-unheard')).toHaveLength(1);
  });

  test('the pause still holds, and what it held goes on when it is lifted', async () => {
    expect(await stateOf('expire-held')).toBe('submitting');
    const pauses = await get('/ops/pauses', 'operator');
    expect(pauses).toMatchObject([
      { scope: 'operation', name: 'expire-license', reason: 'prices are being looked at', held: 1 },
    ]);
    const resume = `/ops/pauses/${pauses[0].id}:resume`;
    expect((await post('operator', resume, { reason: 'they have been' })).status).toBe(200);
    await becomes('expire-held', 'succeeded');
    expect((await get(license('held'))).state).toBe('expired');
  });

  test('timers fire: a grace ends, an allocation is there, a window closes', async () => {
    const renewal = await get('/policies/renewal');
    expect(renewal).toMatchObject({ complete: false, withdrawLapsed: true });
    await world.call('provider', 'PUT', '/policies/renewal', {
      body: { complete: true, withdrawLapsed: true },
    });
    const states = async () =>
      Promise.all(
        ['lapsed', 'allocated', 'unpaid'].map(async (name) => {
          const { isExpired, renewalRequests, state } = await get(license(name));
          return [name, state, isExpired, renewalRequests.length];
        }),
      );
    await expect.poll(states, SOON).toEqual([
      ['lapsed', 'active', true, 0],
      ['allocated', 'active', false, 0],
      ['unpaid', expect.any(String), true, 1],
    ]);
    await pass(18 * HOUR);
    await expect
      .poll(async () => (await states())[0], SOON)
      .toEqual(['lapsed', 'expired', true, 0]);
    await pass(4 * DAY);
    await expect.poll(async () => (await states())[2], SOON).toEqual(['unpaid', 'active', true, 0]);
  });

  test('what was left without an answer waits for the ledger’s own time: no decision comes before it', async () => {
    const doubts: { id: string; commandId: string }[] = await get('/ops/in-doubt', 'operator');
    const idOf = (commandId: string) => doubts.find((one) => one.commandId === commandId)?.id;
    const decide = async (commandId: string, decision: string) => {
      const path = `/ops/operations/${idOf(commandId)}`;
      const seen = await post('operator', `${path}:preview-decide`, { decision });
      if (seen.status !== 200) return seen;
      const { token, count } = seen.body;
      return post('operator', `${path}:decide`, {
        decision,
        reason: 'no update carries its workflow ID',
        confirmation: { token, count },
      });
    };
    expect(doubts.map(({ commandId }) => commandId).toSorted()).toEqual([
      'accept-in-doubt',
      'reject-in-doubt',
    ]);
    const early = [
      await decide('accept-in-doubt', 'no-effect'),
      await decide('reject-in-doubt', 'submit-again'),
    ];
    for (const { body } of early)
      expect(body).toMatchObject({ code: 'DECISION_CONTRADICTED', until: expect.any(String) });
    expect(await stateOf('cancel-verified')).toBe('retrying');

    const verified = () => get(`/ops/operations/${changeOf('cancel-verified')}`, 'operator');
    await expect
      .poll(async () => (await verified()).waitingFor.until, SOON)
      .toEqual(expect.any(String));
    const bounds: string[] = [(await verified()).waitingFor.until, new Date().toISOString()];
    for (const { body } of early) bounds.push(body.until);
    // Later transactions on both participants show that the clocks agree, and that the streams have reached the bound.
    await moveTime({ to: bounds.toSorted().at(-1) });
    await newInstall('since');
    await becomes('cancel-verified', 'rejected');
    const ended = await decide('accept-in-doubt', 'no-effect');
    expect([ended.status, ended.body]).toMatchObject([200, { state: 'failed' }]);
    const again = await decide('reject-in-doubt', 'submit-again');
    expect([again.status, again.body]).toMatchObject([200, { state: 'submitting' }]);
    await becomes('reject-in-doubt', 'succeeded');

    const path = `/ops/operations/${idOf('accept-in-doubt')}:retry`;
    const { body: retried } = await post('operator', path, { reason: 'it is wanted' });
    await expect
      .poll(async () => (await get(`/ops/operations/${retried.id}`, 'operator')).state, SOON)
      .toBe('succeeded');
  });

  test('webhooks deliver what waited for them, signed', async () => {
    const had = ({ webhook_id: webhookId, message_id: id }: (typeof pending)[number]) =>
      arrived.some((one) => one.webhookId === webhookId && one.headers['webhook-id'] === id);
    await expect.poll(() => pending.filter((one) => !had(one)), SOON).toEqual([]);
    const secrets = await sql<{ id: string; secret: string }>('select id, secret from webhook');
    const of = new Map(secrets.map(({ id, secret }) => [id, new Verifier(secret)]));
    for (const { webhookId, headers, body } of arrived) {
      expect(() => of.get(webhookId)?.verify(body, headers)).not.toThrow();
    }
  });

  test('what is new works as well', async () => {
    const wallet = openWallet(
      world.tenure.state.localnet?.userWalletUrl ?? '',
      await world.tokenOf('user'),
    );
    const create = `/app-installs/${await newInstall('new')}:create-license?commandId=new-license`;
    const made = await post('provider', create, { params: {} });
    expect(made.status).toBe(201);
    const path = `/licenses/${made.body.licenseId}`;
    const renewed = await post('provider', `${path}:renew?commandId=new-renewal`, {
      licenseFeeCc: 1,
      licenseExtensionDuration: 'P30D',
      prepareUntilDuration: 'PT10M',
      settleBeforeDuration: 'PT20M',
      description: 'One more month',
    });
    expect(renewed.status).toBe(201);
    await wallet.accept((await get(path)).renewalRequests[0].requestId);
    await expect.poll(async () => (await get(path)).isExpired, SOON).toBe(false);
  });

  test('in the end nothing is open, and the doctor finds nothing', async () => {
    const left = () => sql('select command_id, state from change where finished_at is null');
    await expect.poll(left, SOON).toEqual([]);
    // Changes that have waited since the earlier build had raised alarms. Every few seconds, alarms that no longer
    // apply are removed.
    await expect.poll(() => sql('select change_id, detail from alarm'), SOON).toEqual([]);
    const found: Finding[] = [];
    await examine({
      environment: {
        ...world.tenure.state.environment,
        DATABASE_URL: database.url,
        TENURE_DATA_DIR: world.dataDir,
      },
      replay: true,
      deep: true,
      onFinding: (finding) => found.push(finding),
      onProgress: () => undefined,
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    expect(found.filter(({ level }) => level === 'wrong')).toEqual([]);
    expect(found).toContainEqual(expect.objectContaining({ area: 'invariants', level: 'well' }));
  });
});
