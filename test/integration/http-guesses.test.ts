import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import type { FastifyRequest } from 'fastify';
import { mayStay } from '../../src/http/kit/caller.ts';
import type { HttpDeps } from '../../src/http/kit/deps.ts';
import { Guesses } from '../../src/http/kit/guesses.ts';
import type { RateLimits } from '../../src/http/kit/rate-limits.ts';
import type { HttpApp } from '../../src/http/kit/request-context.ts';
import { buildServer } from '../../src/http/server.ts';
import { IO, PROVIDER, USER, startApi } from '../kit/http-api.ts';
import { expectProblem } from '../kit/http-refusals.ts';
import { sharedSecretDeps } from '../kit/shared-secret.ts';
import { ProblemError, problem } from '../../src/domain/problems.ts';
import { forFile } from '../kit/for-file.ts';

/* Failed logins are limited by address. The limit applies before the database is queried or a signature is checked. */

const LIMIT = 5;
/** Tokens of one issuer may use half of the limit. */
const OF_ISSUER = 3;
const PROXY = '10.0.0.1';

const open = new AsyncDisposableStack();
const api = await forFile(startApi());
afterAll(() => open.disposeAsync());

/** A server that counts its database queries and signature checks. */
async function guarded(more: Partial<HttpDeps> = {}, limits: Partial<RateLimits> = {}) {
  const asked = { sessions: 0, tokens: 0 };
  const deps = { ...api.deps, ...more };
  const app = await buildServer({
    ...deps,
    rateLimits: { ...deps.rateLimits, failuresPerAddress: LIMIT, ...limits },
    sessions: {
      ...deps.sessions,
      find: (...args) => {
        asked.sessions += 1;
        return deps.sessions.find(...args);
      },
    },
    authenticate: (...args) => {
      asked.tokens += 1;
      return deps.authenticate(...args);
    },
  });
  return { app: open.adopt(app, (each) => each.close()), asked };
}

const randomSession = (): string => randomBytes(32).toString('base64url');
const openSession = (): Promise<string> =>
  api.deps.sessions.open(
    {
      tenantId: 'AppProvider',
      isInternal: true,
      party: PROVIDER,
      roles: new Set(['provider']),
      subject: 'olga',
      name: 'Olga',
      login: null,
    },
    IO,
  );

interface From {
  readonly session?: string;
  readonly bearer?: string;
  /** The address of the client that a proxy reports; without it, the client calls directly. */
  readonly behind?: string;
  readonly from?: string;
}

const ask = (app: HttpApp, { session, bearer, behind, from = PROXY }: From) =>
  app.inject({
    method: 'GET',
    url: '/licenses',
    remoteAddress: from,
    headers: {
      ...(session === undefined ? {} : { cookie: `JSESSIONID=${session}` }),
      ...(bearer === undefined ? {} : { authorization: bearer }),
      ...(behind === undefined ? {} : { 'x-forwarded-for': behind }),
    },
  });
const counted = (statuses: readonly number[]) =>
  Object.fromEntries(
    [...Map.groupBy(statuses, (status) => status)].map(([status, all]) => [status, all.length]),
  );
const many = async (app: HttpApp, count: number, of: () => From) => {
  const replies = await Promise.all(Array.from({ length: count }, () => ask(app, of())));
  return counted(replies.map(({ statusCode }) => statusCode));
};

