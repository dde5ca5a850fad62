import { describe, expect, test } from 'vitest';
import type { Change } from '../../src/domain/change.ts';
import { trusted, workflowIdOf } from '../../src/domain/ids.ts';
import { APP_INSTALL } from '../../src/domain/licensing.ts';
import { STORE_LIMITS } from '../../src/store/limits.ts';
import { IO, PROVIDER, USER } from '../kit/http-api.ts';
import type { Ask } from '../kit/http-ask.ts';
import { asking } from '../kit/http-ask.ts';
import { startContractsWorld } from '../kit/http-contracts.ts';
import type { OpsCall } from '../kit/http-ops.ts';
import { opsCallsOf, postConfirmed, refusedChange, tenantOperators } from '../kit/http-ops.ts';
import { ending } from '../kit/ledger-stand-in.ts';
import { forFile } from '../kit/for-file.ts';

/*
 * Decisions that only a person can make, about operations that may have taken effect although Tenure cannot read this
 * from the ledger; and the parts of the operations desk that operators of tenants can use.
 */

const world = await forFile(startContractsWorld());
const claims = { roles: ['operator'], name: 'Olga' };
const operator = await asking(world.api, PROVIDER, { claims });
/** Operators of two tenants. The second tenant is not involved in any operation. */
const { tenant, stranger } = await tenantOperators(world.api);

const ASYNC = { prefer: 'respond-async' };

/** Records the creation of a licence, or another step on an install, whose only attempt was lost long ago. */
async function lost(ask = world.provider, step = 'create-license', body: object = { params: {} }) {
  world.follow();
  const install = await world.installed();
  await world.pause();
  const commandId = world.id(step);
  const url = `/app-installs/${install}:${step}?commandId=${commandId}`;
  const { id } = (await ask.post(url, body, ASYNC)).json();
  expect(await world.api.ledger.lose()).toBe(1);
  await world.api.pool.query(
    `update attempt set at = at - interval '1 hour', over_at = at - interval '50 min' where change_id = $1`,
    [id],
  );
  // The streams have reported everything up to now.
  await world.api.pool.query(
    `update query_store_offset set synchronizer_times = jsonb_build_object('synchronizer::1220dd', now())`,
  );
  await world.api.pool.query(
    `with doubted as (
       update change set state = 'in-doubt',
         waiting_for = '{"kind": "person", "detail": "the ledger forgot", "since": "2026-01-01T00:00:00.000Z"}'
       where id = $1 returning id
     )
     update effect e set done_at = now() from doubted where e.change_id = doubted.id`,
    [id],
  );
  return { id: trusted<Parameters<typeof workflowIdOf>[0]>(id), install, commandId, url };
}

const decide = (id: string, body: object) =>
  postConfirmed(operator, `/ops/operations/${id}:decide`, body);
const again = (url: string) => world.provider.post(url, { params: {} });

/** Returns the ledger's events of the creation of a licence, which name no command ID. */
const creation = (install: string) => {
  const result = { installId: `00${'a'.repeat(64)}`, licenseId: `00${'b'.repeat(64)}` };
  const choice = 'AppInstall_CreateLicense';
  return [{ ...ending(trusted(install), APP_INSTALL, choice), result }];
};

