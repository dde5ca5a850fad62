import { NEWEST_MODEL } from '../../src/app/licensing/model.ts';
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { cancelWithin } from '../../src/app/desk/cancel-change.ts';
import type { Caller } from '../../src/domain/caller.ts';
import type { ChangeId } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { createOutbox } from '../../src/store/engine/outbox.ts';
import { IO, PROVIDER, USER } from '../kit/http-api.ts';
import type { Ask } from '../kit/http-ask.ts';
import { asking } from '../kit/http-ask.ts';
import { startContractsWorld } from '../kit/http-contracts.ts';
import { REFUSAL } from '../kit/ledger-stand-in.ts';
import { inDoubt } from '../kit/http-ops.ts';
import { held, isWaiting } from '../kit/store-under-test.ts';
import { forFile } from '../kit/for-file.ts';

/* Acts of operators on single operations: retries, and cancels before an operation takes effect. */

const world = await forFile(startContractsWorld());
const as = (name: string) =>
  asking(world.api, PROVIDER, { claims: { sub: name, roles: ['operator'], name } });
const [operator, other] = await Promise.all([as('olga'), as('oskar')]);

const OLGA: Caller = {
  party: PROVIDER,
  roles: new Set(['provider', 'operator']),
  via: 'bearer',
  tenantId: 'AppProvider',
  subject: 'olga',
  name: 'Olga',
};
const TIMES = () => ({
  now: new Date().toISOString(),
  ledgerNowMs: Date.now(),
  ledgerCertainMs: Date.now(),
});
const ASYNC = { prefer: 'respond-async' };
const BUSY = { ...REFUSAL, class: 'contention', code: 'LOCAL_VERDICT_LOCKED_CONTRACTS' } as const;

const act = (verb: string, id: string, by = operator) =>
  by.post(`/ops/operations/${id}:${verb}`, { reason: 'because' });
const seen = async (id: string) => (await operator.get(`/ops/operations/${id}`)).json();
const codeOf = (reply: Awaited<ReturnType<Ask['get']>>) => [reply.statusCode, reply.json().code];

/** Records creations of licences on one install, in order. No submission is made during this. */
async function waiting(count: number): Promise<{ install: string; ids: string[]; urls: string[] }> {
  world.follow();
  const install = await world.installed();
  await world.pause();
  const ids: string[] = [];
  const urls: string[] = [];
  for (let i = 0; i < count; i += 1) {
    const url = `/app-installs/${install}:create-license?commandId=${world.id('create')}`;
    ids.push((await world.provider.post(url, { params: {} }, ASYNC)).json().id);
    urls.push(url);
  }
  return { install, ids, urls };
}

async function refused(): Promise<{ install: string; id: string; url: string }> {
  const { install, ids, urls } = await waiting(1);
  expect(await world.api.ledger.step(REFUSAL)).toBe(1);
  return { install, id: ids[0]!, url: urls[0]! };
}

async function refusedRequest(): Promise<{ id: string }> {
  const asked = `/app-install-requests?commandId=${world.id('request')}`;
  const { id } = (await world.user.post(asked, {}, ASYNC)).json();
  await world.api.ledger.step(REFUSAL);
  return { id };
}
/**
 * Sets the time until which the operation's attempts could take effect to an hour ago. With `isTold`, the streams have
 * also reported everything up to that time.
 */
async function overAWhileAgo(id: string, isTold: boolean): Promise<void> {
  const { pool } = world.api;
  await pool.query(
    `update attempt set over_at = now() - interval '1 hour', verdict = case when verdict is null then null else 'unknown' end
     where change_id = $1`,
    [id],
  );
  await pool.query(
    `update query_store_offset set synchronizer_times = jsonb_build_object('one', now() - $1 * interval '1 hour')`,
    [isTold ? 0 : 2],
  );
}

const LONG_AGO = () => {
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  return { since: tomorrow, acceptedBefore: tomorrow, limit: 1_000 };
};

