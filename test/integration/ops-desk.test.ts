import { beforeAll, describe, expect, test } from 'vitest';
import { failureOf } from '../../src/app/desk/failures.ts';
import type { Change } from '../../src/domain/change.ts';
import { trusted } from '../../src/domain/ids.ts';
import { problem } from '../../src/domain/problems.ts';
import { OTHER_USER, PROVIDER, USER, startApi } from '../kit/http-api.ts';
import type { Ask } from '../kit/http-ask.ts';
import { asking } from '../kit/http-ask.ts';
import { tenantOperators } from '../kit/http-ops.ts';
import { COST, PARTICIPANT } from '../kit/ledger-stand-in.ts';
import * as rows from '../kit/store-rows.ts';
import { arrive, save } from '../kit/store-under-test.ts';
import { forFile } from '../kit/for-file.ts';

/* Reads by operators, other than reads of operations: failures, lifecycles and the audit log. */

const at = (minutes: number): string =>
  new Date(Date.UTC(2026, 0, 1) + minutes * 60_000).toISOString().replace('.000Z', 'Z');

const license = (n: number, over: Parameters<typeof rows.lifecycle>[0] = {}) =>
  rows.lifecycle({
    kind: 'license',
    provider: PROVIDER,
    appUser: USER,
    licenseNum: BigInt(n),
    createdAt: at(n),
    ...over,
  });
const LIVES = [
  license(1),
  license(2, { appUser: OTHER_USER }),
  license(3, { state: 'expiring' }),
  rows.lifecycle({ provider: PROVIDER, appUser: USER, createdAt: at(4) }),
  license(5, { provider: trusted('elsewhere::1220ee') }),
];
const OURS = LIVES.filter(({ provider }) => provider === PROVIDER);

const refusal = (why: string) =>
  problem('LEDGER_REFUSED', 'a rule was not met', {
    ledgerCode: 'DAML_FAILURE',
    extra: { ledgerText: why },
  });
const EARLY = refusal('not before 2026-01-01T00:00:00Z');
const POOR = refusal('too little money');

let made = 0;
/** Records a change that ends with this failure. */
async function fails(error: typeof EARLY, over: Partial<Change> = {}): Promise<Change> {
  made += 1;
  const open = rows.change({
    operation: 'expire-license',
    lifecycleId: LIVES[0]!.id,
    callerParty: USER,
    provider: PROVIDER,
    appUser: USER,
    acceptedAt: at(made),
    ...over,
  });
  await arrive(api.store, open);
  const ended = {
    ...open,
    state: 'rejected' as const,
    finishedAt: at(made + 1),
    waitingFor: null,
    error,
  };
  await save(api.store, rows.writes({ changes: [ended] }));
  return ended;
}
const fingerprintOf = (change: Change): string => failureOf(change)!.fingerprint;

const api = await forFile(startApi());
const operator = await asking(api, PROVIDER, { claims: { roles: ['operator'], name: 'Olga' } });
/** Operators of two tenants. The second tenant is not involved in anything. */
const { tenant, stranger } = await tenantOperators(api);
for (const life of LIVES) await save(api.store, rows.birth(life));

const bodyOf = async (reply: ReturnType<Ask['get']>) => {
  const { statusCode, body, json } = await reply;
  expect(`${statusCode} ${body.slice(0, 300)}`).toMatch(/^200 /u);
  return json();
};
const get = (ask: Ask, url: string) => bodyOf(ask.get(url));

/** Returns all pages of a list. */
async function pages(ask: Ask, url: string): Promise<Record<string, unknown>[]> {
  const seen: Record<string, unknown>[] = [];
  for (let next: string | undefined = url; next !== undefined;) {
    const reply = await ask.get(next);
    seen.push(...reply.json());
    next = /<(.*)>; rel="next"/u.exec(String(reply.headers['link'] ?? ''))?.[1];
  }
  return seen;
}

