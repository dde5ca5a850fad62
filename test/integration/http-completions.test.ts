import { describe, expect, test } from 'vitest';
import type { RenewalsWorld } from '../kit/http-renewals.ts';
import { RENEW, startRenewalsWorld } from '../kit/http-renewals.ts';
import { traces } from '../kit/http-refusals.ts';
import { forFile } from '../kit/for-file.ts';

/* Completions of renewals: two routes that make the same change. */

const world = await forFile(startRenewalsWorld());

interface Renewed {
  readonly contractId: string;
  readonly lifecycleId: string;
  readonly allocation: string;
}

/** Requests and pays a renewal of this licence. Other renewals belong to other licences with the same number. */
async function paidRenewalOf(of: RenewalsWorld, license: string): Promise<Renewed> {
  const open = async (): Promise<Renewed[]> =>
    (await of.shown(license))['renewalRequests'] as Renewed[];
  const before = (await open()).map(({ contractId }) => contractId);
  expect((await of.renew(license, { allowConcurrent: true })).statusCode).toBe(201);
  const [made] = (await open()).filter(({ contractId }) => !before.includes(contractId));
  return { ...made!, allocation: await of.allocate(made!.contractId) };
}

const completeAlone = (of: RenewalsWorld, { contractId, allocation }: Renewed) =>
  of.provider.post(`/license-renewal-requests/${contractId}:complete?commandId=${of.command()}`, {
    allocationContractId: allocation,
  });

/** Makes the renewal look as if it had been read from a snapshot, which does not show how a contract was created. */
async function forgetOrigin({ lifecycleId }: Renewed): Promise<void> {
  const { pool } = world.api;
  await pool.query(
    `update history set detail = '{}' where lifecycle_id = $1 and kind = 'ledger.created'`,
    [lifecycleId],
  );
  await pool.query('update lifecycle set origin_id = null where id = $1', [lifecycleId]);
}

const originOf = async ({ lifecycleId }: Renewed): Promise<unknown> => {
  const renewal = await world.provider.get(`/license-renewal-requests/${lifecycleId}`);
  return renewal.json().licenseLifecycleId;
};

/** Returns the time at which a licence lapses. */
const until = async (license: string) => (await world.shown(license))['expiresAt'];

