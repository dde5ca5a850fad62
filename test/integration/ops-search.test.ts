import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { failureOf } from '../../src/app/desk/failures.ts';
import { originOf } from '../../src/domain/automatic.ts';
import type { Change } from '../../src/domain/change.ts';
import { problem } from '../../src/domain/problems.ts';
import { OTHER_USER, PROVIDER, USER, startApi } from '../kit/http-api.ts';
import { asking } from '../kit/http-ask.ts';
import * as rows from '../kit/store-rows.ts';
import { arrive, save } from '../kit/store-under-test.ts';
import { forFile } from '../kit/for-file.ts';

/*
 * Searches of operators for operations over HTTP. The results are compared with those of a filter that checks one row
 * after another.
 */

const at = (minutes: number): string =>
  new Date(Date.UTC(2026, 0, 1) + minutes * 60_000).toISOString();

const licenses = [USER, OTHER_USER].map((appUser) =>
  rows.lifecycle({ kind: 'license', provider: PROVIDER, appUser }),
);

const REFUSALS = [
  problem('LEDGER_REFUSED', 'a rule of the contract was not met', {
    ledgerCode: 'DAML_FAILURE',
    extra: { ledgerText: `license 00${'ab'.repeat(32)} is not lapsed before 2026-01-01T00:00:00Z` },
  }),
  problem('LEDGER_REFUSED', 'a rule of the contract was not met', {
    ledgerCode: 'DAML_FAILURE',
    extra: { ledgerText: `license 00${'cd'.repeat(32)} is not lapsed before 2026-02-02T00:00:00Z` },
  }),
  problem('BUDGET_SPENT', '12 attempts were refused', { ledgerCode: 'PARTICIPANT_BACKPRESSURE' }),
  problem('STEP_NOT_ALLOWED', 'expire is refused: not before 2030-01-31T12:00:00Z'),
];

/** Forty changes. No two of them have the same values in all searchable properties. */
const made: Change[] = Array.from({ length: 40 }, (_, n) => {
  const license = licenses[n % 2]!;
  const error = n % 4 === 3 ? REFUSALS[Math.floor(n / 4) % REFUSALS.length]! : null;
  const state =
    error === null ? 'succeeded' : error.code === 'BUDGET_SPENT' ? 'failed' : 'rejected';
  return rows.change({
    commandId: `${n % 5 === 0 ? 'tenure:expire:' : 'mine-'}${n}` as Change['commandId'],
    operation: n % 3 === 0 ? 'expire-license' : 'renew-license',
    lifecycleId: license.id,
    callerParty: n % 10 === 1 || n % 10 === 2 ? license.appUser : PROVIDER,
    callerSubject: n % 5 === 0 ? 'tenure' : 'pat',
    fixed: n % 5 === 0 ? { policy: { name: n % 10 === 0 ? 'expiry' : 'renewal', version: 1 } } : {},
    provider: PROVIDER,
    appUser: license.appUser,
    state,
    acceptedAt: at(n),
    finishedAt: at(n + 1),
    waitingFor: null,
    result: error === null ? { status: 200, body: null } : null,
    error,
  });
});

/** A change that was submitted. So far the ledger has refused it because of its load. */
const open = rows.change({
  lifecycleId: licenses[0]!.id,
  provider: PROVIDER,
  appUser: USER,
  state: 'retrying',
  acceptedAt: at(100),
});
/** A change that was paused before its first attempt. The change that waits behind it has not been attempted either. */
const held = rows.change({
  lifecycleId: licenses[1]!.id,
  lane: licenses[1]!.lane,
  provider: PROVIDER,
  appUser: OTHER_USER,
  acceptedAt: at(102),
});
const behind = rows.queued(held, 2, {
  provider: PROVIDER,
  appUser: OTHER_USER,
  acceptedAt: at(103),
});
/** A request of one of the provider's users to another provider, which is invisible to this provider. */
const foreign = rows.change({
  operation: 'request-install',
  callerParty: USER,
  provider: 'elsewhere::1220ee' as Change['provider'],
  appUser: USER,
  acceptedAt: at(101),
});
const all = [...made, open, held, behind];