describe('guesses of one address', () => {
  test('of sessions ask the database a few times only, however many come at once', async () => {
    const { app, asked } = await guarded();
    expect(await many(app, 100, () => ({ session: randomSession() }))).toEqual({
      401: LIMIT,
      429: 100 - LIMIT,
    });
    expect(asked.sessions).toBe(LIMIT);
    const refused = await ask(app, { session: randomSession() });
    const afterS = Number(refused.headers['retry-after']);
    expect(afterS).toBeGreaterThan(0);
    expect(afterS).toBeLessThanOrEqual(60);
    expectProblem(refused, '/licenses', {
      code: 'RATE_LIMITED',
      message: `too many authentications of this address have failed; the next is checked in ${afterS} s`,
    });
    expect(asked.sessions).toBe(LIMIT);
    // A request without credentials is not a failed login.
    const nobody = await ask(app, {});
    expect(nobody.statusCode).toBe(401);
    expect(nobody.headers['www-authenticate']).toBe('Bearer realm="tenure"');
  });

  test('of tokens check a few signatures only, and say which scheme there is', async () => {
    const { app, asked } = await guarded();
    const forged = (await api.as(USER)).replace(/\.[^.]+$/u, '.c2lnbmF0dXJl');
    const first = await ask(app, { bearer: forged });
    expect(first.statusCode).toBe(401);
    expect(first.headers['www-authenticate']).toContain('error="invalid_token"');
    expect(
      await many(app, 50, () => ({ bearer: `${forged}${randomBytes(2).toString('hex')}` })),
    ).toEqual({ 401: OF_ISSUER - 1, 429: 50 - OF_ISSUER + 1 });
    expect(asked.tokens).toBe(OF_ISSUER);
    // A token of another issuer, sent from the same address, is still checked.
    expect(
      (await ask(app, { bearer: await api.as(PROVIDER, { claims: { sub: 'one' } }) })).statusCode,
    ).toBe(200);
  });

  test('lock out nobody who was found genuine before, and no other address', async () => {
    const { app } = await guarded();
    const [session, late] = [await openSession(), await openSession()];
    const token = await api.as(USER, { claims: { sub: 'anna' } });
    const known = [{ session }, { bearer: token }];
    for (const of of known) expect((await ask(app, of)).statusCode).toBe(200);
    await many(app, 20, () => ({ session: randomSession() }));
    for (const of of known) expect((await ask(app, of)).statusCode).toBe(200);
    // Failures with sessions do not affect tokens, not even a token that was not used before.
    expect(
      (await ask(app, { bearer: await api.as(USER, { claims: { sub: 'new' } }) })).statusCode,
    ).toBe(200);
    // This session may be a guess as well, so it is refused.
    expect((await ask(app, { session: late })).statusCode).toBe(429);
    expect((await ask(app, { session: late, behind: '9.9.9.9' })).statusCode).toBe(200);
    expect((await ask(app, { session: late })).statusCode).toBe(200);
    // A session that has ended counts as a failed login, although it was valid before.
    await api.deps.sessions.close(session, IO);
    expect((await ask(app, { session })).statusCode).toBe(401);
    expect((await ask(app, { session })).statusCode).toBe(429);
  });

  test('are told apart behind a proxy that is believed, and not by what others claim', async () => {
    const { app } = await guarded();
    await many(app, 20, () => ({ session: randomSession(), behind: '9.9.9.9' }));
    const status = async (of: From) =>
      (await ask(app, { ...of, session: randomSession() })).statusCode;
    expect(await status({ behind: '9.9.9.9' })).toBe(429);
    expect(await status({ behind: '9.9.9.8' })).toBe(401);
    expect(await status({ from: '9.9.9.9', behind: '9.9.9.7' })).toBe(429);
  });

  test('hold up nobody who comes with what is genuine, however many do at once', async () => {
    const { app } = await guarded();
    const tokens = await Promise.all(
      Array.from({ length: 40 }, (_, n) => api.as(USER, { claims: { sub: `user-${n}` } })),
    );
    let next = 0;
    expect(await many(app, 40, () => ({ bearer: tokens[next++] ?? '' }))).toEqual({ 200: 40 });
  });

  test('keep the login of a browser that shares the address, with its code', async () => {
    const { app } = await guarded();
    const begun = await app.inject({
      url: '/oauth2/authorization/AppProvider',
      remoteAddress: PROXY,
    });
    const cookie = String(begun.headers['set-cookie']).split(';')[0] ?? '';
    const back = new URL(api.issuers.provider.login(String(begun.headers.location)));
    const comeBack = (from: string) =>
      app.inject({ url: back.pathname + back.search, headers: { cookie }, remoteAddress: from });
    for (const party of [USER, PROVIDER]) {
      const forged = (await api.as(party)).replace(/\.[^.]+$/u, '.c2lnbmF0dXJl');
      await many(app, LIMIT, () => ({ bearer: `${forged}${randomBytes(4).toString('hex')}` }));
    }
    const refused = await comeBack(PROXY);
    expect([refused.statusCode, refused.headers['set-cookie']]).toEqual([429, undefined]);
    const entered = await comeBack('10.0.0.2');
    expect([entered.statusCode, entered.headers.location]).toEqual([302, '/']);
    expect(String(entered.headers['set-cookie'])).toMatch(/TENURE_LOGIN=;.*JSESSIONID=[\w-]{43}/u);
  });

  test('say nothing where an issuer does not answer: those have a limit of their own', async () => {
    const { app, asked } = await guarded();
    const issuer = api.issuers.user;
    const strange = async () =>
      `Bearer ${await issuer.token({ kid: randomBytes(4).toString('hex') })}`;
    const others = await Promise.all(
      Array.from({ length: LIMIT }, (_, n) => api.as(PROVIDER, { claims: { sub: `n-${n}` } })),
    );
    const statusOf = async (bearer: string) => (await ask(app, { bearer })).statusCode;
    expect(await statusOf(await api.as(USER, { claims: { sub: 'before' } }))).toBe(200);
    // The issuer's keys were read a moment ago, so they may not be read again yet.
    issuer.answerWith('away');
    for (let n = 0; n < LIMIT; n += 1) {
      const reply = await ask(app, { bearer: await strange() });
      expect([reply.statusCode, reply.json().code]).toEqual([
        503,
        'AUTHORIZATION_SERVER_UNAVAILABLE',
      ]);
      expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
    }
    const checked = asked.tokens;
    const limited = await ask(app, { bearer: await strange() });
    expect(limited.json().message).toMatch(
      /^too many tokens of this address could not be checked/u,
    );
    expect([limited.statusCode, asked.tokens]).toEqual([429, checked]);
    // None of these tokens counts as a failed login, and the tokens of other issuers are accepted.
    for (const bearer of others) expect(await statusOf(bearer)).toBe(200);
    issuer.answerWith('keys');
  });

  test('wait for no issuer that does not answer, but for tokens of that issuer', async () => {
    const held = Promise.withResolvers<never>();
    const { app } = await guarded({
      authenticate: (bearer = '') =>
        bearer.includes(hanging) ? held.promise : api.deps.authenticate(bearer),
    });
    const [, hanging = ''] = (await api.issuers.user.token()).split('.');
    const hung = Array.from({ length: 3 * LIMIT }, async (_, n) =>
      ask(app, { bearer: `Bearer ${n}.${hanging}.sign` }),
    );
    const quick = await ask(app, { bearer: await api.as(PROVIDER, { claims: { sub: 'quick' } }) });
    expect(quick.statusCode).toBe(200);
    held.reject(new ProblemError(problem('AUTHORIZATION_SERVER_UNAVAILABLE', 'away')));
    const statuses = (await Promise.all(hung)).map(({ statusCode }) => statusCode);
    expect(counted(statuses)).toEqual({ 503: LIMIT, 429: 2 * LIMIT });
  });

  test('of names are limited where a name is enough to sign in, and of tokens there', async () => {
    const deps = await sharedSecretDeps(api, 'AppUserByName');
    const { app, asked } = await guarded(deps);
    const signIn = (username: string) =>
      app.inject({
        method: 'POST',
        url: '/login',
        remoteAddress: PROXY,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams({ username }).toString(),
      });
    const entered = await signIn('app-user');
    const session = /JSESSIONID=([^;]+)/u.exec(String(entered.headers['set-cookie']))?.[1] ?? '';
    for (let n = 0; n < LIMIT; n += 1) {
      expect((await signIn(`nobody-${n}`)).headers.location).toBe('/login?error');
    }
    const refused = await signIn('app-user');
    expect([refused.statusCode, refused.json().code]).toEqual([429, 'RATE_LIMITED']);
    expect((await ask(app, { bearer: 'Bearer a.b.c' })).statusCode).toBe(429);
    expect(asked.tokens).toBe(0);
    // This process created the session a moment ago, so it counts as genuine before it is checked for the first time.
    expect((await ask(app, { session })).statusCode).toBe(200);
  });
});

