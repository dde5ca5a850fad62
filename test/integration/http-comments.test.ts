import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { licensingModel } from '../../src/app/licensing/model.ts';
import { trusted } from '../../src/domain/ids.ts';
import type { ContractId, Party } from '../../src/domain/ids.ts';
import type { Json } from '../../src/domain/json.ts';
import { LICENSE_COMMENT } from '../../src/domain/licensing.ts';
import { HTTP_LIMITS } from '../../src/http/limits.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import { HOMELESS, OTHER_USER, PROVIDER, USER, startApi } from '../kit/http-api.ts';
import type { Ask } from '../kit/http-ask.ts';
import { asking } from '../kit/http-ask.ts';
import { expectProblem, traces } from '../kit/http-refusals.ts';
import { created } from '../kit/ledger-stand-in.ts';
import { PATIENCE_MS } from '../kit/patience.ts';
import { forFile } from '../kit/for-file.ts';

/* Comments of both parties of a licence, on a real store and a scripted ledger. */

let following: { stop(): Promise<void> } | null = null;

const api = await forFile(startApi());
const [provider, user, other] = await Promise.all([
  asking(api, PROVIDER),
  asking(api, USER),
  asking(api, OTHER_USER),
]);
afterAll(() => following?.stop());

const follow = () => {
  following ??= api.ledger.follow();
};
async function pause(): Promise<void> {
  await following?.stop();
  following = null;
}
beforeEach(follow);

let count = 0;
const id = (what: string): string => `${what}-${(count += 1)}`;

/** Creates the first licence of a new install of the user. */
async function newLicense(by: Ask = user): Promise<string> {
  const request = await by.post(`/app-install-requests?commandId=${id('request')}`);
  const accept = `/app-install-requests/${request.json().contractId}:accept?commandId=${id('accept')}`;
  const install = (await provider.post(accept, { installMeta: {} })).json().contractId;
  const create = `/app-installs/${install}:create-license?commandId=${id('create')}`;
  return (await provider.post(create, { params: {} })).json().licenseId;
}

/**
 * The numbers of licences begin again with each install, and a comment names its licence by number. So the first
 * licences of all installs have their comments in common, and the tests distinguish comments by their texts.
 */
const comment = (by: Ask, license: string, body: Json, headers = {}, commandId = id('comment')) =>
  by.post(`/licenses/${license}/comments?commandId=${commandId}`, { body }, headers);

interface Shown {
  readonly contractId: string;
  readonly body: string;
  readonly createdAt: string;
}

const commentsOn = async (by: Ask, license: string, query = ''): Promise<Shown[]> =>
  (await by.get(`/licenses/${license}/comments${query}`)).json();
const bodies = async (by: Ask, license: string): Promise<string[]> =>
  (await commentsOn(by, license)).map(({ body }) => body);

/** A comment that another client has created on the ledger. */
const said = (party: Party, createdAt: string, body: string, contractId = freshId(), nodeId = 0) =>
  created(nodeId, contractId, LICENSE_COMMENT, {
    provider: PROVIDER,
    user: party,
    licenseNum: '1',
    commenter: party,
    body,
    createdAt,
  });
const freshId = (): ContractId => trusted(`00${crypto.randomUUID().replaceAll('-', '').repeat(4)}`);

