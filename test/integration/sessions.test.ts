import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSessions } from '../../src/auth/sessions.ts';
import { AUTH_LIMITS } from '../../src/auth/limits.ts';
import { newLicenseKey } from '../../src/domain/license-key.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { buildServer } from '../../src/http/server.ts';
import { startRefusalLog } from '../../src/ops/refusals.ts';
import { createRefusals } from '../../src/store/desk/refusals.ts';
import { createSessionStore } from '../../src/store/callers/sessions.ts';
import type { Browser, Page } from '../kit/browser.ts';
import { openBrowser } from '../kit/browser.ts';
import { IO, PROVIDER, USER } from '../kit/http-api.ts';
import type { LoginOptions } from '../kit/issuer.ts';
import { USER_LOGIN, startLoginWorld } from '../kit/login-world.ts';
import { recordingLog } from '../kit/queue-under-test.ts';
import { forFile } from '../kit/for-file.ts';

/* Browser sessions: what a browser receives when a person signs in, what protects the session, and how it ends. */

let browser: Browser;

const world = await forFile(startLoginWorld());
const { api, base } = world;
beforeEach(() => {
  browser = openBrowser();
});
afterEach(() => browser[Symbol.asyncDispose]());

const signIn = (login: string, options?: LoginOptions) => world.signIn(browser, login, options);
const session = (from = browser) => world.sessionOf(from);
const user = (from = browser) => world.user(from);
const csrf = (from = browser) => world.csrfOf(from);
const sessions = async (): Promise<number> => {
  const { rows } = await api.pool.query('select count(*)::int as n from session');
  return (rows as [{ n: number }])[0].n;
};

