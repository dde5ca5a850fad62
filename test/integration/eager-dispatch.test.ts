import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { NEWEST_MODEL } from '../../src/app/licensing/model.ts';
import { prepareCommand } from '../../src/app/engine/attempts/prepare-command.ts';
import { recordingTogether } from '../../src/app/engine/attempts/record-answer.ts';
import { openDoor } from '../../src/app/engine/requests/request-change.ts';
import type { LedgerGateway, SubmitRequest } from '../../src/app/ports/ledger.ts';
import type { Store } from '../../src/app/ports/transaction.ts';
import type { Caller } from '../../src/domain/caller.ts';
import type { EffectId } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { startEager } from '../../src/queue/eager.ts';
import { createSlots } from '../../src/queue/turns.ts';
import { createOutbox } from '../../src/store/engine/outbox.ts';
import { isDatabaseUnavailable } from '../../src/store/sql/deadline.ts';
import { openListener } from '../../src/store/sql/listen.ts';
import { submitCommand } from '../../workers/submit-command.ts';
import { IO, PROVIDER } from '../kit/http-api.ts';
import { startContractsWorld } from '../kit/http-contracts.ts';
import { PATIENCE_MS } from '../kit/patience.ts';
import { queryOnce } from '../kit/postgres-query.ts';
import { newSubmissionId } from '../kit/submission-ids.ts';

/*
 * A process that records changes and submits their first attempts itself, on a real database. The test takes the place
 * of the ledger.
 */

const POLLED = { timeout: PATIENCE_MS, interval: 20 };
const PROVIDER_CALLER: Caller = {
  party: PROVIDER,
  roles: new Set(['provider']),
  via: 'bearer',
  tenantId: 'a-tenant',
  subject: 'a-subject',
  name: 'a-name',
};
const LOG = { info() {}, warn() {}, error() {} };

/**
 * A query for the effect and the attempts of an operation. The effect is repeated if its due time is the one that its
 * first dispatch has set.
 */
const STATE = `
  select e.dispatch_no, e.due_at <= now() as is_due,
         e.due_at >= e.made_at + ${LIMITS.redispatchMs} * interval '1 millisecond' as is_repeated,
         coalesce(json_agg(json_build_object('n', a.n, 'session', a.session_of, 'unsent', a.unsent) order by a.n)
                  filter (where a.n is not null), '[]') as attempts
  from change c join effect e on e.change_id = c.id left join attempt a on a.change_id = c.id
  where c.command_id = $1 group by e.id`;

interface Options {
  readonly places?: number;
  readonly drainMs?: number;
  /** Returns the session that the process takes for its own, given the real one. @default the real one */
  readonly believed?: (real: string | null) => string | null;
  readonly around?: (store: Store) => Store;
  readonly submit?: (request: SubmitRequest, signal: AbortSignal) => Promise<null>;
}