describe('a comment', () => {
  test('of either side is seen by both as soon as it is answered', async () => {
    const license = await newLicense();
    const before = new Date(api.clock.nowMs()).toISOString();
    for (const [by, text] of [
      [user, 'When does it end?'],
      [provider, '  Never.\n\u{1f600} ’ä  '],
    ] as const) {
      const said = await comment(by, license, text);
      expect([said.statusCode, said.body, said.headers['content-type']]).toEqual([
        201,
        '',
        undefined,
      ]);
    }
    const seen = await commentsOn(provider, license);
    const mine = seen.filter(({ createdAt }) => createdAt >= before);
    const common = {
      contractId: expect.stringMatching(/^00[0-9a-f]+$/u),
      provider: PROVIDER,
      user: USER,
      licenseNum: 1,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/u),
    };
    const { lifecycleId: licenseLifecycleId } = (await user.get(`/licenses/${license}`)).json();
    const own = { ...common, licenseLifecycleId };
    expect(mine).toEqual([
      { ...own, commenter: USER, body: 'When does it end?' },
      { ...own, commenter: PROVIDER, body: '  Never.\n\u{1f600} ’ä  ' },
    ]);
    expect(await commentsOn(user, license)).toEqual(seen);
  });

  test('is reached by every contract ID that the licence had, by its lifecycleId, and after its end', async () => {
    const license = await newLicense();
    const { lifecycleId } = (await user.get(`/licenses/${license}`)).json();
    await comment(user, lifecycleId, 'by its own id');
    await provider.post(`/licenses/${license}:expire?commandId=${id('expire')}`, {});
    expect(await bodies(provider, license)).toContain('by its own id');
    expect(await commentsOn(user, lifecycleId)).toEqual(await commentsOn(user, license));
    const late = await comment(user, license, 'too late');
    expect([late.statusCode, late.json()]).toMatchObject([
      409,
      { code: 'LIFECYCLE_ENDED', state: 'expired', lifecycleId },
    ]);
    expect(await bodies(user, license)).not.toContain('too late');
  });

  test('leaks to no other user with a licence of the same number', async () => {
    const [mine, theirs] = await Promise.all([newLicense(), newLicense(other)]);
    await comment(user, mine, 'between us');
    await comment(other, theirs, 'between others');
    await comment(provider, theirs, 'to the others');
    expect(await bodies(other, theirs)).toEqual(['between others', 'to the others']);
    expect(await bodies(provider, theirs)).toEqual(await bodies(other, theirs));
    expect(await bodies(user, mine)).toContain('between us');
    expect(await bodies(user, mine)).not.toContain('between others');
    for (const call of [
      other.get(`/licenses/${mine}/comments`),
      comment(other, mine, 'let me in'),
      user.get('/licenses/nowhere/comments'),
      comment(user, 'nowhere', 'hello'),
    ]) {
      const { statusCode, json } = await call;
      const asked = json().instance.split('/')[2];
      expect([statusCode, json().message]).toEqual([
        404,
        `License not found for contract ${asked}`,
      ]);
    }
  });

  test('is of one licence, also where another install of the user has one of that number', async () => {
    const [first, second] = [await newLicense(), await newLicense()];
    await comment(user, first, 'on the first install');
    expect(await bodies(provider, second)).not.toContain('on the first install');
    const { lifecycleId: licenseLifecycleId } = (await user.get(`/licenses/${first}`)).json();
    const mine = await commentsOn(provider, first);
    expect(mine.at(-1)).toMatchObject({ body: 'on the first install', licenseLifecycleId });
    const told = await api.pool.query<{ event: { readonly data: unknown } }>(
      `select e.event from arrival a, jsonb_array_elements(a.events) as e(event)
       where e.event ->> 'type' = 'tenure.comment.made'`,
    );
    expect(told.rows.map(({ event }) => event.data)).toContainEqual(
      expect.objectContaining({ commenter: USER, licenseLifecycleId }),
    );
  });

  test('of another client is listed at each licence that it may be of, and says so', async () => {
    const [first, second] = [await newLicense(), await newLicense()];
    const commandId = id('own');
    await comment(user, first, 'by the user', {}, commandId);
    const { rows } = await api.pool.query<{ id: string }>(
      'select id from change where command_id = $1',
      [commandId],
    );
    await api.ledger.happen([said(USER, '2026-06-01T00:00:00Z', 'by a wallet')]);
    // This comment has the workflow ID of an operation but another text, so it is not the effect of Tenure's operation.
    const borrowed = said(USER, '2026-06-01T00:00:01Z', 'by a thief');
    await api.ledger.happen([borrowed], `tenure-${rows[0]!.id}`);
    for (const license of [first, second]) {
      const found = await commentsOn(provider, license);
      for (const body of ['by a wallet', 'by a thief']) {
        expect(found).toContainEqual(expect.objectContaining({ body, licenseLifecycleId: null }));
      }
      const history = (await user.get(`/licenses/${license}/history`)).json();
      expect(history.at(-1)).toMatchObject({ detail: { licenseLifecycleId: null } });
    }
  });

  test('is told by the history of the licence', async () => {
    const license = await newLicense();
    await comment(user, license, 'remember this');
    await provider.post(`/licenses/${license}:expire?commandId=${id('expire')}`, {});
    const history = (await provider.get(`/licenses/${license}/history`)).json();
    const [said] = (await commentsOn(user, license)).filter(({ body }) => body === 'remember this');
    expect(history.map(({ kind, state }: Record<string, string>) => [kind, state])).toEqual([
      ['ledger.created', 'active'],
      ['ledger.commented', 'active'],
      ['license.expire', 'expiring'],
      ['ledger.licenseExpired', 'expired'],
    ]);
    expect(history[1]).toEqual({
      at: expect.any(String),
      kind: 'ledger.commented',
      state: 'active',
      by: USER,
      offset: expect.any(Number),
      contractId: said?.contractId,
      detail: {},
    });
  });

  test('is an action of the licence, and leaves its version as it is', async () => {
    const license = await newLicense();
    const before = await user.get(`/licenses/${license}`);
    const actions = (await user.get(`/api/licenses/${license}/actions`)).json();
    const action = actions.find(({ name }: { name: string }) => name === 'comment');
    expect(action).toEqual({
      name: 'comment',
      allowed: true,
      method: 'POST',
      href: `/api/licenses/${before.json().lifecycleId}/comments`,
      needsBody: true,
    });
    const said = await user.post(
      `${action.href}?commandId=${id('comment')}`,
      { body: 'where it says' },
      { 'if-match': String(before.headers['etag']) },
    );
    expect(said.statusCode).toBe(201);
    const after = await user.get(`/licenses/${license}`);
    expect(after.json()).toEqual(before.json());
    const stale = await comment(user, license, 'stale', { 'if-match': '"77"' });
    expect(stale.statusCode).toBe(412);
  });
});