describe('a retry', () => {
  test('is a change of its own, the same for all who ask at once, and its original keeps its answer', async () => {
    const { id, url } = await refused();
    const before = (await world.provider.post(url, { params: {} })).json();
    const replies = await Promise.all([
      act('retry', id),
      act('retry', id, other),
      act('retry', id),
    ]);
    expect(replies.map(({ statusCode }) => statusCode)).toEqual([202, 202, 202]);
    expect(new Set(replies.map((reply) => reply.json().id)).size).toBe(1);
    const replayed = replies.filter(({ headers }) => headers['idempotent-replayed'] === 'true');
    expect(replayed).toHaveLength(2);
    const [reply] = replies;
    const first = reply.json();
    expect(reply.headers['location']).toBe(`/ops/operations/${first.id}`);
    expect(first).toMatchObject({
      commandId: `tenure:retry:${id}:1`,
      operation: 'create-license',
      state: 'submitting',
      callerParty: PROVIDER,
      callerSubject: expect.stringMatching(/^(olga|oskar) for /u),
      retryOf: { id, state: 'rejected' },
    });
    // If a retry is requested again while it is in progress, the answer is the same retry. A retry cannot be retried
    // itself.
    expect((await act('retry', id)).json().id).toBe(first.id);
    expect(codeOf(await act('retry', first.id))).toEqual([409, 'NOT_RETRYABLE']);
    await world.api.ledger.step(REFUSAL);
    const second = (await act('retry', first.id)).json();
    expect(second).toMatchObject({ commandId: `tenure:retry:${id}:2`, retryOf: { id } });
    await world.api.ledger.step();
    expect(await seen(id)).toMatchObject({
      state: 'rejected',
      retriedAs: [
        { id: first.id, state: 'rejected' },
        { id: second.id, state: 'succeeded' },
      ],
      audit: [{ act: 'retried', reason: 'because', detail: { retriedAs: first.id } }],
    });
    expect(await seen(first.id)).toMatchObject({ retriedAs: [{ id: second.id }] });
    for (const done of [id, first.id, second.id]) {
      const reply = await act('retry', done);
      expect(codeOf(reply)).toEqual([409, 'NOT_RETRYABLE']);
      expect(reply.json().message).toContain('has succeeded');
    }
    const after = await world.provider.post(url, { params: {} });
    expect([after.headers['idempotent-replayed'], after.json().code]).toEqual([
      'true',
      before.code,
    ]);
    // The caller of the original operation can find the retry by its command ID.
    const name = encodeURIComponent(second.commandId);
    expect((await world.provider.get(`/operations/${name}`)).json()).toMatchObject({
      state: 'succeeded',
      retryOf: { id },
    });
  });

  test('of a create is a create again', async () => {
    const { id } = await refusedRequest();
    const retry = (await act('retry', id)).json();
    expect(retry).toMatchObject({ callerParty: USER, lifecycleId: null, retryOf: { id } });
    await world.api.ledger.step();
    expect(await seen(retry.id)).toMatchObject({ state: 'succeeded', result: { status: 201 } });
  });

  test('is refused, with the reason, of what has not ended, has succeeded, or is in doubt', async () => {
    const { ids } = await waiting(2);
    const doubted = await inDoubt(world.api);
    const cases: [string, RegExp][] = [
      [ids[0]!, /is submitting/u],
      [ids[1]!, /is queued/u],
      [doubted.id, /is in doubt/u],
    ];
    for (const [id, why] of cases) {
      const reply = await act('retry', id);
      expect(codeOf(reply)).toEqual([409, 'NOT_RETRYABLE']);
      expect(reply.json().message).toMatch(why);
    }
    while ((await world.api.ledger.step()) > 0);
    expect(codeOf(await act('retry', ids[0]!))).toEqual([409, 'NOT_RETRYABLE']);
    expect(codeOf(await act('retry', randomUUID()))).toEqual([404, 'OPERATION_NOT_FOUND']);
    expect(codeOf(await act('retry', ids[0]!, world.provider))).toEqual([403, 'FORBIDDEN']);
  });

  test('is refused, and leaves nothing behind, where the lifecycle has ended', async () => {
    const { id, install } = await refused();
    world.follow();
    await world.provider.post(`/app-installs/${install}:cancel?commandId=${world.id('cancel')}`);
    await world.pause();
    const before = await world.api.changes();
    expect(codeOf(await act('retry', id))).toEqual([409, 'LIFECYCLE_ENDED']);
    expect(await world.api.changes()).toBe(before);
    expect((await seen(id)).audit).toEqual([]);
  });

  test('is refused once there have been as many as there may be', async () => {
    const { id } = await refusedRequest();
    for (let n = 1; n <= LIMITS.retriesMax; n += 1) {
      expect((await act('retry', id)).statusCode).toBe(202);
      expect(await world.api.ledger.step(REFUSAL)).toBe(1);
    }
    const reply = await act('retry', id);
    expect(codeOf(reply)).toEqual([409, 'NOT_RETRYABLE']);
    expect(reply.json().message).toMatch(/has been retried \d+ times, which is the limit/u);
  });

  test('of what has ended with an attempt undecided waits for the proof that nothing came of it', async () => {
    // An older version may have left this state.
    const { id } = await refused();
    await overAWhileAgo(id, false);
    const early = await act('retry', id);
    expect(codeOf(early)).toEqual([409, 'NOT_RETRYABLE']);
    expect(early.json().message).toMatch(
      /may still take effect by attempt 1 until the ledger time/u,
    );
    await overAWhileAgo(id, true);
    expect((await act('retry', id)).statusCode).toBe(202);
    while ((await world.api.ledger.step()) > 0);
  });
});

