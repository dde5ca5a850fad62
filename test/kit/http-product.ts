import { randomUUID } from 'node:crypto';
import type { TestApi } from './http-api.ts';
import { PROVIDER, USER } from './http-api.ts';

/** A call to the server, in the form that `inject` takes. */
interface ProductCall {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly payload?: object | string;
}

const TERMS = { name: 'Pro', period: 'P1M', fee: '12.5' };
const CUSTOMER = { party: USER, name: 'Acme' };

const BODIES: Readonly<Record<string, () => object>> = {
  addCustomer: () => CUSTOMER,
  changeCustomer: () => ({ name: 'Acme AG' }),
  addPlan: () => ({ ...TERMS, id: `p-${randomUUID()}` }),
  changePlan: () => ({ fee: (1 + Math.random()).toFixed(6) }),
};

/**
 * Returns calls about customers and plans: a valid one for each operation, and functions that change it so that it gets
 * a certain status.
 */
export function productCallsOf(api: TestApi) {
  const make = async (path: string, headers: Readonly<Record<string, string>>): Promise<string> => {
    await api.pool.query('delete from customer');
    const isPlan = path.startsWith('/plans');
    const payload = isPlan ? { ...TERMS, id: `p-${randomUUID()}` } : CUSTOMER;
    const url = isPlan ? '/plans' : '/customers';
    return (await api.app.inject({ method: 'POST', url, headers, payload })).json().id as string;
  };
  const unnamed = (url: string, id: string): string =>
    url.replace(/(?<=^\/(?:customers|plans)\/)[^/?]+/u, id);
  return {
    async good(path: string, operationId: string): Promise<ProductCall> {
      const headers = { authorization: await api.as(PROVIDER) };
      const url = path.includes('{id}') ? path.replace('{id}', await make(path, headers)) : path;
      if (operationId === 'addCustomer') await api.pool.query('delete from customer');
      const payload = BODIES[operationId]?.();
      return { url, headers, ...(payload === undefined ? {} : { payload }) };
    },
    spoiled: {
      400: async (call) => {
        if (call.payload !== undefined) return { ...call, payload: { name: '' } };
        return call.url.split('/').length > 2
          ? { ...call, url: unnamed(call.url, 'a%00b') }
          : { ...call, url: `${call.url}?limit=0` };
      },
      404: async (call) => ({ ...call, url: unnamed(call.url, 'unknown') }),
      409: async (call) => {
        await api.app.inject({ method: 'POST', ...call });
        return call;
      },
    } as Readonly<Record<string, (call: ProductCall) => Promise<ProductCall>>>,
  };
}
