import { expect, test } from 'vitest';
import { openBrowser } from '../kit/browser.ts';
import { openEventStream } from '../kit/event-stream.ts';
import { forFile } from '../kit/for-file.ts';
import { asking } from '../kit/http-ask.ts';
import { erasePerson, exportPerson } from '../../src/store/desk/privacy.ts';
import { IO, PROVIDER, USER } from '../kit/http-api.ts';
import { USER_LOGIN, startLoginWorld } from '../kit/login-world.ts';
import * as rows from '../kit/store-rows.ts';
import { arrive, save } from '../kit/store-under-test.ts';

/* Sessions: how their persons and operators list and end them. */

const world = await forFile(startLoginWorld());
const { api, base } = world;
const operator = { claims: { sub: 'olga', roles: ['operator'] } };

/** Opens a browser in which a person of the tenant is signed in. */
async function signedIn(subject: string) {
  const browser = openBrowser();
  await world.signIn(browser, USER_LOGIN, { claims: { sub: subject } });
  const list = async (): Promise<{ id: string; isCurrent: boolean }[]> =>
    (await browser.get(`${base}/user/sessions`)).json();
  const { id } = (await list()).find(({ isCurrent }) => isCurrent) ?? { id: '' };
  const end = (other: string) =>
    fetch(`${base}/user/sessions/${other}`, {
      method: 'DELETE',
      headers: {
        cookie: `JSESSIONID=${world.sessionOf(browser)}`,
        'x-xsrf-token': world.csrfOf(browser),
      },
    });
  const status = async () => (await world.user(browser)).status;
  return { browser, id, list, end, status, [Symbol.asyncDispose]: browser[Symbol.asyncDispose] };
}

const idsOf = (reply: { json(): { id: string }[] }) => reply.json().map(({ id }) => id);

/** Returns the newest rows of the audit log about a session, in ascending order. */
async function audited(session: string) {
  const { rows } = await api.pool.query(
    `select a.act, p.subject as by, a.reason, a.by_party as party
     from audit a join person p on p.pseudonym = a.by_subject where a.detail ->> 'session' = $1 order by a.id`,
    [session],
  );
  return rows;
}

test('a person sees and ends their own sessions, and no other', async () => {
  await using one = await signedIn('uma');
  await using two = await signedIn('uma');
  await using other = await signedIn('ulf');
  const seen = await one.list();
  expect(seen.map(({ id }) => id).toSorted()).toEqual([one.id, two.id].toSorted());
  expect(seen).toContainEqual({
    id: one.id,
    tenantId: 'AppUser',
    party: USER,
    subject: 'uma',
    name: 'person of AppUser',
    permissions: ['read', 'write'],
    createdAt: expect.any(String),
    seenAt: expect.any(String),
    endsAt: expect.any(String),
    idleEndsAt: expect.any(String),
    isCurrent: true,
  });
  for (const id of [other.id, 'none', '%', two.id.slice(0, 8)]) {
    expect((await one.end(encodeURIComponent(id))).status).toBe(404);
  }
  expect((await one.end(two.id)).status).toBe(204);
  expect([await one.status(), await two.status(), await other.status()]).toEqual([200, 401, 200]);
  expect((await audited(two.id)).map(({ act, by }) => [act, by])).toEqual([
    ['signed-in', 'uma'],
    ['session-ended', 'uma'],
  ]);
});

test('the public ID of a session signs nobody in', async () => {
  await using person = await signedIn('uma');
  const { rows } = await api.pool.query(
    `select encode(id_hash, 'hex') as hash from session where starts_with(encode(id_hash, 'hex'), $1)`,
    [person.id],
  );
  for (const id of [
    person.id,
    rows[0].hash,
    Buffer.from(rows[0].hash, 'hex').toString('base64url'),
  ]) {
    const headers = { cookie: `JSESSIONID=${id}` };
    expect((await fetch(`${base}/user`, { headers })).status).toBe(401);
  }
});

