import type { Change } from '../../src/domain/change.ts';
import type { TestApi } from './http-api.ts';
import { LEDGER_USER, PARTICIPANT } from './ledger-stand-in.ts';
import { PROVIDER, USER } from './http-api.ts';
import * as rows from './store-rows.ts';
import { arrive, save } from './store-under-test.ts';

/** `Authorization` of somebody who may look at the operator's desk. */
export const asOperator = (api: TestApi): Promise<string> =>
  api.as(PROVIDER, { claims: { roles: ['operator'], name: 'Olga' } });

/** A user's creation of a licence that only a person can decide: one attempt was lost, on an install that stands. */
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
    submitter: { participant: PARTICIPANT, ledgerUser: LEDGER_USER, actAs: PROVIDER },
    state: 'in-doubt',
    waitingFor: { kind: 'person', detail: 'the ledger forgot', since: new Date().toISOString() },
    ...over,
  });
  await save(api.store, rows.birth(install));
  await arrive(api.store, change);
  await api.pool.query(
    `insert into attempt (change_id, n, submission_id, participant, ledger_user, act_as, contract_id, at)
     values ($1, 1, gen_random_uuid()::text, $2, $3, $4, $5, now() - interval '1 hour')`,
    [change.id, PARTICIPANT, LEDGER_USER, PROVIDER, install.contractId],
  );
  await api.pool.query(`update effect set done_at = now() where change_id = $1`, [change.id]);
  return change;
}

/** A call that the server is asked with, as `inject` takes it. */
interface OpsCall {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly payload?: object | string;
}

/** Calls of the operator's desk: one that is right, and what makes it one that is answered with a status. */
export const opsCallsOf = (api: TestApi) => ({
  async good(path: string, operationId: string): Promise<OpsCall> {
    const headers = { authorization: await asOperator(api) };
    const { id } = await inDoubt(api);
    const url = path.replace('{id}', id);
    const payload = { decision: 'no-effect', reason: 'there is no such update' };
    return operationId === 'decideOpsCommand' ? { url, headers, payload } : { url, headers };
  },
  spoiled: {
    400: async (call) =>
      call.payload === undefined
        ? { ...call, url: call.url.replace(/[^/]*$/u, 'a%00b') }
        : { ...call, payload: {} },
    403: async (call) => ({ ...call, headers: { authorization: await api.as(PROVIDER) } }),
    404: async (call) => ({ ...call, url: call.url.replace(/[0-9a-f-]{36}/u, 'unknown') }),
    409: async (call) => {
      await api.app.inject({ method: 'POST', ...call });
      return call;
    },
  } as Readonly<Record<string, (call: OpsCall) => Promise<OpsCall>>>,
});
