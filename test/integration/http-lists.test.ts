import { NEWEST_MODEL } from '../../src/app/licensing/model.ts';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { applySnapshot } from '../../src/app/engine/follow/apply-ledger.ts';
import type { ActiveContract } from '../../src/domain/ledger.ts';
import { LICENSE, LICENSE_RENEWAL_REQUEST } from '../../src/domain/licensing.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import type { ContractId, Party } from '../../src/domain/ids.ts';
import { trusted } from '../../src/domain/ids.ts';
import { IO, OTHER_USER, PROVIDER, USER, startApi } from '../kit/http-api.ts';
import type { Ask } from '../kit/http-ask.ts';
import { asking } from '../kit/http-ask.ts';
import { TOKEN_ADMIN, allocationFor, ending } from '../kit/ledger-stand-in.ts';
import { forFile } from '../kit/for-file.ts';

/* Lists with more entries than one query reads. */

const THEIRS = 40;
const MINE = LIMITS.listChunk * 2 + 37;
const NOON = '2030-01-01T12:00:00.000000Z';
const NEXT_DAY = '2030-01-02T12:00:00.000000Z';

interface Document {
  readonly paths: Readonly<
    Record<
      string,
      { readonly get?: { readonly parameters?: readonly { readonly name: string }[] } }
    >
  >;
}

interface Listed {
  readonly user: string;
  readonly licenseNum: number;
}

const license = (user: Party, n: number): ActiveContract => ({
  created: {
    kind: 'created',
    nodeId: 0,
    contractId: trusted(`00${hash('sha512', `${user} ${n}`)}`),
    template: LICENSE,
    packageId: 'package-1',
    payload: {
      provider: PROVIDER,
      user,
      params: { meta: { values: { n: String(n) } } },
      expiresAt: n % 2 === 0 ? NOON : NEXT_DAY,
      licenseNum: String(n),
    },
    views: [],
    signatories: [PROVIDER, user],
    observers: [],
    witnesses: [],
  },
  createdAtOffset: 1n,
  createdAt: '2029-01-01T00:00:00.000000Z',
  synchronizerId: 'synchronizer::1220dd',
});

const numbers = (n: number): number[] => Array.from({ length: n }, (_, index) => index + 1);
const contentsOf = (list: readonly Listed[]) => list.map((one) => [one.user, one.licenseNum]);
const mine = numbers(MINE).map((n) => [USER, n]);
const theirs = numbers(THEIRS).map((n) => [OTHER_USER, n]);

const api = await forFile(startApi());
const [provider, user] = await Promise.all([asking(api, PROVIDER), asking(api, USER)]);
const contracts = [
  ...numbers(MINE).map((n) => license(USER, n)),
  ...numbers(THEIRS).map((n) => license(OTHER_USER, n)),
];
await api.store.transact(IO, (tx) => applySnapshot(tx, NEWEST_MODEL, contracts, [PROVIDER]));

/** Reads all pages, by following `Link: rel=next`. */
async function pages(ask: Ask, first: string): Promise<Listed[][]> {
  const found: Listed[][] = [];
  let next: string | undefined = first;
  while (next !== undefined) {
    const reply = await ask.get(next);
    expect(reply.statusCode).toBe(200);
    found.push(reply.json());
    next = /^<([^>]+)>; rel="next"$/u.exec(String(reply.headers['link'] ?? ''))?.[1];
  }
  return found;
}