describe('failures', () => {
  let early: Change;
  let poor: Change;
  beforeAll(async () => {
    early = await fails(EARLY);
    poor = await fails(POOR, { callerParty: PROVIDER, appUser: OTHER_USER });
    await fails(EARLY, { callerParty: PROVIDER });
  });
  const act = (ask: Ask, change: Change, verb: string, reason = `because of ${verb}`) =>
    ask.post(`/ops/failures/${fingerprintOf(change)}:${verb}`, { reason });
  const openOnes = async (ask: Ask): Promise<string[]> =>
    (await get(ask, '/ops/failures')).map((one: { fingerprint: string }) => one.fingerprint);

  test('are grouped, the last to happen first, with how many, since when, and an example', async () => {
    const [first, second] = await get(operator, '/ops/failures');
    expect(first).toMatchObject({
      fingerprint: fingerprintOf(early),
      state: 'open',
      operation: 'expire-license',
      outcome: 'rejected',
      code: 'LEDGER_REFUSED',
      ledgerCode: 'DAML_FAILURE',
      class: 'refused',
      explanation: 'not before <time>',
      count: 2,
      more: false,
      firstAt: early.acceptedAt,
      lastAt: at(3),
      example: { lifecycleId: LIVES[0]!.id, user: USER },
    });
    expect(second).toMatchObject({ fingerprint: fingerprintOf(poor), count: 1 });
    expect(await pages(operator, '/ops/failures?limit=1')).toEqual([first, second]);
    expect(await pages(operator, '/ops/failures?limit=1&sort=lastAt')).toEqual([second, first]);
    const among = (query: string) => get(operator, `/ops/failures?${query}`);
    expect(await among('operation=renew-license')).toEqual([]);
    expect(await among('code=DAML_FAILURE&operation=expire-license')).toHaveLength(2);
  });

  test('are each party’s own: what was asked for, and what is said of it', async () => {
    const [seen, ...others] = await get(tenant, '/ops/failures');
    expect(seen).toMatchObject({
      fingerprint: fingerprintOf(early),
      count: 1,
      example: { id: early.id },
    });
    expect([others, await get(stranger, '/ops/failures')]).toEqual([[], []]);
    const refusals = await Promise.all([
      act(tenant, poor, 'ignore'),
      act(stranger, early, 'resolve'),
      operator.post('/ops/failures/0123456789abcdef:resolve', { reason: 'x' }),
    ]);
    for (const reply of refusals) {
      const { code, detail } = reply.json();
      const said = `${reply.statusCode} ${code} ${detail}`;
      expect(said).toMatch(/^404 NOT_FOUND failure [0-9a-f]{16} does not exist$/u);
    }
    expect((await act(tenant, early, 'ignore')).json()).toMatchObject({ state: 'ignored' });
    expect([await openOnes(tenant), await openOnes(operator)]).toEqual([
      [],
      [fingerprintOf(early), fingerprintOf(poor)],
    ]);
    await act(tenant, early, 'reopen');
  });

  test('that are resolved come back when they happen again, those that are ignored do not', async () => {
    const resolved = (await act(operator, early, 'resolve')).json();
    expect(resolved).toMatchObject({
      state: 'resolved',
      decision: { state: 'resolved', reason: 'because of resolve' },
    });
    expect((await act(operator, poor, 'ignore')).json().state).toBe('ignored');
    expect(await openOnes(operator)).toEqual([]);
    expect(await get(operator, '/ops/failures?state=resolved')).toEqual([resolved]);
    expect(await get(operator, '/ops/failures?state=all')).toHaveLength(2);

    await fails(POOR, { callerParty: PROVIDER });
    const again = await fails(EARLY);
    const [back, ...others] = await get(operator, '/ops/failures');
    expect(others).toEqual([]);
    expect(back).toMatchObject({
      fingerprint: fingerprintOf(early),
      state: 'open',
      count: 3,
      example: { id: again.id },
      decision: { state: 'resolved', reopenedAt: again.finishedAt },
    });
    const reopened = (await act(operator, poor, 'reopen')).json();
    expect([reopened.state, reopened.decision, reopened.count]).toEqual(['open', undefined, 2]);
  });

  test('leave each act in the log, with who did it and why, for those of the party', async () => {
    const object = `failure:${fingerprintOf(poor)}`;
    const log = await get(operator, `/ops/audit?object=${object}`);
    expect(log).toMatchObject([
      { act: 'failure-reopened', object, detail: { from: 'ignored', to: 'open' } },
      {
        act: 'failure-ignored',
        byParty: PROVIDER,
        reason: 'because of ignore',
        detail: { code: 'LEDGER_REFUSED' },
      },
    ]);
    const acts = (await pages(operator, '/ops/audit?limit=1')).map((one) => one['act']);
    expect(acts).toEqual([
      'failure-reopened',
      'failure-ignored',
      'failure-resolved',
      'tenant-registered',
    ]);
    const own = await get(tenant, '/ops/audit');
    expect(own.map((one: { act: string }) => one.act)).toEqual([
      'failure-reopened',
      'failure-ignored',
    ]);
    expect(await get(stranger, '/ops/audit')).toEqual([]);
  });

  test('do not need a person where the lifecycle was ended or changed by another operation', async () => {
    const before = await openOnes(operator);
    const second = await fails(problem('LIFECYCLE_ENDED', 'license 00ab is no longer active'));
    const mine = fingerprintOf(second);
    expect(await openOnes(operator)).toEqual(before);
    const ignored = await get(operator, '/ops/failures?state=ignored');
    expect(ignored).toContainEqual(
      expect.objectContaining({ fingerprint: mine, count: 1, example: expect.anything() }),
    );
    // After a person has resolved the group, it stays closed even if another operation fails in the same way.
    expect((await act(operator, second, 'resolve')).json().state).toBe('resolved');
    await fails(problem('LIFECYCLE_ENDED', 'license 00cd is no longer active'));
    expect(await openOnes(operator)).toEqual(before);
    expect((await act(operator, second, 'reopen')).json().state).toBe('ignored');
  });
});

