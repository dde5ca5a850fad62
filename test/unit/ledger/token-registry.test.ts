import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RegistryError } from '../../../src/app/ports/registry.ts';
import { createOutgoingHttp } from '../../../src/auth/outgoing-fetch.ts';
import type { ContractId } from '../../../src/domain/ids.ts';
import { trusted } from '../../../src/domain/ids.ts';
import { LEDGER_LIMITS } from '../../../src/ledger/limits.ts';
import { createTokenRegistry } from '../../../src/ledger/token-registry.ts';

/* Answers of the registry over HTTP that are complete, unusual, or missing. */

const ALLOCATION = trusted<ContractId>(`00${'ab'.repeat(68)}`);
const RULES = `00${'cd'.repeat(68)}`;
const ROUND = `00${'ef'.repeat(68)}`;
const PACKAGE = '3'.repeat(64);
const http = createOutgoingHttp({ timeoutMs: 2_000 });
const io = () => ({ signal: new AbortController().signal, deadlineMs: 1_000 });

interface Seen {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly authorization: string | undefined;
}

let server: Server;
let baseUri = '';
let answer: { readonly status: number; readonly body: string } | 'hang';
let seen: Seen[] = [];

async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url: path = '', headers } = request;
  const body = await text(request);
  seen.push({ method, path, body, authorization: headers.authorization });
  if (answer !== 'hang') response.writeHead(answer.status).end(answer.body);
}

beforeAll(async () => {
  server = createServer((request, response) => void reply(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  baseUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await http.close();
});

let nowMs = 0;
const open = () =>
  createTokenRegistry({ baseUri, fetch: http.fetch, wallClock: { nowMs: () => nowMs } });

async function refusal(asked: Promise<unknown>): Promise<RegistryError> {
  const error = await asked.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof RegistryError) return error;
  throw new Error('the registry has answered', { cause: error });
}

test('tells who issues the token, and is not asked again for a while', async () => {
  answer = { status: 200, body: JSON.stringify({ adminId: 'DSO::1220ee', supportedApis: {} }) };
  const registry = open();
  seen = [];
  expect(await registry.instrumentAdmin(io())).toBe('DSO::1220ee');
  expect(await registry.instrumentAdmin(io())).toBe('DSO::1220ee');
  expect(seen).toEqual([
    { method: 'GET', path: '/registry/metadata/v1/info', body: '', authorization: undefined },
  ]);
  nowMs += LEDGER_LIMITS.instrumentAdminMaxAgeMs;
  await registry.instrumentAdmin(io());
  expect(seen).toHaveLength(2);
});

test('gives what a settlement needs, unknown entries included, with every digit', async () => {
  answer = {
    status: 200,
    body: `{"choiceContextData": {"values": {
      "amulet-rules": {"tag": "AV_ContractId", "value": "${'00'.repeat(33)}"},
      "fee": {"tag": "AV_Decimal", "value": 9007199254740993.0000000001},
      "count": {"tag": "AV_Int", "value": 3},
      "age": {"tag": "AV_RelTime", "value": 600000000},
      "ages": {"tag": "AV_List", "value": [{"tag": "AV_RelTime", "value": {"microseconds": "1"}}]}
    }}, "disclosedContracts": [
      {"templateId": "${PACKAGE}:Splice.AmuletRules:AmuletRules", "contractId": "${RULES}",
       "createdEventBlob": "AQID", "synchronizerId": "global::1220", "debugPayload": {}},
      {"templateId": "${PACKAGE}:Splice.Round:OpenMiningRound", "contractId": "${ROUND}",
       "createdEventBlob": "BAUG"}
    ]}`,
  };
  seen = [];
  expect(await open().settlementContext(ALLOCATION, io())).toEqual({
    values: {
      // If an entry differs from its disclosed contract, the ledger uses the contract.
      'amulet-rules': { tag: 'AV_ContractId', value: RULES },
      fee: { tag: 'AV_Decimal', value: '9007199254740993.0000000001' },
      count: { tag: 'AV_Int', value: '3' },
      age: { tag: 'AV_RelTime', value: { microseconds: '600000000' } },
      ages: { tag: 'AV_List', value: [{ tag: 'AV_RelTime', value: { microseconds: '1' } }] },
      'open-round': { tag: 'AV_ContractId', value: ROUND },
    },
    disclosed: [
      {
        templateId: `${PACKAGE}:Splice.AmuletRules:AmuletRules`,
        contractId: RULES,
        createdEventBlob: 'AQID',
        synchronizerId: 'global::1220',
      },
      {
        templateId: `${PACKAGE}:Splice.Round:OpenMiningRound`,
        contractId: ROUND,
        createdEventBlob: 'BAUG',
        synchronizerId: '',
      },
    ],
  });
  expect(seen).toEqual([
    {
      method: 'POST',
      path: `/registry/allocations/v1/${ALLOCATION}/choice-contexts/execute-transfer`,
      body: '{"meta":{}}',
      authorization: undefined,
    },
  ]);
});

test.each([
  [404, '{"error": "no allocation"}', 'not-found'],
  [400, '{"error": "no"}', 'refused'],
  [403, '', 'refused'],
  [409, '{"error": "later"}', 'unavailable'],
  [429, '', 'unavailable'],
  [500, '<html>', 'unavailable'],
  [503, '', 'unavailable'],
  [200, '<html>', 'unavailable'],
  [200, '[]', 'unavailable'],
  [200, '{"disclosedContracts": [{"templateId": "x", "contractId": "y"}]}', 'unavailable'],
  [302, '', 'unavailable'],
] as const)('an answer of %i %s is %s', async (status, body, kind) => {
  answer = { status, body };
  const error = await refusal(open().settlementContext(ALLOCATION, io()));
  expect(error.kind).toBe(kind);
  const said = /"error": "([^"]*)"/u.exec(body)?.[1] ?? '';
  expect(error.message).toContain(said);
});

test('a registry that hangs, and one that is not there, are unavailable', async () => {
  answer = 'hang';
  const asked = open().settlementContext(ALLOCATION, { ...io(), deadlineMs: 100 });
  expect((await refusal(asked)).kind).toBe('unavailable');
  const nobody = createTokenRegistry({
    baseUri: 'http://127.0.0.1:1',
    fetch: http.fetch,
    wallClock: { nowMs: () => 0 },
  });
  expect((await refusal(nobody.instrumentAdmin(io()))).kind).toBe('unavailable');
});

test('while it hangs one caller at a time waits for it, and its first answer serves all again', async () => {
  answer = 'hang';
  const registry = open();
  const bounded = { ...io(), deadlineMs: 200 };
  await refusal(registry.settlementContext(ALLOCATION, bounded));
  seen = [];
  const probe = refusal(registry.settlementContext(ALLOCATION, bounded));
  const others = await Promise.all(
    [1, 2, 3].map(() => refusal(registry.settlementContext(ALLOCATION, bounded))),
  );
  expect(new Set(others.map(({ kind }) => kind))).toEqual(new Set(['unavailable']));
  await probe;
  expect(seen).toHaveLength(1);
  answer = { status: 200, body: '{}' };
  const nothing = { values: {}, disclosed: [] };
  expect(await registry.settlementContext(ALLOCATION, io())).toEqual(nothing);
  const all = [1, 2, 3].map(() => registry.settlementContext(ALLOCATION, io()));
  expect(await Promise.all(all)).toEqual([nothing, nothing, nothing]);
});

test('something else at its address is a registry that is not there: renewals wait for it', async () => {
  answer = { status: 404, body: '<html>not here</html>' };
  expect((await refusal(open().instrumentAdmin(io()))).kind).toBe('unavailable');
});