test('an operator ends anyone’s session, that of a tenant only its party’s, each with a reason', async () => {
  await using person = await signedIn('una');
  const cookie = `JSESSIONID=${world.sessionOf(person.browser)}`;
  const stream = await openEventStream(`${base}/events`, { cookie });
  await using foreign = openBrowser();
  await world.signIn(foreign, 'AppProvider', { claims: { sub: 'pia' } });
  const ours = await asking(api, PROVIDER, operator);
  const theirs = await asking(api, USER, operator);
  const url = '/ops/sessions?subject=una';
  expect([idsOf(await ours.get(url)), idsOf(await theirs.get(url))]).toEqual([
    [person.id],
    [person.id],
  ]);
  const [pia = ''] = idsOf(await ours.get('/ops/sessions?subject=pia'));
  expect(idsOf(await theirs.get('/ops/sessions'))).not.toContain(pia);
  const providers = `/ops/sessions?party=${encodeURIComponent(PROVIDER)}`;
  expect(idsOf(await theirs.get(providers))).toEqual([]);
  const end = (who: typeof ours, id: string, body?: object) =>
    who.post(`/ops/sessions/${id}:end`, body);
  expect((await end(theirs, pia, { reason: 'mine' })).statusCode).toBe(404);
  expect((await world.user(foreign)).status).toBe(200);
  expect((await end(theirs, person.id)).statusCode).toBe(400);
  expect(await person.status()).toBe(200);
  expect((await end(theirs, person.id, { reason: 'the laptop was lost' })).statusCode).toBe(204);
  const endedMs = performance.now();
  await stream.ended;
  expect(performance.now() - endedMs).toBeLessThan(2_000);
  expect(await person.status()).toBe(401);
  expect((await end(theirs, person.id, { reason: 'again' })).statusCode).toBe(404);
  expect(await audited(person.id)).toMatchObject([
    { act: 'signed-in', by: 'una' },
    { act: 'session-ended', by: 'una' },
    { act: 'ended-session', by: 'olga', party: USER, reason: 'the laptop was lost' },
  ]);
  expect((await end(ours, pia, { reason: 'it is everybody’s desk' })).statusCode).toBe(204);
  expect((await world.user(foreign)).status).toBe(401);
});

test('operators of the provider read all sessions page by page, without those that are over', async () => {
  await using one = await signedIn('uta');
  await using two = await signedIn('ute');
  await api.deps.sessions.open(
    {
      tenantId: 'AppProvider',
      isInternal: true,
      party: PROVIDER,
      roles: new Set(['provider'] as const),
      subject: 'paul',
      name: 'Paul',
      login: null,
    },
    IO,
  );
  const ours = await asking(api, PROVIDER, operator);
  const all = idsOf(await ours.get('/ops/sessions'));
  expect(all).toEqual(expect.arrayContaining([one.id, two.id]));
  const paged: string[] = [];
  for (let url: string | undefined = '/ops/sessions?limit=1'; url !== undefined;) {
    const page = await ours.get(url);
    paged.push(...idsOf(page));
    url = /<([^>]+)>/u.exec(String(page.headers['link'] ?? ''))?.[1];
  }
  expect(paged).toEqual(all);
  expect((await ours.get('/ops/sessions?cursor=x')).statusCode).toBe(400);
  await api.pool.query(
    `update session set seen_at = '2020-01-01' where starts_with(encode(id_hash, 'hex'), $1)`,
    [one.id],
  );
  expect(idsOf(await ours.get('/ops/sessions'))).toEqual(all.filter((id) => id !== one.id));
});