/** Creates a new user with a licence, on a ledger that executes nothing by itself. */
async function newParty(hint: string): Promise<[Party, Ask, string]> {
  const party = trusted<Party>(`${hint}::1220ee`);
  const ask = await asking(api, party);
  const license = await newLicense(ask);
  await pause();
  return [party, ask, license];
}

describe('a list of comments', () => {
  test('is ordered by time, then by contract ID, page by page', async () => {
    const [party, reader, license] = await newParty('reader');
    const twin = freshId();
    const [low, high] = [`${twin.slice(0, -1)}0`, `${twin.slice(0, -1)}1`];
    for (const comment of [
      said(party, '2026-01-01T00:00:00.735Z', 'third'),
      said(party, '2026-01-01T00:00:01Z', 'fifth', trusted(high)),
      said(party, '2026-01-01T00:00:00Z', 'first'),
      said(party, '2026-01-01T00:00:00.734999Z', 'second'),
      said(party, '2026-01-01T00:00:01Z', 'fourth', trusted(low)),
    ]) {
      await api.ledger.happen([comment]);
    }
    const all = await commentsOn(reader, license);
    expect(all.map(({ body }) => body)).toEqual(['first', 'second', 'third', 'fourth', 'fifth']);
    const paged: Shown[] = [];
    let url: string | undefined = `/licenses/${license}/comments?limit=2`;
    const sizes: number[] = [];
    while (url !== undefined) {
      const page = await reader.get(url);
      paged.push(...page.json());
      sizes.push(page.json().length);
      url = /<(.*)>; rel="next"/u.exec(String(page.headers['link'] ?? ''))?.[1];
    }
    expect(paged).toEqual(all);
    expect(sizes).toEqual([2, 2, 1]);
    for (const bad of ['limit=0', 'limit=1001', 'cursor=x', `cursor=${btoa('["a","b"]')}`]) {
      const refused = await reader.get(`/licenses/${license}/comments?${bad}`);
      expect([refused.statusCode, refused.json().field]).toEqual([400, bad.split('=')[0]]);
    }
  });

  test('is complete where it takes more than one read', async () => {
    const [party, talker, license] = await newParty('talker');
    const many = LIMITS.listChunk * 2 + 1;
    await api.ledger.happen(
      Array.from({ length: many }, (_one, n) =>
        said(party, new Date(Date.UTC(2026, 0, 1) + n).toISOString(), `word ${n}`, freshId(), n),
      ),
    );
    expect(await bodies(talker, license)).toEqual(
      Array.from({ length: many }, (_o, n) => `word ${n}`),
    );
  });
});