describe('what an operator sees of an operation in doubt', () => {
  test('is all that is known of it, and advice', async () => {
    const { id, install, commandId } = await lost();
    const listed = (await operator.get('/ops/in-doubt')).json();
    const found = listed.find((entry: { id: string }) => entry.id === id);
    expect(found).toMatchObject({
      commandId,
      state: 'in-doubt',
      callerParty: PROVIDER,
      waitingFor: { kind: 'person', since: '2026-01-01T00:00:00.000Z' },
      doubt: {
        advice: expect.stringContaining('still active'),
        workflowId: workflowIdOf(id),
        undecided: [{ n: 1, contractId: install }],
        contracts: [{ contractId: install, active: true }],
        decisions: ['took-effect', 'no-effect', 'submit-again'],
        decidedBy: [PROVIDER],
      },
      audit: [],
    });
    expect((await operator.get(`/ops/operations/${id}`)).json()).toEqual(found);
  });

  test('is nobody else’s to see, nor to decide', async () => {
    const { id } = await lost();
    for (const ask of [world.provider, world.user]) {
      const asked = [
        ask.get('/ops/in-doubt'),
        ask.get('/ops/alarms'),
        ask.get(`/ops/operations/${id}`),
      ];
      const decided = ask.post(`/ops/operations/${id}:decide`, {
        decision: 'no-effect',
        reason: 'x',
      });
      for (const reply of await Promise.all([...asked, decided])) {
        expect([reply.statusCode, reply.json().code]).toEqual([403, 'FORBIDDEN']);
      }
    }
    // A tenant's authorization server can appoint operators only for the tenant's own party.
    const claims = { roles: ['operator'], party_id: PROVIDER };
    const pretender = await asking(world.api, USER, { claims });
    expect((await pretender.get('/ops/in-doubt')).statusCode).toBe(403);
  });
});

