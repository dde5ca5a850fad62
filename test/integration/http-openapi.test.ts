import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HTTP_LIMITS } from '../../src/http/limits.ts';
import type { Io } from '../../src/app/ports/io.ts';
import type { HttpApp } from '../../src/http/kit/request-context.ts';
import { buildServer } from '../../src/http/server.ts';
import { away, broken, failing, tooBroad } from '../kit/broken-ports.ts';
import { opsCallsOf } from '../kit/http-ops.ts';
import { endedFeed } from '../kit/event-world.ts';
import { tenantCallsOf } from '../kit/http-tenants.ts';
import { isOfLicenseActs, licenseActCallsOf } from '../kit/license-act-calls.ts';
import { subscribeTo } from '../kit/subscriptions.ts';
import { moneyCallsOf } from '../kit/http-money.ts';
import { productCallsOf } from '../kit/http-product.ts';
import { webhookCallsOf } from '../kit/http-webhooks.ts';
import { policyCallsOf } from '../kit/http-policies.ts';
import { RENEWAL, RIGHT, payable } from '../kit/http-right-bodies.ts';
import type { TestApi } from '../kit/http-api.ts';
import { IO, OTHER_USER, PROVIDER, USER, startApi } from '../kit/http-api.ts';
import { allocationFor } from '../kit/ledger-stand-in.ts';
import { asSession, isOfKeys, isOfValidation, validationCallsOf } from '../kit/http-validation.ts';
import { sharedSecretDeps } from '../kit/shared-secret.ts';
import { browserCalls } from './login-calls.ts';

/*
 * The OpenAPI document equals the committed file. It is also correct: the tests provoke every status that it declares,
 * and every answer has the declared form.
 */

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly security?: readonly unknown[];
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: object }>> }>
  >;
}

interface Document {
  readonly openapi: string;
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: object };
}

let api: TestApi;
/** Like `app`, but its rate limit is used up after one call. */
let limited: HttpApp;
/** Like `app`, in mode shared-secret. */
let named: HttpApp;
let following: { stop(): Promise<void> };

beforeAll(async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  api = await startApi((deps) => ({
    version,
    readiness: [{ name: 'database', check: stumble }],
    // The parts of the server that query the database. A test can make all of them fail.
    tenants: failing(deps.tenants),
    signIn: failing(deps.signIn),
    sessions: failing(deps.sessions),
    alarms: failing(deps.alarms),
    webhooks: failing(deps.webhooks),
    validation: Object.fromEntries(
      Object.entries(deps.validation).map(([name, part]) => [name, failing(part)]),
    ) as unknown as typeof deps.validation,
    customers: failing(deps.customers),
    mailing: failing(deps.mailing),
    plans: failing(deps.plans),
    licenseRecords: failing(deps.licenseRecords),
    subscriptions: tooBroad(failing(deps.subscriptions)),
    events: endedFeed(failing({ span: (io: Io) => deps.events.span(io), read: async () => [] })),
    pauses: failing(deps.pauses),
    bulkActs: tooBroad(failing(deps.bulkActs)),
    policies: failing(deps.policies),
    timers: failing(deps.timers),
    desk: Object.fromEntries(
      Object.entries(deps.desk).map(([name, part]) => [name, tooBroad(failing(part))]),
    ) as unknown as typeof deps.desk,
    store: {
      transact: (io, work) =>
        broken.isDown ? Promise.reject(away()) : deps.store.transact(io, work),
      reads: failing(deps.store.reads),
    },
  }));
  limited = await buildServer({
    ...api.deps,
    rateLimits: {
      perTenant: null,
      perCaller: 1,
      perAddress: 1,
      readsPerTenant: null,
      writesPerTenant: null,
      readTimePercent: null,
      streamsPerTenant: null,
      failuresPerAddress: null,
      connectionsPerAddress: null,
    },
  });
  following = api.ledger.follow();
  const deps = await sharedSecretDeps(api, 'Named');
  named = await buildServer({ ...deps, signIn: failing(deps.signIn) });
});
afterAll(async () => {
  await following.stop();
  await limited.close();
  await named.close();
  await api[Symbol.asyncDispose]();
});

