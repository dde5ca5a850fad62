import { beforeEach, describe, expect, test } from 'vitest';
import type { Lifecycle } from '../../src/domain/lifecycle.ts';
import type { TokenOptions } from '../kit/issuer.ts';
import { IO, OTHER_USER, PROVIDER, USER, startApi } from '../kit/http-api.ts';
import { refusedChange } from '../kit/http-ops.ts';
import { EXPIRY_POLICY } from '../kit/http-policies.ts';
import { forFile } from '../kit/for-file.ts';
import { lifecycle, newLane } from '../kit/store-rows.ts';
import { save } from '../kit/store-under-test.ts';

/*
 * A policy that can end existing licences: the count in its preview, the confirmation that it requires, and the delay
 * during which it does nothing and can be undone.
 */

const api = await forFile(startApi());
const OLGA = { claims: { sub: 'olga' } };

/** The ledger time of the API under test. */
const NOW_MS = api.clock.nowMs();
const at = (ms: number): string => new Date(NOW_MS + ms).toISOString();
const HOUR_MS = 3_600_000;

/** This policy has no grace and no quiet hours, and ends only licences that were renewed before. It is off. */
const OFF = { ...EXPIRY_POLICY, mode: 'off', grace: 'PT0S', quietHours: [] };
const ON = { ...OFF, mode: 'on' };
const ALL = { ...ON, includeNeverRenewed: true };

type Body = Readonly<Record<string, unknown>>;

async function ask(
  method: 'GET' | 'PUT' | 'POST',
  url: string,
  payload?: object,
  who: TokenOptions = OLGA,
) {
  const headers = { authorization: await api.as(PROVIDER, who) };
  return api.app.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) });
}

const put = (policy: Body, confirmation?: Body, who?: TokenOptions) =>
  ask('PUT', '/policies/expiry', { ...policy, ...(confirmation && { confirmation }) }, who);

async function preview(policy: Body) {
  const seen = await ask('POST', '/policies/expiry/preview', policy);
  expect(seen.statusCode, seen.payload).toBe(200);
  return seen.json();
}

/** Returns the policy with the confirmation of a person who has read its preview. */
async function confirmed(policy: Body, more: Body = {}) {
  const { token, count } = await preview(policy);
  return { token, count, reason: 'three days are over', ...more };
}

const undo = (version: number, who?: TokenOptions) =>
  ask('POST', '/policies/expiry/undo', { version, reason: 'not those' }, who);

const versionOf = async (): Promise<number> =>
  Number((await ask('GET', '/policies/expiry')).headers['etag']?.toString().replaceAll('"', ''));

/** Returns the version of the policy that transactions apply. */
const inForce = (): Promise<number> =>
  api.store.transact(IO, (tx) => tx.policyVersion('expiry', PROVIDER));

/** Returns the policy's row, from which processes of earlier versions read it. */
async function row() {
  const { rows } = await api.pool.query('select mode, paused, version from expiry_policy');
  return rows[0];
}

const elapse = () =>
  api.pool.query(`update pending_policy set starts_at = clock_timestamp() - interval '1 ms'`);

async function license(over: Partial<Lifecycle> = {}): Promise<Lifecycle> {
  const one = lifecycle({
    kind: 'license',
    provider: PROVIDER,
    appUser: USER,
    lane: newLane(),
    licenseNum: 7n,
    expiresAt: at(-HOUR_MS),
    createdAt: at(-90 * 24 * HOUR_MS),
    ...over,
  });
  await save(api.store, { lifecycles: [one], timerLanes: [one.lane] });
  return one;
}

const auditOf = async (act: string) =>
  (
    await api.pool.query(
      `select p.subject as by_subject, a.reason, a.detail from audit a join person p on p.pseudonym = a.by_subject
       where a.act = $1 order by a.id desc limit 1`,
      [act],
    )
  ).rows[0];

beforeEach(async () => {
  await api.pool.query('delete from timer; delete from pending_policy; delete from preview');
  await put(OFF);
});