describe('a session', () => {
  test('has a new id after every login, whatever the browser had before', async () => {
    const planted = 'A'.repeat(43);
    browser.cookies(base).set('JSESSIONID', planted);
    await signIn(USER_LOGIN);
    const first = session();
    expect(first).not.toBe(planted);
    await signIn('AppProvider');
    expect(session()).not.toBe(first);
    const old = openBrowser();
    for (const id of [planted, first, 'short', `${first}x`, '%00']) {
      old.cookies(base).set('JSESSIONID', id);
      expect((await user(old)).status).toBe(401);
    }
    await old[Symbol.asyncDispose]();
  });

  test('is known to every process, and outlives all of them', async () => {
    await signIn(USER_LOGIN);
    const again = await buildServer({
      ...api.deps,
      sessions: createSessions({
        store: createSessionStore(api.pool),
        signIn: api.deps.signIn,
        wallClock: api.sessionClock,
        log: api.deps.log,
      }),
    });
    const reply = await again.inject({
      method: 'GET',
      url: '/user',
      cookies: { JSESSIONID: session() },
    });
    await again.close();
    expect([reply.statusCode, reply.json().party]).toEqual([200, USER]);
  });

  test('is written to once a minute, ends when it idles, and at its greatest age in any case', async () => {
    await signIn(USER_LOGIN);
    const seen = async () => {
      const { rows } = await api.pool.query('select seen_at from session order by created_at desc');
      return (rows as [{ seen_at: string }])[0].seen_at;
    };
    const atLogin = await seen();
    await user();
    api.sessionClock.advance(AUTH_LIMITS.sessionTouchMs - 1_000);
    expect((await user()).status).toBe(200);
    expect(await seen()).toBe(atLogin);
    api.sessionClock.advance(2_000);
    await user();
    expect(await seen()).not.toBe(atLogin);
    api.sessionClock.advance(AUTH_LIMITS.sessionIdleMs - 1_000);
    expect((await user()).status).toBe(200);
    api.sessionClock.advance(AUTH_LIMITS.sessionIdleMs);
    expect((await user()).status).toBe(401);

    await signIn(USER_LOGIN);
    const steps = Math.ceil(AUTH_LIMITS.sessionAgeMsMax / (AUTH_LIMITS.sessionIdleMs / 2));
    const answers = [];
    for (let n = 0; n < steps; n += 1) {
      answers.push((await user()).status);
      api.sessionClock.advance(AUTH_LIMITS.sessionIdleMs / 2);
    }
    expect(new Set(answers)).toEqual(new Set([200]));
    expect((await user()).status).toBe(401);
  });

  test('tells when it ends: at its greatest age, and before where it is not used', async () => {
    await signIn(USER_LOGIN);
    const told = async () => {
      const { endsAt, idleEndsAt } = (await user()).json().session;
      const { rows } = await api.pool.query(
        'select created_at, seen_at from session order by created_at desc',
      );
      const [{ created_at: createdAt, seen_at: seenAt }] = rows as [
        { created_at: string; seen_at: string },
      ];
      expect(Date.parse(endsAt) - Date.parse(createdAt)).toBe(AUTH_LIMITS.sessionAgeMsMax);
      // The idle time begins at the recorded use, which is at most a minute older than the real one.
      expect(Date.parse(idleEndsAt) - Date.parse(seenAt)).toBe(AUTH_LIMITS.sessionIdleMs);
      return { endsAt, idleEndsAt };
    };
    const atFirst = await told();
    api.sessionClock.advance(AUTH_LIMITS.sessionTouchMs);
    const later = await told();
    expect(later.endsAt).toBe(atFirst.endsAt);
    expect(Date.parse(later.idleEndsAt)).toBeGreaterThan(Date.parse(atFirst.idleEndsAt));
  });

  test('tells whose operator it is', async () => {
    const operators = { claims: { roles: ['operator'] } };
    await signIn('AppProvider', operators);
    expect((await user()).json().operatorOf).toBe('deployment');
    await signIn(USER_LOGIN, operators);
    expect((await user()).json().operatorOf).toBe('tenant');
  });

  test('is deleted once it is over, so many at a time', async () => {
    await signIn(USER_LOGIN);
    await api.pool.query(
      `insert into session (id_hash, tenant_id, party, roles, subject, name, created_at, seen_at)
       select sha256(n::text::bytea), 'AppProvider', 'p::1', '{user}', 'old' || n, 'old', '2020-01-01', '2020-01-01'
       from generate_series(1, $1::int) n`,
      [LIMITS.sessionPruneMax + 1],
    );
    const before = await sessions();
    expect(await api.deps.sessions.prune(IO)).toBe(LIMITS.sessionPruneMax);
    while ((await api.deps.sessions.prune(IO)) > 0);
    expect(await sessions()).toBeLessThan(before - LIMITS.sessionPruneMax);
    expect((await user()).status).toBe(200);
  });

  test('makes room when one person has too many', async () => {
    const identity = {
      tenantId: 'AppProvider',
      isInternal: true,
      party: PROVIDER,
      roles: new Set(['provider'] as const),
      subject: 'collector',
      name: 'collector',
      login: null,
    };
    const first = await api.deps.sessions.open(identity, IO);
    for (let n = 0; n < AUTH_LIMITS.sessionsPerSubjectMax; n += 1) {
      api.sessionClock.advance(1);
      await api.deps.sessions.open(identity, IO);
    }
    expect(await api.deps.sessions.find(first, IO)).toBeNull();
    const { rows } = await api.pool.query(
      `select count(*)::int as n from session where subject = 'collector'`,
    );
    expect(rows).toEqual([{ n: AUTH_LIMITS.sessionsPerSubjectMax }]);
  });

  test('ends with its tenant', async () => {
    await signIn(USER_LOGIN);
    await api.deps.tenants.remove('AppUser', IO);
    expect((await user()).status).toBe(401);
    await world.registerUser();
    expect((await user()).status).toBe(401);
  });
});

