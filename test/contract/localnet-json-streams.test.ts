import { afterEach, describe, expect, test } from 'vitest';
import { forFile } from '../kit/for-file.ts';
import { Control } from './kit/faults.ts';
import { PROVIDER_BACKEND, STRANGER, USER_PERSON } from './kit/identities.ts';
import { jsonApiOf } from './kit/json-api.ts';
import { openNetwork } from './kit/network.ts';
import { converse } from './kit/web-socket.ts';
import type { SocketRequest } from './kit/web-socket.ts';

const network = await forFile(openNetwork());
const control = new Control(network);
afterEach(() => control.clear());
const { base, created, filtersByParty, ledgerEnd } = jsonApiOf(network);

const UPDATES = '/v2/updates';
const talk = (request: SocketRequest, path = UPDATES) =>
  converse(network, `${base}${path}`, { as: USER_PERSON, ...request });

/** Follows the ledger from its end. Calls `act` after the first message, and waits until both are done. */
async function follow(act: () => Promise<unknown>) {
  const request = { beginExclusive: await ledgerEnd(), filter: { filtersByParty } };
  const acting = Promise.withResolvers<unknown>();
  const said = await talk({ request, onMessage: () => acting.resolve(act()) });
  await acting.promise;
  return said;
}

describe('a WebSocket of the JSON API', () => {
  test('is closed once everything has been said', async () => {
    const { offset } = await created();
    const request = {
      beginExclusive: offset - 1,
      endInclusive: offset,
      filter: { filtersByParty },
    };
    const { messages, code, protocol } = await talk({ request });
    expect([messages.length, code, protocol]).toEqual([1, 1005, 'daml.ws.auth']);
  });

  test('takes the token as a header too', async () => {
    const { offset } = await created();
    const authorization = `Bearer ${await network.tokens.of(USER_PERSON)}`;
    const request = { beginExclusive: offset, endInclusive: offset, filter: { filtersByParty } };
    const { messages, code } = await converse(network, `${base}${UPDATES}`, {
      headers: { authorization },
      request,
    });
    expect([messages, code]).toEqual([[], 1005]);
  });

  test.each([
    ['no token', {}, 401],
    ["a token of another participant's realm", { as: PROVIDER_BACKEND }, 401],
    ['a user that is unknown here', { as: STRANGER }, 403],
  ])('%s is refused before it opens', async (_what, request, status) => {
    await expect(converse(network, `${base}${UPDATES}`, request)).rejects.toMatchObject({
      status,
      body: expect.stringContaining('"ledger_api_error":"invalid token"'),
    });
  });

  test('a path without one is unknown, and a request that asks for none is told so', async () => {
    await expect(talk({}, '/v2/nothing')).rejects.toMatchObject({ status: 404 });
    const answer = await fetch(`${base}${UPDATES}`, {
      headers: { authorization: `Bearer ${await network.tokens.of(USER_PERSON)}` },
    });
    expect([answer.status, await answer.text()]).toEqual([
      400,
      'Expected WebSocket Upgrade request',
    ]);
  });

  test.each<[string, unknown, object]>([
    ['half of JSON', '{', { code: 'LEDGER_API_INTERNAL_ERROR', cause: /exhausted input/ }],
    ['a list', [], { code: 'LEDGER_API_INTERNAL_ERROR', cause: /expecting object/ }],
    ['nothing to filter by', {}, { code: 'INVALID_ARGUMENT', cause: /update_format is required/ }],
    [
      "another's party",
      { beginExclusive: 0, filter: { filtersByParty: { [network.localnet.parties.dso]: {} } } },
      { code: 'NA', grpcCodeValue: 7 },
    ],
  ])('%s is told as the last message', async (_what, request, told) => {
    const { messages, code } = await talk({ request });
    const matching = Object.entries(told).map(([key, value]) => [
      key,
      value instanceof RegExp ? expect.stringMatching(value) : value,
    ]);
    expect([messages, code]).toEqual([
      [expect.objectContaining(Object.fromEntries(matching))],
      1005,
    ]);
  });
});

describe('an open WebSocket is lost', () => {
  test('when its participant restarts', async () => {
    const { code } = await follow(() =>
      control.fault({ kind: 'restart', downMs: 0, where: { participant: 'app-user' } }),
    );
    expect(code).toBe(1006);
  });

  test('when its JSON API is away, and none opens until it is back', async () => {
    const { code } = await follow(() => control.fault({ kind: 'away', surface: 'json' }));
    expect(code).toBe(1006);
    await expect(talk({})).rejects.toMatchObject({ status: 503 });
  });

  test('at a reset of the network', async () => {
    const { networkId } = (await control.ask('/ledger')).json as { networkId: string };
    const { code } = await follow(() => control.ask('/reset', { body: { networkId } }));
    expect(code).toBe(1006);
  });
});