describe('a decision', () => {
  test('that it took no effect ends it as failed, for everybody who asks, and lets the lane go on', async () => {
    const { id, install, url } = await lost();
    const next = `/app-installs/${install}:create-license?commandId=${world.id('next')}`;
    expect((await world.provider.post(next, { params: {} }, ASYNC)).json().state).toBe('queued');
    const reason = 'no update with its workflow ID';
    const reply = await decide(id, { decision: 'no-effect', reason });
    expect(reply.json()).toMatchObject({
      state: 'failed',
      error: {
        code: 'DECIDED_NO_EFFECT',
        message: `an operator decided that the operation took no effect: ${reason}`,
      },
      attempts: [{ answer: 'refused', explanation: expect.stringContaining(reason) }],
      audit: [{ act: 'decided', from: 'in-doubt', to: 'failed', reason, byParty: PROVIDER }],
    });
    const repeated = await again(url);
    expect([repeated.statusCode, repeated.json().code]).toEqual([409, 'DECIDED_NO_EFFECT']);
    world.follow();
    expect((await again(next)).statusCode).toBe(201);
    await world.pause();
  });

  test('that it took effect ends it with what its update did', async () => {
    const { id, install, url } = await lost();
    const events = creation(install);
    // An older version has projected this update. It did not check workflow IDs.
    await world.api.ledger.happen(events);
    const { rows } = await world.api.pool.query(
      `update ledger_update set workflow_id = $1
       where "offset" = (select max("offset") from ledger_update) returning update_id`,
      [workflowIdOf(id)],
    );
    const updateId = String(rows[0].update_id);
    const seen = (await operator.get(`/ops/operations/${id}`)).json().doubt;
    expect(seen.advice).toContain('was archived at offset');
    const reply = await decide(id, { decision: 'took-effect', reason: 'found it', updateId });
    expect(reply.json()).toMatchObject({
      state: 'succeeded',
      result: { status: 201, body: events[0]!.result },
      attempts: [{ answer: 'accepted', explanation: expect.stringContaining(updateId) }],
      audit: [{ detail: { decision: 'took-effect', updateId } }],
    });
    const repeated = await again(url);
    expect([repeated.statusCode, repeated.headers['idempotent-replayed']]).toEqual([201, 'true']);
    expect(repeated.json()).toEqual(events[0]!.result);
  });

  test('that it took effect may be made without an update, whose result is not known then', async () => {
    const { id, install } = await lost();
    // A licence was created, and only a person can know whether this operation created it.
    await world.api.ledger.happen(creation(install));
    const reply = await decide(id, { decision: 'took-effect', reason: 'the user has the licence' });
    expect(reply.json()).toMatchObject({
      state: 'succeeded',
      result: { status: 201, body: { licenseId: null } },
    });
  });

  test('that it took effect is refused where the contract still stands that it would have replaced', async () => {
    const { id, install } = await lost();
    await world.api.ledger.happen([]);
    const reply = await decide(id, { decision: 'took-effect', reason: 'the user has the licence' });
    expect(reply.json()).toMatchObject({
      code: 'DECISION_CONTRADICTED',
      contractId: install,
      message: expect.stringContaining('is still active on the ledger at'),
    });
    expect((await operator.get(`/ops/operations/${id}`)).json().state).toBe('in-doubt');
    await decide(id, { decision: 'no-effect', reason: 'nothing happened' });
  });

  test('to submit it again lets it take effect, deduplicated from now on', async () => {
    const { id, url } = await lost();
    await world.api.ledger.happen([]);
    const before = (await world.api.store.reads.changesById([id], IO))[0]!;
    const reply = await decide(id, { decision: 'submit-again', reason: 'nothing happened' });
    expect(reply.json()).toMatchObject({ state: 'submitting', waitingFor: { kind: 'queue' } });
    const after = (await world.api.store.reads.changesById([id], IO))[0]!;
    expect(after.deduplicationOffset).toBeGreaterThan(before.deduplicationOffset);
    world.follow();
    expect((await again(url)).statusCode).toBe(201);
    await world.pause();
    expect((await operator.get(`/ops/operations/${id}`)).json()).toMatchObject({
      state: 'succeeded',
      attempts: [{ answer: 'refused' }, { answer: 'accepted' }],
    });
  });

  test('is refused where the ledger says otherwise', async () => {
    const { id, install } = await lost();
    const contradicted = async (body: object, message: RegExp) => {
      const reply = await decide(id, { reason: 'x', ...body });
      expect([reply.statusCode, reply.json().code]).toEqual([409, 'DECISION_CONTRADICTED']);
      expect(reply.json().message).toMatch(message);
    };
    await contradicted(
      { decision: 'took-effect', updateId: 'unknown' },
      /does not contain update unknown/u,
    );
    await contradicted({ decision: 'took-effect', updateId: 'update-2' }, /did not do what/u);
    // An older version has projected the operation's own update, but has not settled the operation, because it did not
    // check to which operation an update belongs.
    await world.api.pool.query('update change set state = $2 where id = $1', [id, 'submitting']);
    await world.api.pool.query(`update change set finished_at = null where id = $1`, [id]);
    await world.api.ledger.happen([], workflowIdOf(id));
    await world.api.ledger.happen(creation(install));
    await world.api.pool.query(
      `update ledger_update set workflow_id = case when workflow_id is null then $1 end
       where "offset" >= (select max("offset") - 1 from ledger_update)`,
      [workflowIdOf(id)],
    );
    await world.api.pool.query('update change set state = $2 where id = $1', [id, 'in-doubt']);
    for (const decision of ['no-effect', 'submit-again']) {
      await contradicted({ decision }, /is the effect of the operation/u);
    }
  });

  test('is made once, after a preview, and only about what is in doubt', async () => {
    const { id } = await lost();
    const reason = 'x';
    const unseen = { decision: 'no-effect', reason };
    const { statusCode } = await operator.post(`/ops/commands/${id}:decide`, unseen);
    expect(statusCode).toBe(428);
    const replies = await Promise.all(
      ['no-effect', 'no-effect'].map((decision) => decide(id, { decision, reason })),
    );
    expect(new Set(replies.map(({ statusCode }) => statusCode))).toEqual(new Set([200, 409]));
    const refused = await decide(id, { decision: 'submit-again', reason });
    expect(refused.json()).toMatchObject({ code: 'NOT_IN_DOUBT', state: 'failed' });
  });

  test.each([
    [{ decision: 'no-effect' }, 'reason'],
    [{ decision: 'no-effect', reason: '' }, 'reason'],
    [{ decision: 'maybe', reason: 'x' }, 'decision'],
    [{ decision: 'no-effect', reason: 'x', updateId: 'u' }, 'updateId'],
    [{ decision: 'no-effect', reason: 'x', other: 1 }, 'other'],
  ])('that is not one is refused: %j', async (body, field) => {
    const url = '/ops/operations/11111111-1111-4111-8111-111111111111:decide';
    const reply = await operator.post(url, body);
    expect([reply.statusCode, reply.json().field]).toEqual([400, field]);
  });
});