describe('a comment that is not right', () => {
  test.each([
    ['no body', undefined, 'body'],
    ['no text', {}, 'body'],
    ['another type', { body: 7 }, 'body'],
    ['nothing said', { body: '' }, 'body'],
    ['white space', { body: ' \n\t ' }, 'body'],
    ['one character too many', { body: 'x'.repeat(HTTP_LIMITS.commentCharsMax + 1) }, 'body'],
    ['NUL', { body: 'a\0b' }, 'body'],
    ['half a surrogate pair', { body: 'a\ud800b' }, 'body'],
  ])('%s', async (_what, payload, field) => {
    const license = await newLicense();
    await pause();
    const before = await traces(api);
    const refused = await user.post(
      `/licenses/${license}/comments?commandId=${id('comment')}`,
      payload,
    );
    expect([refused.statusCode, refused.json()]).toMatchObject([
      400,
      { code: 'REQUEST_INVALID', field },
    ]);
    expect(await traces(api)).toBe(before);
  });

  test('the longest is taken', async () => {
    const license = await newLicense();
    const longest = 'ß'.repeat(HTTP_LIMITS.commentCharsMax);
    expect((await comment(user, license, longest)).statusCode).toBe(201);
    expect(await bodies(provider, license)).toContain(longest);
  });

  test('a party that no participant hosts', async () => {
    const license = await newLicense();
    const refused = await comment(await asking(api, HOMELESS), license, 'hello');
    expect([refused.statusCode, refused.json()]).toMatchObject([
      422,
      {
        code: 'PARTY_NOT_HOSTED',
        message: `no configured participant can act as ${HOMELESS}`,
      },
    ]);
  });
});

describe('the same commandId', () => {
  test('is one comment, with the time at which it was asked for first', async () => {
    const license = await newLicense();
    const commandId = id('again');
    const first = await comment(user, license, 'once', {}, commandId);
    api.clock.advance(60_000);
    const again = await comment(user, license, 'once', {}, commandId);
    expect([first.statusCode, again.statusCode, again.body]).toEqual([201, 201, '']);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect((await bodies(user, license)).filter((body) => body === 'once')).toHaveLength(1);
  });

  test('comes from the answer where the caller gave none', async () => {
    const license = await newLicense();
    const path = `/licenses/${license}/comments`;
    const [first, second] = [
      await user.post(path, { body: 'hi' }),
      await user.post(path, { body: 'hi' }),
    ];
    const key = String(first.headers['idempotency-key']);
    expect([first.statusCode, second.statusCode]).toEqual([201, 201]);
    expect(second.headers['idempotency-key']).not.toBe(key);
    const again = await user.post(path, { body: 'hi' }, { 'idempotency-key': key });
    expect(again.headers).toMatchObject({ 'idempotent-replayed': 'true', 'idempotency-key': key });
    expect((await bodies(user, license)).filter((body) => body === 'hi')).toHaveLength(2);
    const { commandId, state } = (await user.get(`/operations/${key.slice(1, -1)}`)).json();
    expect([`"${commandId}"`, state]).toEqual([key, 'succeeded']);
  });

  test('for other words, another licence or another caller is refused', async () => {
    const [license, elsewhere] = [await newLicense(), await newLicense()];
    const commandId = id('again');
    await comment(user, license, 'these words', {}, commandId);
    for (const [at, words] of [
      [license, 'other words'],
      [elsewhere, 'these words'],
    ] as const) {
      const refused = await comment(user, at, words, {}, commandId);
      expect([refused.statusCode, refused.json().code]).toEqual([422, 'COMMAND_ID_REUSED']);
    }
    // The caller acts as another party, so the same command ID means a different change.
    expect((await comment(provider, license, 'mine', {}, commandId)).statusCode).toBe(201);
  });
});