describe('a preview', () => {
  test('counts exactly what the policy can end and when, names the first, and changes nothing', async () => {
    const before = await versionOf();
    const late = await license({ licenseNum: 9n, expiresAt: at(23 * HOUR_MS) });
    const first = await license();
    await license({ expiresAt: at(29 * 24 * HOUR_MS) });
    await license({ expiresAt: at(31 * 24 * HOUR_MS) });
    const fresh = at(-2 * HOUR_MS);
    await license({ expiresAt: fresh, createdAt: fresh });
    // The policy can end neither licences of other providers, nor ended licences, nor licences whose timer was given
    // up.
    await license({ provider: OTHER_USER });
    const ended = await license();
    await save(api.store, {
      lifecycles: [{ ...ended, version: 2, endedAt: at(0) }],
      timerLanes: [ended.lane],
    });
    // While the window of a renewal is open, the policy does not end the licence.
    const open = await license({ expiresAt: at(-3 * HOUR_MS) });
    await api.pool.query('update timer set open_until = $1 where lifecycle_id = $2', [
      at(HOUR_MS),
      open.id,
    ]);

    const seen = await preview(ON);
    expect(seen).toMatchObject({
      kind: 'expiry',
      of: 'licenses',
      version: before,
      count: 5,
      ends: { atOnce: 1, within24Hours: 3, within30Days: 4, ever: 5, neverRenewed: 0 },
      isConfirmationNeeded: true,
      delaySeconds: 60,
    });
    expect(seen.first.slice(0, 3)).toMatchObject([
      { lifecycleId: first.id, licenseNum: 7, userName: 'AppUser', neverRenewed: false },
      { lifecycleId: open.id },
      { lifecycleId: late.id, licenseNum: 9 },
    ]);
    expect(Date.parse(seen.first[1].endsAt)).toBe(NOW_MS + HOUR_MS);
    expect((await preview(ALL)).ends).toMatchObject({ atOnce: 2, ever: 6, neverRenewed: 1 });
    expect((await preview({ ...ON, grace: 'P1D' })).ends).toMatchObject({ atOnce: 0, ever: 5 });
    for (const idle of [OFF, { ...ON, paused: true }, { ...ON, mode: 'dry-run' }]) {
      expect(await preview(idle)).toMatchObject({ count: 0, isConfirmationNeeded: false });
    }
    expect(await versionOf()).toBe(before);
    const user = { authorization: await api.as(USER) };
    const url = '/policies/expiry/preview';
    expect(
      (await api.app.inject({ method: 'POST', url, headers: user, payload: ON })).statusCode,
    ).toBe(403);
  });

  test('of a renewal policy counts what it withdraws, which needs no confirmation', async () => {
    const renewal = { complete: true, withdrawLapsed: true };
    const seen = await ask('POST', '/policies/renewal/preview', renewal);
    expect(seen.json()).toMatchObject({
      kind: 'renewal',
      of: 'renewals',
      isConfirmationNeeded: false,
    });
    expect((await ask('PUT', '/policies/renewal', renewal)).statusCode).toBe(200);
    expect((await ask('GET', '/policies/renewal/pending')).json()).toEqual({ isPending: false });
  });
});

