import {
  addLicenseComment,
  createLicense,
  expireLicense,
  listLicenses,
  renewLicense,
} from '../generated/orval/api.ts';
import { COMMENT, RENEWAL, walk } from './walk.ts';

await walk(({ url, token, installId, commandId }) => {
  // The generated functions call addresses without an origin, as a page of the same origin does.
  const ask = globalThis.fetch;
  globalThis.fetch = (address, options) => ask(new URL(String(address), url), options);
  const options = { headers: { authorization: `Bearer ${token}` } };
  const as = (name: string) => ({ commandId: commandId(name) });
  return {
    list: async () => (await listLicenses({ limit: 100 }, options)).data,
    create: async () => {
      const { data } = await createLicense(installId, { params: {} }, as('create'), options);
      return data as { readonly lifecycleId?: string };
    },
    renew: async (id) => (await renewLicense(id, RENEWAL, as('renew'), options)).status,
    comment: async (id) => (await addLicenseComment(id, COMMENT, as('comment'), options)).status,
    expire: async (id) => (await expireLicense(id, {}, as('expire'), options)).status,
  };
});