/** Records an operation that an operator has cancelled before its first attempt. */
async function cancelled(over: Partial<Change> = {}): Promise<Change> {
  const open = rows.change({ provider: PROVIDER, appUser: OTHER_USER, ...over });
  await save(api.store, rows.writes({ ...rows.arrival(open), newEffects: [] }));
  await api.pool.query(
    `insert into effect (id, change_id, due_at) values ($1, $2, now() + interval '1 h')`,
    [rows.effectId(open), open.id],
  );
  await operator.post(`/ops/operations/${open.id}:cancel`, { reason: 'not wanted' });
  return open;
}

describe('the log', () => {
  test('holds what was done to operations and besides, found by who, what, to what and when', async () => {
    const began = new Date().toISOString();
    const open = await cancelled();
    const pause = { scope: 'operation', name: 'renew-license', reason: 'not now' };
    const { id } = (await operator.post('/ops/pauses', pause)).json();
    await operator.post(`/ops/pauses/${id}:resume`, { reason: 'now' });

    const [act] = await get(operator, `/ops/audit?object=${open.id}`);
    expect(act).toMatchObject({
      act: 'cancelled',
      object: open.id,
      reason: 'not wanted',
      to: 'cancelled',
      operation: { id: open.id, commandId: open.commandId, operation: open.operation },
    });
    const since = await get(operator, `/ops/audit?since=${began}&subject=${act.bySubject}`);
    expect(since.map((one: { act: string }) => one.act)).toEqual([
      'resumed',
      'paused',
      'cancelled',
    ]);
    const [paused] = await get(operator, '/ops/audit?act=paused&since=PT1H');
    expect(paused).toMatchObject({ object: 'pause:operation:renew-license', reason: 'not now' });
    expect(await get(operator, '/ops/audit?subject=nobody')).toEqual([]);
    const oldest = await pages(operator, '/ops/audit?limit=1&sort=at');
    expect(oldest).toEqual((await get(operator, '/ops/audit')).toReversed());
    expect(await get(operator, `/ops/audit?until=${began}&since=${began}`)).toEqual([]);
    // The tenant sees neither acts on operations of other parties, nor other acts of operators who are not its own.
    expect(await get(tenant, `/ops/audit?object=${open.id}`)).toEqual([]);
    expect(await get(tenant, '/ops/audit?act=paused')).toEqual([]);
    // The tenant sees all acts on its own operations, no matter which operator performed them, in one list with the
    // tenant's own acts.
    const own = await cancelled({ callerParty: USER, appUser: USER });
    const seen = await pages(tenant, '/ops/audit?limit=1');
    expect(seen[0]).toMatchObject({ act: 'cancelled', object: own.id, byParty: PROVIDER });
    expect(seen.slice(1).map((one) => one['act'])).toEqual(['failure-reopened', 'failure-ignored']);
  });
});

