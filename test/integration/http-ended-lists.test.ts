import { describe, expect, test } from 'vitest';
import { OTHER_USER, USER } from '../kit/http-api.ts';
import { asking } from '../kit/http-ask.ts';
import { startRenewalsWorld } from '../kit/http-renewals.ts';
import { ending } from '../kit/ledger-stand-in.ts';
import { trusted } from '../../src/domain/ids.ts';
import { LICENSE_RENEWAL_REQUEST } from '../../src/domain/licensing.ts';
import { forFile } from '../kit/for-file.ts';

/* Lists of ended lifecycles, mainly of renewals, which show how much has been paid for a licence. */

const world = await forFile(startRenewalsWorld());

describe('renewals that have ended', () => {
  const listed = async (query: string, as = world.provider) => {
    const reply = await as.get(`/license-renewal-requests?${query}`);
    expect(reply.statusCode).toBe(200);
    return reply.json<Record<string, unknown>[]>();
  };

  test('are listed by how they ended, with fee, parties, time and update, to both sides', async () => {
    const license = await world.newLicense();
    await world.renew(license, { licenseFeeCc: '42.5' });
    const settled = await world.renewalOf(license);
    const { licenseNum } = (await world.shown(license)) as { licenseNum: number };
    const allocation = await world.allocate(settled.contractId);
    expect((await world.complete(license, settled.contractId, allocation)).statusCode).toBe(200);
    await world.renew(license);
    const withdrawn = await world.renewalOf(license);
    const path = `/license-renewal-requests/${withdrawn.contractId}`;
    expect(
      (await world.provider.post(`${path}:withdraw?commandId=${world.command()}`)).statusCode,
    ).toBe(204);
    await world.renew(license);
    const open = await world.renewalOf(license);

    const ids = async (query: string, as = world.provider) =>
      (await listed(`${query}&licenseNum=${licenseNum}`, as)).map((one) => one['lifecycleId']);
    for (const as of [world.provider, world.user]) {
      expect(await ids('limit=10', as)).toEqual([open.lifecycleId]);
      expect(await ids('ended=false', as)).toEqual([open.lifecycleId]);
      expect(await ids('state=renewed', as)).toEqual([settled.lifecycleId]);
      expect(await ids('state=withdrawn', as)).toEqual([withdrawn.lifecycleId]);
      expect(new Set(await ids('ended=true', as))).toEqual(
        new Set([settled.lifecycleId, withdrawn.lifecycleId]),
      );
      expect(await ids('ended=true&state=requested', as)).toEqual([]);
      expect(await ids('ended=false&state=renewed', as)).toEqual([]);
    }
    expect(await listed('ended=true', await asking(world.api, OTHER_USER))).toEqual([]);

    const [entry] = await listed(`state=renewed&licenseNum=${licenseNum}`, world.user);
    const history = (await world.user.get(`/licenses/${license}/history`)).json();
    const extended = history.find(({ kind }: { kind: string }) => kind === 'ledger.licenseRenewed');
    expect(entry).toMatchObject({
      licenseFeeAmount: 42.5,
      licenseFeeInstrument: 'Amulet',
      provider: world.api.deps.hosting.provider,
      user: USER,
      endedAt: extended.at,
      updateId: extended.updateId,
      state: 'renewed',
    });
    expect(extended.detail).toEqual({ through: settled.lifecycleId });
    const one = await world.user.get(`/license-renewal-requests/${settled.lifecycleId}`);
    expect(one.json()).toEqual(entry);
    // An open renewal has neither field.
    expect(Object.keys(open)).not.toEqual(expect.arrayContaining(['endedAt', 'updateId']));
    const born = await world.user.get(`/license-renewal-requests/${open.lifecycleId}/history`);
    expect(born.json()[0]).toMatchObject({
      kind: 'ledger.created',
      detail: { through: (await world.shown(license))['lifecycleId'] },
    });
  });

  test('come in pages, each once', async () => {
    const all = (await listed('ended=true')).map((one) => one['lifecycleId']);
    expect(all.length).toBeGreaterThan(1);
    const seen: unknown[] = [];
    let next: string | undefined = '/license-renewal-requests?ended=true&limit=1';
    while (next !== undefined) {
      const reply = await world.provider.get(next);
      expect(reply.json().length).toBeLessThanOrEqual(1);
      seen.push(...reply.json().map((one: Record<string, unknown>) => one['lifecycleId']));
      next = /^<([^>]+)>; rel="next"$/u.exec(String(reply.headers['link'] ?? ''))?.[1];
    }
    expect(seen).toEqual(all);
  });

  test.each([
    ['ended=perhaps', 'ended'],
    ['state=over', 'state'],
    ['licenseNum=-1', 'licenseNum'],
    ['licenseNum=9223372036854775808', 'licenseNum'],
  ])('are not asked for by %s', async (query, field) => {
    const reply = await world.provider.get(`/license-renewal-requests?${query}`);
    expect(reply.json()).toMatchObject({ status: 400, code: 'REQUEST_INVALID', field });
  });

  test('licences that have ended are listed likewise', async () => {
    const license = await world.newLicense();
    const path = `/licenses/${license}:expire?commandId=${world.command()}`;
    expect((await world.provider.post(path, {}, { accept: 'text/plain' })).statusCode).toBe(200);
    const ended = (await world.user.get('/licenses?state=expired')).json();
    expect(ended).toContainEqual(expect.objectContaining({ contractId: license }));
    const active = (await world.user.get('/licenses')).json();
    expect(active).not.toContainEqual(expect.objectContaining({ contractId: license }));
  });
});

describe('the history of what has ended says by whom and why', () => {
  const endOf = async (path: string, as = world.user) =>
    (await as.get(`${path}/history`)).json().at(-1);
  const provider = () => world.api.deps.hosting.provider;

  test('a licence that a side has ended, in its words', async () => {
    const [first, second] = [await world.newLicense(), await world.newLicense()];
    const expire = (license: string, as: typeof world.user, data: object) =>
      as.post(
        `/licenses/${license}:expire?commandId=${world.command()}`,
        { meta: { data } },
        { accept: 'text/plain' },
      );
    const reason = 'The contract was cancelled by phone.';
    expect((await expire(first, world.provider, { reason })).statusCode).toBe(200);
    expect(await endOf(`/licenses/${first}`)).toMatchObject({
      kind: 'ledger.licenseExpired',
      detail: { endedBy: [provider()], reason },
    });
    // The provider signs the submission in place of the user, but the user is still the caller.
    expect((await expire(second, world.user, {})).statusCode).toBe(200);
    expect((await endOf(`/licenses/${second}`)).detail).toEqual({ endedBy: [USER] });
  });

  test('a renewal that the wallet has turned down', async () => {
    const license = await world.newLicense();
    await world.renew(license);
    const { contractId, lifecycleId } = await world.renewalOf(license);
    const rejected = ending(
      trusted(contractId),
      LICENSE_RENEWAL_REQUEST,
      'AllocationRequest_Reject',
    );
    const meta = { values: { 'splice.lfdecentralizedtrust.org/reason': 'Too dear' } };
    await world.api.ledger.happen([
      { ...rejected, actingParties: [USER], argument: { actor: USER, extraArgs: { meta } } },
    ]);
    expect((await endOf(`/license-renewal-requests/${lifecycleId}`)).detail).toEqual({
      endedBy: [USER],
      reason: 'Too dear',
    });
  });
});
