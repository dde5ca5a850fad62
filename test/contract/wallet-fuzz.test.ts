import {
  array,
  assert,
  asyncProperty,
  constantFrom,
  dictionary,
  jsonValue,
  oneof,
  record,
  string,
} from 'fast-check';
import { expect, test } from 'vitest';
import { forFile } from '../kit/for-file.ts';
import { http } from './kit/http.ts';
import { USER_ADMIN } from './kit/identities.ts';
import { openNetwork } from './kit/network.ts';

const network = await forFile(openNetwork());

const RUNS = 250;

const ROUTES = [
  '/api/validator/v0/wallet/tap',
  '/api/validator/v0/allocations',
  '/api/validator/v0/allocations/{cid}/withdraw',
  '/api/validator/v0/wallet/token-standard/allocation-requests/{cid}/reject',
  '/api/validator/v0/admin/users',
  '/registry/allocation-instruction/v1/allocation-factory',
  '/registry/allocations/v1/{cid}/choice-contexts/execute-transfer',
  '/registry/allocations/v1/{cid}/choice-contexts/cancel',
] as const;

const text = string({ unit: 'binary', maxLength: 40 });
const oddities = constantFrom<unknown>(
  '',
  '0',
  '-1',
  '1e9',
  '\0',
  '00',
  2 ** 53,
  -1,
  0.5,
  null,
  '9'.repeat(40),
);
const anything = oneof(jsonValue({ maxDepth: 2 }), oddities, text);
/** Generates allocations with the right structure, so that the values in them are checked as well. */
const allocation = record(
  {
    settlement: record(
      {
        executor: oneof(anything, constantFrom('a::b')),
        settlement_ref: oneof(record({ id: text, cid: anything }, { requiredKeys: [] }), anything),
        requested_at: oneof(anything, constantFrom(0, '1')),
        allocate_before: oneof(anything, constantFrom(1, '2')),
        settle_before: oneof(anything, constantFrom(2, '3')),
        meta: oneof(dictionary(text, text), anything),
      },
      { requiredKeys: [] },
    ),
    transfer_leg_id: oneof(text, anything),
    transfer_leg: record(
      {
        receiver: oneof(anything, constantFrom('a::b')),
        amount: oneof(anything, constantFrom('1')),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);
const small = record(
  {
    amount: anything,
    command_id: anything,
    name: anything,
    party_id: anything,
    meta: anything,
    choiceArguments: anything,
  },
  { requiredKeys: [] },
);
const body = oneof(allocation, small, anything, array(anything, { maxLength: 3 }));

test('no body makes a server fail, and every refusal says why', async () => {
  const { urls } = network.localnet;
  const property = asyncProperty(constantFrom(...ROUTES), text, body, async (route, cid, sent) => {
    const base = route.startsWith('/registry')
      ? urls.registry
      : urls.participants['app-user'].validator;
    const url = `${base}${route.replace('{cid}', encodeURIComponent(cid) || 'x')}`;
    const { status, json } = await http(network, url, {
      as: USER_ADMIN,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(sent),
    });
    if (status === 200) return;
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(json).toMatchObject({ error: expect.stringMatching(/\S/) });
  });
  await assert(property, { numRuns: RUNS });
});
