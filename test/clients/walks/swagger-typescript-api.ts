import { Api } from '../generated/swagger-typescript-api/api.ts';
import { COMMENT, RENEWAL, walk } from './walk.ts';

await walk(({ url, token, installId, commandId }) => {
  const { appInstalls, licenses } = new Api({
    baseUrl: url,
    baseApiParams: { headers: { authorization: `Bearer ${token}` } },
  });
  const as = (name: string) => ({ commandId: commandId(name) });
  return {
    list: async () => (await licenses.listLicenses({ limit: 100 })).data,
    create: async () => {
      const { data } = await appInstalls.createLicense(installId, { params: {} }, as('create'));
      return data as { readonly lifecycleId?: string };
    },
    renew: async (id) => (await licenses.renewLicense(id, RENEWAL, as('renew'))).status,
    comment: async (id) => (await licenses.addLicenseComment(id, COMMENT, as('comment'))).status,
    expire: async (id) => (await licenses.expireLicense(id, as('expire'), {})).status,
  };
});
