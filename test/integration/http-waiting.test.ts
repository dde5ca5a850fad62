import { describe, expect, test, vi } from 'vitest';
import { PROVIDER, USER, startApi } from '../kit/http-api.ts';
import type { Ask } from '../kit/http-ask.ts';
import { asking } from '../kit/http-ask.ts';
import { REFUSAL } from '../kit/ledger-stand-in.ts';
import { PATIENCE_MS } from '../kit/patience.ts';
import { forFile } from '../kit/for-file.ts';

/* Callers that wait for outcomes. The ledger acts only when a test calls `step`. */

const api = await forFile(startApi());
const [provider, user] = await Promise.all([asking(api, PROVIDER), asking(api, USER)]);

let count = 0;
const id = (what: string): string => `${what}-${(count += 1)}`;
const ASYNC = { prefer: 'respond-async' };

/** Makes the ledger act until the change has an outcome. */
async function settle(commandId: string, ask: Ask): Promise<void> {
  await vi.waitFor(async () => {
    await api.ledger.step();
    const { state } = (await ask.get(`/operations/${encodeURIComponent(commandId)}`)).json();
    expect(['succeeded', 'rejected']).toContain(state);
  }, PATIENCE_MS);
}

async function installed(): Promise<string> {
  const [request, accept] = [id('request'), id('accept')];
  await user.post(`/app-install-requests?commandId=${request}`, undefined, ASYNC);
  await settle(request, user);
  const { result } = (await user.get(`/operations/${request}`)).json();
  await provider.post(
    `/app-install-requests/${result.body.contractId}:accept?commandId=${accept}`,
    { installMeta: {} },
    ASYNC,
  );
  await settle(accept, provider);
  return (await provider.get(`/operations/${accept}`)).json().result.body.contractId;
}

test('what the ledger has to answer waits for somebody who follows it', async () => {
  const command = id('request');
  await user.post(`/app-install-requests?commandId=${command}`, undefined, ASYNC);
  await api.ledger.lose();
  const waiting = async () => (await user.get(`/operations/${command}`)).json().waitingFor;
  expect(await waiting()).toMatchObject({ kind: 'ledger' });
  const until = (interval: string) =>
    api.pool.query(`update lease set expires_at = now() + $1::interval`, [interval]);
  await until('-5 seconds');
  expect(await waiting()).toMatchObject({
    kind: 'lease',
    detail: expect.stringMatching(/^no projector process reads the ledger; then: attempt 1/u),
  });
  await until('10 minutes');
  expect(await waiting()).toMatchObject({ kind: 'ledger' });
});

const waitUntilSomebodyWaits = (n = 1) =>
  vi.waitFor(() => expect(api.waiters.size).toBe(n), { timeout: PATIENCE_MS });