/**
 * For each operation of the API, the answer to an operator of a tenant that is not involved. For the provider's
 * operator, the same call succeeds.
 */
const FOR_STRANGERS: Readonly<Record<string, readonly [number, unknown]>> = {
  listOpsOperations: [200, []],
  countOpsOperations: [200, { total: { count: 0, more: false }, groups: [] }],
  listOpsSessions: [200, []],
  endOpsSession: [404, 'NOT_FOUND'],
  listQuotas: [
    200,
    [
      {
        party: 'stranger::1220ff',
        openOperations: { used: 0 },
        commentsPerDay: { used: 0 },
        webhooks: { used: 0, limit: 20 },
      },
    ],
  ],
  getAttention: [
    200,
    {
      ...Object.fromEntries(
        ['inDoubt', 'alarms', 'failures', 'waiting', 'timers', 'webhooks'].map((part) => [
          part,
          { count: 0, more: false, items: [] },
        ]),
      ),
      unavailable: [],
    },
  ],
  listInDoubt: [200, []],
  listAlarms: [200, []],
  getOpsOperation: [404, 'OPERATION_NOT_FOUND'],
  decideOpsOperation: [404, 'OPERATION_NOT_FOUND'],
  retryOpsOperation: [404, 'OPERATION_NOT_FOUND'],
  cancelOpsOperation: [404, 'OPERATION_NOT_FOUND'],
  previewDecideOpsOperation: [404, 'OPERATION_NOT_FOUND'],
  previewGiveUpSynchronizer: [403, 'FORBIDDEN'],
  previewOpsOperations: [200, { count: 0, refused: [], sample: [] }],
  applyOpsOperations: [409, 'PREVIEW_OVER'],
  listActs: [200, []],
  getAct: [404, 'NOT_FOUND'],
  stopAct: [404, 'NOT_FOUND'],
  listCosts: [200, []],
  listFailures: [200, []],
  resolveFailure: [404, 'NOT_FOUND'],
  ignoreFailure: [404, 'NOT_FOUND'],
  reopenFailure: [404, 'NOT_FOUND'],
  listOpsLifecycles: [200, []],
  countOpsLifecycles: [200, []],
  listTimers: [200, []],
  rearmTimer: [404, 'NOT_FOUND'],
  listAudit: [200, []],
  // Only operators of the provider may see resources that concern the whole deployment.
  listPauses: [403, 'FORBIDDEN'],
  listSynchronizers: [403, 'FORBIDDEN'],
  giveUpSynchronizer: [403, 'FORBIDDEN'],
  createPause: [403, 'FORBIDDEN'],
  resumePause: [403, 'FORBIDDEN'],
  listStreams: [403, 'FORBIDDEN'],
  listLeases: [403, 'FORBIDDEN'],
};