describe('a cancel', () => {
  test('takes those that wait out of their lane, and lets the next one start in the place of its head', async () => {
    const { ids, urls } = await waiting(4);
    const [head, second, third, last] = ids as [string, string, string, string];
    const cancelled = (await act('cancel', third)).json();
    expect(cancelled).toMatchObject({
      state: 'cancelled',
      error: { code: 'CANCELLED', message: 'an operator cancelled the operation: because' },
      audit: [{ act: 'cancelled', from: 'queued', to: 'cancelled', bySubject: 'olga' }],
    });
    const answer = await world.provider.post(urls[2]!, { params: {} });
    expect(codeOf(answer)).toEqual([409, 'CANCELLED']);
    // The head has not been attempted yet.
    expect((await act('cancel', head)).json().state).toBe('cancelled');
    expect((await seen(second)).state).toBe('submitting');
    // The ledger has definitely refused the attempt, and the operation waits for its next attempt.
    await world.api.ledger.step(BUSY);
    expect((await seen(second)).state).toBe('retrying');
    expect((await act('cancel', second)).json()).toMatchObject({
      state: 'cancelled',
      attempts: [{ answer: 'refused' }],
    });
    while ((await world.api.ledger.step()) > 0);
    expect((await seen(last)).state).toBe('succeeded');
    expect((await seen(second)).state).toBe('cancelled');
    for (const id of [second, last]) {
      const reply = await act('cancel', id);
      expect(codeOf(reply)).toEqual([409, 'NOT_CANCELLABLE']);
      expect(reply.json().message).toMatch(/has already ended/u);
    }
    expect((await act('retry', third)).statusCode).toBe(202);
    while ((await world.api.ledger.step()) > 0);
  });

  test('is refused while an attempt may take effect, and of what a person has to decide', async () => {
    const { ids } = await waiting(1);
    expect(await world.api.ledger.lose()).toBe(1);
    const reply = await act('cancel', ids[0]!);
    expect(codeOf(reply)).toEqual([409, 'NOT_CANCELLABLE']);
    expect(reply.json()).toMatchObject({
      message:
        'the operation may still take effect: app-provider has reported nothing since attempt 1 was sent',
      state: 'submitting',
    });
    const doubted = await inDoubt(world.api);
    expect((await act('cancel', doubted.id)).json().message).toMatch(/is in doubt/u);
  });

  test('is refused of what the ledger has accepted, also while nothing else is known of that', async () => {
    const { ids } = await waiting(1);
    expect(await world.api.ledger.lose()).toBe(1);
    await overAWhileAgo(ids[0]!, true);
    await world.api.pool.query(
      `update change set accepted_update_id = 'update-of-it', accepted_offset = 1000000, accepted_read_back = false
       where id = $1`,
      [ids[0]],
    );
    const reply = await act('cancel', ids[0]!);
    expect(codeOf(reply)).toEqual([409, 'NOT_CANCELLABLE']);
    expect(reply.json().message).toMatch(/has accepted the operation as update update-of-it/u);
  });

  test('is allowed once everything is told up to when something could come of its attempt', async () => {
    const { ids } = await waiting(1);
    expect(await world.api.ledger.lose()).toBe(1);
    await overAWhileAgo(ids[0]!, false);
    const early = await act('cancel', ids[0]!);
    expect(codeOf(early)).toEqual([409, 'NOT_CANCELLABLE']);
    expect(early.json().message).toMatch(
      /may still take effect by attempt 1 until the ledger time/u,
    );
    await overAWhileAgo(ids[0]!, true);
    expect((await act('cancel', ids[0]!)).json()).toMatchObject({
      state: 'cancelled',
      attempts: [{ answer: 'refused' }],
    });
  });

  test('and a worker that begins an attempt: one of them comes first, never both', async () => {
    const { pool, store } = world.api;
    const outbox = createOutbox(pool);
    const dispatched = async () => {
      const { ids } = await waiting(1);
      const put: { id: string; dispatchNo: number }[] = [];
      await outbox.dispatchDue(100, async (effects) => void put.push(...effects), IO);
      const { id: effect, dispatchNo } = put.at(-1)!;
      const begin = () =>
        outbox.startAttempt(trusted(effect), dispatchNo, trusted(randomUUID()), IO);
      return { id: trusted<ChangeId>(ids[0]!), begin };
    };
    // The worker is about to submit, but the cancel holds the lane: the worker waits for it, and then has nothing to
    // submit.
    const early = await dispatched();
    const by = { by: OLGA, reason: 'because' };
    const cancelling = held(store, (tx) =>
      cancelWithin(tx, { model: NEWEST_MODEL }, early.id, by, TIMES()),
    );
    await cancelling.worked;
    const begun = early.begin();
    expect(await isWaiting(begun, store)).toBe(true);
    await cancelling.commit();
    expect(await begun).toBeNull();
    expect(await seen(early.id)).toMatchObject({ state: 'cancelled', attempts: [] });
    // Here worker and cancel start at the same time. Either the cancel finds the attempt of the worker, or the worker
    // has nothing to submit.
    for (let round = 0; round < 6; round += 1) {
      const { id, begin } = await dispatched();
      const cancel = () =>
        store.transact(IO, (tx) => cancelWithin(tx, { model: NEWEST_MODEL }, id, by, TIMES()));
      const both = round % 2 === 0 ? [begin(), cancel()] : [cancel(), begin()];
      await Promise.allSettled(both);
      const { state, attempts } = await seen(id);
      expect([`submitting 1`, `cancelled 0`]).toContain(`${state} ${attempts.length}`);
      await pool.query(`update effect set done_at = now() where change_id = $1`, [id]);
    }
  });

  test.each(['retry', 'cancel'])('as a %s needs a reason', async (verb) => {
    const { ids } = await waiting(1);
    const reply = await operator.post(`/ops/operations/${ids[0]}:${verb}`, { reason: '' });
    expect([reply.statusCode, reply.json().field]).toEqual([400, 'reason']);
  });
});

