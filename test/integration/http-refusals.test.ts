import { describe, expect, test } from 'vitest';
import { HTTP_LIMITS } from '../../src/http/limits.ts';
import { HOMELESS, OTHER_USER, PROVIDER } from '../kit/http-api.ts';
import { asking } from '../kit/http-ask.ts';
import { expectProblem, leavingNoTrace, startPopulated } from '../kit/http-refusals.ts';
import { makeKey } from '../kit/issuer.ts';
import { forFile } from '../kit/for-file.ts';

/*
 * Refused writes, for each caller, contract and time: the tests check the status and the whole problem, and that
 * nothing is recorded.
 */

const world = await forFile(startPopulated());
leavingNoTrace(world.api);

const expire = () => `/licenses/${world.license}:expire`;

describe('what is asked for', () => {
  test.each([
    ['unknown', 'unknown'],
    ['a contract ID that never was', `00${'ab'.repeat(68)}`],
    ['odd', `%27;drop%20table%20change;--`],
    ['with slashes and colons', 'a%2Fb%3Aexpire'],
    ['beyond ASCII', '%F0%9F%98%80'],
  ])('is not there: %s', async (_what, id) => {
    const shown = decodeURIComponent(id);
    for (const [path, word] of [
      [`/app-install-requests/${id}:reject`, 'AppInstallRequest'],
      [`/app-installs/${id}:cancel`, 'AppInstall'],
      [`/licenses/${id}:expire`, 'License'],
      [`/licenses/${id}/expire`, 'License'],
    ] as const) {
      expectProblem(await world.provider.post(`${path}?commandId=find-1`), path, {
        code: 'NOT_FOUND',
        message: `${word} not found for contract ${shown}`,
        commandId: 'find-1',
      });
    }
  });

  test('is someone else’s, which looks the same', async () => {
    const other = await asking(world.api, OTHER_USER);
    for (const [path, word, id] of [
      [`/app-install-requests/${world.open}:cancel`, 'AppInstallRequest', world.open],
      [`/app-installs/${world.install}:cancel`, 'AppInstall', world.install],
      [expire(), 'License', world.license],
    ] as const) {
      expectProblem(await other.post(`${path}?commandId=find-1`), path, {
        code: 'NOT_FOUND',
        message: `${word} not found for contract ${id}`,
        commandId: 'find-1',
      });
    }
  });

  test('is of another kind', async () => {
    const path = `/licenses/${world.install}:expire`;
    expectProblem(await world.user.post(`${path}?commandId=find-1`), path, {
      code: 'NOT_FOUND',
      message: `License not found for contract ${world.install}`,
      commandId: 'find-1',
    });
  });

  test('is the other side’s to do', async () => {
    const steps = [
      [
        world.user,
        `/app-install-requests/${world.open}:accept`,
        { installMeta: {} },
        'only the provider may accept this AppInstallRequest',
      ],
      [
        world.user,
        `/app-install-requests/${world.open}:reject`,
        undefined,
        'only the provider may reject this AppInstallRequest',
      ],
      [
        world.provider,
        `/app-install-requests/${world.open}:cancel`,
        undefined,
        'only the user may cancel this AppInstallRequest',
      ],
      [
        world.user,
        `/app-installs/${world.install}:create-license`,
        { params: {} },
        'only the provider may create-license this AppInstall',
      ],
    ] as const;
    for (const [ask, path, body, message] of steps) {
      expectProblem(await ask.post(`${path}?commandId=right-1`, body), path, {
        code: 'FORBIDDEN',
        message,
        commandId: 'right-1',
      });
    }
  });

  test('cannot be done for a party that no participant hosts', async () => {
    const homeless = await asking(world.api, HOMELESS);
    expectProblem(
      await homeless.post('/app-install-requests?commandId=home-1'),
      '/app-install-requests',
      {
        code: 'PARTY_NOT_HOSTED',
        message: `no configured participant can act as ${HOMELESS}`,
        commandId: 'home-1',
      },
    );
  });

  test('is not allowed at this time, or any more', async () => {
    const { expiresAt, lifecycleId } = (await world.user.get(`/licenses/${world.license}`)).json();
    const now = Date.now();
    world.api.clock.advance(Date.parse(expiresAt) - 3_600_000 - now);
    expectProblem(await world.user.post(`${expire()}?commandId=early-1`), expire(), {
      code: 'STEP_NOT_ALLOWED',
      message: `expire is refused: not before ${expiresAt}`,
      extra: { lifecycleId, state: 'active', allowedActions: ['renew', 'comment'] },
      commandId: 'early-1',
    });
    world.api.clock.advance(now + 3_600_000 - Date.parse(expiresAt));
    const ended = (await world.user.get('/operations/request-1')).json().result.body;
    const path = `/app-install-requests/${ended.contractId}:reject`;
    expectProblem(await world.provider.post(`${path}?commandId=late-1`), path, {
      code: 'LIFECYCLE_ENDED',
      message: `AppInstallRequest ${ended.contractId} is no longer active: it is accepted`,
      extra: { lifecycleId: ended.lifecycleId, state: 'accepted', allowedActions: [] },
      commandId: 'late-1',
    });
  });

  test('has moved on since it was seen', async () => {
    const path = `/app-installs/${world.install}:cancel`;
    const { version } = (await world.user.get(`/app-installs/${world.install}`)).json();
    const headers = { 'if-match': '"1"' };
    expectProblem(await world.user.post(`${path}?commandId=match-1`, undefined, headers), path, {
      code: 'PRECONDITION_FAILED',
      message: `the lifecycle is at version ${version}, and the request asks for version 1`,
      extra: { version, askedVersions: [1], ifMatch: '"1"', state: 'active' },
      commandId: 'match-1',
    });
    const nonsense = { 'if-match': '1' };
    expectProblem(await world.user.post(`${path}?commandId=match-1`, undefined, nonsense), path, {
      code: 'REQUEST_INVALID',
      message: 'If-Match must be an entity tag such as "3", or *',
      extra: { field: 'If-Match' },
    });
  });
});