const stumble = async (): Promise<void> => {
  if (broken.isDown) throw new Error('down');
};

const documentOf = (): Document =>
  JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Document;

test('docs/openapi.json is what the routes say', async () => {
  const { payload } = await api.app.inject({ method: 'GET', url: '/openapi.json' });
  // To update the file after a change of the routes: vitest run -u --project integration
  // test/integration/http-openapi.test.ts
  await expect(`${JSON.stringify(JSON.parse(payload), null, 2)}\n`).toMatchFileSnapshot(
    '../../docs/openapi.json',
  );
});

test('it is an OpenAPI 3.1 document whose names are unique, and whose parts are described', () => {
  const document = documentOf();
  expect(document.openapi).toBe('3.1.0');
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  const names = operations.map(({ operationId }) => operationId);
  expect(new Set(names).size).toBe(names.length);
  const used = new Set(operations.flatMap(({ tags }) => tags));
  expect(new Set(document.tags.map(({ name }) => name))).toEqual(used);
  // The router writes some paths in another form. The document has them in the form in which callers write them.
  expect(Object.keys(document.paths).filter((path) => path.includes('/:'))).toEqual([]);
});

let count = 0;
const command = (): string => `openapi-${(count += 1)}`;

interface Call {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly payload?: string | object;
}

/** Creates a new resource of each kind on which the operation can be called. */
async function made(path: string): Promise<string> {
  const send = async (who: typeof PROVIDER, url: string, payload: object) =>
    (
      await api.app.inject({
        method: 'POST',
        url: `${url}?commandId=${command()}`,
        headers: { authorization: await api.as(who) },
        payload,
      })
    ).json();
  const { contractId: request } = await send(USER, '/app-install-requests', {});
  if (path.startsWith('/app-install-requests')) return request;
  const accept = `/app-install-requests/${request}:accept`;
  const { contractId: install } = await send(PROVIDER, accept, { installMeta: {} });
  if (path.startsWith('/app-installs')) return install;
  const create = `/app-installs/${install}:create-license`;
  const { licenseId } = await send(PROVIDER, create, { params: {} });
  if (path.startsWith('/licenses') && !path.endsWith('/complete-renewal')) return licenseId;
  await api.app.inject({
    method: 'POST',
    url: `/licenses/${licenseId}:renew?commandId=${command()}`,
    headers: { authorization: await api.as(PROVIDER) },
    payload: RENEWAL,
  });
  const { reads } = api.store;
  const renewal = (await reads.lifecycle(licenseId, IO))!.renewals[0]!;
  const allocation = allocationFor(renewal.payload);
  await api.ledger.happen([allocation]);
  payable.allocationContractId = allocation.contractId;
  payable.renewalRequestContractId = renewal.lifecycle.contractId;
  return path.startsWith('/licenses') ? licenseId : renewal.lifecycle.contractId;
}

const isOfMoney = (path: string): boolean => /^\/(?:payments|stats)/u.test(path);

/** Parts of the API that provide valid and invalid calls themselves. */
const othersFor = (path: string) => {
  if (path.startsWith('/ops/')) return opsCallsOf(api);
  if (path.startsWith('/admin/')) return tenantCallsOf(api);
  if (path.startsWith('/webhooks')) return webhookCallsOf(api);
  if (isOfValidation(path)) return validationCallsOf(api, () => made('/licenses'));
  if (/^\/(?:customers|plans)/u.test(path)) return productCallsOf(api);
  if (isOfMoney(path)) return moneyCallsOf(api);
  if (isOfLicenseActs(path)) return licenseActCallsOf(api, () => made('/licenses'));
  return path.startsWith('/policies/') ? policyCallsOf(api) : null;
};
const rightFor = (id: string) => RIGHT[id] ?? { by: USER };