const BY_ERNA = { callerSubject: 'erna', callerParty: USER };
/** A statement that inserts acts of a person who has no pseudonym yet, for the provider's party. */
const ACTS_OF_ERNA = `
  insert into pause (scope, name, mode, by_party, by_subject, reason)
  values ('operation', 'renew-license', 'pause', '${USER}', 'erna', 'why');
  insert into pending_policy (provider, name, version, policy, by_subject, reason, count, starts_at)
  values ('${PROVIDER}', 'expiry', 1, '{}', 'erna', 'why', 0, now());
  insert into failure (fingerprint, operation, state, code, explanation)
  values ('ff', 'renew-license', 'failed', 'LEDGER_REFUSED', 'why');
  insert into failure_decision (fingerprint, party, state, at, by_subject, reason)
  values ('ff', '${USER}', 'ignored', now(), 'erna', 'why');
  insert into bulk_act (id, action, scope, filter, reason, by_party, by_subject, by_name, tenant_id, state, count,
    expires_at, applied_at, finished_at)
  values (gen_random_uuid(), 'retry', 'caller', '{}', 'why', '${USER}', 'erna', 'erna', 'AppUser', 'done', 0,
    now(), now(), now());
  insert into webhook (id, party, created_by, url, types, secret, after_seq)
  values ('wh_erna', '${USER}', 'erna', 'http://127.0.0.1:9/', '{}', 'secret', 0)`;
const NAMES = `
  select by_subject as name from pause union select by_subject from pending_policy
  union select by_subject from failure_decision union select by_subject from bulk_act
  union select by_name from bulk_act union select created_by from webhook union select caller_subject from change`;

test('a person is exported without secrets, and erased with sessions and name; the audit log stays', async () => {
  await using person = await signedIn('erna');
  await using other = await signedIn('ernst');
  const [ended, open] = [rows.change(BY_ERNA), rows.change(BY_ERNA)];
  for (const one of [ended, open]) await arrive(api.store, one);
  await save(api.store, rows.writes({ changes: [rows.succeeded(ended)] }));
  await api.pool.query(ACTS_OF_ERNA);
  const anyone = { subject: 'erna', party: null };
  for (const work of [exportPerson, erasePerson]) {
    await expect(work(api.pool, anyone, IO)).rejects.toThrow(
      `--party: ${[PROVIDER, USER].sort().join(', ')}`,
    );
  }
  const erna = { subject: 'erna', party: USER };
  const before = await exportPerson(api.pool, erna, IO);
  expect(new Set(before.acts.map(({ table }) => table))).toEqual(
    new Set(['bulk_act', 'failure_decision', 'pause']),
  );
  expect([before.people, before.sessions, before.audit].map(({ length }) => length)).toEqual([
    1, 1, 1,
  ]);
  expect(before.sessions).toMatchObject([{ session: person.id, party: USER }]);
  expect(JSON.stringify(before)).not.toContain(world.sessionOf(person.browser));
  const [{ pseudonym = '' } = {}] = before.people as readonly { pseudonym?: string }[];
  expect(await erasePerson(api.pool, erna, IO)).toEqual({
    sessions: 1,
    pseudonyms: 1,
    replaced: 5,
    operations: 1,
  });
  expect([await person.status(), await other.status()]).toEqual([401, 200]);
  const after = await exportPerson(api.pool, erna, IO);
  expect(Object.values(after).flat()).toMatchObject([USER, { id: open.id }]);
  // A person with the same name at the provider's issuer has no pseudonym either. Its rows stay until it is erased too.
  const theirs = { subject: 'erna', party: PROVIDER };
  expect((await exportPerson(api.pool, theirs, IO)).acts).toMatchObject([{ name: 'expiry' }]);
  expect(await erasePerson(api.pool, theirs, IO)).toMatchObject({ replaced: 1 });
  const named = await api.pool.query<{ name: string }>(NAMES);
  expect(named.rows.map(({ name }) => name).toSorted()).toEqual(['erased', 'erna', pseudonym]);
  const audit = await api.pool.query('select act from audit where by_subject = $1 order by id', [
    pseudonym,
  ]);
  expect(audit.rows.map(({ act }) => act)).toEqual(['signed-in', 'session-ended']);
});