describe('respond-async', () => {
  test('answers with the operation at once, and where to follow it', async () => {
    const command = 'order 7/a#b:c';
    const url = `/api/app-install-requests?commandId=${encodeURIComponent(command)}`;
    const accepted = await user.post(url, { meta: { data: {} } }, ASYNC);
    expect(accepted.statusCode).toBe(202);
    expect(accepted.headers['preference-applied']).toBe('respond-async');
    expect(accepted.headers['location']).toBe('/api/operations?commandId=order%207%2Fa%23b%3Ac');
    expect(accepted.json()).toEqual({
      id: expect.any(String),
      commandId: command,
      operation: 'request-install',
      lifecycleId: null,
      state: 'submitting',
      acceptedAt: expect.any(String),
      waitingFor: { kind: 'queue', detail: expect.any(String), since: expect.any(String) },
      attempts: [],
    });
    const followed = await user.get(String(accepted.headers['location']));
    expect([followed.statusCode, followed.json()]).toEqual([200, accepted.json()]);
    await settle(command, user);
    const done = (await user.get(String(accepted.headers['location']))).json();
    expect(done).toMatchObject({
      state: 'succeeded',
      lifecycleId: expect.stringMatching(/^install-request-/u),
      finishedAt: expect.any(String),
      attempts: [{ n: 1, answer: 'accepted', offset: expect.any(Number) }],
      result: { status: 201, body: { user: USER } },
    });
    expect(done).not.toHaveProperty('waitingFor');
    // A proxy may decode %2F in a path, so Location has a query. The path leads to the same operation.
    const found = await user.get(`/operations/${encodeURIComponent(command)}`);
    expect(found.json()).toEqual(done);
    // Operations of another party are not visible.
    const asked = await provider.get(`/operations/${encodeURIComponent(command)}`);
    expect([asked.statusCode, asked.json().code]).toEqual([404, 'OPERATION_NOT_FOUND']);
  });

  test('is not applied when the outcome is known already', async () => {
    const install = await installed();
    const path = `/app-installs/${install}:create-license?commandId=${id('create')}`;
    const first = await provider.post(path, { params: {} }, ASYNC);
    expect(first.statusCode).toBe(202);
    await settle(first.json().commandId, provider);
    const again = await provider.post(path, { params: {} }, ASYNC);
    expect([again.statusCode, again.headers['preference-applied']]).toEqual([201, undefined]);
    expect(again.headers['idempotent-replayed']).toBe('true');
  });
});

describe('waiting', () => {
  test('ends with the outcome as soon as it is there', async () => {
    const install = await installed();
    const answer = provider.post(
      `/app-installs/${install}:create-license?commandId=${id('create')}`,
      { params: {} },
      { prefer: 'wait=60' },
    );
    await waitUntilSomebodyWaits();
    expect(await api.ledger.step()).toBe(1);
    const created = await answer;
    expect([created.statusCode, created.headers['preference-applied']]).toEqual([201, 'wait=60']);
    const { id: changeId } = (await provider.get(`/operations/create-${count}`)).json();
    // The caller was told by the notification: the next poll would also have found the outcome, but later.
    await vi.waitFor(() => expect(api.heard).toContain(changeId), PATIENCE_MS);
  });

  test('ends with the operation when the time is up, and the change goes on', async () => {
    const install = await installed();
    const command = id('create');
    const path = `/app-installs/${install}:create-license?commandId=${command}`;
    const late = await provider.post(path, { params: {} }, { prefer: 'respond-async, wait=0' });
    expect([late.statusCode, late.json().state]).toEqual([202, 'submitting']);
    expect(late.headers['preference-applied']).toBe('respond-async, wait=0');
    // Repeating the call waits for the same change.
    const again = provider.post(path, { params: {} });
    await waitUntilSomebodyWaits();
    await api.ledger.step();
    expect((await again).statusCode).toBe(201);
    expect((await again).headers['idempotent-replayed']).toBe('true');
  });

  test('holds no database connection', async () => {
    const install = await installed();
    const waiting = Array.from({ length: 20 }, () =>
      provider.post(`/app-installs/${install}:create-license?commandId=${id('create')}`, {
        params: {},
      }),
    );
    await waitUntilSomebodyWaits(20);
    await vi.waitFor(() => expect(api.pool.idleCount).toBe(api.pool.totalCount), PATIENCE_MS);
    // Changes of a lane run one at a time, in the order in which they were accepted.
    for (let n = 0; n < 20; n += 1)
      await vi.waitFor(async () => expect(await api.ledger.step()).toBe(1), PATIENCE_MS);
    const answers = await Promise.all(waiting);
    expect(answers.map((answer) => answer.statusCode)).toEqual(answers.map(() => 201));
  });

  test('tells a refusal of the ledger as it was recorded, now and later', async () => {
    const install = await installed();
    const path = `/app-installs/${install}:cancel?commandId=${id('cancel')}`;
    const answer = user.post(path);
    await waitUntilSomebodyWaits();
    await api.ledger.step(REFUSAL);
    const refused = await answer;
    expect(refused.statusCode).toBe(409);
    expect(refused.headers['content-type']).toContain('application/problem+json');
    expect(refused.json()).toMatchObject({
      code: 'LEDGER_REFUSED',
      ledgerCode: 'DAML_FAILURE',
      ledgerText: REFUSAL.text,
      message: REFUSAL.explanation,
      retryable: false,
    });
    const again = await user.post(path);
    expect(again.headers['idempotent-replayed']).toBe('true');
    const { commandId } = refused.json();
    const operation = (await user.get(`/operations/${commandId}`)).json();
    expect(again.json()).toEqual({
      ...refused.json(),
      traceId: again.headers['trace-id'],
      replayed: true,
      operationId: operation.id,
      retryWith: 'new-command-id',
    });
    expect(refused.json()).not.toHaveProperty('replayed');
    expect(operation).toMatchObject({ state: 'rejected', error: { code: 'LEDGER_REFUSED' } });
    expect(operation.error.instance).toBe(`/operations/${commandId}`);
  });

  test('in a mailbox ends as the machine says when it is its turn', async () => {
    const install = await installed();
    const path = (verb: string) => `/app-installs/${install}:${verb}?commandId=${id(verb)}`;
    const cancel = user.post(path('cancel'));
    await waitUntilSomebodyWaits(1);
    const create = provider.post(path('create-license'), { params: {} });
    await waitUntilSomebodyWaits(2);
    const queued = (await provider.get(`/operations/create-license-${count}`)).json();
    expect(queued).toMatchObject({
      state: 'queued',
      waitingFor: { kind: 'mailbox', detail: expect.stringContaining('place 1 in the mailbox') },
    });
    await api.ledger.step();
    expect((await cancel).statusCode).toBe(204);
    expect([(await create).statusCode, (await create).json()]).toMatchObject([
      409,
      { code: 'LIFECYCLE_ENDED', state: 'cancelled', allowedActions: [] },
    ]);
  });
});