describe('lifecycles', () => {
  const ids = (lives: readonly { readonly id: unknown }[]) => lives.map(({ id }) => id);

  test('come with their state and age, the oldest first, by what is asked', async () => {
    const all = await get(operator, '/ops/lifecycles');
    expect(ids(all)).toEqual(ids(OURS));
    expect(all[1]).toEqual({
      id: OURS[1]!.id,
      kind: 'license',
      state: 'active',
      stateSince: OURS[1]!.createdAt,
      createdAt: OURS[1]!.createdAt,
      provider: PROVIDER,
      user: OTHER_USER,
      contractId: OURS[1]!.contractId,
      licenseNum: 2,
      expiresAt: OURS[1]!.expiresAt,
      version: 1,
      machineVersion: OURS[1]!.machineVersion,
    });
    expect(await pages(operator, '/ops/lifecycles?limit=1')).toEqual(all);
    const newest = await pages(operator, '/ops/lifecycles?limit=1&sort=-createdAt');
    expect(newest).toEqual(all.toReversed());
    const among = async (query: string) => ids(await get(operator, `/ops/lifecycles?${query}`));
    expect(await among('kind=license&state=active')).toEqual(ids(OURS.slice(0, 2)));
    expect(await among('state=expiring')).toEqual([OURS[2]!.id]);
    expect(await among(`party=${OTHER_USER}`)).toEqual([OURS[1]!.id]);
    expect(await among(`party=${PROVIDER}&until=${at(3)}`)).toEqual(ids(OURS.slice(0, 2)));
    expect(await among('until=P36500D')).toEqual([]);
    expect(await among(`since=${at(3)}`)).toEqual(ids(OURS.slice(2)));
    expect(await among(`user=${OTHER_USER}`)).toEqual([OURS[1]!.id]);
    expect(await among(`provider=${OTHER_USER}`)).toEqual([]);
  });

  test('tell since when they are what they are', async () => {
    const [first] = OURS;
    const step = (seq: number, state: string) =>
      rows.entry(first!, { seq, state, at: at(100 + seq) });
    const history = [step(1, 'active'), step(2, 'renewing'), step(3, 'active'), step(4, 'active')];
    await save(api.store, rows.writes({ history }));
    const [seen] = await get(operator, '/ops/lifecycles?limit=1');
    expect(new Date(seen.stateSince).toISOString()).toBe('2026-01-01T01:43:00.000Z');
  });

  test('are counted by kind and state', async () => {
    const counts = await get(operator, '/ops/lifecycles/counts');
    const one = { more: false };
    expect(counts).toEqual([
      { kind: 'install', state: 'active', count: 1, oldestAt: OURS[3]!.createdAt, ...one },
      { kind: 'license', state: 'active', count: 2, oldestAt: OURS[0]!.createdAt, ...one },
      { kind: 'license', state: 'expiring', count: 1, oldestAt: OURS[2]!.createdAt, ...one },
    ]);
    const active = await get(operator, '/ops/lifecycles/counts?kind=license&state=active');
    expect(active).toEqual([counts[1]]);
  });

  test('of a tenant are those that it uses, of whomever', async () => {
    expect(ids(await get(tenant, '/ops/lifecycles'))).toEqual(ids([LIVES[0]!, ...LIVES.slice(2)]));
    expect(await get(tenant, '/ops/lifecycles/counts?state=expiring')).toMatchObject([
      { count: 1 },
    ]);
    expect(await get(tenant, `/ops/lifecycles?party=${OTHER_USER}`)).toEqual([]);
    expect(await get(stranger, '/ops/lifecycles')).toEqual([]);
    expect(await get(stranger, '/ops/lifecycles/counts')).toEqual([]);
  });
});

