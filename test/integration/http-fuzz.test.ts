import { NEWEST_MODEL } from '../../src/app/licensing/model.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LIFECYCLE_KINDS } from '../../src/domain/licensing.ts';
import { PROBLEMS } from '../../src/domain/problems.ts';
import { RESOURCE_PATHS } from '../../src/http/kit/address.ts';
import { PROVIDER, USER } from '../kit/http-api.ts';
import { EXPIRY_POLICY } from '../kit/http-policies.ts';
import { asOperator } from '../kit/http-ops.ts';
import { startPopulated } from '../kit/http-refusals.ts';
import { forFile } from '../kit/for-file.ts';

/* For any input, the answer is one that the OpenAPI document declares. */

const world = await forFile(startPopulated());
const tokens = await Promise.all([
  world.api.as(PROVIDER),
  world.api.as(USER),
  asOperator(world.api),
]);

const VERBS = [
  'accept',
  'reject',
  'cancel',
  'create-license',
  'expire',
  'renew',
  'complete-renewal',
  'complete',
  'withdraw',
  'decide',
  '',
];

/** Strings that may make a store, a router or a parser fail, and strings that are merely unusual. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    '.',
    '..',
    '\0',
    '\u{d800}',
    '%',
    '%00',
    '%zz',
    ':',
    '::expire',
    "'; drop table change; --",
    '__proto__',
    'constructor',
    'null',
    '-1',
    '1e309',
    '9'.repeat(40),
    'x'.repeat(300),
    '{}',
    '00',
  ),
);
const encoded = text.map((raw) => (raw.isWellFormed() ? encodeURIComponent(raw) : '%ED%A0%80'));
const id = fc.oneof(
  encoded,
  text.map((raw) => raw.replaceAll(/[^\x21-\x7e]|[?#]/gu, '')),
  // Placeholders for contracts that exist in the test's world.
  fc.constantFrom('{install}', '{license}', '{open}'),
);

const path = fc
  .record({
    prefix: fc.constantFrom('', '/api', '/api/api', '//'),
    resource: fc.constantFrom(
      ...LIFECYCLE_KINDS.map((kind) => RESOURCE_PATHS[kind]),
      'operations',
      'contracts',
      'admin/tenant-registrations',
      'ops/operations',
      'ops/in-doubt',
      'ops/timers',
      'policies/expiry',
      'policies/renewal',
      'docs',
      'nowhere',
    ),
    id: fc.option(id),
    tail: fc.constantFrom(
      '',
      '/',
      '/actions',
      '/history',
      '/expire',
      '/comments',
      '/exercise',
      ...VERBS.map((verb) => `:${verb}`),
    ),
  })
  .map(({ prefix, resource, id, tail }) =>
    id === null ? `${prefix}/${resource}` : `${prefix}/${resource}/${id}${tail}`,
  );

const query = fc
  .array(
    fc.tuple(
      fc.constantFrom(
        'commandId',
        'limit',
        'cursor',
        'user',
        'provider',
        'state',
        'expiresAfter',
        'expiresBefore',
        'party',
        'other',
      ),
      fc.oneof(
        encoded,
        fc.constantFrom(
          '1',
          '1000',
          'active',
          'a%3A%3Ab',
          '2030-01-01T00:00:00Z',
          'c-1',
          'WyJhOjpiIiwiMSIsIngiXQ',
        ),
      ),
    ),
    { maxLength: 4 },
  )
  .map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join('&'));

const duration = fc.oneof(
  text,
  fc.constantFrom('P30D', 'PT10M', 'PT20M', 'P1Y', 'P-1D', 'PT0.0000001S', 'P99999999999D', 'PT'),
);
const fee = fc.oneof(
  fc.double(),
  text,
  fc.constantFrom(
    '1',
    '0.0000000001',
    '1e-11',
    '1e999',
    '-1',
    '.5',
    '1.',
    ' 1',
    '0x10',
    'Infinity',
  ),
);
/** Choices of all contracts: most do not belong to the contract that is called. */
const choice = fc.oneof(
  fc.constantFrom(
    ...NEWEST_MODEL.operations.map(({ command }) =>
      command.kind === 'choice' ? command.name : 'Archive',
    ),
  ),
  text,
);
const argument = fc.oneof(
  fc.record(
    {
      actor: fc.oneof(fc.constantFrom(PROVIDER, USER), fc.jsonValue()),
      meta: fc.oneof(fc.record({ values: fc.dictionary(text, text) }), fc.jsonValue()),
      installMeta: fc.oneof(fc.constant({ values: {} }), fc.jsonValue()),
      params: fc.oneof(fc.constant({}), fc.jsonValue()),
      licenseFeeAmount: fc.oneof(fee.map(String), fc.jsonValue()),
      licenseExtensionDuration: fc.oneof(fc.constant({ microseconds: '1' }), fc.jsonValue()),
      prepareUntil: fc.oneof(fc.constant('2099-01-01T00:00:00Z'), text),
      settleBefore: fc.oneof(fc.constant('2099-01-02T00:00:00Z'), text),
      requestedAt: text,
      description: text,
    },
    { requiredKeys: [] },
  ),
  fc.jsonValue(),
);
const metadata = fc.dictionary(text, fc.oneof(text, fc.double(), fc.boolean(), fc.jsonValue()));
const body = fc.oneof(
  fc
    .record(
      {
        meta: fc.oneof(fc.record({ data: metadata }), fc.jsonValue()),
        installMeta: fc.oneof(fc.record({ data: metadata }), fc.constant({})),
        params: fc.oneof(fc.record({ meta: fc.record({ data: metadata }) }), fc.constant({})),
        provider: fc.oneof(text, fc.constant(PROVIDER)),
        licenseFeeCc: fc.oneof(fee, fc.jsonValue()),
        licenseExtensionDuration: duration,
        prepareUntilDuration: duration,
        settleBeforeDuration: duration,
        description: text,
        allowConcurrent: fc.boolean(),
        renewalRequestContractId: id,
        allocationContractId: id,
      },
      { requiredKeys: [] },
    )
    .map((value) => JSON.stringify(value)),
  fc.json(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', 'null', '{', '{"meta": {"data": {"__proto__": 1}}}', '[[[[['),
);

/** A header's value, limited to the characters that Node's own client sends. */
const header = text.map((raw) => raw.replaceAll(/[^\x20-\x7e]/gu, ''));

const request = fc.record({
  method: fc.constantFrom('GET', 'POST', 'POST', 'POST', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'),
  path,
  query,
  body: fc.option(body),
  caller: fc.nat({ max: 1 }),
  headers: fc.record(
    {
      'content-type': fc.oneof(
        { weight: 8, arbitrary: fc.constant('application/json') },
        { weight: 1, arbitrary: header },
      ),
      'if-match': fc.oneof(header, fc.constantFrom('"1"', '*')),
      accept: fc.oneof(header, fc.constantFrom('*/*', 'text/plain')),
      'idempotency-key': header,
      traceparent: header,
      'content-encoding': fc.oneof(header, fc.constant('identity')),
    },
    { requiredKeys: [] },
  ),
});

/** Names of tenants. The tenant to which the user's token belongs is never among them. */
const name = fc.oneof(fc.constantFrom('a', 'b', 'AppProvider', ' '), text);
/** Web addresses. None of them is the address of an issuer. */
const webAddress = fc.oneof(
  fc.webUrl().map((url) => url.replace(/:\/\/[^/?#]*/u, '://127.0.0.1:1')),
  text.map((raw) => `http://${raw}`),
  fc.constantFrom(
    'http://169.254.169.254/latest',
    'http://[::1]:1/',
    'https://localhost.:1',
    'http://user:secret@127.0.0.1:1',
    'http://127.0.0.1:1/#fragment',
    'http://0:1',
    'http://2130706433:1/',
    'http://[::ffff:127.0.0.1]:1',
    'file:///etc/passwd',
    '//127.0.0.1:1',
  ),
);

/** Valid calls with random values in some places. */
const nearlyRight = fc
  .record({
    route: fc.constantFrom(
      'POST /app-install-requests',
      'POST /app-install-requests/{open}:accept',
      'POST /app-install-requests/{open}:reject',
      'POST /app-install-requests/{open}:cancel',
      'POST /api/app-installs/{install}:create-license',
      'POST /app-installs/{install}:create-license',
      'POST /licenses/{license}:expire',
      'POST /api/licenses/{license}/expire',
      'POST /licenses/{license}:renew',
      'POST /licenses/{license}:complete-renewal',
      'POST /license-renewal-requests/{license}:withdraw',
      'POST /licenses/{license}/comments',
      'GET /licenses/{license}/comments',
      'GET /contracts/{license}',
      'POST /contracts/{license}/exercise',
      'POST /api/contracts/{install}/exercise',
      'POST /contracts/{open}/exercise',
      'GET /licenses/{license}',
      'GET /licenses/{license}/actions',
      'GET /app-installs/{install}/history',
      'GET /licenses',
      'GET /operations',
      'GET /admin/tenant-registrations',
      'GET /policies/expiry/preview',
      'POST /admin/tenant-registrations',
      'DELETE /admin/tenant-registrations/{name}',
    ),
    tenant: fc.record(
      {
        tenantId: fc.oneof(name, fc.jsonValue()),
        partyId: fc.oneof(fc.constantFrom(PROVIDER, USER, ''), fc.jsonValue()),
        walletUrl: fc.oneof(webAddress, fc.jsonValue()),
        clientId: fc.oneof(name, fc.jsonValue()),
        issuerUrl: fc.oneof(webAddress, fc.jsonValue()),
        users: fc.oneof(fc.array(text), fc.jsonValue()),
        internal: fc.jsonValue(),
      },
      { requiredKeys: ['tenantId', 'partyId'] },
    ),
    name,
    words: fc.oneof(text, fc.jsonValue()),
    choice,
    argument,
    commandId: fc.oneof(fc.uuid(), fc.constantFrom('c-1', 'accept-1'), encoded),
    data: metadata,
    fee,
    duration,
    isClean: fc.boolean(),
    caller: fc.nat({ max: 1 }),
    headers: fc.record(
      {
        'if-match': fc.oneof(fc.constantFrom('"1"', '"2"', '*'), header),
        accept: fc.constantFrom('*/*', 'text/plain', 'application/json'),
      },
      { requiredKeys: [] },
    ),
  })
  .map(
    ({
      route,
      commandId,
      data,
      fee: licenseFeeCc,
      duration: window,
      isClean,
      caller,
      headers,
      tenant,
      name,
      words,
      choice: named,
      argument: given,
    }) => {
      const [method = '', path = ''] = route.split(' ');
      const meta = isClean ? { data: { note: 'clean' } } : { data };
      return {
        method,
        path: path.replace('{name}', name.isWellFormed() ? encodeURIComponent(name) : '%ED'),
        query: `commandId=${commandId}`,
        body: JSON.stringify({
          meta,
          installMeta: meta,
          params: { meta },
          licenseFeeCc,
          licenseExtensionDuration: window,
          prepareUntilDuration: 'PT10M',
          settleBeforeDuration: window,
          description: 'fuzz',
          allowConcurrent: true,
          renewalRequestContractId: 'unknown',
          allocationContractId: 'unknown',
          body: words,
          choice: named,
          argument: given,
          ...tenant,
        }),
        caller,
        headers: { 'content-type': 'application/json', ...headers },
      };
    },
  );

const codes: ReadonlySet<unknown> = new Set(Object.keys(PROBLEMS));

/** Random calls rarely produce this case. */
const OF_ANOTHER_TYPE = {
  method: 'POST',
  path: '/app-install-requests',
  query: 'commandId=of-another-type',
  body: 'text',
  caller: 1,
  headers: { 'content-type': 'text/plain' },
};

/** Random calls rarely produce this case: the policy has no version with this number. */
const OF_AN_OLD_VERSION = {
  method: 'PUT',
  path: '/policies/expiry',
  query: '',
  body: JSON.stringify(EXPIRY_POLICY),
  caller: 0,
  headers: { 'content-type': 'application/json', 'if-match': '"1000000"' },
};

test('no request is answered with a failure of ours', async () => {
  const seen = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(request, nearlyRight),
      async ({ method, path, query, body, caller, headers }) => {
        const url = `${path.replace('{install}', world.install).replace('{license}', world.license).replace('{open}', world.open)}?${query}`;
        const reply = await world.api.app.inject({
          method: method as 'GET',
          url,
          headers: { ...headers, authorization: tokens[caller] ?? '', prefer: 'respond-async' },
          ...(body === null || method === 'GET' || method === 'HEAD' ? {} : { payload: body }),
        });
        seen.set(reply.statusCode, (seen.get(reply.statusCode) ?? 0) + 1);
        expect(reply.statusCode).toBeLessThan(500);
        expect(reply.headers['trace-id']).toMatch(/^[0-9a-f]{32}$/u);
        if (reply.statusCode < 400 || method === 'HEAD') return;
        expect(reply.headers['content-type']).toContain('application/problem+json');
        expect(codes).toContain(reply.json().code);
        expect(reply.json().status).toBe(reply.statusCode);
      },
    ),
    { numRuns: 1_500, examples: [[OF_ANOTHER_TYPE], [OF_AN_OLD_VERSION]] },
  );
  // These statuses show that random calls have passed the first check of every route.
  for (const status of [200, 202, 204, 400, 403, 404, 405, 406, 412, 415, 422]) {
    expect([...seen.keys()]).toContain(status);
  }
  expect(world.api.logged.join('')).not.toContain('"code":"INTERNAL"');
});
