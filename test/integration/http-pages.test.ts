import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { forFile } from '../kit/for-file.ts';
import { PROVIDER, USER, startApi } from '../kit/http-api.ts';
import { asking } from '../kit/http-ask.ts';

/* Lists that can grow have pages, and each page of a history begins where the previous page ended. */

interface Operation {
  readonly parameters?: readonly { readonly name: string }[];
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: object }>> }>
  >;
}

const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as {
  readonly paths: Readonly<Record<string, { readonly get?: Operation }>>;
};

/** Lists whose length is limited: by a quota, by the number of processes, or by a limit of the query. */
const BOUNDED = [
  '/licenses/{contractId}/keys',
  '/licenses/{contractId}/machines',
  '/login-links',
  '/machines',
  '/ops/leases',
  '/ops/lifecycles/counts',
  '/ops/pauses',
  '/ops/streams',
  '/ops/synchronizers',
  '/payments/sums',
  '/stats/licenses',
  '/stats/revenue',
  '/webhooks',
  '/{resource}/{contractId}/actions',
];

test('every list has pages, except for those with a bound', () => {
  const isList = ({ responses }: Operation): boolean => {
    const schema = responses['200']?.content?.['application/json']?.schema ?? {};
    return 'type' in schema && schema.type === 'array';
  };
  const without = Object.entries(paths).flatMap(([path, { get }]) => {
    if (get === undefined || !isList(get)) return [];
    const names = new Set((get.parameters ?? []).map(({ name }) => name));
    const hasPages = names.has('limit') && names.has('cursor');
    return hasPages
      ? []
      : [path.replace(/^\/[a-z-]+(?=\/\{contractId\}\/actions$)/u, '/{resource}')];
  });
  expect([...new Set(without)].sort()).toEqual(BOUNDED);
});

const api = await forFile(startApi());
const [provider, user] = await Promise.all([asking(api, PROVIDER), asking(api, USER)]);
const following = api.ledger.follow();
afterAll(() => following.stop());

test('a history comes in pages, with the comments between its lines', async () => {
  const request = await user.post('/app-install-requests?commandId=request');
  const accept = `/app-install-requests/${request.json().contractId}:accept?commandId=accept`;
  const install = (await provider.post(accept, { installMeta: {} })).json().contractId;
  const create = `/app-installs/${install}:create-license?commandId=create`;
  const { lifecycleId } = (await provider.post(create, { params: {} })).json();
  const path = `/licenses/${lifecycleId}`;
  await user.post(`${path}/comments?commandId=first`, { body: 'first' });
  await provider.post(`${path}/comments?commandId=second`, { body: 'second' });
  await provider.post(`${path}/expire?commandId=expire`, {});
  const whole = (await user.get(`${path}/history`)).json();
  expect(whole.map(({ kind }: { kind: string }) => kind)).toEqual([
    'ledger.created',
    'ledger.commented',
    'ledger.commented',
    'license.expire',
    'ledger.licenseExpired',
  ]);
  for (const limit of [1, 2]) {
    const pages: unknown[] = [];
    for (let at = `${path}/history?limit=${limit}`; at !== '';) {
      const page = await user.get(at);
      expect(page.json().length).toBeLessThanOrEqual(limit);
      pages.push(...page.json());
      at = /<([^>]+)>; rel="next"/u.exec(String(page.headers['link']))?.[1] ?? '';
    }
    expect(pages).toEqual(whole);
  }
  const foreign = await user.get(`${path}/history?cursor=WyJhIl0`);
  expect([foreign.statusCode, foreign.json().field]).toEqual([400, 'cursor']);
});
