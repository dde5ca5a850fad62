import { randomUUID } from 'node:crypto';
import { hashOfKey, newLicenseKey } from '../../src/domain/license-key.ts';
import type { TestApi } from './http-api.ts';
import { IO, USER } from './http-api.ts';
import { sellUnderPlan } from './http-plans.ts';

/** A call to the server, in the form that `inject` takes. */
interface ValidationCall {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly payload?: object | string;
}

const MACHINE = { machine: 'laptop' };

/** Returns whether the route is about the validity of licences rather than about their lifecycle. */
export const isOfValidation = (path: string): boolean =>
  /^\/licenses\/(?:(?:validate|activate|heartbeat|release)$|\{contractId\}\/(?:validate|keys|machines|files)\b)/u.test(
    path,
  );

/** Returns a call whose only database query is for the caller's session. */
export const asSession = ({ url }: { readonly url: string }) => ({
  url,
  headers: { cookie: 'JSESSIONID=unknown' },
});

/** Returns whether programs call the route with a licence key. */
export const isOfKeys = (path: string): boolean => isOfValidation(path) && !path.includes('{');

/**
 * Returns calls about validation: a valid one for each operation, and functions that change it so that it gets a
 * certain status.
 */
export function validationCallsOf(api: TestApi, license: () => Promise<string>) {
  const keyed = async (licenseId: string): Promise<readonly [id: string, key: string]> => {
    const key = newLicenseKey();
    const id = `key_${randomUUID()}`;
    const by = { party: USER, subject: 'test' };
    await api.deps.validation.keys.add({ id, licenseId, name: 'key' }, hashOfKey(key), by, IO);
    return [id, key];
  };
  return {
    async good(path: string, operationId: string): Promise<ValidationCall> {
      const contractId = await license();
      const { id } = (await api.store.reads.lifecycle(contractId, IO))!.lifecycle;
      await sellUnderPlan(api, id, { trial: 'P14D' });
      const [keyId, key] = await keyed(id);
      const withKey = { authorization: `License ${key}` };
      if (isOfKeys(path)) {
        const payload = operationId === 'validateLicenseKey' ? {} : MACHINE;
        return { url: path, headers: withKey, payload };
      }
      const url = '/licenses/activate';
      const activated = await api.app.inject({
        method: 'POST',
        url,
        headers: withKey,
        payload: MACHINE,
      });
      return {
        url: path
          .replace('{contractId}', contractId)
          .replace('{keyId}', keyId)
          .replace('{machineId}', activated.json().machine.id),
        headers: { authorization: await api.as(USER) },
      };
    },
    spoiled: {
      400: async (call) =>
        call.payload === undefined
          ? { ...call, url: call.url.replace(/00[0-9a-f]{60,}/u, 'a%00b') }
          : { ...call, payload: { machine: '' } },
    } as Readonly<Record<string, (call: ValidationCall) => Promise<ValidationCall>>>,
  };
}