describe('without a limit', () => {
  test('the complete array comes, by user and number, each entry once', async () => {
    const reply = await provider.get('/licenses');
    expect([reply.statusCode, reply.headers['content-type']]).toEqual([200, 'application/json']);
    expect(contentsOf(reply.json())).toEqual([...theirs, ...mine]);
    expect(reply.json()[0]).toEqual({
      contractId: expect.stringMatching(/^00[0-9a-f]{128}$/u),
      customer: null,
      reference: expect.stringMatching(/^LIC-\d{4}$/u),
      plan: null,
      terms: null,
      suspended: null,
      provider: PROVIDER,
      user: OTHER_USER,
      params: { meta: { data: { n: '1' } } },
      expiresAt: NEXT_DAY,
      licenseNum: 1,
      isExpired: Date.parse(NEXT_DAY) <= Date.now(),
      isNeverRenewed: false,
      renewalRequests: [],
      lifecycleId: expect.stringMatching(/^license-/u),
      machineVersion: 3,
      version: 1,
      state: 'active',
    });
  });

  test('a user gets its own, a short list with its length, and nobody an error', async () => {
    expect(contentsOf((await user.get('/licenses')).json())).toEqual(mine);
    const other = await (await asking(api, OTHER_USER)).get('/api/licenses');
    expect(contentsOf(other.json())).toEqual(theirs);
    expect(other.headers['content-length']).toBe(String(Buffer.byteLength(other.body)));
    expect((await user.get('/app-installs')).json()).toEqual([]);
  });

  test('a client that leaves in the middle frees its connection to the database', async () => {
    const address = await api.app.listen({ host: '127.0.0.1', port: 0 });
    const leaving = new AbortController();
    const headers = { authorization: await api.as(PROVIDER) };
    const reply = await fetch(`${address}/licenses`, { headers, signal: leaving.signal });
    const reader = reply.body!.getReader();
    expect((await reader.read()).done).toBe(false);
    leaving.abort();
    await expect(reader.read()).rejects.toThrow();
    await expect.poll(() => api.pool.totalCount - api.pool.idleCount).toBe(0);
    expect((await provider.get('/licenses?limit=1')).statusCode).toBe(200);
  });

  test('HEAD says the same without it', async () => {
    const head = await api.app.inject({
      method: 'HEAD',
      url: '/licenses?limit=2',
      headers: { authorization: await api.as(USER) },
    });
    const get = await user.get('/licenses?limit=2');
    expect([head.statusCode, head.body]).toEqual([200, '']);
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
    expect(head.headers['link']).toBe(get.headers['link']);
  });
});