describe('an operator of a tenant', () => {
  const calls = () => opsCallsOf(world.api);
  /** Makes a prepared call in the name of another caller. */
  const by = (ask: Ask, { url, payload }: OpsCall) =>
    typeof payload === 'object' ? ask.post(url, payload) : ask.get(url);

  test('finds nothing of others at any address of the desk, and stops nothing that is everybody’s', async () => {
    const { paths } = (await world.api.app.inject('/openapi.json')).json();
    const seen: Record<string, readonly [number, unknown]> = {};
    for (const [path, methods] of Object.entries<Record<string, { operationId: string }>>(paths)) {
      // Old addresses are converted to the new ones, so they are skipped.
      if (!path.startsWith('/ops/') || path.startsWith('/ops/commands')) continue;
      for (const { operationId } of Object.values(methods)) {
        const reply = await by(stranger, await calls().good(path, operationId));
        const body = reply.json();
        const { token: _, expiresAt: __, asOf: ___, ...rest } = body;
        const told = reply.statusCode < 400 ? (Array.isArray(body) ? body : rest) : body.code;
        seen[operationId] = [reply.statusCode, told];
      }
    }
    expect(seen).toEqual(FOR_STRANGERS);
    for (const path of ['/policies/expiry', '/admin/tenant-registrations', '/ops/queue/']) {
      expect((await stranger.get(path)).statusCode).toBe(403);
    }
  });

  test('sees and does at its desk what its own party has asked for', async () => {
    const refused = await refusedChange(world.api, USER);
    const others = await refusedChange(world.api);
    const url = (change: Change, verb: string) => `/ops/operations/${change.id}:${verb}`;
    const reason = 'the rule has changed';
    expect((await tenant.post(url(others, 'retry'), { reason })).statusCode).toBe(404);
    const retried = await tenant.post(url(refused, 'retry'), { reason });
    expect(retried.json()).toMatchObject({ callerParty: USER, operation: refused.operation });
    const list = (await tenant.get('/ops/operations?limit=1000')).json();
    const parties = new Set(list.map((one: { callerParty: string }) => one.callerParty));
    expect(parties).toEqual(new Set([USER]));
    expect((await tenant.get(`/ops/audit?object=${refused.id}`)).json()).toMatchObject([
      { act: 'retried', byParty: USER, reason },
    ]);
  });

  test('sees that only the provider’s decide what acted as the provider, alone and by the bulk', async () => {
    const { id, commandId } = await lost(world.user, 'cancel', {});
    const [seen] = (await tenant.get('/ops/in-doubt')).json();
    expect(seen).toMatchObject({ id, doubt: { decidedBy: [PROVIDER] } });
    const reason = 'I saw it';
    for (const decision of ['took-effect', 'no-effect', 'submit-again']) {
      const url = `/ops/operations/${id}:decide`;
      const reply = await postConfirmed(tenant, url, { decision, reason });
      expect([reply.statusCode, reply.json().code]).toEqual([403, 'FORBIDDEN']);
      expect(reply.json().message).toContain('only an operator of the provider');
    }
    const filter = { commandId };
    const request = { action: 'decide', decision: 'no-effect', filter, reason };
    const judged = {
      reason:
        'the operation acted as the provider, so only operators of the provider may decide it',
      count: 1,
    };
    expect((await tenant.post('/ops/operations:preview', request)).json()).toMatchObject({
      count: 0,
      refused: [judged],
    });
    expect((await operator.post('/ops/operations:preview', request)).json()).toMatchObject({
      count: 1,
      refused: [],
    });
    expect((await decide(id, { decision: 'no-effect', reason })).json().state).toBe('failed');
  });

  test('has acts that the deployment’s operators see and may stop, and so many at a time', async () => {
    const request = { action: 'cancel', filter: { commandId: 'none' }, reason: 'nothing is' };
    const apply = async () => {
      const { token, count } = (await tenant.post('/ops/operations:preview', request)).json();
      return tenant.post('/ops/operations:apply', { token, count });
    };
    const { id } = (await apply()).json();
    const [seen] = (await operator.get('/ops/acts?limit=1')).json();
    expect(seen).toMatchObject({ id, byParty: USER });
    expect((await stranger.get(`/ops/acts/${id}`)).statusCode).toBe(404);
    for (let n = 1; n < STORE_LIMITS.bulkActsRunningMax; n += 1) await apply();
    expect((await apply()).json()).toMatchObject({ code: 'ACTS_LIMITED', retryable: true });
    const stopped = await operator.post(`/ops/acts/${id}:stop`, { reason: 'too many' });
    expect(stopped.json()).toMatchObject({ id, state: 'stopped' });
    expect((await apply()).statusCode).toBe(202);
    // Bulk acts of the provider's operators are visible only to the provider.
    const theirs = (await operator.post('/ops/operations:preview', request)).json();
    const { id: own } = (
      await operator.post('/ops/operations:apply', { token: theirs.token, count: theirs.count })
    ).json();
    expect((await tenant.get(`/ops/acts/${own}`)).statusCode).toBe(404);
  });
});