describe('requests from other sites', () => {
  const path = '/app-install-requests?commandId=csrf-1';
  const post = (headers: Record<string, string>) => browser.post(`${base}${path}`, { headers });
  const expectRefused = (page: Page, status: number, code: string, message: string) => {
    expect([page.status, page.json().code, page.json().message]).toEqual([status, code, message]);
  };

  test('are refused without the token, with a wrong one and with one of before the login', async () => {
    const before = await api.changes();
    await browser.get(`${base}/feature-flags`);
    const stale = csrf();
    expect(stale).toMatch(/^[\w-]{43}$/u);
    await signIn(USER_LOGIN);
    for (const headers of [
      {},
      { 'x-xsrf-token': '' },
      { 'x-xsrf-token': 'wrong' },
      { 'x-xsrf-token': stale },
      { 'x-xsrf-token': `${csrf()} `.repeat(2) },
    ]) {
      expectRefused(await post(headers), 403, 'CSRF_TOKEN_INVALID', 'Forbidden');
    }
    // If another site plants a cookie, this does not help it.
    browser.cookies(base).set('XSRF-TOKEN', 'planted');
    expectRefused(
      await post({ 'x-xsrf-token': 'planted' }),
      403,
      'CSRF_TOKEN_INVALID',
      'Forbidden',
    );
    expect(await api.changes()).toBe(before);
  });

  test('need a session first', async () => {
    expectRefused(await post({}), 401, 'UNAUTHENTICATED', 'Unauthorized');
    expectRefused(await post({ 'x-xsrf-token': 'wrong' }), 401, 'UNAUTHENTICATED', 'Unauthorized');
  });

  test('are not what a bearer token makes, with whatever cookies', async () => {
    await signIn(USER_LOGIN);
    const authorization = await api.as(PROVIDER);
    const page = await browser.post(`${base}/licenses/none:expire?commandId=csrf-2`, {
      headers: { authorization },
    });
    expect(page.status).toBe(404);
    expect(page.setCookies).toEqual([]);
    const forged = await browser.get(`${base}/user`, {
      headers: { authorization: 'Bearer a.b.c' },
    });
    expect(forged.status).toBe(401);
  });

  test('bring nobody a session: a program is told who it is by its token', async () => {
    const asked = async (party: typeof PROVIDER) => {
      const headers = { authorization: await api.as(party) };
      return (await browser.get(`${base}/user`, { headers })).json();
    };
    expect([await asked(PROVIDER), await asked(USER)]).toEqual([
      {
        name: 'AppProvider-subject',
        party: PROVIDER,
        roles: ['ROLE_ADMIN', 'AppProvider', PROVIDER],
        isAdmin: true,
        permissions: ['read', 'write', 'policy', 'admin'],
        tenantId: 'AppProvider',
        operatorOf: null,
        subject: expect.any(String),
        walletUrl: null,
        session: null,
      },
      {
        name: 'AppUser-subject',
        party: USER,
        roles: ['AppUser', USER],
        isAdmin: false,
        permissions: ['read', 'write'],
        tenantId: 'AppUser',
        operatorOf: null,
        subject: expect.any(String),
        walletUrl: 'http://wallet.localhost:2000',
        session: null,
      },
    ]);
    expect(browser.cookies(base).size).toBe(0);
  });

  test('leave the token what it is for as long as the session', async () => {
    await signIn(USER_LOGIN);
    const token = csrf();
    expect((await user()).setCookies).toEqual([]);
    browser.cookies(base).delete('XSRF-TOKEN');
    await user();
    expect(csrf()).toBe(token);
    browser.cookies(base).set('XSRF-TOKEN', 'planted');
    await browser.get(`${base}/licenses`);
    expect(csrf()).toBe(token);
  });

  test('are told apart from an authorization that is nobody’s', async () => {
    await signIn(USER_LOGIN);
    for (const authorization of ['Custom abc', 'Basic YTpi', 'x', 'Bearerabc']) {
      const page = await browser.get(`${base}/user`, { headers: { authorization } });
      expect([page.status, page.json().party]).toEqual([200, USER]);
    }
  });
});

describe('a logout', () => {
  const out = (headers: Record<string, string> = {}, from = browser) =>
    from.post(`${base}/api/logout`, { headers: { 'x-xsrf-token': csrf(from), ...headers } });

  test('ends the session and sends the browser to the authorization server’s own', async () => {
    await signIn(USER_LOGIN);
    const id = session();
    const page = await out({ 'content-type': 'application/json' });
    expect([page.status, page.text]).toEqual([302, '']);
    const to = new URL(page.location ?? '');
    expect(`${to.origin}${to.pathname}`).toBe(
      'http://keycloak.localhost:8082/realms/AppUser/logout',
    );
    expect(to.searchParams.get('id_token_hint')).toMatch(/^eyJ/u);
    expect(page.setCookies.map((line) => line.split(';').slice(0, 2).join(';'))).toEqual([
      'JSESSIONID=; Max-Age=0',
      'XSRF-TOKEN=; Max-Age=0',
    ]);
    browser.cookies(base).set('JSESSIONID', id);
    expect((await user()).status).toBe(401);
  });

  test('takes the token from a form as well', async () => {
    await signIn('AppProvider');
    const wrong = await browser.submit(`${base}/logout`, { _csrf: 'wrong' });
    expect([wrong.status, wrong.json().message]).toEqual([403, 'Forbidden']);
    expect((await user()).status).toBe(200);
    expect((await browser.submit(`${base}/logout`, { _csrf: csrf() })).status).toBe(302);
    expect((await user()).status).toBe(401);
  });

  test('of a script is not sent elsewhere; Tenure tells the authorization server', async () => {
    await signIn(USER_LOGIN);
    const page = await out({ 'sec-fetch-dest': 'empty', 'content-type': 'application/json' });
    expect([page.status, page.text]).toEqual([204, '']);
    expect(api.issuers.user.logouts.at(-1)).toMatch(/^\/logout\?id_token_hint=eyJ/u);
    expect((await user()).status).toBe(401);
  });

  test('works while the authorization server does not', async () => {
    await signIn('AppProvider');
    api.issuers.provider.answerWith('away');
    expect((await out({ 'sec-fetch-dest': 'empty' })).status).toBe(204);
    api.issuers.provider.answerWith('keys');
    expect((await user()).status).toBe(401);
  });

  test('without a session goes to the start, if it comes from a page of ours', async () => {
    const stranger = await browser.post(`${base}/logout`);
    expect([stranger.status, stranger.json().message]).toEqual([401, 'Unauthorized']);
    await browser.get(`${base}/feature-flags`);
    const page = await out();
    expect([page.status, page.headers.get('location')]).toEqual([302, '/']);
  });
});