describe('with a limit', () => {
  test.each([1_000, 100, 7])('pages of %i make the same list', async (limit) => {
    const found = await pages(provider, `/api/licenses?limit=${limit}`);
    expect(found.map((page) => page.length).slice(0, -1)).toEqual(
      found.slice(0, -1).map(() => limit),
    );
    expect(found.at(-1)?.length).toBeGreaterThan(0);
    expect(contentsOf(found.flat())).toEqual([...theirs, ...mine]);
  });

  test('a minus reverses the order, on every page and of the complete array', async () => {
    const reversed = [...theirs, ...mine].toReversed();
    const found = await pages(provider, '/licenses?sort=-user&limit=100');
    expect(contentsOf(found.flat())).toEqual(reversed);
    const all = await provider.get('/licenses?sort=-user');
    expect(contentsOf(all.json())).toEqual(reversed);
    const usual = await provider.get('/licenses?sort=user');
    expect(contentsOf(usual.json())).toEqual([...theirs, ...mine]);
  });

  test('the number of all entries comes to a caller who asks for it, on every page', async () => {
    const totalOf = async (ask: Ask, url: string) => (await ask.get(url)).headers['total-count'];
    expect(await totalOf(provider, '/licenses?limit=1')).toBeUndefined();
    const first = await provider.get('/licenses?limit=1&total=true');
    const next = /^<([^>]+)>/u.exec(String(first.headers['link']))?.[1] ?? '';
    expect([first.headers['total-count'], await totalOf(provider, next)]).toEqual([
      String(MINE + THEIRS),
      String(MINE + THEIRS),
    ]);
    const narrowed = `user=${OTHER_USER}&expiresBefore=2030-01-02T00:00:00Z`;
    expect(await totalOf(provider, `/licenses?limit=1&total=true&${narrowed}`)).toBe(
      String(THEIRS / 2),
    );
    expect(await totalOf(user, '/licenses?limit=1&total=true')).toBe(String(MINE));
    expect(await totalOf(user, `/licenses?limit=1&total=true&user=${OTHER_USER}`)).toBe('0');
    for (const url of ['/customers', '/payments', '/subscriptions', '/app-installs']) {
      expect(await totalOf(provider, `${url}?limit=1&total=true`), url).toBe('0');
    }
  });

  test('a last page that is full leads nowhere', async () => {
    const found = await pages(provider, `/licenses?user=${OTHER_USER}&limit=${THEIRS / 2}`);
    expect(found.map((page) => page.length)).toEqual([THEIRS / 2, THEIRS / 2]);
  });

  test('the next page is asked for where and how the first was', async () => {
    const reply = await provider.get('/api/licenses?user=user%3A%3A1220bb&limit=2&state=active');
    const link = String(reply.headers['link']);
    expect(link).toMatch(/^<\/api\/licenses\?user=user%3A%3A1220bb&limit=2&state=active&cursor=/u);
  });

  test('a question mark in the query does not end it', async () => {
    const reply = await provider.get(`/licenses?user=why?&limit=1`);
    expect([reply.statusCode, reply.json().field]).toEqual([400, 'user']);
  });

  test('a cursor alone gives all the rest', async () => {
    const first = await user.get(`/licenses?limit=${MINE - 3}`);
    const cursor = /cursor=([^&>]+)/u.exec(String(first.headers['link']))?.[1] ?? '';
    const rest = await user.get(`/licenses?cursor=${cursor}`);
    expect(contentsOf(rest.json())).toEqual(mine.slice(-3));
  });

  test('the next page keeps every filter, as it was written', async () => {
    const query =
      'expiresBefore=2030-01-03T14%3A30%3A00%2B02%3A00&provider=provider%3A%3A1220aa&limit=300&state=active';
    const found = await pages(provider, `/api/licenses?user=${encodeURIComponent(USER)}&${query}`);
    expect(contentsOf(found.flat())).toEqual(mine);
    const reply = await provider.get(`/licenses?${query}&user=${encodeURIComponent(USER)}`);
    expect(String(reply.headers['link'])).toMatch(
      /^<\/licenses\?expiresBefore=2030-01-03T14%3A30%3A00%2B02%3A00&provider=[^&]+&limit=300&state=active&user=[^&]+&cursor=[\w-]+>; rel="next"$/u,
    );
  });

  test('a cursor that has been changed is refused, or is a place in the caller’s own list', async () => {
    const reply = await provider.get(`/licenses?user=${OTHER_USER}&limit=1`);
    const cursor = /cursor=([^&>]+)/u.exec(String(reply.headers['link']))?.[1] ?? '';
    const ask = (changed: string) => user.get(`/licenses?limit=3&cursor=${changed}`);
    const decoded = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    const rewritten = (over: unknown[]) =>
      Buffer.from(JSON.stringify(Object.assign([...decoded], over))).toString('base64url');
    for (const changed of [
      cursor.slice(0, -2),
      `x${cursor}`,
      cursor.toUpperCase(),
      rewritten(["user' or true --"]),
      rewritten([OTHER_USER, 1]),
      rewritten([OTHER_USER, '-1']),
      rewritten([OTHER_USER, '1', null]),
    ]) {
      const refused = await ask(changed);
      expect([refused.statusCode, refused.json().field]).toEqual([400, 'cursor']);
    }
    // With another party's cursor, a caller still sees only its own entries.
    for (const changed of [cursor, rewritten([OTHER_USER, '0', "' or true --"])]) {
      expect(contentsOf((await ask(changed)).json())).toEqual(mine.slice(0, 3));
    }
  });

  test('what ends meanwhile is left out, and nothing else is', async () => {
    const first = await user.get('/licenses?limit=5');
    const following = api.ledger.follow();
    api.clock.advance(Date.parse(NEXT_DAY) + 60_000 - api.clock.nowMs());
    const { contractId } = (await user.get('/licenses?limit=8')).json()[7];
    const ended = await user.post(`/licenses/${contractId}:expire?commandId=list-1`);
    await following.stop();
    expect(ended.statusCode).toBe(200);
    const next = /^<([^>]+)>/u.exec(String(first.headers['link']))?.[1] ?? '';
    const second = contentsOf((await user.get(next)).json());
    expect(second).toEqual([6, 7, 9, 10, 11].map((n) => [USER, n]));
  });
});