describe('a pause', () => {
  const pauses = async () => (await operator.get('/ops/pauses')).json();
  const stop = (body: object) => operator.post('/ops/pauses', { reason: 'an upgrade', ...body });
  const resume = (id: string) =>
    operator.post(`/ops/pauses/${id}:resume`, { reason: 'it is done' });
  const ON_CREATE = { scope: 'operation', name: 'create-license' };

  test('holds what is accepted until it is let go, and says so to its caller', async () => {
    const made = await stop(ON_CREATE);
    const { id, since } = made.json();
    expect([made.statusCode, made.json()]).toMatchObject([
      201,
      { ...ON_CREATE, mode: 'pause', byParty: PROVIDER, bySubject: 'olga', reason: 'an upgrade' },
    ]);
    const { ids, urls } = await waiting(2);
    expect(await world.api.ledger.step()).toBe(0);
    expect(await seen(ids[0]!)).toMatchObject({
      state: 'submitting',
      waitingFor: {
        kind: 'pause',
        detail: 'operation create-license is paused by olga: an upgrade',
        since: expect.any(String),
      },
    });
    // The list shows the operation exactly as the route of the single operation does.
    const found = (await operator.get('/ops/operations?operation=create-license')).json();
    const inList = found.find((one: { id: string }) => one.id === ids[0]);
    expect(inList.waitingFor).toEqual((await seen(ids[0]!)).waitingFor);
    expect((await seen(ids[1]!)).waitingFor.kind).toBe('mailbox');
    const [listed] = await pauses();
    expect(listed.id).toBe(id);
    expect(listed.held).toBeGreaterThan(0);
    expect(
      (await world.api.store.reads.longestWaiting(LONG_AGO(), IO)).map(({ id }) => id),
    ).not.toContain(ids[0]);
    // Other operations are not paused.
    expect((await seen((await refusedRequest()).id)).state).toBe('rejected');
    expect((await resume(id)).json()).toMatchObject({ id, since });
    expect(codeOf(await resume(id))).toEqual([404, 'NOT_FOUND']);
    expect(await pauses()).toEqual([]);
    while ((await world.api.ledger.step()) > 0);
    for (const url of urls) {
      expect((await world.provider.post(url, { params: {} })).statusCode).toBe(201);
    }
    const { rows } = await world.api.pool.query(
      `select a.act, p.subject as by_subject, a.reason, a.detail ->> 'name' as name
       from audit a join person p on p.pseudonym = a.by_subject where a.change_id is null order by a.id`,
    );
    expect(rows).toEqual([
      { act: 'paused', by_subject: 'olga', reason: 'an upgrade', name: 'create-license' },
      { act: 'resumed', by_subject: 'olga', reason: 'it is done', name: 'create-license' },
    ]);
  });

  test('that drains lets the head of a lane end, and nothing start behind it', async () => {
    const { ids } = await waiting(2);
    const { id } = (await stop({ ...ON_CREATE, mode: 'drain' })).json();
    while ((await world.api.ledger.step()) > 0);
    expect((await seen(ids[0]!)).state).toBe('succeeded');
    expect(await seen(ids[1]!)).toMatchObject({
      state: 'submitting',
      waitingFor: { kind: 'pause', detail: expect.stringContaining('is drained by olga') },
      attempts: [],
    });
    // The operation has not been attempted, so it can still be cancelled.
    expect((await act('cancel', ids[1]!)).json().state).toBe('cancelled');
    await resume(id);
  });

  test('of a participant that is busy makes itself, and ends by itself', async () => {
    const { ids } = await waiting(1);
    await world.api.ledger.step({ ...BUSY, class: 'busy', code: 'PARTICIPANT_BACKPRESSURE' });
    const [circuit] = await pauses();
    expect(circuit).toMatchObject({
      scope: 'participant',
      name: 'app-provider',
      mode: 'busy',
      reason: 'PARTICIPANT_BACKPRESSURE, 1 times in a row',
    });
    expect(Date.parse(circuit.until)).toBeGreaterThan(Date.parse(circuit.since));
    world.follow();
    await expect.poll(async () => (await seen(ids[0]!)).state).toBe('succeeded');
    await world.pause();
    expect(await pauses()).toEqual([]);
  });

  test.each([
    [{ scope: 'operation', name: 'renew' }, 'name'],
    [{ scope: 'participant', name: 'nobody' }, 'name'],
    [{ scope: 'provider', name: USER }, 'name'],
    [{ scope: 'everything', name: 'x' }, 'scope'],
    [{ ...ON_CREATE, mode: 'stop' }, 'mode'],
    [{ ...ON_CREATE, reason: '' }, 'reason'],
  ])('that stops nothing is refused: %j', async (body, field) => {
    const reply = await stop(body);
    expect([reply.statusCode, reply.json().field]).toEqual([400, field]);
    expect(codeOf(await world.provider.get('/ops/pauses'))).toEqual([403, 'FORBIDDEN']);
  });
});