describe('a policy that can end more', () => {
  test('is refused with 428 without a confirmation, and set with one', async () => {
    await license();
    const before = await versionOf();
    const bare = await put(ON);
    expect([bare.statusCode, bare.json().code, bare.json().preview]).toEqual([
      428,
      'CONFIRMATION_REQUIRED',
      'POST /policies/expiry/preview',
    ]);
    const { token, count } = await preview(ON);
    const noReason = await put(ON, { token, count });
    expect([noReason.statusCode, noReason.json().field]).toEqual([400, 'confirmation.reason']);
    expect(await versionOf()).toBe(before);
    const set = await put(ON, { token, count, reason: 'they are over' });
    expect([set.statusCode, set.json()]).toMatchObject([200, ON]);
    expect(await versionOf()).toBe(before + 1);
  });

  test('needs preview and reason also if it ends licences only after a renewal or another change', async () => {
    const fresh = at(-2 * HOUR_MS);
    const { id } = await license({ expiresAt: fresh, createdAt: fresh });
    const given = await license();
    const { id: changeId } = await refusedChange(api);
    await api.pool.query(
      'update timer set given_up = true, change_id = $2 where lifecycle_id = $1',
      [given.id, changeId],
    );
    const held = await license();
    await api.pool.query(
      `update license_record set suspended_at = now(), suspended_for = 'not paid' where lifecycle_id = $1`,
      [held.id],
    );
    const seen = await preview(ON);
    expect(seen).toMatchObject({
      count: 0,
      ends: { atOnce: 0, ever: 0, neverRenewed: 0, afterChange: 3 },
      first: [],
      isConfirmationNeeded: true,
    });
    expect((await put(ON)).statusCode).toBe(428);
    expect((await put(ON, await confirmed(ON))).statusCode).toBe(200);
    await put(OFF);
    await api.pool.query('delete from timer where lifecycle_id <> $1', [id]);
    expect((await preview(ALL)).ends).toMatchObject({ ever: 1, neverRenewed: 1, afterChange: 0 });
  });

  test('is judged by moments: a shorter grace and lost quiet hours can end more, a longer grace cannot', async () => {
    const quiet = { ...ON, grace: 'P2D', quietHours: EXPIRY_POLICY.quietHours };
    expect((await put(quiet)).statusCode).toBe(200);
    await license();
    for (const more of [
      { ...quiet, grace: 'P1D' },
      { ...quiet, includeNeverRenewed: true },
      { ...quiet, quietHours: [] },
    ]) {
      expect((await put(more)).statusCode).toBe(428);
    }
    for (const less of [
      { ...quiet, maxInFlight: 99 },
      { ...quiet, grace: 'P3D' },
      { ...quiet, grace: 'P3D', paused: true },
      OFF,
    ]) {
      expect((await put(less)).statusCode).toBe(200);
    }
    expect((await put(quiet)).statusCode).toBe(428);
  });

  test.each([
    ['an unknown token', ON, { token: 'made-up' }, OLGA, 'PREVIEW_OVER'],
    ['another body', { ...ON, grace: 'PT1H' }, {}, OLGA, 'PREVIEW_OVER'],
    ['another caller', ON, {}, { claims: { sub: 'oskar' } }, 'PREVIEW_OVER'],
    ['another number', ON, { count: 396 }, OLGA, 'COUNT_MISMATCH'],
  ])('is refused with %s', async (_what, policy, over, who, code) => {
    await license();
    const before = await versionOf();
    const refused = await put(policy, await confirmed(ON, over), who);
    expect([refused.statusCode, refused.json().code]).toEqual([409, code]);
    expect([await versionOf(), await row()]).toMatchObject([before, { mode: 'off' }]);
  });

  test('is refused with the token of another version, one of before, and one that was used', async () => {
    await license();
    const old = await confirmed(ON);
    await put({ ...OFF, maxInFlight: 7 });
    expect((await put(ON, old)).json().code).toBe('PREVIEW_OVER');
    const late = await confirmed(ON);
    await api.pool.query(`update preview set expires_at = now() - interval '1 second'`);
    expect((await put(ON, late)).json().code).toBe('PREVIEW_OVER');
    const once = await confirmed(ON);
    expect((await put(ON, once)).statusCode).toBe(200);
    await put(OFF);
    expect((await put(ON, once)).json().code).toBe('PREVIEW_OVER');
  });

  test('leaves licences alone that were never renewed unless the same confirmation includes them', async () => {
    const fresh = at(-2 * HOUR_MS);
    await license({ expiresAt: fresh, createdAt: fresh });
    const refused = await put(ALL, await confirmed(ALL));
    expect([refused.statusCode, refused.json()]).toMatchObject([
      428,
      { code: 'CONFIRMATION_REQUIRED', neverRenewed: 1, field: 'confirmation.includeNeverRenewed' },
    ]);
    expect((await row()).mode).toBe('off');
    expect((await put(ALL, await confirmed(ALL, { includeNeverRenewed: true }))).statusCode).toBe(
      200,
    );
  });
});