describe('one operation', () => {
  test('is told from its acceptance to its end, with what each attempt cost', async () => {
    const user = await asking(api, USER);
    const accepted = user.post('/app-install-requests?commandId=desk-1', {});
    const following = api.ledger.follow();
    expect((await accepted).statusCode).toBe(201);
    await following.stop();
    const [{ id }] = await get(operator, '/ops/operations?commandId=desk-1');
    const seen = await get(operator, `/ops/operations/${id}`);
    expect(seen.attempts).toMatchObject([
      { n: 1, answer: 'accepted', participant: PARTICIPANT, actAs: USER, cost: Number(COST) },
    ]);
    expect(seen.attempts[0].offset).toBeGreaterThan(1);
    expect(seen.timeline).toEqual([
      { at: seen.acceptedAt, what: 'accepted', detail: expect.stringContaining(USER) },
      { at: expect.any(String), what: 'queued', detail: expect.any(String) },
      {
        at: seen.attempts[0].at,
        what: 'submitted',
        detail: expect.stringContaining(seen.attempts[0].submissionId),
        attempt: 1,
      },
      {
        at: seen.attempts[0].answeredAt,
        what: 'answered',
        detail: 'accepted: the ledger accepted the command',
        attempt: 1,
      },
      { at: seen.finishedAt, what: 'finished', detail: 'succeeded' },
    ]);
    // The tenant itself requested this operation. For others, the operation seems not to exist.
    expect((await get(tenant, `/ops/operations/${id}`)).id).toBe(id);
    expect(await get(stranger, '/ops/operations?commandId=desk-1')).toEqual([]);
    const missing = await Promise.all([
      stranger.get(`/ops/operations/${id}`),
      stranger.get('/ops/operations/00000000-0000-4000-8000-000000000000'),
    ]);
    for (const reply of missing) {
      expect([reply.statusCode, reply.json().code]).toEqual([404, 'OPERATION_NOT_FOUND']);
    }
    const ofUser = (await user.get('/operations/desk-1')).json();
    expect([ofUser.timeline, ofUser.attempts[0].cost]).toEqual([undefined, undefined]);
  });

  test('waits for traffic while its participant has none, also if it was never tried', async () => {
    const open = rows.change({ provider: PROVIDER, appUser: OTHER_USER });
    await arrive(api.store, open);
    const waits = async () => (await get(operator, `/ops/operations/${open.id}`)).waitingFor;
    expect(await waits()).toMatchObject({ kind: 'queue' });
    const { participant } = open.submitter;
    const ledgerCode = 'SEQUENCER_NOT_ENOUGH_TRAFFIC_CREDIT';
    const circuits = [{ participant, reason: 'traffic', ledgerCode }] as const;
    await save(api.store, rows.writes({ circuits }));
    expect(await waits()).toMatchObject({
      kind: 'traffic',
      detail: expect.stringContaining('bought more'),
    });
    const [stopped] = await get(operator, '/ops/pauses');
    expect(stopped).toMatchObject({ scope: 'participant', name: participant, mode: 'traffic' });
    await api.pool.query('delete from circuit');
  });

  test('tells what persons did to it', async () => {
    const { id } = await cancelled();
    const { timeline, failure } = await get(operator, `/ops/operations/${id}`);
    expect(timeline.map(({ what }: { what: string }) => what)).toEqual([
      'accepted',
      'queued',
      'cancelled',
      'finished',
    ]);
    expect(failure).toMatch(/^[0-9a-f]{16}$/u);
  });
});

test.each([
  ['failures?state=closed', 'state'],
  ['failures?code=a b', 'code'],
  ['lifecycles?kind=none', 'kind'],
  ['lifecycles?party=no/body', 'party'],
  ['lifecycles?until=long', 'until'],
  ['lifecycles/counts?state=%00', 'state'],
  ['audit?since=2026-02-30T00:00:00Z', 'since'],
  ['audit?object=%00', 'object'],
  // A position that no row of a log can have.
  [`audit?cursor=${Buffer.from('["2026-01-01T00:00:00Z","-1"]').toString('base64url')}`, 'cursor'],
])('%s is refused', async (query, field) => {
  const reply = await operator.get(`/ops/${query}`);
  expect([reply.statusCode, reply.json().field]).toEqual([400, field]);
});
