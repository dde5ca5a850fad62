import { client } from '../generated/hey-api/client.gen.ts';
import {
  addLicenseComment,
  createLicense,
  expireLicense,
  listLicenses,
  renewLicense,
} from '../generated/hey-api/sdk.gen.ts';
import { COMMENT, RENEWAL, walk } from './walk.ts';

await walk(({ url, token, installId, commandId }) => {
  client.setConfig({ baseUrl: url, auth: () => token, throwOnError: true });
  const of = (contractId: string, name: string) => ({
    path: { contractId },
    query: { commandId: commandId(name) },
  });
  return {
    list: async () => (await listLicenses({ query: { limit: 100 } })).data,
    create: async () => {
      const { data } = await createLicense({ ...of(installId, 'create'), body: { params: {} } });
      return data;
    },
    renew: (id) => renewLicense({ ...of(id, 'renew'), body: RENEWAL }),
    comment: (id) => addLicenseComment({ ...of(id, 'comment'), body: COMMENT }),
    expire: (id) => expireLicense({ ...of(id, 'expire'), body: {} }),
  };
});
