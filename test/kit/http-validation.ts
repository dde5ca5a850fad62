import { randomUUID } from 'node:crypto';
import { hashOfKey, newLicenseKey } from '../../src/domain/license-key.ts';
import type { TestApi } from './http-api.ts';
import { IO, USER } from './http-api.ts';
import { sellUnderPlan } from './http-plans.ts';

/** A call that the server is asked with, as `inject` takes it. */
interface ValidationCall {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly payload?: object | string;
}

const MACHINE = { machine: 'laptop' };

/** Routes about the validity of licences, beside those of their lifecycle. */
export const isOfValidation = (path: string): boolean =>
  /^\/licenses\/(?:(?:validate|activate|heartbeat|release)$|\{contractId\}\/(?:validate|keys|machines|files)\b)/u.test(
    path,
  );

/** A call that queries the database for nothing but the session of the caller. */
export const asSession = ({ url }: { readonly url: string }) => ({
  url,
  headers: { cookie: 'JSESSIONID=unknown' },
});

/** Whether programs call the route with a licence key. */
export const isOfKeys = (path: string): boolean => isOfValidation(path) && !path.includes('{');

/** Calls about validation: one that is right, and what makes it one that is answered with a status. */
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
