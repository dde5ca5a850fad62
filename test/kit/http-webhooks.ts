import { expect } from 'vitest';
import { LIMITS } from '../../src/domain/limits.ts';
import type { TestApi } from './http-api.ts';
import { USER } from './http-api.ts';

/** A call to the server, in the form that `inject` takes. */
interface WebhookCall {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly payload?: object | string;
}

const PATH = '/webhooks';
const TARGET = { url: 'http://127.0.0.1:9/hook' };

/**
 * Returns calls about webhooks: a valid one for each operation, and functions that change it so that it gets a certain
 * status.
 */
export function webhookCallsOf(api: TestApi) {
  const make = async (headers: Readonly<Record<string, string>>): Promise<string> => {
    await api.pool.query('delete from webhook');
    const answer = await api.app.inject({ method: 'POST', url: PATH, headers, payload: TARGET });
    return answer.json().id as string;
  };
  const nameless = (call: WebhookCall) => /\/webhooks\/(wh_[0-9a-f]+)/u.exec(call.url)?.[1] ?? '';
  return {
    async good(path: string, operationId: string): Promise<WebhookCall> {
      const headers = { authorization: await api.as(USER) };
      const id = await make(headers);
      let url = path.replace('{id}', id);
      if (path.includes('{deliveryId}')) {
        const test = { method: 'POST', url: `${PATH}/${id}:test`, headers } as const;
        url = url.replace('{deliveryId}', (await api.app.inject(test)).json().id as string);
      }
      if (operationId === 'createWebhook') return { url, headers, payload: TARGET };
      if (operationId === 'changeWebhook') return { url, headers, payload: { types: ['*'] } };
      return { url, headers };
    },
    spoiled: {
      202: async (call) => call,
      400: async (call) =>
        call.payload === undefined
          ? { ...call, url: call.url.replace(/wh_[0-9a-f]+/u, 'a%00b') }
          : { ...call, payload: { url: 'nowhere' } },
      404: async (call) => ({ ...call, url: call.url.replace(/wh_[0-9a-f]+/u, 'unknown') }),
      409: async (call) => {
        if (call.url !== PATH) {
          await api.pool.query(
            `update webhook set is_enabled = false, disabled_reason = 'x' where id = $1`,
            [nameless(call)],
          );
          return call;
        }
        await api.pool.query(
          `insert into webhook (id, party, created_by, url, types, secret, after_seq)
           select 'more-' || n, $1, 'x', 'http://x/', '{}', 'x', 0 from generate_series(1, $2::integer) n`,
          [USER, LIMITS.webhooksPerPartyMax],
        );
        return call;
      },
      422: async (call) => ({ ...call, payload: { url: 'http://10.0.0.1/' } }),
    } as Readonly<Record<string, (call: WebhookCall) => Promise<WebhookCall>>>,
  };
}

/**
 * Returns what was done to the webhook, as operators of its party see it, the oldest first: each act with its author
 * and its details.
 */
export async function doneTo(api: TestApi, id: string): Promise<unknown[]> {
  const authorization = await api.as(USER, { claims: { roles: ['operator'] } });
  const url = `/ops/audit?object=webhook:${id}`;
  const reply = await api.app.inject({ url, headers: { authorization } });
  const acts: { act: string; byParty: string; bySubject: string; detail: object }[] = reply.json();
  return acts.reverse().map(({ act, byParty, bySubject, detail }) => {
    expect([byParty, bySubject]).toEqual([USER, 'AppUser-subject']);
    return [act, detail];
  });
}