/** Returns the newest rows of the audit log, in ascending order. */
const audited = async (count: number) => {
  const { rows } = await api.pool.query(
    `select a.act, p.subject as by, a.by_party as party, a.subject as object, a.reason, a.detail ->> 'count' as count
     from audit a join person p on p.pseudonym = a.by_subject order by a.id desc limit $1`,
    [count],
  );
  return rows.toReversed();
};

describe('the audit log', () => {
  test('says who signed in, and when each session ended', async () => {
    await signIn(USER_LOGIN);
    const { subject } = (await api.pool.query('select subject from session')).rows.at(-1);
    expect((await browser.submit(`${base}/logout`, { _csrf: csrf() })).status).toBe(302);
    const tenant = expect.stringContaining('tenant:');
    expect(await audited(2)).toMatchObject([
      { act: 'signed-in', by: subject, party: USER, object: tenant },
      { act: 'session-ended', by: subject, party: USER, object: tenant },
    ]);
  });

  test('says what was refused, of a stranger and of a caller, without an event', async () => {
    const refusals = startRefusalLog({
      store: createRefusals(api.pool, PROVIDER),
      wallClock: { nowMs: Date.now },
      log: { ...recordingLog(), debug: () => undefined },
    });
    const app = await buildServer({ ...api.deps, refusals });
    const get = (url: string, authorization: string) =>
      app.inject({ method: 'GET', url, headers: { authorization } });
    const authorization = await api.as(USER, { claims: { sub: 'una' } });
    expect((await get('/ops/leases', authorization)).statusCode).toBe(403);
    for (let i = 0; i < 3; i += 1) expect((await get('/user', 'Bearer no')).statusCode).toBe(401);
    const guessed = () => app.inject({ url: '/user', headers: { cookie: 'JSESSIONID=guessed' } });
    for (let i = 0; i < 2; i += 1) expect((await guessed()).statusCode).toBe(401);
    expect((await app.inject({ url: '/user' })).statusCode).toBe(401);
    const withKey = async (verb: string) => {
      const headers = { authorization: `License ${newLicenseKey()}` };
      const payload = { machine: 'laptop' };
      return (await app.inject({ method: 'POST', url: `/licenses/${verb}`, headers, payload }))
        .statusCode;
    };
    expect([await withKey('validate'), await withKey('release')]).toEqual([200, 401]);
    const failed = await app.inject({ method: 'GET', url: '/login/oauth2/code/nobody?state=x' });
    expect(failed.statusCode).toBe(302);
    await app.close();
    const events = async () => (await api.pool.query('select count(*) from arrival')).rows;
    const before = await events();
    await refusals.stop();
    expect(await events()).toEqual(before);
    expect(await audited(5)).toMatchObject([
      { act: 'act-refused', by: 'una', party: USER, object: 'route:GET /ops/leases', count: '1' },
      { act: 'sign-in-refused', by: 'stranger', party: PROVIDER, object: 'token', count: '3' },
      { act: 'sign-in-refused', by: 'stranger', party: PROVIDER, object: 'session', count: '2' },
      { act: 'sign-in-refused', by: 'stranger', object: 'license-key', count: '2' },
      { act: 'sign-in-refused', by: 'stranger', object: 'login', count: '1' },
    ]);
  });
});