async function goodCall(path: string, operation: Operation): Promise<Call> {
  const others = othersFor(path);
  if (others !== null) return others.good(path, operation.operationId);
  const url = path
    .replace('{contractId}', path.includes('{contractId}') ? await made(path) : '')
    .replace('{kind}/{version}', 'license/1');
  const { by, body } = rightFor(operation.operationId);
  if (path.endsWith('/subscription')) await subscribeTo(api, url);
  if (path.startsWith('/operations')) {
    const id = command();
    const authorization = await api.as(USER);
    await api.app.inject({
      method: 'POST',
      url: `/app-install-requests?commandId=${id}`,
      headers: { authorization },
    });
    const address = path === '/operations' ? `/operations?commandId=${id}` : `/operations/${id}`;
    return { url: address, headers: { authorization } };
  }
  const isWrite = operation.parameters?.some(({ name }) => name === 'commandId') === true;
  if (operation.operationId === 'listContracts') {
    return { url: `${url}?template=License`, headers: { authorization: await api.as(by) } };
  }
  return {
    url: isWrite ? `${url}?commandId=${command()}` : url,
    ...(operation.security === undefined ? { headers: { authorization: await api.as(by) } } : {}),
    ...(body === undefined ? {} : { payload: { ...body } }),
  };
}

/**
 * Answers with these statuses mean that nothing was changed, and a read never changes anything. So all calls for these
 * statuses can use the same resource.
 */
const IDLE = new Set(['400', '401', '403', '404', '406', '412', '413', '415', '429', '503']);
const idle = new Map<Operation, Promise<Call>>();

/**
 * Returns a valid call, from which a call with the given status is made. The call has a new resource if an earlier call
 * would have consumed the shared one, or if the resource must be untouched.
 */
async function callFor(
  path: string,
  method: string,
  operation: Operation,
  status: string,
): Promise<Call> {
  // The functions that create a webhook or a customer first delete all others, because their number is limited.
  const isAlone = /^\/(?:webhooks|customers)/u.test(path);
  const isFresh = !(method === 'get' || IDLE.has(status)) || isAlone;
  if (isFresh) return goodCall(path, operation);
  const shared = idle.get(operation) ?? goodCall(path, operation);
  idle.set(operation, shared);
  const call = await shared;
  if (method === 'get') return call;
  return { ...call, url: call.url.replace(/(?<=commandId=)openapi-\d+$/u, command) };
}

const withHeaders = (call: Call, headers: Readonly<Record<string, string>>): Call => ({
  ...call,
  headers: { ...call.headers, ...headers },
});

/** Ends the lifecycle on which the call operates, so that no operation on it is possible. */
async function ended(call: Call, path: string): Promise<Call> {
  const [, resource, id] = /^\/([a-z-]+)\/([^:/]+)/u.exec(call.url) ?? [];
  const isOther = path.endsWith('-renewal') || path.startsWith('/contracts');
  const isRenewal = path.startsWith('/license-renewal') || isOther;
  const over = isOther
    ? `/license-renewal-requests/${payable.renewalRequestContractId}`
    : `/${resource}/${id}`;
  const verb = isRenewal ? 'withdraw' : path.startsWith('/licenses') ? 'expire' : 'cancel';
  await api.app.inject({
    method: 'POST',
    url: `${over}:${verb}?commandId=${command()}`,
    headers: { authorization: await api.as(isRenewal ? PROVIDER : USER) },
  });
  return call;
}

/** First uses the call's command ID for another caller with the same acting party. */
async function taken(call: Call): Promise<Call> {
  const url = `/licenses/${await made('/licenses')}:expire${call.url.replace(/^[^?]*/u, '')}`;
  const headers = { authorization: await api.as(USER) };
  await api.app.inject({ method: 'POST', url, headers });
  return withHeaders(call, { authorization: await api.as(PROVIDER) });
}