describe('filters', () => {
  test('by user and provider narrow the list, never widen it', async () => {
    const of = async (ask: Ask, query: string) =>
      contentsOf((await ask.get(`/licenses?limit=1000&${query}`)).json());
    expect(await of(provider, `user=${OTHER_USER}`)).toEqual(theirs);
    expect(await of(provider, `provider=${PROVIDER}&user=${OTHER_USER}`)).toEqual(theirs);
    expect(await of(provider, `provider=${USER}`)).toEqual([]);
    expect(await of(user, `user=${OTHER_USER}`)).toEqual([]);
  });

  test('by state and by when it is over', async () => {
    const of = async (query: string) =>
      contentsOf((await provider.get(`/licenses?user=${OTHER_USER}&${query}`)).json());
    expect(await of('state=active')).toEqual(theirs);
    expect(await of('state=expiring')).toEqual([]);
    expect(await of(`expiresBefore=${NOON}`)).toEqual([]);
    const even = theirs.filter(([, n]) => Number(n) % 2 === 0);
    expect(await of('expiresBefore=2030-01-01T12:00:00.000001Z')).toEqual(even);
    // The same instant in another time zone.
    expect(await of(`expiresBefore=${encodeURIComponent('2030-01-01T14:30:00+02:00')}`)).toEqual(
      even,
    );
  });

  test.each([
    ['/licenses?limit=0', 'limit'],
    ['/licenses?limit=1001', 'limit'],
    ['/licenses?limit=5&limit=6', 'limit'],
    ['/licenses?cursor=made-up', 'cursor'],
    ['/licenses?user=no/body', 'user'],
    ['/licenses?provider=%00', 'provider'],
    ['/licenses?expiresBefore=soon', 'expiresBefore'],
    ['/app-installs?state=expiring', 'state'],
  ])('that make no sense are refused by name: %s', async (url, field) => {
    const reply = await user.get(url);
    expect([reply.statusCode, reply.json()]).toMatchObject([
      400,
      { code: 'REQUEST_INVALID', field },
    ]);
  });
});