describe('a completion where two licences have one number', () => {
  test('extends the licence that the renewal was asked of, and not the newest', async () => {
    const [older, newer] = [await world.firstLicense(), await world.firstLicense()];
    const before = [await until(older), await until(newer)];
    const renewal = await paidRenewalOf(world, older);
    const done = await completeAlone(world, renewal);
    expect(done.statusCode).toBe(200);
    expect(done.json().lifecycleId).toBe((await world.shown(older))['lifecycleId']);
    expect(await until(older)).not.toBe(before[0]);
    expect(await until(newer)).toBe(before[1]);
    const history = (await world.provider.get(`/licenses/${older}/history`)).json();
    expect(history.at(-1)).toMatchObject({
      kind: 'ledger.licenseRenewed',
      detail: { through: renewal.lifecycleId },
    });
  });

  test('extends no other once the licence that it was asked of has ended', async () => {
    const gone = await world.firstLicense();
    await world.firstLicense();
    const renewal = await paidRenewalOf(world, gone);
    const expired = await world.provider.post(
      `/licenses/${gone}:expire?commandId=${world.command()}`,
      {},
      { accept: 'text/plain' },
    );
    expect(expired.statusCode).toBe(200);
    const refused = await completeAlone(world, renewal);
    expect(refused.json()).toMatchObject({ status: 409, code: 'CONTRACT_GONE' });
  });

  test('is refused where it is not known which of them is meant, and taken at the licence', async () => {
    const [one, other] = [await world.firstLicense(), await world.firstLicense()];
    const renewal = await paidRenewalOf(world, one);
    await forgetOrigin(renewal);
    const before = await traces(world.api);
    const refused = await completeAlone(world, renewal);
    const { licenseIds, ...problem } = refused.json();
    expect(problem).toMatchObject({ status: 409, code: 'LICENSE_AMBIGUOUS' });
    const ids = await Promise.all(
      [one, other].map(async (id) => (await world.shown(id))['lifecycleId']),
    );
    expect(licenseIds).toEqual(expect.arrayContaining(ids));
    expect(await traces(world.api)).toBe(before);
    for (const id of [one, other]) {
      expect((await world.shown(id))['renewalRequests']).toContainEqual(
        expect.objectContaining({ contractId: renewal.contractId, licenseLifecycleId: null }),
      );
    }
    const elsewhere = await world.complete(
      await world.newLicense(),
      renewal.contractId,
      renewal.allocation,
    );
    expect(elsewhere.json()).toMatchObject({ code: 'LICENSE_MISMATCH' });
    const done = await world.complete(one, renewal.contractId, renewal.allocation);
    expect(done.statusCode).toBe(200);
    expect(await originOf(renewal)).toBe((await world.shown(one))['lifecycleId']);
  });

  test('is of the licence on which it was completed first, also where nothing came of that', async () => {
    const [one, other] = [await world.firstLicense(), await world.firstLicense()];
    const renewal = await paidRenewalOf(world, one);
    await forgetOrigin(renewal);
    await world.whileStopped(async () => {
      const { contractId, allocation } = renewal;
      const asked = await world.provider.post(
        `/licenses/${other}:complete-renewal?commandId=${world.command()}`,
        { renewalRequestContractId: contractId, allocationContractId: allocation },
        { prefer: 'respond-async' },
      );
      expect([asked.statusCode, asked.json().state]).toEqual([202, 'submitting']);
      const crossed = await world.complete(one, contractId, allocation);
      expect(crossed.json()).toMatchObject({ status: 409, code: 'LICENSE_MISMATCH' });
    });
    expect(await originOf(renewal)).toBe((await world.shown(other))['lifecycleId']);
  });

  test('is refused on another licence, by every address, and leaves nothing', async () => {
    const [own, another] = [await world.firstLicense(), await world.firstLicense()];
    const renewal = await paidRenewalOf(world, own);
    const before = await traces(world.api);
    const id = (await world.shown(own))['lifecycleId'];
    const crossed = await world.complete(another, renewal.contractId, renewal.allocation);
    expect(crossed.json()).toMatchObject({
      status: 409,
      code: 'LICENSE_MISMATCH',
      message: `renewal request ${renewal.contractId} does not belong to licence ${another}`,
      field: 'renewalRequestContractId',
      licenseLifecycleId: id,
    });
    const exercised = await world.provider.post(
      `/contracts/${renewal.contractId}/exercise?commandId=${world.command()}`,
      {
        choice: 'LicenseRenewalRequest_CompleteRenewal',
        argument: { allocationCid: renewal.allocation, licenseCid: another },
      },
    );
    expect(exercised.json()).toMatchObject({ status: 409, code: 'LICENSE_MISMATCH' });
    expect(await traces(world.api)).toBe(before);
    expect((await completeAlone(world, renewal)).statusCode).toBe(200);
  });

  test('stands in nobody else’s way: neither in lists nor before a renewal nor in a lane', async () => {
    const [one, other] = [await world.firstLicense(), await world.firstLicense()];
    expect((await world.renew(one)).statusCode).toBe(201);
    expect((await world.renew(other)).statusCode).toBe(201);
    const refused = (await world.renew(one)).json();
    const [mine, theirs] = [await world.renewalOf(one), await world.renewalOf(other)];
    expect(refused.message).toContain(mine.contractId);
    for (const [license, renewal] of [
      [one, mine],
      [other, theirs],
    ] as const) {
      const { lifecycleId } = await world.shown(license);
      expect(renewal).toMatchObject({ licenseLifecycleId: lifecycleId });
      const { rows } = await world.api.pool.query(
        'select lane from lifecycle where id in ($1, $2)',
        [lifecycleId, renewal.lifecycleId],
      );
      expect(rows).toEqual([{ lane: lifecycleId }, { lane: lifecycleId }]);
    }
    const of = await world.user.get(`/license-renewal-requests/${mine.contractId}`);
    expect(of.json()).toMatchObject({ licenseLifecycleId: expect.stringMatching(/^license-/u) });
  });
});

