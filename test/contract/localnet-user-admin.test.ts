import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { describe, expect, test } from 'vitest';
import { startLocalnet } from '../../localnet/localnet.ts';
import { forFile } from '../kit/for-file.ts';
import { PATIENCE_MS } from '../kit/patience.ts';
import { openAuthorizationServer, person, USER_PARTY } from './kit/authorization-server.ts';

/* The administration of a realm's users, with the calls that the reference's scripts and tests make. */

const server = await forFile(openAuthorizationServer());

interface Answer {
  readonly status: number;
  readonly location: string | null;
  readonly body: unknown;
}

async function ask(
  base: string,
  path: string,
  { token, method = 'GET', body }: { token?: string; method?: string; body?: unknown } = {},
): Promise<Answer> {
  const answer = await fetch(`${base}/admin/realms${path}`, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const text = await answer.text();
  return {
    status: answer.status,
    location: answer.headers.get('location'),
    body: text === '' ? null : JSON.parse(text),
  };
}

async function adminToken(base = server.base): Promise<string> {
  const answer = await fetch(`${base}/realms/master/protocol/openid-connect/token`, {
    method: 'POST',
    body: new URLSearchParams({
      client_id: 'admin-cli',
      grant_type: 'password',
      username: 'admin',
      password: 'admin',
    }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  return ((await answer.json()) as { access_token: string }).access_token;
}

/** Returns a user as the reference's browser tests create it. */
const userNamed = (tag: string, partyId?: string) => ({
  username: `app-user-${tag}`,
  email: `app-user-${tag}@app-user.localhost`,
  firstName: 'app',
  lastName: `user ${tag}`,
  enabled: true,
  ...(partyId === undefined ? {} : { attributes: { partyId: [partyId] } }),
  credentials: [{ type: 'password', value: 'abc123', temporary: false }],
});

describe('a user', () => {
  test('is added, signs in by name or email, and speaks for the party of its attribute', async () => {
    const token = await adminToken();
    const party = 'test-1-app-user::1220cafe';
    const made = await ask(server.base, '/AppUser/users', {
      token,
      method: 'POST',
      body: userNamed('One', party),
    });
    expect([made.status, made.body]).toEqual([201, null]);
    const id = made.location?.split('/').pop() ?? '';
    expect(made.location).toBe(`${server.base}/admin/realms/AppUser/users/${id}`);
    for (const name of ['app-user-one', 'APP-USER-ONE', 'app-user-one@app-user.localhost']) {
      const { status, body } = await server.ask('AppUser', person('app-user-unsafe', name));
      expect(status).toBe(200);
      expect(decodeJwt(String(body['access_token']))).toMatchObject({
        sub: id,
        preferred_username: 'app-user-one',
        name: 'app user One',
        party_id: party,
      });
    }
    const shown = await ask(server.base, `/AppUser/users/${id}`, { token });
    expect(shown.body).toMatchObject({
      id,
      username: 'app-user-one',
      email: 'app-user-one@app-user.localhost',
      attributes: { partyId: [party] },
      enabled: true,
    });
    expect(JSON.stringify(shown.body)).not.toContain('abc123');
  });

  test('without the attribute speaks for the party that the ledger says', async () => {
    const token = await adminToken();
    await ask(server.base, '/AppUser/users', { token, method: 'POST', body: userNamed('plain') });
    const { body } = await server.ask('AppUser', person('app-user-unsafe', 'app-user-plain'));
    expect(decodeJwt(String(body['access_token']))['party_id']).toBe(USER_PARTY);
  });

  test('is found, counted and removed; its password is worth nothing then', async () => {
    const token = await adminToken();
    const body = userNamed('gone');
    const made = await ask(server.base, '/AppUser/users', { token, method: 'POST', body });
    const id = made.location?.split('/').pop();
    const exact = `?username=${body.username}&exact=true`;
    const found = await ask(server.base, `/AppUser/users${exact}`, { token });
    expect(found.body).toEqual([expect.objectContaining({ id })]);
    expect((await ask(server.base, `/AppUser/users/count${exact}`, { token })).body).toBe(1);
    const one = { token, method: 'DELETE' };
    expect((await ask(server.base, `/AppUser/users/${id}`, one)).status).toBe(204);
    expect(await ask(server.base, `/AppUser/users/${id}`, one)).toMatchObject({
      status: 404,
      body: { error: 'User not found' },
    });
    const { status } = await server.ask('AppUser', person('app-user-unsafe', body.username));
    expect(status).toBe(400);
  });

  test('belongs to one realm', async () => {
    const token = await adminToken();
    const body = userNamed('mine');
    await ask(server.base, '/AppProvider/users', { token, method: 'POST', body });
    const { status } = await server.ask('AppUser', person('app-user-unsafe', body.username));
    expect(status).toBe(400);
  });
});

describe('what is refused', () => {
  test.each([
    ['a name that is taken', userNamed('twice'), 409, 'User exists with same username'],
    [
      'an email that is taken',
      { ...userNamed('other'), email: 'APP-USER@app-user.localhost' },
      409,
      'User exists with same email',
    ],
    ['no name', { ...userNamed('x'), username: ' ' }, 400, 'User name is missing'],
    [
      'a password for one time',
      { ...userNamed('x'), credentials: [{ type: 'password', value: 'x', temporary: true }] },
      400,
      'A password must not be temporary here',
    ],
    ['attributes that are none', { ...userNamed('x'), attributes: { a: 'b' } }, 400, /lists/],
    ['no object', '[]', 400, 'The body must be a user'],
  ] as const)('%s', async (_what, body, status, text) => {
    const token = await adminToken();
    const first = { token, method: 'POST', body: userNamed('twice') };
    await ask(server.base, '/AppUser/users', first);
    const answer = await ask(server.base, '/AppUser/users', { token, method: 'POST', body });
    expect(answer).toMatchObject({
      status,
      body: { errorMessage: typeof text === 'string' ? text : expect.stringMatching(text) },
    });
  });

  test.each([
    ['no token', undefined, '/AppUser/users', 401, 'HTTP 401 Unauthorized'],
    ['a token of another realm', 'AppUser', '/AppUser/users', 401, 'HTTP 401 Unauthorized'],
    ['an unknown realm', 'master', '/Nowhere/users', 404, 'Realm not found.'],
    ['text that is no JSON', 'master', '/AppUser/users', 400, expect.any(String)],
  ] as const)('%s', async (what, realm, path, status, error) => {
    const own = () => server.ask('AppUser', person('app-user-unsafe', 'app-user'));
    const token =
      realm === 'master'
        ? await adminToken()
        : realm === undefined
          ? undefined
          : String((await own()).body['access_token']);
    const answer = await ask(server.base, path, {
      ...(token === undefined ? {} : { token }),
      method: 'POST',
      body: what === 'text that is no JSON' ? '{' : userNamed('never'),
    });
    expect(answer).toMatchObject({ status, body: { error } });
  });

  test('a token of the administrators’ realm, at a participant', async () => {
    await using localnet = await startLocalnet({ ports: 'free' });
    const { json } = localnet.urls.participants['app-user'];
    const token = await adminToken(localnet.urls.auth);
    const answer = await fetch(`${json}/v2/parties`, {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    expect(answer.status).toBe(401);
    await answer.body?.cancel();
  });
});

test('users outlive a restart, and so does their removal', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'localnet-users-'));
  try {
    let removed = '';
    {
      await using first = await startLocalnet({ ports: 'free', dataDir });
      const token = await adminToken(first.urls.auth);
      for (const tag of ['stays', 'goes']) {
        const made = await ask(first.urls.auth, '/AppUser/users', {
          token,
          method: 'POST',
          body: userNamed(tag, first.parties.appUser),
        });
        removed = made.location?.split('/').pop() ?? '';
      }
      await ask(first.urls.auth, `/AppUser/users/${removed}`, { token, method: 'DELETE' });
    }
    await using second = await startLocalnet({ ports: 'free', dataDir });
    const token = await adminToken(second.urls.auth);
    const { body } = await ask(second.urls.auth, '/AppUser/users?search=app-user-', { token });
    expect((body as { username: string }[]).map(({ username }) => username)).toEqual([
      'app-user-stays',
    ]);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});
