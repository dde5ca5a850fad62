import createClient from 'openapi-fetch';
import type { paths } from '../generated/openapi-fetch.ts';
import { COMMENT, RENEWAL, walk } from './walk.ts';

await walk(({ url, token, installId, commandId }) => {
  const client = createClient<paths>({
    baseUrl: url,
    headers: { authorization: `Bearer ${token}` },
  });
  const of = (contractId: string, name: string) => ({
    params: { path: { contractId }, query: { commandId: commandId(name) } },
  });
  return {
    list: async () => (await client.GET('/licenses', { params: { query: { limit: 100 } } })).data,
    create: async () => {
      const path = '/app-installs/{contractId}/create-license';
      return (await client.POST(path, { ...of(installId, 'create'), body: { params: {} } })).data;
    },
    renew: async (id) => {
      const asked = { ...of(id, 'renew'), body: RENEWAL };
      return (await client.POST('/licenses/{contractId}/renew', asked)).response.status;
    },
    comment: async (id) => {
      const asked = { ...of(id, 'comment'), body: COMMENT };
      return (await client.POST('/licenses/{contractId}/comments', asked)).response.status;
    },
    // This answer is text. Without an option, the client would read it as JSON.
    expire: async (id) => {
      const asked = { ...of(id, 'expire'), body: {}, parseAs: 'text' } as const;
      return (await client.POST('/licenses/{contractId}/expire', asked)).response.status;
    },
  };
});