/** For each status, how to change a valid call so that it is answered with that status. */
const SPOILED: Readonly<Record<string, (call: Call, path: string) => Promise<Call>>> = {
  202: async (call) => withHeaders(call, { prefer: 'respond-async' }),
  304: async (call) => withHeaders(call, { 'if-none-match': '*' }),
  400: async (call, path) => {
    if (path === '/events') return { ...call, url: '/events?after=now' };
    if (path === '/operations') return { ...call, url: '/operations' };
    if (path.includes('{contractId}') && !call.url.includes('?')) {
      return { ...call, url: path.replace('{contractId}', 'a%00b') };
    }
    return { ...call, url: `${call.url.split('?')[0]}?commandId=a&commandId=b&limit=0` };
  },
  401: async ({ headers: _none, ...call }) => call,
  403: async (call) => {
    const token = await api.issuers.provider.token({ claims: { azp: 'nothing' } });
    return withHeaders(call, { authorization: `Bearer ${token}` });
  },
  404: async (call, path) =>
    path.startsWith('/operations')
      ? withHeaders(call, { authorization: await api.as(OTHER_USER) })
      : { ...call, url: call.url.replace(/00[0-9a-f]{60,}|(?<=^\/machines\/)[a-z]+/u, 'unknown') },
  406: async (call) => withHeaders(call, { accept: 'image/png' }),
  409: async (call, path) => (path.includes('{contractId}') ? ended(call, path) : taken(call)),
  412: async (call) => withHeaders(call, { 'if-match': '"99999"' }),
  413: async (call) => ({
    ...withHeaders(call, { 'content-type': 'application/json' }),
    payload: 'x'.repeat(HTTP_LIMITS.metadataBodyBytesMax + 1),
  }),
  415: async (call) => ({ ...withHeaders(call, { 'content-type': 'text/plain' }), payload: 'x' }),
  503: async (call, path) => (path.startsWith('/machines') ? asSession(call) : call),
  422: async (call, path) => {
    await api.app.inject({ method: 'POST', ...call });
    if (path.endsWith('/withdraw')) {
      // The body of this operation is ignored, so a call asks for a different change only if it names another resource.
      return { ...call, url: call.url.replace(/00[0-9a-f]{60,}/u, await made(path)) };
    }
    if (path.endsWith('/accept-terms')) return { ...call, payload: { termsHash: 'b'.repeat(64) } };
    const note = { data: { note: 'another' } };
    const another = { ...RENEWAL, description: 'another', allocationContractId: 'another' };
    const payload = {
      ...another,
      renewalRequestContractId: payable.renewalRequestContractId,
      meta: note,
      installMeta: note,
      params: { meta: note },
      body: 'another',
      choice: 'another',
      argument: {},
    };
    return { ...call, payload };
  },
};

/** Media types of successful answers that are sent only to callers that ask for them. */
const ON_REQUEST = new Set(['text/csv', 'text/html']);

const SUCCESSES = new Set(['200', '201', '204']);

async function provoke(path: string, method: string, operation: Operation, status: string) {
  const browserCall = browserCalls(api, named, limited)[operation.operationId]?.[status];
  if (browserCall !== undefined) {
    const { app, ...call } = await browserCall();
    return whileDown(status === '503', () =>
      app.inject({ method: method.toUpperCase() as 'GET', ...call }),
    );
  }
  const good = await callFor(path, method, operation, status);
  const spoiledOther = await othersFor(path)?.spoiled[status]?.(good);
  const call = spoiledOther ?? (await SPOILED[status]?.(good, path)) ?? good;
  // For probes: a server that last reported readiness more than a second ago.
  const isProbe = path === '/readyz' || path === '/health';
  const unasked = isProbe && status === '503' ? named : api.app;
  const app = status === '429' ? limited : unasked;
  if (status === '429') {
    const first = isOfKeys(path) ? ({ method: 'POST' } as const) : { url: '/licenses' };
    await limited.inject({ method: 'GET', ...call, ...first });
  }
  // An act of an operator makes the server compute its summaries again, so that they cannot come from a cache.
  if (status === '422' || status === '503')
    await app.inject({ method: 'POST', headers: call.headers ?? {}, url: '/ops/pauses' });
  const isSearch = path.startsWith('/ops/') || isOfMoney(path) || isOfLicenseActs(path);
  broken.isBroad = status === '422' && isSearch && !path.endsWith('/retry');
  return whileDown(status === '503', () =>
    app.inject({ method: method.toUpperCase() as 'GET', ...call }),
  ).finally(() => {
    broken.isBroad = false;
  });
}