describe('a request with a session counts before the session is looked up', () => {
  test('against the limit of its address while the session is unknown', async () => {
    const { app, asked } = await guarded({}, { failuresPerAddress: null, perAddress: 3 });
    const guess = () => ask(app, { session: randomSession() });
    for (let n = 0; n < 3; n += 1) expect((await guess()).statusCode).toBe(401);
    const refused = await guess();
    expectProblem(refused, '/licenses', {
      code: 'RATE_LIMITED',
      message: expect.stringContaining('no more than 3 requests of one address a minute'),
    });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(asked.sessions).toBe(3);
    expect((await ask(app, { session: await openSession(), from: '10.0.0.2' })).statusCode).toBe(
      200,
    );
  });

  test('against the limits of its person once the session was found, until the session ends', async () => {
    const { app, asked } = await guarded({}, { perAddress: 1, perCaller: 3 });
    const [session, other] = [await openSession(), await openSession()];
    const statusOf = async (of: From) => (await ask(app, of)).statusCode;
    expect([await statusOf({ session }), await statusOf({ session })]).toEqual([200, 200]);
    expect(asked.sessions).toBe(2);
    // Another session of the person has the same limit, which applies after the lookup of an unknown session.
    expect(await statusOf({ session: other, from: '10.0.0.2' })).toBe(200);
    expect(await statusOf({ session: other, from: '10.0.0.2' })).toBe(429);
    expect(await statusOf({ session })).toBe(429);
    expect(asked.sessions).toBe(3);
  });

  test('and ends at once if it was ended elsewhere', async () => {
    const { app } = await guarded();
    const session = await openSession();
    expect((await ask(app, { session })).statusCode).toBe(200);
    await api.deps.sessions.close(session, IO);
    expect((await ask(app, { session })).statusCode).toBe(401);
  });
});

