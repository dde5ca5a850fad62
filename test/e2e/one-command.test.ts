import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { unsafeToken } from '../../embedded/unsafe-token.ts';
import type { Party } from '../../src/domain/ids.ts';
import { createPauses } from '../../src/store/engine/pauses.ts';
import { closePool, openPool } from '../../src/store/sql/pool.ts';
import { PATIENCE_MS } from '../kit/patience.ts';
import { queryOnce } from '../kit/postgres-query.ts';
import type { Life } from './kit/lives.ts';
import { Lives } from './kit/lives.ts';

/*
 * One command ID belongs to one change. This stays so when a second participant begins to host the party, and when the
 * ledger user is replaced, even if only one of the processes has noticed. The last test revokes the rights of that
 * user.
 */

const ROTATED = 'tenure-rotated';

let lives: Lives;
beforeAll(async () => {
  lives = await Lives.open('shared-secret');
});
afterAll(() => lives[Symbol.asyncDispose]());

const succeeds = (life: Life, commandId: string) =>
  expect.poll(() => life.stateOf('user', commandId), { timeout: PATIENCE_MS }).toBe('succeeded');

/** Manages ledger users as an administrator of the provider's participant. */
async function administer(method: 'POST' | 'PATCH', path: string, body: object): Promise<void> {
  const port = lives.ready.ports.participants['app-provider']['json'];
  const answer = await fetch(`http://127.0.0.1:${port}/v2/users${path}`, {
    method,
    headers: {
      authorization: `Bearer ${await unsafeToken('participant_admin')}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  expect(answer.status, await answer.text()).toBe(200);
}

const rights = () => {
  const { appProvider, appUser } = lives.ready.parties;
  return [appProvider, appUser].map((party) => ({ kind: { CanActAs: { value: { party } } } }));
};

/** Gives Tenure a new ledger user on the provider's participant, which may also act as the user's party. */
const rotate = (): Promise<void> =>
  administer('POST', '', {
    user: { id: ROTATED, primaryParty: lives.ready.parties.appProvider },
    rights: rights(),
  });

/** @returns the ID of the operation */
async function request({ ask }: Life, commandId: string): Promise<string> {
  const { body } = await ask('user', 'POST', `/app-install-requests?commandId=${commandId}`, {});
  const { body: operation } = await ask('user', 'GET', `/operations/${commandId}`);
  expect(operation.id, JSON.stringify(body)).toBeDefined();
  return operation.id;
}

test('asked again of a process that sends elsewhere, or as somebody else, it is the same change', async () => {
  const first = randomUUID();
  let firstId: string;
  {
    await using alone = await lives.start();
    firstId = await request(alone, first);
    await succeeds(alone, first);
  }
  // This process submits nothing, so it continues to use the rights that it has read before.
  await using before = await lives.start({ TENURE_ROLES: 'api' });

  const { appUser } = lives.ready.parties;
  await lives.control('POST', '/hostings', { party: appUser, participant: 'app-provider' });
  await rotate();
  await lives.control('POST', '/faults', { kind: 'down', where: { participant: 'app-user' } });
  const waiting = randomUUID();
  const waitingId = await request(before, waiting);

  const rotated = await unsafeToken(ROTATED);
  await using after = await lives.start({ APP_PROVIDER_BACKEND_USER_TOKEN: rotated });
  // Commands that this process has submitted, is submitting or still has to submit may not be submitted again by
  // another process.
  expect(await request(after, first)).toBe(firstId);
  expect(await request(after, waiting)).toBe(waitingId);
  // The second participant now hosts the party. A process that knows this submits through it and need not wait for the
  // first one.
  const through = randomUUID();
  const throughId = await request(after, through);
  await succeeds(after, through);
  expect(await request(before, through)).toBe(throughId);

  const rounds = Array.from({ length: 6 }, () => randomUUID());
  for (const commandId of rounds) {
    const ids = await Promise.all(
      [before, after, after, before].map((life) => request(life, commandId)),
    );
    expect(new Set(ids).size).toBe(1);
  }
  await lives.control('DELETE', '/faults');
  for (const commandId of [waiting, ...rounds]) await succeeds(after, commandId);
  const { body } = await after.ask('user', 'GET', '/app-install-requests');
  expect(body).toHaveLength(3 + rounds.length);
});

test('what went as the old ledger user, and nobody has heard of, took effect once', async () => {
  const rotated = { APP_PROVIDER_BACKEND_USER_TOKEN: await unsafeToken(ROTATED) };
  const asked = randomUUID();
  {
    await using before = await lives.start(rotated);
    await request(before, asked);
    await succeeds(before, asked);
  }
  const accepted = randomUUID();
  {
    // No process follows the ledger, and the completions of this ledger user will never be read.
    await using sending = await lives.start({ TENURE_ROLES: 'api,worker' });
    const { body } = await sending.ask('user', 'GET', `/operations/${asked}`);
    const path = `/app-install-requests/${body.result.body.contractId}:accept?commandId=${accepted}`;
    const reply = await sending.ask('provider', 'POST', path, { installMeta: {}, meta: {} });
    expect(reply.status, JSON.stringify(reply.body)).toBe(202);
    const operation = async () =>
      (await sending.ask('provider', 'GET', `/operations/${accepted}`)).body;
    await expect
      .poll(operation, { timeout: PATIENCE_MS })
      .toMatchObject({ state: 'submitting', attempts: [{ n: 1 }] });
  }
  await using after = await lives.start(rotated);
  await expect
    .poll(() => after.stateOf('provider', accepted), { timeout: PATIENCE_MS })
    .toBe('succeeded');
  const { body: installs } = await after.ask('provider', 'GET', '/app-installs');
  expect(installs).toHaveLength(1);
});

test('operations wait while the ledger user has no right to act, and end once each afterwards', async () => {
  await using life = await lives.start({
    APP_PROVIDER_BACKEND_USER_TOKEN: await unsafeToken(ROTATED),
  });
  const { body: open } = await life.ask('provider', 'GET', '/app-install-requests');
  const { body: before } = await life.ask('provider', 'GET', '/app-installs');
  const asked: string[] = [];
  const change = { userId: ROTATED, rights: rights() };
  const url = lives.embedded.environment['DATABASE_URL'] ?? '';
  const { signal } = new AbortController();
  await using stack = new AsyncDisposableStack();
  const opened = await openPool({ url, max: 1, pipelined: true, applicationName: 'test', signal });
  const pauses = createPauses(stack.adopt(opened, (pool) => closePool(pool, PATIENCE_MS)));
  const io = { signal, deadlineMs: PATIENCE_MS };
  const by = { byParty: lives.ready.parties.appProvider as Party, bySubject: 'somebody' };
  const accepts = { scope: 'operation', name: 'accept-install-request', mode: 'pause' } as const;
  const { id } = await pauses.put({ ...accepts, reason: 'a test' }, by, io);
  for (const { contractId } of open.slice(0, 3)) {
    const commandId = randomUUID();
    const path = `/app-install-requests/${contractId}:accept?commandId=${commandId}`;
    const reply = await life.ask('provider', 'POST', path, { installMeta: {}, meta: {} });
    expect(reply.status, JSON.stringify(reply.body)).toBe(202);
    asked.push(commandId);
  }
  await administer('PATCH', `/${ROTATED}/rights`, change);
  await pauses.remove(id, { ...by, reason: 'a test' }, io);
  const circuits = () => queryOnce(url, 'select participant, reason from circuit');
  await expect
    .poll(circuits, { timeout: PATIENCE_MS })
    .toEqual([{ participant: 'app-provider', reason: 'unreachable' }]);
  const waiting = async () =>
    Promise.all(
      asked.map(async (id) => (await life.ask('provider', 'GET', `/operations/${id}`)).body),
    );
  const isWaiting = { state: expect.stringMatching(/^(submitting|retrying)$/u) };
  const isBlocked = { ...isWaiting, waitingFor: { kind: 'participant' } };
  await expect.poll(waiting, { timeout: PATIENCE_MS }).toMatchObject(asked.map(() => isBlocked));
  await administer('POST', `/${ROTATED}/rights`, change);
  for (const commandId of asked) {
    await expect
      .poll(() => life.stateOf('provider', commandId), { timeout: PATIENCE_MS })
      .toBe('succeeded');
  }
  await expect.poll(circuits, { timeout: PATIENCE_MS }).toEqual([]);
  const { body: installs } = await life.ask('provider', 'GET', '/app-installs');
  expect(installs).toHaveLength(before.length + asked.length);
});