describe('a confirmed policy', () => {
  test('does nothing before its delay has passed, in this and in earlier versions', async () => {
    await license();
    await put(ON, await confirmed(ON));
    const version = await versionOf();
    expect(await inForce()).toBe(0);
    expect(await row()).toEqual({ mode: 'on', paused: true, version });
    const pending = await ask('GET', '/policies/expiry/pending');
    expect(pending.json()).toMatchObject({
      isPending: true,
      version,
      count: 1,
      bySubject: 'olga',
      reason: 'three days are over',
      canUndo: true,
    });
    expect(pending.json().startsInSeconds).toBeGreaterThan(30);
    // A later version that can end no additional licences has no delay of its own, and does not shorten the delay that
    // is running.
    expect((await put({ ...ON, maxInFlight: 3 })).statusCode).toBe(200);
    expect([await inForce(), (await row()).paused]).toEqual([0, true]);
    expect((await ask('GET', '/policies/expiry/pending')).json()).toMatchObject({ canUndo: false });
    await api.deps.policies.start(PROVIDER, IO);
    expect((await row()).paused).toBe(true);

    await elapse();
    expect(await inForce()).toBe(version + 1);
    await api.deps.policies.start(PROVIDER, IO);
    expect(await row()).toEqual({ mode: 'on', paused: false, version: version + 1 });
    expect((await ask('GET', '/policies/expiry/pending')).json()).toEqual({ isPending: false });
    expect((await ask('GET', '/policies/expiry')).json()).toMatchObject({ ...ON, maxInFlight: 3 });
  });

  test('is undone to the policy before, as a new version', async () => {
    const before = { ...OFF, grace: 'P9D', maxInFlight: 4 };
    await put(before);
    await license();
    await put(ON, await confirmed(ON));
    const version = await versionOf();
    const undone = await undo(version);
    expect([undone.statusCode, undone.json(), undone.headers['etag']]).toEqual([
      200,
      { ...before, version: version + 1 },
      `"${version + 1}"`,
    ]);
    expect((await ask('GET', '/policies/expiry')).json()).toEqual({
      ...before,
      version: version + 1,
    });
    expect(await auditOf('undo-expiry-policy')).toMatchObject({
      by_subject: 'olga',
      reason: 'not those',
      detail: {
        version: version + 1,
        before: { mode: 'on' },
        after: { mode: 'off', grace: 'P9D' },
      },
    });
    // An undo creates a version that no person has confirmed as a policy, so the undo itself cannot be undone.
    expect((await undo(version + 1)).json().code).toBe('UNDO_OVER');
  });

  test('is undone neither after its delay nor once another version was set', async () => {
    await license();
    await put(ON, await confirmed(ON));
    const version = await versionOf();
    await elapse();
    const late = await undo(version);
    expect([late.statusCode, late.json().code]).toEqual([409, 'UNDO_OVER']);
    const more = { ...ON, quietHours: [], grace: 'PT0S', includeNeverRenewed: true };
    await put(OFF);
    await put(more, await confirmed(more));
    const stale = await undo(version);
    expect([stale.statusCode, stale.json()]).toMatchObject([412, { version: version + 2 }]);
    expect((await ask('GET', '/policies/expiry')).json()).toMatchObject(more);
  });

  test('is in the audit log with both values, who, why, what it can end, and what it has ended', async () => {
    const one = await license();
    await put(ON, await confirmed(ON));
    const version = await versionOf();
    expect(await auditOf('set-expiry-policy')).toMatchObject({
      by_subject: 'olga',
      reason: 'three days are over',
      detail: {
        version,
        before: { mode: 'off', grace: 'PT0S' },
        after: { mode: 'on', grace: 'PT0S' },
        ends: { atOnce: 1, ever: 1 },
        delayMs: 60_000,
        ended: { version: version - 1, operations: 0 },
      },
    });
    // Gives the policy's operation the state that it would have after it has taken effect.
    const { id } = await refusedChange(api);
    await api.pool.query(
      `update change set state = 'succeeded', operation = 'expire-license', failure = null, fixed = '{"policy": {"name": "expiry", "version": 2}}', lifecycle_id = $2,
         accepted_at = now() + interval '1 second', finished_at = now() + interval '2 seconds', error = null,
         result = '{}' where id = $1`,
      [id, one.id],
    );
    await put(OFF);
    expect((await auditOf('set-expiry-policy')).detail.ended).toEqual({ version, operations: 1 });
  });
});
