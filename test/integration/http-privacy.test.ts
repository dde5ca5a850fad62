import { expect, test } from 'vitest';
import { erasePerson, exportPerson } from '../../src/store/desk/privacy.ts';
import { asking } from '../kit/http-ask.ts';
import { IO, PROVIDER, USER } from '../kit/http-api.ts';
import { ASYNC, bulkActsOf, onLane, startBulkWorld } from '../kit/http-bulk.ts';
import { forFile } from '../kit/for-file.ts';
import { EXPIRY_POLICY } from '../kit/http-policies.ts';
import { REFUSAL } from '../kit/ledger-stand-in.ts';

/* The erasure of a person who has used the API in every way that leaves a name in the database. */

const world = await forFile(startBulkWorld());
const { api, operator } = world;
const { fresh, refused, preview, apply, work } = bulkActsOf(() => world);

/** The subject, name and mail address of one person at each of two parties. */
const MARK = 'marked@people.example';
const PERSON = { claims: { sub: MARK, name: MARK, roles: ['operator'] } };
const THEIR = { subject: MARK, party: USER };
const OURS = { subject: MARK, party: PROVIDER };

/** An erasure keeps the details of acts in the audit log, such as the filter of a bulk act. */
const KEPT = new Set(['audit.detail']);

/** Returns how often each column of the database names the person, without the columns that an erasure keeps. */
async function named(): Promise<Record<string, number>> {
  const { rows: columns } = await api.pool.query<{ table: string; column: string }>(
    `select c.table_name as table, c.column_name as column
     from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = current_schema() and t.table_type = 'BASE TABLE'
       and (c.data_type in ('text', 'json', 'jsonb', 'character varying') or c.data_type = 'ARRAY')`,
  );
  expect(columns.length).toBeGreaterThan(150);
  const counts: Record<string, number> = {};
  for (const { table, column } of columns) {
    const { rows } = await api.pool.query<{ count: number }>(
      `select count(*)::integer as count from "${table}" where strpos("${column}"::text, $1) > 0`,
      [MARK],
    );
    const count = rows[0]?.count ?? 0;
    if (count > 0 && !KEPT.has(`${table}.${column}`)) counts[`${table}.${column}`] = count;
  }
  return counts;
}

const openSession = (party: typeof USER, tenantId: string) =>
  api.deps.sessions.open(
    {
      tenantId,
      isInternal: party === PROVIDER,
      party,
      roles: new Set(['user'] as const),
      subject: MARK,
      name: MARK,
      login: null,
    },
    IO,
  );

/** Ends all operations that have been dispatched. */
async function settle() {
  for (let steps = 0; steps < 20 && (await api.ledger.step()) > 0; steps += 1);
}

test('an erased person is in no column of the database; a person of another party with this name stays', async () => {
  const [ours, theirs] = await Promise.all([
    asking(api, PROVIDER, PERSON),
    asking(api, USER, PERSON),
  ]);
  const done = async (reply: ReturnType<typeof ours.post>) => {
    const { statusCode, payload } = await reply;
    expect(statusCode, payload).toBeLessThan(300);
    return payload === '' ? {} : JSON.parse(payload);
  };
  await openSession(USER, 'AppUser');
  await openSession(PROVIDER, 'AppProvider');
  // Operations of the person, of others that the person retries alone and in bulk, and of the person that others retry.
  const { install, ids } = await refused(3);
  await done(ours.post(`/ops/operations/${ids[0]}:retry`, { reason: 'again' }));
  await settle();
  const { token: bulk, count: all } = await done(preview(onLane('retry', install), ours));
  await done(apply(bulk, all, ours));
  await work();
  await settle();
  const own = await fresh();
  const url = `/app-installs/${own}:create-license?commandId=m-1`;
  const mine = await done(ours.post(url, { params: {} }, ASYNC));
  await api.ledger.step(REFUSAL);
  await done(operator.post(`/ops/operations/${mine.id}:retry`, { reason: 'again' }));
  await done(theirs.post('/app-install-requests?commandId=m-2', {}, ASYNC));
  await settle();
  const filter = { by: MARK, party: USER };
  const other = await done(preview({ action: 'cancel', filter }, operator));
  await done(apply(other.token, other.count, operator));
  await work();
  const [license] = (await ours.get('/licenses')).json();
  await done(ours.post(`/licenses/${license.lifecycleId}/keys`, { name: 'server' }));
  await done(theirs.post(`/licenses/${license.lifecycleId}/keys`, { name: 'server' }));
  await done(theirs.post('/webhooks', { url: 'http://127.0.0.1:9/hook' }));
  await done(ours.post('/webhooks', { url: 'http://127.0.0.1:9/hook' }));
  await done(
    ours.post('/ops/pauses', {
      scope: 'operation',
      name: 'expire-license',
      mode: 'pause',
      reason: 'an upgrade',
    }),
  );
  await done(
    ours.post('/customers', { party: USER, name: 'Acme', emails: [MARK, 'a@acme.example'] }),
  );
  const [failure] = (await ours.get('/ops/failures')).json();
  await done(ours.post(`/ops/failures/${failure.fingerprint}:ignore`, { reason: 'known' }));
  const policy = { ...EXPIRY_POLICY, mode: 'on', includeNeverRenewed: true };
  const { token, count } = await done(ours.post('/policies/expiry/preview', policy));
  const confirmation = { token, count, reason: 'over', includeNeverRenewed: true };
  const headers = { authorization: await api.as(PROVIDER, PERSON) };
  const payload = { ...policy, confirmation };
  const set = await api.app.inject({ method: 'PUT', url: '/policies/expiry', headers, payload });
  expect(set.statusCode, set.payload).toBe(200);
  await done(ours.post('/policies/expiry/preview', policy));
  const before = await named();
  expect(Object.keys(before)).toEqual(
    expect.arrayContaining([
      'bulk_act.by_name',
      'bulk_act.by_subject',
      'change.caller_subject',
      'customer.emails',
      'failure_decision.by_subject',
      'history.detail',
      'license_key.by_subject',
      'pause.by_subject',
      'pending_policy.by_subject',
      'person.subject',
      'preview.by_subject',
      'session.subject',
      'webhook.created_by',
    ]),
  );
  const exported = await exportPerson(api.pool, OURS, IO);
  expect(new Set(exported.acts.map(({ table }) => table))).toEqual(
    new Set([
      'bulk_act',
      'failure_decision',
      'history',
      'license_key',
      'pause',
      'pending_policy',
      'preview',
    ]),
  );
  const retries = exported.operations.filter(
    ({ commandId }) => typeof commandId === 'string' && commandId.startsWith('tenure:retry:'),
  );
  expect(retries.length).toBe(4);

  const theirsBefore = await exportPerson(api.pool, THEIR, IO);
  await erasePerson(api.pool, OURS, IO);
  const { people, ...rest } = await exportPerson(api.pool, OURS, IO);
  expect([people, ...Object.values(rest)].flat()).toEqual([PROVIDER]);
  expect(await exportPerson(api.pool, THEIR, IO)).toEqual(theirsBefore);
  await erasePerson(api.pool, THEIR, IO);
  expect(await named()).toEqual({});
});