test('a comment waits for the same caller’s earlier ones on the licence, and for nothing else', async () => {
  const license = await newLicense();
  await pause();
  const asynchronous = { prefer: 'respond-async' };
  const state = async (call: ReturnType<typeof comment>): Promise<unknown> => {
    const reply = await call;
    expect(reply.statusCode).toBe(202);
    return reply.json().state;
  };
  // The ledger does not answer, so changes that have been submitted stay in progress.
  expect(await state(comment(user, license, 'slow', asynchronous))).toBe('submitting');
  expect(await state(comment(user, license, 'after that', asynchronous))).toBe('queued');
  expect(await state(comment(provider, license, 'meanwhile', asynchronous))).toBe('submitting');
  const expire = `/licenses/${license}:expire?commandId=${id('expire')}`;
  const ending = await provider.post(expire, {}, asynchronous);
  expect([ending.statusCode, ending.json().state]).toEqual([202, 'submitting']);
  // The licence ends in the batch in which the first comments are answered. The comment that waits is then refused.
  const { commandId } = (await comment(user, license, 'last', asynchronous)).json();
  follow();
  await vi.waitFor(async () => {
    const last = (await user.get(`/operations/${commandId}`)).json();
    expect(last).toMatchObject({ state: 'rejected', error: { code: 'LIFECYCLE_ENDED' } });
  }, PATIENCE_MS);
  expect((await provider.get(`/licenses/${license}`)).json().state).toBe('expired');
  expect(await bodies(user, license)).toEqual(expect.arrayContaining(['slow', 'meanwhile']));
});

test('without comments in the ledger’s package there are none', async () => {
  await using bare = await startApi(() => ({
    model: licensingModel({ hasRequestCancel: true, hasComments: false }),
  }));
  const [seller, buyer] = await Promise.all([asking(bare, PROVIDER), asking(bare, USER)]);
  const stepping = bare.ledger.follow();
  const request = await buyer.post('/app-install-requests?commandId=request');
  const accept = `/app-install-requests/${request.json().contractId}:accept?commandId=accept`;
  const install = (await seller.post(accept, { installMeta: {} })).json().contractId;
  const create = `/app-installs/${install}:create-license?commandId=create`;
  const license = (await seller.post(create, { params: {} })).json().licenseId;
  await stepping.stop();
  const path = `/licenses/${license}/comments`;
  expectProblem(await buyer.post(`${path}?commandId=comment`, { body: 'hello' }), path, {
    code: 'COMMAND_INVALID',
    message: 'the licensing package of this ledger has no comments',
    commandId: 'comment',
  });
  expect((await buyer.get(path)).json()).toEqual([]);
  const actions = (await buyer.get(`/licenses/${license}/actions`)).json();
  expect(actions).toContainEqual(
    expect.objectContaining({
      name: 'comment',
      allowed: false,
      reason: 'the licensing package of this ledger has no comments',
    }),
  );
});
