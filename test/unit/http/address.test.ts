import fc from 'fast-check';
import { expect, test } from 'vitest';
import { namedRoute, pathOf, apiPrefixOf, routedUrl } from '../../../src/http/kit/address.ts';

test.each([
  ['/licenses/00ab:expire?commandId=a:b', '/licenses/00ab/expire?commandId=a:b'],
  ['/api/licenses/00ab:expire', '/licenses/00ab/expire'],
  ['/api/licenses', '/licenses'],
  ['/app-installs/00ab:create-license', '/app-installs/00ab/create-license'],
  // The ID consists of everything before the last colon.
  ['/licenses/a:b:expire', '/licenses/a%3Ab/expire'],
  ['/licenses/:expire:expire', '/licenses/%3Aexpire/expire'],
  ['/ops/operations:preview', '/ops/operations/preview'],
  // See https://google.aip.dev/136: clients that encode a whole segment also encode its colon.
  ['/licenses/x%3Aexpire', '/licenses/x/expire'],
  ['/licenses/a%3ab%3aexpire', '/licenses/a%3ab/expire'],
  ['http://host:8080/api/licenses/x:expire?a#b', '/licenses/x/expire?a#b'],
  ['http://host:8080', '/'],
])('%s is routed as %s', (asked, routed) => {
  expect(routedUrl(asked)).toBe(routed);
});

test.each([
  // Here the word after the colon is an action of another resource or no action at all, or the ID is missing.
  ['/licenses/x:accept', '/licenses/x%3Aaccept'],
  ['/operations/a:b', '/operations/a%3Ab'],
  ['/operations/x:expire', '/operations/x%3Aexpire'],
  ['/licenses/:expire', '/licenses/%3Aexpire'],
  ['/licenses/x/:expire', '/licenses/x/%3Aexpire'],
  ['/licenses/%3Aexpire', '/licenses/%3Aexpire'],
  ['/licenses/x:expire/', '/licenses/x%3Aexpire/'],
  ['/licenses/x:expire/actions', '/licenses/x%3Aexpire/actions'],
  ['/apilicenses', '/apilicenses'],
  ['/api', '/api'],
  ['', '/'],
])('%s is no action', (asked, routed) => {
  expect(routedUrl(asked)).toBe(routed);
});

test('whatever the id, an action keeps it, and nothing else becomes one', () => {
  const id = fc.string({ unit: 'binary', minLength: 1 }).filter((text) => text.isWellFormed());
  fc.assert(
    fc.property(id, fc.constantFrom('', '/api'), (raw, prefix) => {
      const encoded = encodeURIComponent(raw);
      expect(routedUrl(`${prefix}/licenses/${encoded}:expire`)).toBe(`/licenses/${encoded}/expire`);
      expect(routedUrl(`${prefix}/licenses/${encoded}`)).not.toContain(':');
    }),
  );
});

test('a path that is not an action comes out meaning the same', () => {
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true }), (url) => {
      const routed = routedUrl(url);
      const asked = new URL(url);
      // Excludes addresses that `URL` itself would change: those with an empty query, or with `.` or `..`.
      fc.pre(!url.endsWith('?') && !/\/(\.|%2e){1,2}(?=[/?]|$)/iu.test(url));
      fc.pre(!asked.pathname.startsWith('/api/'));
      expect(decodeURIComponent(routed)).toBe(decodeURIComponent(asked.pathname + asked.search));
    }),
  );
});

test('answers stay where the caller came in', () => {
  expect(['/api/x', '/x', 'http://h/api/x?y', '/apis'].map(apiPrefixOf)).toEqual([
    '/api',
    '',
    '/api',
    '',
  ]);
  expect(pathOf('http://h/api/x:y?z#w')).toBe('/api/x:y');
});

test('a route has the name by which callers know it', () => {
  expect(
    [
      '/licenses',
      '/licenses/:contractId/expire',
      '/ops/operations/preview',
      '/webhooks/:id/deliveries/:deliveryId/redeliver',
      '/licenses/:contractId/actions',
    ].map(namedRoute),
  ).toEqual([
    '/licenses',
    '/licenses/{contractId}/expire',
    '/ops/operations/preview',
    '/webhooks/{id}/deliveries/{deliveryId}/redeliver',
    '/licenses/{contractId}/actions',
  ]);
});