describe('a completion', () => {
  test('may be asked for at the renewal’s own address', async () => {
    const license = await world.newLicense();
    await world.renew(license);
    const { contractId } = await world.renewalOf(license);
    const allocation = await world.allocate(contractId);
    const done = await world.provider.post(
      `/api/license-renewal-requests/${contractId}:complete?commandId=${world.command()}`,
      { allocationContractId: allocation },
    );
    expect(done.statusCode).toBe(200);
    expect(await world.shown(license)).toMatchObject({ contractId: done.json().licenseId });
  });

  test('is one, by whichever address and name of the licence it is repeated', async () => {
    const [license, other] = [await world.newLicense(), await world.newLicense()];
    await world.renew(license);
    const { contractId } = await world.renewalOf(license);
    const allocation = await world.allocate(contractId);
    const id = world.command();
    const first = await world.complete(license, contractId, allocation, id);
    expect(first.statusCode).toBe(200);
    const { lifecycleId } = (await world.shown(license)) as { lifecycleId: string };
    const again = [
      await world.complete(first.json().licenseId, contractId, allocation, id),
      await world.complete(lifecycleId, contractId, allocation, id),
      await world.provider.post(
        `/license-renewal-requests/${contractId}:complete?commandId=${id}`,
        { allocationContractId: allocation },
      ),
    ];
    for (const reply of again) {
      expect([reply.statusCode, reply.headers['idempotent-replayed']]).toEqual([200, 'true']);
      expect(reply.json()).toEqual(first.json());
    }
    const elsewhere = await world.complete(other, contractId, allocation, id);
    expect(elsewhere.json()).toMatchObject({ status: 422, code: 'COMMAND_ID_REUSED' });
  });

  test('is of the licence as it was seen: the tag is of what the path names', async () => {
    const license = await world.newLicense();
    const tag = async (path: string) => (await world.provider.get(path)).headers['etag'] as string;
    await world.renew(license);
    const { contractId } = await world.renewalOf(license);
    const allocation = await world.allocate(contractId);
    const tags = {
      license: await tag(`/licenses/${license}`),
      renewal: await tag(`/license-renewal-requests/${contractId}`),
    };
    expect(tags.license).not.toBe(tags.renewal);
    const completeIf = (ifMatch: string) =>
      world.provider.post(
        `/licenses/${license}:complete-renewal?commandId=${world.command()}`,
        { renewalRequestContractId: contractId, allocationContractId: allocation },
        { 'if-match': ifMatch },
      );
    expect((await completeIf(tags.renewal)).statusCode).toBe(412);
    // In this route, the path names the renewal and the argument names the licence, as on the ledger.
    const choice = 'LicenseRenewalRequest_CompleteRenewal';
    const exercised = await world.provider.post(
      `/contracts/${contractId}/exercise?commandId=${world.command()}`,
      { choice, argument: { allocationCid: allocation, licenseCid: license } },
      { 'if-match': tags.license },
    );
    expect(exercised.statusCode).toBe(412);
    expect((await completeIf(tags.license)).statusCode).toBe(200);
  });

  test('of a renewal whose window closes while it waits is judged by the clock of its turn', async () => {
    const license = await world.newLicense();
    await world.renew(license);
    const { contractId, lifecycleId } = await world.renewalOf(license);
    const allocation = await world.allocate(contractId);
    const ask = (path: string, body: object) =>
      world.provider.post(`${path}?commandId=${world.command()}`, body, {
        prefer: 'respond-async',
      });
    await world.whileStopped(async () => {
      const ahead = await ask(`/licenses/${license}:renew`, { ...RENEW, allowConcurrent: true });
      expect(ahead.statusCode).toBe(202);
      // The clock of the recording process is ahead of the clock that judges the change.
      world.api.clock.advance(20 * 60_000);
      const body = { allocationContractId: allocation };
      const late = await ask(`/license-renewal-requests/${contractId}:complete`, body);
      expect(late.statusCode).toBe(202);
      world.api.clock.advance(-20 * 60_000);
    });
    await expect
      .poll(async () =>
        (await world.provider.get(`/license-renewal-requests/${lifecycleId}`)).json(),
      )
      .toMatchObject({ state: 'renewed' });
  });

  test.each(['renewalRequestContractId', 'allocationContractId'])(
    'with a %s of a megabyte is told so in few words',
    async (field) => {
      const license = await world.newLicense();
      const body = { renewalRequestContractId: '00', allocationContractId: '00' };
      const reply = await world.provider.post(
        `/licenses/${license}:complete-renewal?commandId=${world.command()}`,
        { ...body, [field]: '00'.repeat(500_000) },
      );
      expect(reply.json()).toMatchObject({ status: 400, code: 'REQUEST_INVALID', field });
      expect(reply.body.length).toBeLessThan(2_000);
    },
  );
});
