import { beforeEach, expect, test } from 'vitest';
import { AUTH_LIMITS } from '../../src/auth/limits.ts';
import { createSessions } from '../../src/auth/sessions.ts';
import { buildServer } from '../../src/http/server.ts';
import { createSessionStore } from '../../src/store/callers/sessions.ts';
import { openBrowser } from '../kit/browser.ts';
import { openEventStream, toEnd } from '../kit/event-stream.ts';
import { forFile } from '../kit/for-file.ts';
import { startLoginWorld } from '../kit/login-world.ts';
import { PATIENCE_MS } from '../kit/patience.ts';

/* A session has the rights that the authorization server grants to its person, even if they change after the login. */

const world = await forFile(startLoginWorld());
const { api, base } = world;
const issuer = api.issuers.provider;
const { sessionClock: clock } = api;

beforeEach(() => {
  issuer.answerWith('keys');
  issuer.renewWith({});
});

/** Opens a browser in which an operator of the provider is signed in. `desk` and `user` return the status of a call. */
async function operator() {
  const browser = openBrowser();
  await world.signIn(browser, 'AppProvider', { claims: { roles: ['operator'] } });
  const desk = async () => (await browser.get(`${base}/ops/pauses`)).status;
  const user = async () => (await world.user(browser)).status;
  return { browser, desk, user, [Symbol.asyncDispose]: browser[Symbol.asyncDispose] };
}

test('a role that was taken away ends within a minute, and the session goes on', async () => {
  await using person = await operator();
  issuer.renewWith({ roles: ['viewer'] });
  expect(await person.desk()).toBe(200);
  clock.advance(AUTH_LIMITS.rightsWaitMs);
  expect([await person.desk(), await person.user()]).toEqual([403, 200]);
  issuer.renewWith({ roles: ['operator'] });
  clock.advance(AUTH_LIMITS.rightsWaitMs);
  expect(await person.desk()).toBe(200);
});

test('a refresh without an ID token keeps the rights, and its refresh token is the next one', async () => {
  await using person = await operator();
  issuer.renewWith(null);
  for (let round = 0; round < 2; round += 1) {
    clock.advance(AUTH_LIMITS.rightsWaitMs);
    expect(await person.desk()).toBe(200);
  }
  issuer.renewWith({ roles: ['viewer'] });
  clock.advance(AUTH_LIMITS.rightsWaitMs);
  expect(await person.desk()).toBe(403);
});

test('the rights of a session in use are read before a request has to wait', async () => {
  await using person = await operator();
  issuer.renewWith({ roles: ['viewer'] });
  clock.advance(AUTH_LIMITS.rightsFreshMs);
  expect(await person.desk()).toBe(200);
  await expect.poll(() => person.desk(), { timeout: PATIENCE_MS }).toBe(403);
});

test('a session ends with the login, and its event streams do', async () => {
  await using person = await operator();
  const cookie = `JSESSIONID=${world.sessionOf(person.browser)}`;
  const stream = await openEventStream(`${base}/events`, { cookie });
  issuer.endLogins();
  clock.advance(AUTH_LIMITS.rightsFreshMs);
  await toEnd(stream);
  expect(await person.user()).toBe(401);
});

test('an event stream ends when the person becomes no operator', async () => {
  await using person = await operator();
  const cookie = `JSESSIONID=${world.sessionOf(person.browser)}`;
  const stream = await openEventStream(`${base}/events`, { cookie });
  issuer.renewWith({ roles: ['viewer'] });
  clock.advance(AUTH_LIMITS.rightsFreshMs);
  await toEnd(stream);
  expect(await person.user()).toBe(200);
});

test('an issuer that does not answer ends no session, and is waited for some minutes', async () => {
  await using person = await operator();
  issuer.answerWith('away');
  clock.advance(AUTH_LIMITS.rightsWaitMs);
  expect(await person.desk()).toBe(200);
  clock.advance(AUTH_LIMITS.rightsAgeMsMax);
  const answer = await person.browser.get(`${base}/ops/pauses`);
  expect([answer.status, answer.json().code]).toEqual([503, 'AUTHORIZATION_SERVER_UNAVAILABLE']);
  issuer.answerWith('keys');
  await expect.poll(() => person.desk(), { timeout: PATIENCE_MS }).toBe(200);
});

test('of two processes one reads the rights: a refresh token is good for one use', async () => {
  await using person = await operator();
  const sessions = createSessions({
    store: createSessionStore(api.pool),
    signIn: api.deps.signIn,
    wallClock: clock,
    log: api.deps.log,
  });
  const other = await buildServer({ ...api.deps, sessions });
  const request = {
    method: 'GET',
    url: '/user',
    cookies: { JSESSIONID: world.sessionOf(person.browser) },
  } as const;
  for (let round = 0; round < 3; round += 1) {
    clock.advance(AUTH_LIMITS.rightsWaitMs);
    const answers = await Promise.all(
      [api.app, other, api.app, other].map((app) => app.inject(request)),
    );
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
  }
  await other.close();
});
