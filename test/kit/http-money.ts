import type { TestApi } from './http-api.ts';
import { PROVIDER, USER } from './http-api.ts';

const RENEWAL_ID = 'renewal-of-payments';

/** Inserts a settled payment in the form in which the background task for payments writes it. */
const ADD_PAYMENT = `
  insert into payment (renewal_id, contract_id, request_id, provider, app_user, license_num, amount, instrument_admin,
    instrument, extension_ms, description, state, requested_at, requested_offset, requested_node, settle_before,
    ended_at, ended_offset, ended_node, update_id, valid_from, valid_until, receipt_no)
  values ($1, '00payment', 'request', $2, $3, 1, 12.5, 'dso', 'Amulet', 1, 'One more month', 'settled', now(), 1, 0,
    now(), now(), 2, 0, 'update', now(), now(), 1)
  on conflict do nothing`;

/** A call to the server, in the form that `inject` takes. */
interface MoneyCall {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Returns calls about payments and statistics: a valid one for each path, and functions that change it so that it gets
 * a certain status.
 */
export function moneyCallsOf(api: TestApi) {
  return {
    async good(path: string): Promise<MoneyCall> {
      await api.pool.query(ADD_PAYMENT, [RENEWAL_ID, PROVIDER, USER]);
      return {
        url: path.replace('{id}', RENEWAL_ID),
        headers: { authorization: await api.as(PROVIDER) },
      };
    },
    spoiled: {
      400: async (call) => ({ ...call, url: `${call.url}?plan=a&plan=b` }),
      404: async (call) => ({ ...call, url: call.url.replace(RENEWAL_ID, 'unknown') }),
    } as Readonly<Record<string, (call: MoneyCall) => Promise<MoneyCall>>>,
  };
}