describe('a client that goes away', () => {
  test('frees its place, and its change goes on', async () => {
    const install = await installed();
    const origin = await api.app.listen({ host: '127.0.0.1', port: 0 });
    const command = id('create');
    const leaving = new AbortController();
    const left = fetch(`${origin}/app-installs/${install}:create-license?commandId=${command}`, {
      method: 'POST',
      headers: { authorization: await api.as(PROVIDER), 'content-type': 'application/json' },
      body: '{"params": {}}',
      signal: leaving.signal,
    }).catch((error: Error) => error.name);
    await waitUntilSomebodyWaits();
    leaving.abort();
    expect(await left).toBe('AbortError');
    await waitUntilSomebodyWaits(0);
    await settle(command, provider);
    expect((await provider.get(`/operations/${command}`)).json().state).toBe('succeeded');
    const lines = api.logged.filter((line) => line.includes(`"commandId":"${command}"`));
    expect(lines.map((line) => JSON.parse(line).msg)).toContain('the client went away');
    expect(api.logged.join('')).not.toContain('INTERNAL');
  });
});

test('a server that stops answers everyone who waits, and takes nobody new', async () => {
  await using stopping = await startApi();
  const address = await stopping.app.listen({ host: '127.0.0.1', port: 0 });
  const headers = { authorization: await stopping.as(USER), prefer: 'wait=60' };
  const waiting = [1, 2, 3].map((n) =>
    fetch(`${address}/app-install-requests?commandId=stop-${n}`, { method: 'POST', headers }),
  );
  await vi.waitFor(() => expect(stopping.waiters.size).toBe(3), PATIENCE_MS);
  await stopping.app.close();
  const answers = await Promise.all(waiting);
  expect(answers.map((answer) => answer.status)).toEqual([202, 202, 202]);
  expect(answers.map((answer) => answer.headers.get('location'))).toEqual([
    '/operations/stop-1',
    '/operations/stop-2',
    '/operations/stop-3',
  ]);
  await expect(fetch(`${address}/livez`)).rejects.toThrow();
  expect(await stopping.changes()).toBe(3);
});