describe('while renewals come and go', () => {
  const renewal = (n: number, round: number) => ({
    ...license(USER, n).created,
    nodeId: n,
    contractId: trusted<ContractId>(`00${hash('sha512', `renewal ${n} ${round}`)}`),
    template: LICENSE_RENEWAL_REQUEST,
    payload: {
      provider: PROVIDER,
      user: USER,
      licenseNum: String(n),
      licenseFeeAmount: '100.0000000000',
      licenseFeeInstrumentId: { admin: TOKEN_ADMIN, id: 'Amulet' },
      licenseExtensionDuration: { microseconds: '2592000000000' },
      requestedAt: NOON,
      prepareUntil: NEXT_DAY,
      settleBefore: '2030-01-03T12:00:00.000000Z',
      description: 'One more month',
      requestId: `request-${n}-${round}`,
    },
  });

  interface Renewing extends Listed {
    readonly contractId: string;
    readonly lifecycleId: string;
    readonly renewalRequests: readonly { readonly licenseNum: number }[];
  }

  /** Reads a list page by page, and makes a change on the ledger after each page. */
  async function walk(
    first: string,
    between: (page: number) => Promise<void>,
  ): Promise<Renewing[]> {
    const found: Renewing[] = [];
    let next: string | undefined = first;
    for (let page = 0; next !== undefined; page += 1) {
      const reply = await provider.get(next);
      found.push(...reply.json());
      next = /^<([^>]+)>/u.exec(String(reply.headers['link'] ?? ''))?.[1];
      await between(page);
    }
    return found;
  }

  const end = (n: number, round: number) => ({
    ...ending(renewal(n, round).contractId, LICENSE_RENEWAL_REQUEST, 'AllocationRequest_Reject'),
    nodeId: n,
    lastDescendantNodeId: n,
  });

  test('pages of them have each that stays once, and none twice', async () => {
    const open = numbers(40);
    await api.ledger.happen(open.map((n) => renewal(n, 0)));
    const path = `/api/license-renewal-requests?user=${encodeURIComponent(USER)}&limit=7`;
    const ended: number[] = [];
    const found = await walk(path, async (page) => {
      // Ends a renewal that has been listed and one that has not been listed yet, and adds a second renewal to a
      // licence before the cursor and to a licence after it.
      const [behind, ahead] = [page * 7 + 1, page * 7 + 10].filter((n) => n <= 40);
      ended.push(...[behind, ahead].filter((n) => n !== undefined));
      await api.ledger.happen([behind, ahead].flatMap((n) => (n === undefined ? [] : [end(n, 0)])));
      const fresh = [2, 39].map((n) => renewal(n, page + 1));
      await api.ledger.happen(fresh);
    });
    const ids = found.map(({ lifecycleId }) => lifecycleId);
    expect(new Set(ids).size).toBe(ids.length);
    const stayed = open.filter((n) => !ended.includes(n)).map((n) => renewal(n, 0).contractId);
    expect(found.map(({ contractId }) => contractId)).toEqual(expect.arrayContaining(stayed));
    expect(ended.length).toBeGreaterThan(6);
    const inOrder = found.map(({ licenseNum }) => licenseNum);
    expect(inOrder).toEqual(inOrder.toSorted((a, b) => a - b));
  });

  test('pages of licences have each once, with the renewals of that moment', async () => {
    const following = api.ledger.follow();
    const before = (await user.get('/licenses')).json<Renewing[]>();
    const RENEW = {
      licenseFeeCc: 1,
      licenseExtensionDuration: 'P30D',
      prepareUntilDuration: 'PT10M',
      settleBeforeDuration: 'PT20M',
      description: 'One more month',
      allowConcurrent: true,
    };
    const renewed: string[] = [];
    /** Replaces the licence's contract by a renewal that is requested, paid and completed. */
    async function extend({ lifecycleId }: Renewing): Promise<void> {
      const asked = await provider.post(
        `/licenses/${lifecycleId}:renew?commandId=extend-${lifecycleId}`,
        RENEW,
      );
      expect(asked.statusCode).toBe(201);
      const view = (await api.store.reads.lifecycle(lifecycleId, IO))!;
      const { payload, lifecycle } = view.renewals.at(-1)!;
      const allocation = allocationFor(payload);
      await api.ledger.happen([allocation]);
      const done = await provider.post(
        `/license-renewal-requests/${lifecycle.contractId}:complete?commandId=done-${lifecycleId}`,
        { allocationContractId: allocation.contractId },
      );
      expect(done.statusCode).toBe(200);
      renewed.push(lifecycleId);
    }
    const path = `/licenses?user=${encodeURIComponent(USER)}&limit=100`;
    const found = await walk(path, async (page) => {
      for (const one of [before[page * 100], before[page * 100 + 150]]) {
        if (one !== undefined) await extend(one);
      }
    });
    await following.stop();
    expect(renewed.length).toBeGreaterThan(6);
    expect(found.map(({ lifecycleId }) => lifecycleId)).toEqual(
      before.map(({ lifecycleId }) => lifecycleId),
    );
    // Licences that come after the cursor and were renewed are listed with their new contracts.
    const moved = found.filter(({ contractId }, n) => contractId !== before[n]!.contractId);
    expect(moved.map(({ lifecycleId }) => lifecycleId).every((id) => renewed.includes(id))).toBe(
      true,
    );
    expect(moved.length).toBeGreaterThan(2);
    for (const { licenseNum, renewalRequests } of found) {
      for (const shown of renewalRequests) expect(shown.licenseNum).toBe(licenseNum);
    }
    expect(found.some(({ renewalRequests }) => renewalRequests.length > 1)).toBe(true);
  });
});

test('every list with pages documents its orders', () => {
  const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Document;
  const lists = Object.entries(paths).flatMap(([path, { get }]) => {
    const names = get?.parameters?.map(({ name }) => name) ?? [];
    return names.includes('cursor') ? [{ path, isSorted: names.includes('sort') }] : [];
  });
  expect(lists.length).toBeGreaterThan(25);
  // The order depends on the template. The description states both orders.
  expect(lists.filter(({ isSorted }) => !isSorted).map(({ path }) => path)).toEqual(['/contracts']);
});