const api = await forFile(startApi());
const operator = await asking(api, PROVIDER, { claims: { roles: ['operator'], name: 'Olga' } });
for (const license of licenses) await save(api.store, rows.birth(license));
for (const change of [...all, foreign]) {
  const before = {
    ...change,
    state: change.state === 'queued' ? change.state : ('submitting' as const),
    finishedAt: null,
    result: null,
    error: null,
  };
  await arrive(api.store, { ...before, waitingFor: open.waitingFor });
  if (change.finishedAt !== null || change.state === 'retrying') {
    await save(api.store, rows.writes({ changes: [change] }));
  }
}
await api.pool.query(
  `insert into attempt (change_id, n, submission_id, participant, ledger_user, act_as, contract_id, at, answered_at,
     verdict, ledger_code, explanation)
   values ($1, 1, $2, 'p', 'u', 'a', $3, now(), now(), 'refused', 'PARTICIPANT_BACKPRESSURE', 'x')`,
  [open.id, randomUUID(), licenses[0]!.contractId],
);

const idsOf = (changes: readonly { readonly id: string }[]): string[] =>
  changes.map(({ id }) => id);
const search = async (query: string) => {
  const reply = await operator.get(`/ops/operations?limit=1000&${query}`);
  expect(`${reply.statusCode} ${reply.body.slice(0, 200)}`).toMatch(/^200 /u);
  return idsOf(reply.json());
};
const newest = (matches: (change: Change) => boolean): string[] =>
  idsOf(all.filter(matches).toSorted((a, b) => (a.acceptedAt < b.acceptedAt ? 1 : -1)));
const fingerprint = (change: Change) => failureOf(change)?.fingerprint;
const refused = made.find(({ error }) => error?.ledgerCode === 'DAML_FAILURE')!;

type Case = readonly [query: string, matches: (change: Change) => boolean];
const FILTERS: readonly Case[] = [
  ['', () => true],
  ['state=rejected', ({ state }) => state === 'rejected'],
  [
    'state=rejected,failed&state=retrying',
    ({ state }) => ['rejected', 'failed', 'retrying'].includes(state),
  ],
  ['class=refused', ({ error }) => error?.ledgerCode === 'DAML_FAILURE'],
  [
    'class=busy&class=contention',
    (change) => change === open || change.error?.ledgerCode === 'PARTICIPANT_BACKPRESSURE',
  ],
  ['class=unknown', () => false],
  ['code=STEP_NOT_ALLOWED', ({ error }) => error?.code === 'STEP_NOT_ALLOWED'],
  [
    'code=PARTICIPANT_BACKPRESSURE',
    (change) => change === open || change.error?.ledgerCode === 'PARTICIPANT_BACKPRESSURE',
  ],
  [`party=${USER}`, ({ appUser }) => appUser === USER],
  [`party=${PROVIDER}`, () => true],
  ['party=nobody::1220', () => false],
  [`lifecycleId=${licenses[0]!.id}`, ({ lifecycleId }) => lifecycleId === licenses[0]!.id],
  [`lifecycleId=${licenses[1]!.contractId}`, ({ lifecycleId }) => lifecycleId === licenses[1]!.id],
  [`contractId=${licenses[0]!.contractId}`, (change) => change === open],
  [`contractId=${licenses[1]!.contractId}`, (change) => change === held || change === behind],
  [`contractId=${licenses[1]!.contractId}&state=queued`, (change) => change === behind],
  ['commandId=mine-7', ({ commandId }) => commandId === 'mine-7'],
  ['commandId=tenure:*', ({ commandId }) => commandId.startsWith('tenure:')],
  [`until=${at(7)}`, ({ acceptedAt }) => acceptedAt < at(7)],
  [`since=${at(35)}&until=PT1M`, ({ acceptedAt }) => acceptedAt >= at(35)],
  ['subject=tenure', ({ callerSubject }) => callerSubject === 'tenure'],
  ['policy=expiry', (change) => originOf(change)?.name === 'expiry'],
  [
    'policy=renewal&state=rejected,failed',
    (change) => originOf(change)?.name === 'renewal' && change.error !== null,
  ],
  ['operation=expire-license', ({ operation }) => operation === 'expire-license'],
  [`failure=${fingerprint(refused)}`, (change) => fingerprint(change) === fingerprint(refused)],
  [
    `party=${USER}&state=succeeded&operation=renew-license&subject=pat&since=${at(10)}`,
    ({ appUser, state, operation, callerSubject, acceptedAt }) =>
      appUser === USER &&
      state === 'succeeded' &&
      operation === 'renew-license' &&
      callerSubject === 'pat' &&
      acceptedAt >= at(10),
  ],
  [
    'commandId=mine-*&state=rejected',
    (change) => change.commandId.startsWith('mine-') && change.state === 'rejected',
  ],
];

