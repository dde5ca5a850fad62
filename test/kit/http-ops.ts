import { randomUUID } from 'node:crypto';
import { failureOf } from '../../src/app/desk/failures.ts';
import type { Change } from '../../src/domain/change.ts';
import type { Lifecycle } from '../../src/domain/lifecycle.ts';
import type { TestApi } from './http-api.ts';
import { LEDGER_USER, PARTICIPANT } from './ledger-stand-in.ts';
import { CONNECTED, HOMELESS, PROVIDER, USER } from './http-api.ts';
import type { Ask } from './http-ask.ts';
import { asking } from './http-ask.ts';
import * as rows from './store-rows.ts';
import { save } from './store-under-test.ts';
import { registration, tenantAsks } from './tenant-asks.ts';
import { publicIdOf } from './sessions.ts';

/** Returns the `Authorization` of an operator with the permission to read. */
export const asOperator = (api: TestApi): Promise<string> =>
  api.as(PROVIDER, { claims: { roles: ['operator'], name: 'Olga' } });

/**
 * Returns an operator of the user's tenant, and an operator of a second tenant of the same server that is not involved
 * in any operation.
 */
export async function tenantOperators(api: TestApi): Promise<Record<'tenant' | 'stranger', Ask>> {
  const claims = { roles: ['operator'], name: 'Tina' };
  const asked = registration(api, { partyId: 'stranger::1220ff' });
  const { statusCode, body } = await (await tenantAsks(api)).create(asked);
  if (statusCode !== 201) throw new Error(body);
  // In this tenant's tokens, the client ID distinguishes it from the first tenant.
  const theirs = { ...claims, azp: asked.clientId, party_id: undefined };
  return {
    tenant: await asking(api, USER, { claims }),
    stranger: await asking(api, USER, { claims: theirs }),
  };
}

/**
 * Records a creation of a licence, requested by a user, whose outcome only a person can decide: its only attempt was
 * lost, and the install still exists.
 */
export async function inDoubt(api: TestApi, over: Partial<Change> = {}): Promise<Change> {
  const install = rows.lifecycle({
    kind: 'install',
    state: 'creatingLicense',
    provider: PROVIDER,
    appUser: USER,
  });
  const change = rows.change({
    lifecycleId: install.id,
    lane: install.lane,
    callerParty: PROVIDER,
    provider: PROVIDER,
    appUser: USER,
    submitter: { participant: PARTICIPANT, ledgerUser: LEDGER_USER, actAs: PROVIDER },
    state: 'in-doubt',
    waitingFor: { kind: 'person', detail: 'the ledger forgot', since: new Date().toISOString() },
    ...over,
  });
  await save(api.store, rows.birth(install));
  await api.store.transact(rows.io(), async (tx) => {
    await tx.lock([change.lane]);
    await tx.save(rows.writes(rows.arrival(change)));
    await tx.save(rows.writes({ effectsDone: [change.id] }));
  });
  await api.pool.query(
    `insert into attempt (change_id, n, submission_id, participant, ledger_user, act_as, contract_id, at, over_at)
     values ($1, 1, gen_random_uuid()::text, $2, $3, $4, $5, now() - interval '1 hour', now() - interval '50 min')`,
    [change.id, PARTICIPANT, LEDGER_USER, PROVIDER, install.contractId],
  );
  // The streams of the ledger have been read up to now.
  await api.pool.query(
    `update query_store_offset set synchronizer_times = jsonb_build_object('synchronizer::1220dd', now())`,
  );
  return change;
}

/**
 * Records a change that the ledger refused. @param party the user's party, which may be one for which no participant
 * can act
 */
export async function refusedChange(api: TestApi, party = PROVIDER): Promise<Change> {
  const head = rows.change({
    operation: 'request-install',
    callerParty: party,
    provider: PROVIDER,
    appUser: party,
    submitter: { participant: PARTICIPANT, ledgerUser: LEDGER_USER, actAs: party },
    body: { provider: PROVIDER, user: party, meta: { data: {} } },
    fixed: {},
  });
  await api.store.transact(rows.io(), async (tx) => {
    await tx.lock([head.lane]);
    // Both are saved in one transaction. Otherwise, if the ledger of the test is running, it could submit the change in
    // between.
    await tx.save(rows.writes(rows.arrival(head)));
    await tx.save(
      rows.writes({
        changes: [rows.rejected(head)],
        mailboxes: [rows.mailbox(head.lane, { nextNo: 2 })],
        effectsDone: [head.id],
      }),
    );
  });
  return head;
}

