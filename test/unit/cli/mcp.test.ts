import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ApiDocument } from '../../../cli/mcp/document.ts';
import { SECRET_ACTS, operationsOf } from '../../../cli/mcp/document.ts';

/* The tools that the API's document becomes. */

const document = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as ApiDocument;
const ALL = ['read', 'write', 'policy', 'operate', 'admin'];
const operations = operationsOf(document, { permissions: ALL, allowActs: true });

test('each act that the API lets confirm has its preview', () => {
  const previews = operations.flatMap(({ tool, preview }) =>
    preview === undefined ? [] : [[tool.name, preview.path, preview.place] as const],
  );
  expect(previews).toEqual([
    ['actOnLicenses', '/licenses/preview-bulk', 'member'],
    ['decideOpsOperation', '/ops/operations/{id}/preview-decide', 'member'],
    ['applyOpsOperations', '/ops/operations/preview', 'body'],
    ['giveUpSynchronizer', '/ops/synchronizers/preview-give-up', 'member'],
    ['setExpiryPolicy', '/policies/expiry/preview', 'member'],
    ['setRenewalPolicy', '/policies/renewal/preview', 'member'],
    ['deleteTenantRegistration', '/admin/tenant-registrations/{tenantId}/preview-delete', 'query'],
  ]);
  const confirmed = Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .filter(({ deprecated }) => deprecated !== true)
    .filter((described) => JSON.stringify(described).includes('The token of the preview'));
  const known = previews.map(([name]): string => name);
  for (const { operationId } of confirmed) expect(known).toContain(operationId);
});

test('a tool takes neither a command ID nor the parts of a confirmation', () => {
  for (const { tool, method } of operations) {
    if (method === 'GET') continue;
    const { properties } = tool.inputSchema as { properties: Record<string, object> };
    expect(properties).not.toHaveProperty('commandId');
    expect(properties).not.toHaveProperty('count');
    expect(properties).toHaveProperty('token');
    expect(JSON.stringify(properties['body'] ?? {})).not.toContain('The token of the preview');
  }
});

test('schemas of tools refer to nothing outside themselves', () => {
  for (const { tool } of operations) {
    const text = JSON.stringify(tool.inputSchema);
    expect(text).not.toContain('#/components');
    const { $defs = {} } = tool.inputSchema as { $defs?: object };
    for (const [, name = ''] of text.matchAll(/"#\/\$defs\/([^"]+)"/gu)) {
      expect($defs).toHaveProperty(name);
    }
  }
});

test('acts whose answer contains a secret are no tools', () => {
  const posts = Object.values(document.paths).flatMap(({ post }) =>
    post === undefined ? [] : [post],
  );
  const secret = posts.filter(({ responses }) =>
    Object.entries(document.components.schemas).some(
      ([name, { properties = {} }]) =>
        'secret' in properties && JSON.stringify(responses).includes(`schemas/${name}"`),
    ),
  );
  expect(secret.map(({ operationId }) => operationId)).toEqual(SECRET_ACTS);
  const names = operations.map(({ tool }) => tool.name);
  for (const name of SECRET_ACTS) expect(names).not.toContain(name);
});

test('a caller without a permission does not see the tools that need it', () => {
  const names = operationsOf(document, { permissions: ['read'], allowActs: true }).map(
    ({ tool, method }) => [method, tool.name],
  );
  expect(names).toContainEqual(['GET', 'listLicenses']);
  expect(names).not.toContainEqual(['GET', 'listAudit']);
  expect(names.filter(([method]) => method !== 'GET')).toEqual([['DELETE', 'endSession']]);
});