async function openWorld(options: Options = {}) {
  await using stack = new AsyncDisposableStack();
  const world = stack.use(await startContractsWorld());
  world.follow();
  const installs = await Promise.all([world.installed(), world.installed(), world.installed()]);
  await world.pause();
  const { api } = world;
  const { url } = api.database;
  const listener = openListener({
    url,
    applicationName: 'tenure-test',
    lifeOf: randomUUID(),
    namesSessions: true,
  });
  stack.defer(() => listener.stop());
  await expect.poll(() => listener.session, POLLED).not.toBeNull();
  const outbox = createOutbox(api.pool, true);
  const sent: SubmitRequest[] = [];
  const gateway: LedgerGateway = {
    ...api.deps.gateway,
    reach: async () => null,
    synchronizersForParties: async () => [],
    prunedUpTo: async () => 0n,
    offsetOf: async () => null,
    updateAt: async () => null,
    submit: async (request, { signal }) => {
      sent.push(request);
      return (await options.submit?.(request, signal)) ?? null;
    },
  };
  const { wallClock, ledgerClock } = api.deps;
  const answers = recordingTogether({
    model: NEWEST_MODEL,
    store: api.store,
    gateway,
    wallClock,
    ledgerClock,
    random: () => 0,
    isUnavailable: isDatabaseUnavailable,
  });
  const registry = {} as Parameters<typeof prepareCommand>[0]['registry'];
  const deps = { registry, model: NEWEST_MODEL, judge: async () => null };
  let left = 0;
  const eager = startEager({
    slots: createSlots(options.places ?? 8),
    concurrency: options.places ?? 8,
    processor: (job, io, _onQueue, recorded) =>
      submitCommand(
        job,
        {
          outbox,
          gateway,
          prepare: (attempt, within) => prepareCommand(deps, attempt, within),
          newSubmissionId,
          recordAnswer: answers,
        },
        io,
        recorded,
      ),
    outbox,
    session: () => (options.believed ?? ((real) => real))(listener.session),
    newSubmissionId,
    wallClock,
    wakeRelay: () => (left += 1),
    log: LOG,
    drainMs: options.drainMs ?? 5_000,
  });
  stack.defer(() => eager.stop());
  const store = options.around?.(api.store) ?? api.store;
  const door = openDoor({ ...api.deps, store, isUnavailable: isDatabaseUnavailable, eager });
  const held = stack.move();
  return {
    installs,
    outbox,
    sent,
    eager,
    listener,
    left: () => left,
    /** Requests a licence on one of the installs. */
    create: (install: number, commandId: string) =>
      door(
        PROVIDER_CALLER,
        {
          operation: 'create-license',
          target: installs[install] ?? '',
          commandId: trusted(commandId),
          body: { params: { meta: { data: {} } } },
        },
        IO,
      ),
    effectOf: async (commandId: string) => {
      const find =
        'select e.id from effect e join change c on c.id = e.change_id where c.command_id = $1';
      const [row] = await queryOnce<{ id: string }>(url, find, [commandId]);
      return trusted<EffectId>(row?.id ?? '');
    },
    stateOf: async (commandId: string) => (await queryOnce(url, STATE, [commandId]))[0],
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

test('the process that records a change submits it, and the changes behind it wait for the queue', async () => {
  const committed: unknown[] = [];
  await using world = await openWorld({
    submit: async ({ commandId }) => {
      committed.push(await world.stateOf(commandId));
      return null;
    },
  });
  await world.create(0, 'first');
  await world.create(0, 'second');
  await expect
    .poll(() => committed, POLLED)
    .toEqual([
      {
        dispatch_no: 1,
        is_due: false,
        is_repeated: true,
        attempts: [{ n: 1, session: world.listener.session, unsent: false }],
      },
    ]);
  expect(world.sent.map(({ commandId }) => commandId)).toEqual(['first']);
  expect(await world.stateOf('second')).toBeUndefined();
  expect(world.left()).toBe(0);
});

test('without a free place the queue carries the change', async () => {
  await using world = await openWorld({
    places: 1,
    submit: () => new Promise(() => {}),
    drainMs: 10,
  });
  await world.create(0, 'has-the-place');
  await world.create(1, 'has-none');
  expect(await world.stateOf('has-none')).toMatchObject({
    dispatch_no: 0,
    is_due: true,
    attempts: [],
  });
  expect(world.sent.map(({ commandId }) => commandId)).toEqual(['has-the-place']);
  // A process that stops does not wait for the participant. Another process finds out the result of the attempt.
  await world.eager.stop();
  expect(await world.stateOf('has-the-place')).toMatchObject({ dispatch_no: 1, is_due: true });
  await world.create(2, 'after-the-stop');
  expect(await world.stateOf('after-the-stop')).toMatchObject({ dispatch_no: 0, attempts: [] });
});

test('after a commit without an answer nothing is sent, and the attempt is resolved by others at once', async () => {
  let isBroken = true;
  await using world = await openWorld({
    around: (store) => ({
      ...store,
      transact: async (io, work) => {
        const value = await store.transact(io, work);
        if (!isBroken) return value;
        isBroken = false;
        throw Object.assign(new Error('the connection broke'), { code: '08006' });
      },
    }),
  });
  await world.create(0, 'told-late').catch(() => undefined);
  await expect
    .poll(() => world.stateOf('told-late'), POLLED)
    .toMatchObject({
      dispatch_no: 1,
      is_due: true,
      is_repeated: false,
      attempts: [{ n: 1, unsent: false }],
    });
  expect(world.sent).toEqual([]);
});

test('a process that has lost its session sends only what is still its own', async () => {
  let asked = 0;
  await using world = await openWorld({
    // The process loses its session after the change has reserved a slot.
    believed: (real) => ((asked += 1) > 1 ? 'another' : real),
  });
  await world.create(0, 'still-mine');
  await expect.poll(() => world.sent.length, POLLED).toBe(1);
});

test('what another process has taken over is not sent', async () => {
  let asked = 0;
  await using world = await openWorld({
    believed: (real) => ((asked += 1) > 1 ? 'another' : real),
    around: (store) => ({
      ...store,
      transact: async (io, work) => {
        const value = await store.transact(io, work);
        await world.outbox.giveUp([await world.effectOf('taken-over')], IO);
        expect(await world.outbox.dispatchDue(10, async () => {}, IO)).toBe(1);
        return value;
      },
    }),
  });
  await world.create(0, 'taken-over');
  await expect
    .poll(() => world.stateOf('taken-over'), POLLED)
    .toMatchObject({ attempts: [{ n: 1, unsent: true }] });
  expect(world.sent).toEqual([]);
});
