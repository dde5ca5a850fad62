import { beforeEach, describe, expect, test } from 'vitest';
import type { JsonRecord } from '../../src/domain/json.ts';
import { OTHER_USER, PROVIDER, USER } from '../kit/http-api.ts';
import type { Ask } from '../kit/http-ask.ts';
import { asking } from '../kit/http-ask.ts';
import { startContractsWorld } from '../kit/http-contracts.ts';
import { expectProblem } from '../kit/http-refusals.ts';
import { forFile } from '../kit/for-file.ts';

/* Lists of contracts of one template, page by page. */

const world = await forFile(startContractsWorld());
const { provider, user } = world;
beforeEach(() => world.follow());

const idsIn = (reply: { json(): unknown }): string[] =>
  (reply.json() as { readonly contractId: string }[]).map(({ contractId }) => contractId);

/** Returns all pages of a list, in pages of this size. */
async function pagesOf(by: Ask, query: string, limit: number): Promise<string[][]> {
  const pages: string[][] = [];
  let next: string | undefined = `/api/contracts?${query}&limit=${limit}`;
  while (next !== undefined) {
    const reply = await by.get(next);
    pages.push(idsIn(reply));
    next = /^<([^>]+)>; rel="next"$/u.exec(String(reply.headers['link']))?.[1];
  }
  return pages;
}

describe('a list of contracts', () => {
  test('shows a template’s active contracts as each is shown alone, page by page to the end', async () => {
    const licenses = [await world.licensed(), await world.licensed(), await world.licensed()];
    const ended = await world.licensed();
    await world.exercise(user, ended, 'License_Expire', {});
    const whole = await user.get('/api/contracts?template=License');
    expect(whole.headers['link']).toBeUndefined();
    const ids = idsIn(whole);
    expect(ids).toEqual(expect.arrayContaining(licenses));
    expect(ids).not.toContain(ended);
    const alone = await user.get(`/contracts/${licenses[1]}`);
    expect(whole.json()).toContainEqual(alone.json());
    const pages = await pagesOf(user, 'template=License', 2);
    expect(pages.flat()).toEqual(ids);
    expect(pages.every(({ length }) => length >= 1 && length <= 2)).toBe(true);
    for (const name of ['Licensing.License:License', whole.json()[0].templateId]) {
      const query = `template=${encodeURIComponent(name)}`;
      expect(idsIn(await provider.get(`/contracts?${query}&user=${USER}`))).toEqual(ids);
    }
  });

  test('has contracts that stand for no lifecycle, in the order of their creation', async () => {
    const license = await world.licensed();
    const before = idsIn(await user.get('/contracts?template=LicenseComment'));
    for (const body of ['one', 'two', 'three']) {
      await user.post(`/licenses/${license}/comments?commandId=${world.id('said')}`, { body });
    }
    const said: { payload: JsonRecord; lifecycleId?: string }[] = (
      await provider.get('/contracts?template=LicenseComment')
    ).json();
    const added = said.slice(before.length);
    expect(added.map(({ payload }) => payload['body'])).toEqual(['one', 'two', 'three']);
    expect(added[0]).not.toHaveProperty('lifecycleId');
    const pages = await pagesOf(user, 'template=LicenseComment', 2);
    expect(pages.flat()).toEqual(idsIn(await provider.get('/contracts?template=LicenseComment')));
    expect(pages.length).toBe(Math.ceil(said.length / 2));
  });

  test('shows no contract of other parties, and takes the filters of other lists', async () => {
    const license = await world.licensed();
    await user.post(`/licenses/${license}/comments?commandId=${world.id('said')}`, { body: 'us' });
    const stranger = await asking(world.api, OTHER_USER);
    for (const template of ['AppInstallRequest', 'AppInstall', 'License', 'LicenseComment']) {
      const of = `/contracts?template=${template}`;
      expect((await user.get(of)).json(), template).not.toEqual([]);
      expect((await user.get(`${of}&provider=${PROVIDER}&user=${USER}`)).json()).not.toEqual([]);
      for (const filter of ['', `&user=${USER}`, `&provider=${PROVIDER}`]) {
        expect((await stranger.get(`${of}${filter}`)).json(), template).toEqual([]);
      }
      for (const filter of [`user=${OTHER_USER}`, `provider=${USER}`]) {
        expect((await provider.get(`${of}&${filter}`)).json(), template).toEqual([]);
      }
    }
  });

  test('refuses a template that it does not know, and a cursor of another list', async () => {
    await world.licensed();
    const names = 'AppInstallRequest, AppInstall, License, LicenseRenewalRequest, LicenseComment';
    for (const [query, message] of [
      ['', `template is needed: ${names}`],
      ['?template=Amulet', `template must be one of ${names}`],
      ['?template=icense', `template must be one of ${names}`],
    ] as const) {
      const extra = { field: 'template' };
      const refused = await user.get(`/contracts${query}`);
      expectProblem(refused, '/contracts', { code: 'REQUEST_INVALID', message, extra });
    }
    await world.licensed();
    const { headers } = await user.get('/contracts?template=License&limit=1');
    const cursor = /cursor=([^>&]+)/u.exec(String(headers['link']))?.[1];
    const foreign = await user.get(`/contracts?template=LicenseComment&cursor=${cursor}`);
    expect([foreign.statusCode, foreign.json().field]).toEqual([400, 'cursor']);
  });
});