describe('what is remembered of guesses', () => {
  const no = () => false;
  const outcome = async (
    guesses: Guesses,
    address: string,
    credential: string,
    isGenuine: boolean,
  ) =>
    guesses
      .checked(address, '', credential, async () => (isGenuine ? 'in' : null), no)
      .catch((error: unknown) => (error as Error).name);

  test('ends after a minute, and what was genuine is asked again then', async () => {
    let nowMs = 0;
    const guesses = new Guesses(1, () => nowMs);
    expect(await outcome(guesses, 'a', 'mine', true)).toBe('in');
    expect(await outcome(guesses, 'a', 'x', false)).toBeNull();
    expect(await outcome(guesses, 'a', 'y', true)).toBe('TooManyGuesses');
    nowMs = 59_999;
    expect(await outcome(guesses, 'a', 'mine', true)).toBe('in');
    nowMs = 60_000;
    expect(await outcome(guesses, 'a', 'y', true)).toBe('in');
    expect(await outcome(guesses, 'a', 'x', false)).toBeNull();
    nowMs = 119_999;
    expect(await outcome(guesses, 'a', 'mine', true)).toBe('TooManyGuesses');
  });

  test('counts from the last time that a request which goes on was found genuine', async () => {
    let nowMs = 0;
    const guesses = new Guesses(1, () => nowMs);
    const caller = { party: USER, roles: new Set(['user']) };
    const follower = (authorization: string) =>
      ({ headers: { authorization }, caller, server: { guesses } }) as unknown as FastifyRequest;
    const authenticate = async (bearer: string) => {
      if (bearer === 'Bearer mine') return caller;
      throw new ProblemError(problem('UNAUTHENTICATED', 'it has expired'));
    };
    const deps = { ...api.deps, authenticate } as unknown as HttpDeps;
    for (const credential of ['Bearer mine', 'Bearer old']) {
      expect(await outcome(guesses, 'a', credential, true)).toBe('in');
    }
    nowMs = 50_000;
    const [mine, old] = [follower('Bearer mine'), follower('Bearer old')];
    expect([...(await mayStay(deps, [mine, old], IO))]).toEqual([mine]);
    nowMs = 100_000;
    expect(await outcome(guesses, 'a', 'x', false)).toBeNull();
    expect(await outcome(guesses, 'a', 'Bearer mine', true)).toBe('in');
    expect(await outcome(guesses, 'a', 'Bearer old', true)).toBe('TooManyGuesses');
  });

  test('says nothing of a check that could not be made', async () => {
    const guesses = new Guesses(1);
    const away = () => Promise.reject(new Error('away'));
    for (let n = 0; n < 3; n += 1) {
      await expect(guesses.checked('a', '', 'x', away, no)).rejects.toThrow('away');
    }
    expect(await outcome(guesses, 'a', 'x', true)).toBe('in');
  });
});