/** Creates a licence whose timer was given up, together with the failed last change that its policy had requested. */
export async function givenUp(
  api: TestApi,
): Promise<{ readonly license: Lifecycle; readonly change: Change }> {
  const expiresAt = '2020-01-01T00:00:00.000001Z';
  const license = rows.lifecycle({
    kind: 'license',
    provider: PROVIDER,
    appUser: USER,
    context: { expiresAt },
    expiresAt,
  });
  const { id, lane } = license;
  const made = rows.change({
    operation: 'expire-license',
    lifecycleId: id,
    lane,
    provider: PROVIDER,
    appUser: USER,
    callerParty: PROVIDER,
    submitter: { participant: PARTICIPANT, ledgerUser: LEDGER_USER, actAs: PROVIDER },
    body: {},
    fixed: {},
  });
  const change = rows.rejected(made);
  await save(api.store, { ...rows.birth(license), timerLanes: [lane] });
  await api.store.transact(rows.io(), async (tx) => {
    await tx.lock([lane]);
    await tx.save(rows.writes(rows.arrival(made)));
    const mailboxes = [rows.mailbox(lane, { nextNo: 2 })];
    await tx.save(rows.writes({ changes: [change], mailboxes, effectsDone: [made.id] }));
    const seen = (await tx.timer(id))!;
    const to = { generation: 4, failures: 5, notBefore: null, changeId: made.id, isGivenUp: true };
    await tx.moveTimer({ seen, to });
  });
  return { license, change };
}

/** Creates a change without an attempt. */
async function untried(api: TestApi): Promise<Change> {
  const head = rows.change({ provider: PROVIDER });
  await save(api.store, rows.writes({ ...rows.arrival(head), newEffects: [] }));
  await api.pool.query(
    `insert into effect (id, change_id, due_at) values ($1, $2, now() + interval '1 h')`,
    [rows.effectId(head), head.id],
  );
  return head;
}

/** A call to the server, in the form that `inject` takes. */
export interface OpsCall {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly payload?: object | string;
}

const STOP = { scope: 'operation', name: 'renew-license', reason: 'not now' };

async function pauseCall(
  api: TestApi,
  path: string,
  operationId: string,
  headers: Readonly<Record<string, string>>,
): Promise<OpsCall> {
  if (operationId === 'listPauses') return { url: path, headers };
  const url = '/ops/pauses';
  if (operationId === 'createPause') return { url, headers, payload: STOP };
  const made = await api.app.inject({ method: 'POST', url, headers, payload: STOP });
  return { url: path.replace('{id}', made.json().id), headers, payload: { reason: 'now' } };
}

