import { createHash } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import type { Party } from '../../src/domain/ids.ts';
import { LICENSE_COMMENT } from '../../src/domain/licensing.ts';
import { OTHER_USER, PROVIDER, USER, startApi } from '../kit/http-api.ts';
import { asking } from '../kit/http-ask.ts';
import { traces } from '../kit/http-refusals.ts';
import { created } from '../kit/ledger-stand-in.ts';
import { forFile } from '../kit/for-file.ts';

/* The acceptance of a licence's terms, on a real store and a ledger that the test controls. */

const api = await forFile(startApi());
const [provider, user, other] = await Promise.all([
  asking(api, PROVIDER),
  asking(api, USER),
  asking(api, OTHER_USER),
]);
const following = api.ledger.follow();
afterAll(() => following.stop());

let count = 0;
const id = (what: string): string => `${what}-${(count += 1)}`;

async function newLicense(): Promise<string> {
  const request = await user.post(`/app-install-requests?commandId=${id('request')}`);
  const accept = `/app-install-requests/${request.json().contractId}/accept?commandId=${id('accept')}`;
  const install = (await provider.post(accept, { installMeta: {} })).json().contractId;
  const create = `/app-installs/${install}/create-license?commandId=${id('create')}`;
  return (await provider.post(create, { params: {} })).json().licenseId;
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
const at = (license: string): string => `/licenses/${license}/accept-terms`;
const key = () => ({ 'idempotency-key': id('terms') });
const shown = async (license: string, by = provider): Promise<unknown> =>
  (await by.get(`/licenses/${license}`)).json().acceptedTerms;

describe('the acceptance of terms', () => {
  test('is a comment of the user on the ledger, and both sides see the newest one', async () => {
    const license = await newLicense();
    expect(await shown(license)).toBeNull();
    const before = (await provider.get(`/licenses/${license}`)).headers['etag'];
    const [first, second] = [hash('terms of May'), hash('terms of June')];
    const url = 'https://provider.example/terms?of=june&in=en';
    const body = { termsHash: second.toUpperCase(), termsUrl: url, version: 'June 2026, ä' };
    for (const each of [{ termsHash: first }, body]) {
      const answer = await user.post(at(license), each, key());
      expect([answer.statusCode, answer.body]).toEqual([201, '']);
      api.clock.advance(1_000);
    }
    const comments = (await user.get(`/licenses/${license}/comments`)).json();
    expect(comments.map((comment: Record<string, unknown>) => comment['body'])).toEqual([
      `Accepts the terms with SHA-256 ${first}`,
      `Accepts the terms with SHA-256 ${second}\nVersion: June 2026, ä\nURL: ${url}`,
    ]);
    const accepted = {
      hash: second,
      version: 'June 2026, ä',
      url,
      acceptedAt: comments[1].createdAt,
      commentContractId: comments[1].contractId,
    };
    expect(await shown(license)).toEqual(accepted);
    expect(await shown(license, user)).toEqual(accepted);
    expect((await provider.get(`/licenses/${license}`)).headers['etag']).not.toBe(before);
    const [listed] = (await user.get('/licenses')).json();
    expect(listed).not.toHaveProperty('acceptedTerms');
  });

  test('has one effect for a repeated key', async () => {
    const license = await newLicense();
    const headers = key();
    const body = { termsHash: hash('terms'), version: '1' };
    await user.post(at(license), body, headers);
    const again = await user.post(at(license), body, headers);
    expect([again.statusCode, again.headers['idempotent-replayed']]).toEqual([201, 'true']);
    expect((await user.get(`/licenses/${license}/comments`)).json()).toHaveLength(1);
    const changed = await user.post(at(license), { ...body, version: '2' }, headers);
    expect([changed.statusCode, changed.json().code]).toEqual([422, 'COMMAND_ID_REUSED']);
  });

  test('is not what the provider, another client or a careless comment says', async () => {
    const license = await newLicense();
    const text = `Accepts the terms with SHA-256 ${hash('terms')}`;
    const comment = (by: typeof user, body: string) =>
      by.post(`/licenses/${license}/comments`, { body });
    await comment(provider, text);
    for (const careless of [`${text}.`, ` ${text}`, `${text}\nVersion: `, `Yes.\n${text}`]) {
      await comment(user, careless);
    }
    // The comment of another client names the licence only by its number.
    await api.ledger.happen([
      created(0, `00${'7'.repeat(128)}` as Parameters<typeof created>[1], LICENSE_COMMENT, {
        provider: PROVIDER,
        user: USER,
        licenseNum: '1',
        commenter: USER satisfies Party,
        body: text,
        createdAt: '2026-06-01T00:00:00Z',
      }),
    ]);
    expect((await user.get(`/licenses/${license}/comments`)).json()).toHaveLength(6);
    expect(await shown(license)).toBeNull();
    // The user may also write the same comment without this route.
    await comment(user, text);
    expect(await shown(license)).toMatchObject({ hash: hash('terms'), version: null, url: null });
  });

  test('is refused to everybody else, after the end, and in another form, and leaves nothing', async () => {
    const [license, ended] = [await newLicense(), await newLicense()];
    await provider.post(`/licenses/${ended}/expire`, {}, key());
    const before = await traces(api);
    const good = { termsHash: hash('terms') };
    for (const [status, code, answer] of [
      [403, 'FORBIDDEN', provider.post(at(license), good, key())],
      [404, 'NOT_FOUND', other.post(at(license), good, key())],
      [404, 'NOT_FOUND', user.post(at('nowhere'), good, key())],
      [409, 'LIFECYCLE_ENDED', user.post(at(ended), good, key())],
      [400, 'COMMAND_ID_MISSING', user.post(at(license), good)],
    ] as const) {
      expect([(await answer).statusCode, (await answer).json().code]).toEqual([status, code]);
    }
    for (const [field, body] of [
      ['termsHash', {}],
      ['termsHash', { termsHash: `${hash('terms')}0` }],
      ['termsHash', { termsHash: 'g'.repeat(64) }],
      ['version', { ...good, version: 'two\nlines' }],
      ['version', { ...good, version: ' ' }],
      ['termsUrl', { ...good, termsUrl: 'ftp://provider.example/terms' }],
      ['termsUrl', { ...good, termsUrl: 'https://provider.example/a\nVersion: 9' }],
      ['hash', { ...good, hash: 'x' }],
    ] as const) {
      const refused = await user.post(at(license), body, key());
      expect([refused.statusCode, refused.json().field], JSON.stringify(body)).toEqual([
        400,
        field,
      ]);
    }
    expect(await traces(api)).toBe(before);
  });
});