/**
 * Provokes the refusals of a `POST` whose answer is stored under its key: another request with this key is in progress,
 * or the key belongs to another request.
 */
async function provokeByKey(path: string, operation: Operation, status: string) {
  const call = withHeaders(await goodCall(path, operation), { 'idempotency-key': command() });
  const send = () => api.app.inject({ method: 'POST', ...call });
  await send();
  const change = status === '409' ? 'answer = null' : String.raw`request = '\x00'`;
  await api.pool.query(`update kept_answer set ${change}`);
  return send();
}

const refusesKeys = (method: string, status: string, { parameters = [] }: Operation): boolean =>
  method === 'post' &&
  (status === '409' || status === '422') &&
  !parameters.some(({ name }) => name === 'commandId');

async function whileDown<T>(down: boolean, work: () => Promise<T>): Promise<T> {
  broken.isDown = down;
  try {
    return await work();
  } finally {
    broken.isDown = false;
  }
}

/** Paths without the old addresses, which the server converts to the new ones before anything else. */
const current = Object.entries(documentOf().paths).filter(([at]) => !/\/commands/u.test(at));
const allCases = current.flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, operation]) =>
    Object.keys(operation.responses).map((status) => ({ path, method, operation, status })),
  ),
);

const cases = allCases.filter(({ status }) => status !== 'default');

describe('every declared status', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema(documentOf(), 'document');
  const pointer = (part: string) =>
    encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));

  test('is provoked in some way', () => {
    const known = new Set([...Object.keys(SPOILED), ...SUCCESSES, '302', '428', '429', '503']);
    expect(cases.filter(({ status }) => !known.has(status))).toEqual([]);
    expect(cases.length).toBeGreaterThan(150);
  });

  test.each(cases)('$method $path $status', async ({ path, method, operation, status }) => {
    const first = await provoke(path, method, operation, status);
    const isOther = String(first.statusCode) !== status && refusesKeys(method, status, operation);
    const reply = isOther ? await provokeByKey(path, operation, status) : first;
    expect(`${reply.statusCode} ${reply.body.slice(0, 300)}`).toMatch(
      new RegExp(`^${status} `, 'u'),
    );
    const [type = ''] = (reply.headers['content-type'] ?? '').split(';');
    const { content } = operation.responses[status] ?? {};
    if (content === undefined) {
      expect(reply.body).toBe('');
      return;
    }
    // An answer in text is also available as JSON, for a caller that does not accept text.
    const declared = Object.keys(content).filter((of) => of === type || !ON_REQUEST.has(of));
    expect(declared.slice(0, type === 'text/plain' ? 1 : 2)).toEqual([type]);
    const parts = ['paths', path, method, 'responses', status, 'content', type, 'schema'];
    const isAsDeclared = ajv.compile({ $ref: `document#/${parts.map(pointer).join('/')}` });
    const answer = type.endsWith('json') ? reply.json() : reply.body;
    expect(isAsDeclared(answer) ? [] : isAsDeclared.errors).toEqual([]);
  });
});

describe('the page for people', () => {
  test('is there, and asks nobody but this server', async () => {
    const [short, page, script] = await Promise.all(
      ['/api/docs', '/docs/', '/api/docs/js/scalar.js'].map((url) =>
        api.app.inject({ method: 'GET', url }),
      ),
    );
    expect([short?.statusCode, short?.headers['location']]).toEqual([308, '/api/docs/']);
    expect([page?.statusCode, script?.statusCode]).toEqual([200, 200]);
    expect(script?.headers['content-type']).toContain('javascript');
    const html = page?.payload ?? '';
    const sources = [...html.matchAll(/\b(?:src|href|url)"?\s*[=:]\s*"([^"]*)"/gu)].map(
      ([, url]) => url,
    );
    expect(sources).toEqual(['js/scalar.js', '../openapi.json']);
    expect(page?.headers['content-security-policy']).toContain(`default-src 'self'`);
    // The content security policy permits the page's only inline script by its hash.
    expect(page?.headers['content-security-policy']).toMatch(/script-src 'self' 'sha256-[^' ]+';/u);
  });
});