async function failureCall(
  api: TestApi,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<OpsCall> {
  if (!path.includes('{id}')) return { url: path, headers };
  const failure = failureOf(rows.rejected(await refusedChange(api)))?.fingerprint ?? '';
  return { url: path.replace('{id}', failure), headers, payload: { reason: 'seen' } };
}

const BULK = {
  action: 'retry',
  filter: { commandId: 'no-such-command' },
  reason: 'again',
};

async function bulkCall(
  api: TestApi,
  path: string,
  operationId: string,
  headers: Readonly<Record<string, string>>,
): Promise<OpsCall> {
  const post = async (url: string, payload: object) =>
    (await api.app.inject({ method: 'POST', url, headers, payload })).json();
  if (operationId === 'listActs') return { url: path, headers };
  if (operationId === 'previewOpsOperations') return { url: path, headers, payload: BULK };
  const { token, count } = await post('/ops/operations:preview', BULK);
  const payload = { token, count };
  if (operationId === 'applyOpsOperations') return { url: path, headers, payload };
  const { id } = await post('/ops/operations:apply', payload);
  const url = path.replace('{id}', id);
  return operationId === 'getAct'
    ? { url, headers }
    : { url, headers, payload: { reason: 'enough' } };
}

/** For each act of an operator, creates the object on which the act operates, and returns the request. */
const MAKES: Readonly<
  Record<
    string,
    { readonly change: (api: TestApi) => Promise<Change>; readonly payload?: object } | undefined
  >
> = {
  decideOpsOperation: {
    change: inDoubt,
    payload: { decision: 'no-effect', reason: 'there is no such update' },
  },
  previewDecideOpsOperation: { change: inDoubt, payload: { decision: 'no-effect' } },
  retryOpsOperation: { change: (api) => refusedChange(api, USER), payload: { reason: 'again' } },
  cancelOpsOperation: { change: untried, payload: { reason: 'not wanted' } },
};

/** If an act is irreversible, adds the confirmation from its preview. */
async function confirmedCall(api: TestApi, call: OpsCall): Promise<OpsCall> {
  const { reason: _why, ...payload } = call.payload as { readonly reason: string };
  const url = call.url.replace(/([:/])([a-z-]+)$/u, '$1preview-$2');
  const seen = await api.app.inject({ method: 'POST', ...call, url, payload });
  const { token, count } = seen.json();
  return { ...call, payload: { ...(call.payload as object), confirmation: { token, count } } };
}

/** Sends a POST request. If the act needs one, the request has the confirmation from the act's preview. */
export async function postConfirmed(by: Ask, url: string, body: object) {
  const { reason: _why, ...asked } = body as { readonly reason?: string };
  const seen = await by.post(url.replace(/([:/])([a-z-]+)$/u, '$1preview-$2'), asked);
  if (seen.statusCode !== 200) return seen;
  const { token, count } = seen.json();
  return by.post(url, { ...body, confirmation: { token, count } });
}

const knowSynchronizer = (api: TestApi, synchronizer: string) =>
  api.pool.query(
    `update query_store_offset set synchronizer_times = jsonb_build_object($1::text, now())`,
    [synchronizer],
  );

/**
 * Returns calls of the operations desk: a valid one for each operation, and functions that change it so that it gets a
 * certain status.
 */
export const opsCallsOf = (api: TestApi) => ({
  async good(path: string, operationId: string): Promise<OpsCall> {
    const headers = { authorization: await asOperator(api) };
    if (/^\/ops\/(?:acts|operations\/(?:preview|apply)$)/u.test(path))
      return bulkCall(api, path, operationId, headers);
    if (operationId === 'rearmTimer') {
      const url = path.replace('{id}', (await givenUp(api)).license.id);
      return { url, headers, payload: { reason: 'the right is back' } };
    }
    if (operationId === 'giveUpSynchronizer') {
      // Each of these calls gives up a different synchronizer.
      const synchronizer = `synchronizer::${randomUUID()}`;
      await knowSynchronizer(api, synchronizer);
      const payload = { participant: PARTICIPANT, synchronizer, reason: 'it was shut down' };
      return confirmedCall(api, { url: path, headers, payload });
    }
    if (operationId === 'previewGiveUpSynchronizer') {
      const synchronizer = `synchronizer::${randomUUID()}`;
      await knowSynchronizer(api, synchronizer);
      return { url: path, headers, payload: { participant: PARTICIPANT, synchronizer } };
    }
    if (operationId === 'endOpsSession') {
      const url = path.replace('{id}', await publicIdOf(api, 'somebody'));
      return { url, headers, payload: { reason: 'the laptop was lost' } };
    }
    if (path.startsWith('/ops/failures')) return failureCall(api, path, headers);
    if (path.startsWith('/ops/pauses')) return pauseCall(api, path, operationId, headers);
    const { change = inDoubt, payload } = MAKES[operationId] ?? {};
    const url = path.replace('{id}', path.includes('{id}') ? (await change(api)).id : '');
    if (payload === undefined) return { url, headers };
    const call = { url, headers, payload };
    return operationId === 'decideOpsOperation' ? confirmedCall(api, call) : call;
  },
  spoiled: {
    400: async (call) => {
      if (call.payload !== undefined) return { ...call, payload: {} };
      const isOne = /[0-9a-f-]{36}/u.test(call.url);
      const spoiled = isOne
        ? call.url.replace(/[^/]*$/u, 'a%00b')
        : `${call.url}?limit=0&party=no/body`;
      return { ...call, url: spoiled };
    },
    403: async (call) => ({ ...call, headers: { authorization: await api.as(PROVIDER) } }),
    404: async (call) => ({
      ...call,
      ...(call.url.endsWith('give-up')
        ? { payload: { ...(call.payload as object), synchronizer: 'unknown' } }
        : {}),
      url: call.url.replace(/[0-9a-f-]{36}|[0-9a-f]{16}(?=[:/])/u, 'unknown'),
    }),
    202: async (call) => call,
    428: async (call) => {
      const { confirmation: _of, ...payload } = call.payload as { readonly confirmation?: object };
      return { ...call, payload };
    },
    409: async (call) => {
      if (call.url.endsWith('/preview-decide')) {
        return { ...call, url: call.url.replace(/[0-9a-f-]{36}/u, (await refusedChange(api)).id) };
      }
      if (call.url.endsWith('give-up')) {
        await knowSynchronizer(api, CONNECTED);
        return { ...call, payload: { ...(call.payload as object), synchronizer: CONNECTED } };
      }
      const { location } = (await api.app.inject({ method: 'POST', ...call })).headers;
      // A change with a retry in progress cannot be retried.
      return location?.includes('/ops/operations/') === true
        ? { ...call, url: `${location}:retry` }
        : call;
    },
    // A search that is too broad.
    422: async (call) =>
      call.payload === undefined || call.url.endsWith('/preview')
        ? call
        : { ...call, url: `/ops/operations/${(await refusedChange(api, HOMELESS)).id}:retry` },
  } as Readonly<Record<string, (call: OpsCall) => Promise<OpsCall>>>,
});