describe('token', () => {
  const challenge = (words: string) =>
    `Bearer realm="tenure", error="invalid_token", error_description="${words}"`;

  test.each(['/licenses', '/licenses/x', '/operations/x'])('missing for %s', async (path) => {
    const reply = await world.api.app.inject({ method: 'GET', url: path });
    expect(reply.headers['www-authenticate']).toBe('Bearer realm="tenure"');
    expectProblem(reply, path, { code: 'UNAUTHENTICATED', message: 'Unauthorized' });
  });

  test('expired, forged, of another kind, for another audience, too long, or none at all', async () => {
    const forger = await makeKey('RS256', world.api.issuers.provider.key.kid);
    const cases = [
      [await world.api.as(PROVIDER, { expiresInS: -1 }), 'the token has expired'],
      [await world.api.as(PROVIDER, { key: forger }), 'the signature does not match'],
      [
        await world.api.as(PROVIDER, { claims: { aud: 'account' } }),
        'the token is meant for another audience',
      ],
      [
        await world.api.as(PROVIDER, { header: { typ: 'logout+jwt' } }),
        'the token is not an access token',
      ],
      [
        await world.api.as(PROVIDER, { expiresInS: 32 * 24 * 3_600 }),
        'the token is valid for more than 30 days',
      ],
      ['Bearer abc.def.ghi', 'the issuer of the token is not trusted'],
    ] as const;
    for (const [authorization, message] of cases) {
      const reply = await world.api.app.inject({
        method: 'POST',
        url: `${expire()}?commandId=token-1`,
        headers: { authorization },
      });
      expect(reply.headers['www-authenticate']).toBe(challenge(message));
      expectProblem(reply, expire(), {
        code: 'UNAUTHENTICATED',
        message,
        extra: { reason: 'invalid_token' },
      });
    }
  });

  test('is looked at before anything else', async () => {
    const reply = await world.api.app.inject({
      method: 'POST',
      url: expire(),
      headers: { 'content-type': 'text/plain' },
      payload: 'x'.repeat(HTTP_LIMITS.httpBodyBytesMax + 1),
    });
    expect(reply.statusCode).toBe(401);
  });
});

