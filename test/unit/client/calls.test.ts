import { describe, expect, test } from 'vitest';
import { createClient, memoryStore, NoAnswerError, ProblemError } from '../../../client/index.ts';
import type { ClientOptions } from '../../../client/index.ts';
import { retryAfterS } from '../../../client/problem.ts';
import type { Answer, Script } from './scripted-api.ts';
import { problemBody, startScripted } from './scripted-api.ts';

/* Calls of the client to a server that fails in all ways in which a server or a network may fail. */

const RENEW = '/licenses/{contractId}/renew';
const ASKED = { path: { contractId: 'a/b' }, body: { licenseFeeAmount: 1 } as never };

/** Returns a script that gives the answers in this order, and the last one to all further requests. */
const inOrder = (...answers: readonly (Answer | 'lost')[]): Script => {
  let next = 0;
  return () => answers[Math.min(next++, answers.length - 1)]!;
};

async function api(script: Script, options: Partial<ClientOptions> = {}) {
  const server = await startScripted(script);
  const client = createClient({ url: `${server.url}/`, events: false, ...options });
  return {
    client,
    arrived: server.arrived,
    commandIds: () => server.arrived.map(({ url }) => url.searchParams.get('commandId')),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const errorOf = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => null,
    (error: unknown) => error,
  );

describe('a command', () => {
  test('is repeated under one command ID after a lost answer, a 503 and the page of a proxy', async () => {
    const page = { status: 502, headers: { 'content-type': 'text/html' }, body: '<html>' };
    const away = { status: 503, body: problemBody('OVERLOADED') };
    const done = { status: 201, headers: { 'idempotent-replayed': 'true' } };
    await using world = await api(inOrder('lost', away, page, done));
    const ended = await world.client.command(RENEW, ASKED);
    expect(ended).toMatchObject({ status: 201, data: null, isRepeat: true });
    expect(world.commandIds()).toEqual(Array.from({ length: 4 }, () => ended.commandId));
    expect(world.arrived.map(({ url, body }) => [url.pathname, body])).toEqual(
      Array.from({ length: 4 }, () => ['/licenses/a%2Fb/renew', '{"licenseFeeAmount":1}']),
    );
  });

  test('waits for as long as Retry-After says', async () => {
    const limited = {
      status: 429,
      headers: { 'retry-after': '1' },
      body: problemBody('RATE_LIMITED'),
    };
    await using world = await api(inOrder(limited, { status: 201 }));
    const began = performance.now();
    await world.client.command(RENEW, ASKED);
    expect(performance.now() - began).toBeGreaterThan(990);
    expect(new Set(world.commandIds()).size).toBe(1);
  });

  test('ends with the problem if the server asks for more patience than there is', async () => {
    const limited = {
      status: 429,
      headers: { 'retry-after': '60' },
      body: problemBody('QUOTA_EXCEEDED'),
    };
    await using world = await api(inOrder(limited), { patienceMs: 5_000 });
    const error = await errorOf(world.client.command(RENEW, ASKED));
    expect(error).toMatchObject({ code: 'QUOTA_EXCEEDED', retryAfterS: 60, isFinal: false });
    expect(world.arrived).toHaveLength(1);
  });

  test('ends with a replayed failure at once, whatever its status', async () => {
    const replayed = problemBody('INTERNAL', { replayed: true, operationId: 'o-1' });
    await using world = await api(inOrder({ status: 500, body: replayed }));
    const error = await errorOf(world.client.command(RENEW, ASKED));
    expect(error).toBeInstanceOf(ProblemError);
    expect(error).toMatchObject({ isRepeat: true, isPassing: false, isFinal: true });
    expect(world.arrived).toHaveLength(1);
  });

  test('is followed by polling to its end, which is a problem if it failed', async () => {
    const operation = { commandId: 'c', state: 'queued', attempts: [] };
    const error = problemBody('LEDGER_REFUSED', { status: 409, ledgerCode: 'DAML_FAILURE' });
    const looks = inOrder({ body: operation }, { body: { ...operation, state: 'failed', error } });
    await using world = await api((arrived, response) =>
      arrived.method === 'POST' ? { status: 202, body: operation } : looks(arrived, response),
    );
    const seen: string[] = [];
    const onLook = ({ state }: { readonly state: string }) => void seen.push(state);
    const failed = await errorOf(world.client.command(RENEW, { ...ASKED, commandId: 'c', onLook }));
    expect(failed).toMatchObject({ code: 'LEDGER_REFUSED', status: 409, message: error.detail });
    expect(seen).toEqual(['queued', 'failed']);
    expect(world.arrived.map(({ method }) => method)).toEqual(['POST', 'GET', 'GET']);
  });

  test('that is aborted ends with the reason and is not sent again', async () => {
    const stopping = new AbortController();
    await using world = await api(() => {
      stopping.abort(new Error('closed by the person'));
      return 'lost';
    });
    const { signal } = stopping;
    const error = await errorOf(world.client.command(RENEW, { ...ASKED, signal }));
    expect(error).toMatchObject({ message: 'closed by the person' });
    expect(world.arrived).toHaveLength(1);
  });
});

describe('a command with a name', () => {
  const named = { ...ASKED, name: 'renew a/b' };

  test('keeps its command ID until its end is known, over clients with the same store', async () => {
    const store = memoryStore();
    const answers: (Answer | 'lost')[] = ['lost', { status: 201 }, { status: 201 }];
    await using world = await api(() => answers.shift()!, { store, patienceMs: 0 });
    expect(await errorOf(world.client.command(RENEW, named))).toBeInstanceOf(NoAnswerError);
    expect(await world.client.pending()).toEqual(['renew a/b']);
    const { url } = { url: `http://${world.arrived[0]!.headers.host}` };
    const reloaded = createClient({ url, store, events: false });
    expect((await reloaded.resume('renew a/b')).status).toBe(201);
    expect(await reloaded.pending()).toEqual([]);
    await reloaded.command(RENEW, named);
    const [first, second, third] = world.commandIds();
    expect(second).toBe(first);
    expect(third).not.toBe(first);
    expect(world.arrived[1]!.body).toBe(world.arrived[0]!.body);
  });

  test('is one command however often it is called, and never another one', async () => {
    await using world = await api(inOrder({ status: 201 }));
    const other = { ...named, body: { licenseFeeAmount: 2 } as never };
    const calls = [named, named, other].map((asked) => errorOf(world.client.command(RENEW, asked)));
    const [first, second, third] = await Promise.all(calls);
    expect([first, second, world.arrived.length]).toEqual([null, null, 1]);
    expect(third).toMatchObject({ message: expect.stringMatching(/another command is kept/u) });
  });

  test.each([
    [409, problemBody('STEP_NOT_ALLOWED'), false],
    [401, problemBody('UNAUTHENTICATED'), true],
    // The answer of a proxy does not show the result of an earlier request.
    [404, '<html>', true],
  ])('stays kept after a %i: %j, %s', async (status, body, isKept) => {
    await using world = await api(inOrder({ status, body }));
    await errorOf(world.client.command(RENEW, named));
    expect(await world.client.pending()).toEqual(isKept ? ['renew a/b'] : []);
  });

  test('is looked for, and not sent, when it is older than a day', async () => {
    const store = memoryStore();
    const madeAtMs = Date.now() - 25 * 60 * 60_000;
    await store.set('old', { commandId: 'old-1', path: '/app-install-requests', madeAtMs });
    const unknown = { status: 404, body: problemBody('OPERATION_NOT_FOUND') };
    await using world = await api(inOrder(unknown), { store });
    const error = await errorOf(world.client.resume('old'));
    expect(error).toMatchObject({ code: 'OPERATION_NOT_FOUND' });
    expect(world.arrived.map(({ method }) => method)).toEqual(['GET']);
    expect(await world.client.pending()).toEqual([]);
  });
});

describe('a change without a command ID', () => {
  test('is sent once if its answer is lost', async () => {
    await using world = await api(inOrder('lost'));
    const error = await errorOf(
      world.client.write('delete', '/webhooks/{id}', { path: { id: '1' } }),
    );
    expect(error).toBeInstanceOf(NoAnswerError);
    expect(world.arrived).toHaveLength(1);
  });

  test('is sent again after a 429, which has done nothing', async () => {
    const limited = { status: 429, headers: { 'retry-after': '0' } };
    await using world = await api(inOrder(limited, { status: 204 }));
    const { status } = await world.client.write('delete', '/webhooks/{id}', { path: { id: '1' } });
    expect([status, world.arrived.length]).toEqual([204, 2]);
  });
});

describe('a read', () => {
  test('follows Link over all pages, at the address that the client has', async () => {
    const link = (cursor: string) => ({
      link: `<http://inside:8080/api/licenses?limit=2&cursor=${cursor}>; rel="next"`,
    });
    const answers = inOrder(
      { headers: link('two'), body: [{ licenseNum: 1 }, { licenseNum: 2 }] },
      { headers: link('three'), body: [] },
      { body: [{ licenseNum: 3 }] },
    );
    await using world = await api(answers);
    const numbers: number[] = [];
    for await (const { licenseNum } of world.client.list('/licenses', { query: { limit: 2 } })) {
      numbers.push(licenseNum);
    }
    expect(numbers).toEqual([1, 2, 3]);
    expect(world.arrived.map(({ url }) => `${url.pathname}${url.search}`)).toEqual([
      '/licenses?limit=2',
      '/licenses?limit=2&cursor=two',
      '/licenses?limit=2&cursor=three',
    ]);
  });

  test('ends a list whose page leads to itself', async () => {
    const headers = { link: '</licenses?limit=200>; rel="next"' };
    await using world = await api(inOrder({ headers, body: [] }));
    const list = world.client.list('/licenses');
    expect(await errorOf(list.next())).toMatchObject({ message: '/licenses has no end' });
    expect(world.arrived).toHaveLength(1);
  });

  test('takes a new token after a 401, once', async () => {
    const tokens = ['old', 'new'];
    const token = () => (tokens.length > 1 ? tokens.shift()! : tokens[0]!);
    await using world = await api(
      ({ headers }) => (headers.authorization === 'Bearer new' ? { body: {} } : { status: 401 }),
      { token },
    );
    expect((await world.client.get('/user')).status).toBe(200);
    expect(world.arrived).toHaveLength(2);
  });

  test('sends the headers of the page and of the call, and answers with ETag', async () => {
    await using world = await api(inOrder({ headers: { etag: '"4"' }, body: {} }), {
      headers: (method) => ({ 'x-xsrf-token': `t-${method}` }),
    });
    const { headers } = await world.client.get('/user', { headers: { 'if-none-match': '"3"' } });
    expect(headers.get('etag')).toBe('"4"');
    expect(world.arrived[0]!.headers).toMatchObject({
      'x-xsrf-token': 't-GET',
      'if-none-match': '"3"',
    });
  });
});

test.each(['', '.', '..'])(
  'a path parameter %j, which would lead elsewhere, is not sent',
  async (id) => {
    await using server = await api(() => ({ status: 200 }));
    const asked = server.client.get('/licenses/{contractId}', { path: { contractId: id } });
    await expect(asked).rejects.toThrow(TypeError);
    expect(server.arrived).toEqual([]);
  },
);

test('Retry-After is a number of seconds or a date', () => {
  const at = (text: string) => retryAfterS(new Headers({ 'retry-after': text }), Date.UTC(2026, 0));
  expect(['7', 'Thu, 01 Jan 2026 00:01:00 GMT', 'Wed, 31 Dec 2025 00:00:00 GMT', 'soon'].map(at)) //
    .toEqual([7, 60, 0, null]);
});
