import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { World } from './kit/world.ts';
import { startWorld } from './kit/world.ts';

/* A whole Tenure in mode shared-secret, without an authorization server: from the login form to the ledger. */

let world: World;
beforeAll(async () => {
  world = await startWorld({ AUTH_MODE: 'shared-secret' });
});
afterAll(() => world[Symbol.asyncDispose]());

/** Signs in by name. @returns the session's cookie */
async function signIn(username: string): Promise<string> {
  const answer = await fetch(`${world.tenure.state.apiUrl}/login`, {
    method: 'POST',
    body: new URLSearchParams({ username }),
    redirect: 'manual',
    signal: AbortSignal.timeout(120_000),
  });
  expect([answer.status, answer.headers.get('location')]).toEqual([302, '/']);
  const session = answer.headers.getSetCookie().find((one) => one.startsWith('JSESSIONID='));
  return session?.split(';')[0] ?? '';
}

const call = (cookie: string, method: string, path: string, body?: object) =>
  world.call('user', method, path, {
    token: null,
    headers: { cookie },
    ...(body === undefined ? {} : { body }),
  });

test('each side signs in by name and does its part', async () => {
  expect((await call('', 'GET', '/feature-flags')).body).toEqual({ authMode: 'shared-secret' });
  const [provider, user] = [await signIn('app-provider'), await signIn('app-user')];
  expect((await call(provider, 'GET', '/user')).body).toMatchObject({
    isAdmin: true,
    party: world.tenure.state.providerParty,
  });
  const asked = await call(user, 'POST', `/app-install-requests?commandId=${randomUUID()}`, {});
  expect(asked.status).toBe(201);
  const accept = `/app-install-requests/${asked.body.contractId}:accept?commandId=${randomUUID()}`;
  const body = { installMeta: {}, meta: {} };
  expect((await call(user, 'POST', accept, body)).status).toBe(403);
  const accepted = await call(provider, 'POST', accept, body);
  expect([accepted.status, accepted.body.user]).toEqual([201, asked.body.user]);
});

test('programs come with tokens that they sign themselves', async () => {
  const ask = (who: 'user' | 'provider') => world.call(who, 'GET', '/user');
  const [user, provider] = [await ask('user'), await ask('provider')];
  expect([user.body.name, user.body.party]).toEqual([
    'app-user the user',
    world.tenure.state.localnet?.userParty,
  ]);
  expect([provider.body.name, provider.body.isAdmin]).toEqual(['app-provider the provider', true]);
});

test('nobody else is let in', async () => {
  const answer = await fetch(`${world.tenure.state.apiUrl}/login`, {
    method: 'POST',
    body: new URLSearchParams({ username: 'mallory' }),
    redirect: 'manual',
    signal: AbortSignal.timeout(120_000),
  });
  expect([answer.status, answer.headers.get('location')]).toEqual([302, '/login?error']);
  expect((await call('', 'GET', '/licenses')).status).toBe(401);
});