describe('address', () => {
  test.each([
    '/nowhere',
    '/api/nowhere',
    '/licenses/x/y',
    '/licenses//actions/',
    '/apilicenses',
    '/',
  ])('unknown: %s', async (path) => {
    expectProblem(await world.user.get(path), path, {
      code: 'ROUTE_NOT_FOUND',
      message: `there is no ${path}`,
    });
  });

  test.each([
    ['PUT', '/licenses', 'GET, HEAD, OPTIONS'],
    ['DELETE', '/api/licenses/x', 'GET, HEAD, OPTIONS'],
    ['POST', '/licenses/x', 'GET, HEAD, OPTIONS'],
    ['POST', '/licenses/x:unknown', 'GET, HEAD, OPTIONS'],
    ['GET', '/licenses/x:expire', 'OPTIONS, POST'],
    ['GET', '/licenses/x/expire', 'OPTIONS, POST'],
    ['PATCH', '/app-install-requests', 'GET, HEAD, OPTIONS, POST'],
    ['POST', '/livez', 'GET, HEAD, OPTIONS'],
  ] as const)('of another method: %s %s', async (method, path, allow) => {
    const reply = await world.api.app.inject({ method, url: path });
    expect(reply.headers['allow']).toBe(allow);
    expectProblem(reply, path, {
      code: 'METHOD_NOT_ALLOWED',
      message: `${method} is not allowed here, only ${allow}`,
    });
    const options = await world.api.app.inject({ method: 'OPTIONS', url: path });
    expect([options.statusCode, options.headers['allow']]).toEqual([204, allow]);
  });

  test('that is not percent-encoded UTF-8, or holds a NUL, or is too long', async () => {
    for (const path of ['/licenses/%zz', '/licenses/%ff', '/licenses/%C3']) {
      expectProblem(await world.user.get(path), path, {
        code: 'REQUEST_INVALID',
        message: 'the path is not percent-encoded UTF-8',
      });
    }
    expectProblem(await world.user.get('/licenses/a%00b'), '/licenses/a%00b', {
      code: 'REQUEST_INVALID',
      message: 'the contractId in the path holds a NUL character',
      extra: { field: 'contractId' },
    });
    const long = `/licenses/${'x'.repeat(HTTP_LIMITS.pathIdCharsMax + 1)}`;
    expectProblem(await world.user.get(long), long, {
      code: 'ROUTE_NOT_FOUND',
      message: 'no id is that long',
    });
    expectProblem(await world.user.get('/licenses/'), '/licenses/', {
      code: 'ROUTE_NOT_FOUND',
      message: 'the path lacks an id',
    });
  });
});

test('nothing of a refused request is in the log but its line', async () => {
  const secret = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJtZSJ9.c2lnbmF0dXJl';
  world.api.logged.length = 0;
  await world.api.app.inject({
    method: 'POST',
    url: `/licenses/${secret}:expire?commandId=log-1&token=${secret}`,
    headers: { authorization: `Bearer ${secret}`, cookie: `session=${secret}` },
    payload: { password: 'hunter2' },
  });
  expect(world.api.logged).toHaveLength(1);
  expect(world.api.logged.join('')).not.toMatch(/eyJ|hunter2/u);
  expect(JSON.parse(world.api.logged[0]!)).toMatchObject({
    method: 'POST',
    path: '/licenses/[token]:expire',
    status: 401,
    code: 'UNAUTHENTICATED',
    'trace-id': expect.stringMatching(/^[0-9a-f]{32}$/u),
  });
});

test('a trace that the caller began goes on', async () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const reply = await world.user.get('/nowhere', {
    traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
  });
  expect([reply.headers['trace-id'], reply.json().traceId]).toEqual([traceId, traceId]);
});