describe('a search', () => {
  test.each(FILTERS)('by %s finds those, newest first, and counts them', async (query, matches) => {
    const expected = newest(matches);
    expect(await search(query)).toEqual(expected);
    expect(await search(`sort=acceptedAt&${query}`)).toEqual(expected.toReversed());
    const counts = (await operator.get(`/ops/operations/counts?${query}`)).json();
    expect(counts).toEqual({ total: { count: expected.length, more: false }, groups: [] });
  });

  test('of a tenant’s operator finds and counts what the tenant asked for, and nothing else', async () => {
    const claims = { roles: ['operator'], name: 'Tina' };
    const tenant = await asking(api, USER, { claims });
    const own = [foreign, ...all.filter(({ callerParty }) => callerParty === USER)].toSorted(
      (a, b) => (a.acceptedAt < b.acceptedAt ? 1 : -1),
    );
    expect(own.filter(({ finishedAt }) => finishedAt !== null)).toHaveLength(4);
    const mine = ({ commandId }: Change) => commandId.startsWith('mine-');
    const succeeded = ({ state }: Change) => state === 'succeeded';
    const filters: readonly Case[] = [
      ['', () => true],
      ['subject=pat', ({ callerSubject }) => callerSubject === 'pat'],
      ['state=succeeded', succeeded],
      ['state=rejected', () => false],
      ['commandId=mine-*', mine],
      ['commandId=mine-*&state=succeeded', (change) => mine(change) && succeeded(change)],
    ];
    for (const [query, matches] of filters) {
      const expected = idsOf(own.filter(matches));
      for (const limit of [1, 1000]) {
        const found = idsOf((await tenant.get(`/ops/operations?limit=${limit}&${query}`)).json());
        expect([query, found]).toEqual([query, expected.slice(0, limit)]);
      }
      const { total } = (await tenant.get(`/ops/operations/counts?groupBy=by&${query}`)).json();
      expect([query, total.count]).toEqual([query, expected.length]);
    }
  });

  test('comes in pages that go on where the last one ended, in both orders', async () => {
    for (const query of [
      '',
      'commandId=mine-*&',
      'sort=acceptedAt&commandId=mine-*&state=succeeded&',
      'sort=acceptedAt&',
      `sort=acceptedAt&party=${USER}&`,
      'state=rejected,succeeded&',
    ]) {
      const whole = await search(query);
      const seen: string[] = [];
      let next: string | undefined = `/ops/operations?${query}limit=7`;
      while (next !== undefined) {
        const reply = await operator.get(next);
        seen.push(...idsOf(reply.json()));
        next = /<(.*)>; rel="next"/u.exec(String(reply.headers['link'] ?? ''))?.[1];
      }
      expect(seen).toEqual(whole);
    }
  });

  test('by the beginning of command IDs means the same to an act on many', async () => {
    const filter = { commandId: 'mine-*', state: ['rejected'] };
    const asked = { action: 'cancel', filter, reason: 'a preview' };
    const { count, refused } = (await operator.post('/ops/operations:preview', asked)).json();
    const meant = await search('commandId=mine-*&state=rejected');
    expect(meant.length).toBeGreaterThan(0);
    expect([count, refused[0].count]).toEqual([0, meant.length]);
    const ofPolicy = { ...asked, action: 'retry', filter: { policy: 'renewal' } };
    const again = (await operator.post('/ops/operations:preview', ofPolicy)).json();
    const failed = newest(
      (change) => originOf(change)?.name === 'renewal' && change.error !== null,
    );
    expect([failed.length > 0, again.count]).toEqual([true, failed.length]);
  });

  test('tells of each what it is chosen by', async () => {
    const [found] = (
      await operator.get(`/ops/operations?failure=${fingerprint(refused)}&limit=1`)
    ).json();
    expect(found).toMatchObject({
      state: 'rejected',
      code: 'LEDGER_REFUSED',
      ledgerCode: 'DAML_FAILURE',
      class: 'refused',
      failure: fingerprint(refused),
      provider: PROVIDER,
    });
    const [busy] = (await operator.get('/ops/operations?state=retrying')).json();
    expect(busy).toMatchObject({ ledgerCode: 'PARTICIPANT_BACKPRESSURE', class: 'busy' });
  });

  test('groups what it counts', async () => {
    const KEYS: Readonly<Record<string, (change: Change) => string | null>> = {
      state: ({ state }) => state,
      operation: ({ operation }) => operation,
      party: ({ appUser }) => appUser,
      by: ({ callerSubject }) => callerSubject,
      failure: (change) => fingerprint(change) ?? null,
      code: (change) =>
        change === open
          ? 'PARTICIPANT_BACKPRESSURE'
          : (change.error?.ledgerCode ?? change.error?.code ?? null),
    };
    for (const [groupBy, keyOf] of Object.entries(KEYS)) {
      for (const [query, matches] of [FILTERS[0]!, FILTERS[1]!, FILTERS[8]!]) {
        const reply = await operator.get(`/ops/operations/counts?groupBy=${groupBy}&${query}`);
        const expected = Map.groupBy(all.filter(matches), keyOf);
        const { groups } = reply.json();
        expect(new Map(groups.map((group: { key: string }) => [group.key, group]))).toEqual(
          new Map([...expected].map(([key, of]) => [key, { key, count: of.length, more: false }])),
        );
      }
    }
    const { groups } = (await operator.get('/ops/operations/counts?groupBy=class')).json();
    expect(groups.map(({ key }: { key: string | null }) => key)).toEqual([null, 'refused', 'busy']);
  });

  test('groups what it counts by time, with the states of each step and those without any', async () => {
    const STEPS = { hour: 3_600_000, day: 86_400_000 };
    const [from, until] = [at(0), new Date(Date.parse(at(104)) + STEPS.day).toISOString()];
    const span = `since=${from}&until=${until}`;
    for (const [query, matches] of FILTERS.filter(([one]) => !/since|until/u.test(one))) {
      for (const [unit, stepMs] of Object.entries(STEPS)) {
        const url = `/ops/operations/counts?groupBy=${unit}&${span}&${query}`;
        const { total, groups } = (await operator.get(url)).json();
        const stepOf = (instant: string) => Math.floor(Date.parse(instant) / stepMs) * stepMs;
        const first = stepOf(from);
        const count = Math.ceil((Date.parse(until) - first) / stepMs);
        const expected = Array.from({ length: count }, (_, n) => {
          const step = first + n * stepMs;
          const those = all.filter((one) => matches(one) && stepOf(one.acceptedAt) === step);
          const states = Map.groupBy(those, ({ state }) => state);
          return {
            key: new Date(step).toISOString(),
            count: those.length,
            more: false,
            states: Object.fromEntries([...states].map(([state, of]) => [state, of.length])),
          };
        });
        expect(groups, url).toEqual(expected);
        expect(total).toEqual({ count: all.filter(matches).length, more: false });
      }
    }
  });

  test('by time covers a day of hours or thirty days unless told, and has bounds', async () => {
    for (const [unit, usual, most] of [
      ['hour', 24, 'P13D'],
      ['day', 30, 'P399D'],
    ] as const) {
      const url = `/ops/operations/counts?groupBy=${unit}`;
      const { groups } = (await operator.get(url)).json();
      expect(groups).toHaveLength(usual);
      expect(Date.now() - Date.parse(groups.at(-1).key)).toBeLessThan(90_000_000);
      expect((await operator.get(`${url}&since=${most}`)).statusCode).toBe(200);
      const tooLong = await operator.get(`${url}&since=P401D`);
      expect([tooLong.statusCode, tooLong.json().field]).toEqual([400, 'since']);
      const none = await operator.get(`${url}&since=PT1M&until=P2D`);
      expect(none.json()).toEqual({ total: { count: 0, more: false }, groups: [] });
    }
  });

  test('of a tenant’s operator has by time what the tenant asked for, and nothing else', async () => {
    const tenant = await asking(api, USER, { claims: { roles: ['operator'], name: 'Tina' } });
    const span = `since=${at(0)}&until=${at(104)}`;
    const reply = await tenant.get(`/ops/operations/counts?groupBy=day&${span}`);
    const plain = (await tenant.get(`/ops/operations/counts?${span}`)).json();
    expect(reply.json().total).toEqual(plain.total);
    expect(plain.total.count).toBeGreaterThan(0);
  });

  test.each([
    ['state=done', 'state'],
    ['class=bad', 'class'],
    ['code=a b', 'code'],
    ['party=no/body', 'party'],
    ['contractId=12', 'contractId'],
    ['commandId=*', 'commandId'],
    ['until=yesterday', 'until'],
    ['until=-PT1H', 'until'],
    ['since=2026-02-30T00:00:00Z', 'since'],
    ['operation=none', 'operation'],
    ['failure=x', 'failure'],
    ['subject=a&subject=b', 'subject'],
    ['policy=mine', 'policy'],
    ['lifecycleId=%00', 'lifecycleId'],
    ['sort=up', 'sort'],
    ['limit=0', 'limit'],
    ['cursor=x', 'cursor'],
  ])('by %s is refused', async (query, field) => {
    const reply = await operator.get(`/ops/operations?${query}`);
    expect([reply.statusCode, reply.json().field]).toEqual([400, field]);
  });
});
