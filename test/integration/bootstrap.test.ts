import { NEWEST_MODEL } from '../../src/app/licensing/model.ts';
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Log } from '../../src/app/ports/io.ts';
import type { LedgerStreams } from '../../src/app/ports/ledger.ts';
import { PROJECTOR_LEASE } from '../../src/app/ports/leases.ts';
import { templateFqn } from '../../src/domain/ledger.ts';
import {
  APP_INSTALL,
  APP_INSTALL_REQUEST,
  LICENSE,
  LICENSE_RENEWAL_REQUEST,
} from '../../src/domain/licensing.ts';
import { isoAfter } from '../../src/domain/time.ts';
import { createLedgerStreams } from '../../src/ledger/streams.ts';
import { prepareUpdates } from '../../src/projector/bootstrap.ts';
import { LedgerCheck } from '../../src/projector/ledger-check.ts';
import {
  META,
  LedgerClient,
  PROVIDER_SIDE,
  created,
  exercise,
  io,
} from '../contract/kit/ledger-client.ts';
import { postgresStore } from '../kit/postgres-store.ts';
import { forFile } from '../kit/for-file.ts';

/*
 * How a store begins to follow a ledger that already has contracts, and a type of contract that the store did not know
 * before.
 */

const LOG: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const asProvider = async (...of: Parameters<typeof exercise>) =>
  ledger.transact(await ledger.request(ledger.provider, exercise(...of)));

const ledger = await forFile(LedgerClient.open());
const request = await ledger.createInstallRequest();
const accept = { installMeta: META, meta: META };
const accepted = await asProvider(
  APP_INSTALL_REQUEST,
  request.contractId,
  'AppInstallRequest_Accept',
  accept,
);
const install = created(accepted, APP_INSTALL).contractId;
const made = await asProvider(APP_INSTALL, install, 'AppInstall_CreateLicense', {
  params: { meta: META },
});
const license = created(made, LICENSE).contractId;
const nowMs = ledger.clock.pastMs();
const asked = await asProvider(LICENSE, license, 'License_Renew', {
  requestId: randomUUID(),
  licenseFeeInstrumentId: { admin: ledger.localnet.parties.dso, id: 'Amulet' },
  licenseFeeAmount: '100.0',
  licenseExtensionDuration: { microseconds: '2592000000000' },
  requestedAt: isoAfter(nowMs),
  prepareUntil: isoAfter(nowMs, 600_000_000n),
  settleBefore: isoAfter(nowMs, 1_200_000_000n),
  description: 'from before',
});
const renewal = created(asked, LICENSE_RENEWAL_REQUEST).contractId;

async function prepared(
  under: Awaited<ReturnType<typeof postgresStore>>,
  streams: LedgerStreams,
): Promise<void> {
  const leaseEpoch = await under.leases.acquire(PROJECTOR_LEASE, 'test', 60_000, io());
  const deps = {
    store: under.store,
    streams,
    gateway: ledger.gateway,
    leaseEpoch: leaseEpoch!,
    log: LOG,
  };
  const ledgers = new LedgerCheck(deps, []);
  await prepareUpdates({ model: NEWEST_MODEL, ...deps, ledgers }, { ...io(), deadlineMs: 20_000 });
}

const following = (...templates: readonly (typeof LICENSE)[]): LedgerStreams =>
  createLedgerStreams({
    participants: ledger.participants,
    projected: PROVIDER_SIDE,
    readAs: [ledger.provider],
    wanted: { templates, interfaces: [] },
    rights: ledger.discovered.rights,
  });

test('a store that is filled from a ledger with a past shows a renewal at the licences that it may be of', async () => {
  await using under = await postgresStore();
  await prepared(under, ledger.streams);
  const view = await under.store.reads.lifecycle(license, io());
  expect(view?.renewals.map(({ lifecycle }) => lifecycle.contractId)).toEqual([renewal]);
  const [found] = view?.renewals ?? [];
  // A snapshot of active contracts does not show how a contract was created.
  expect(found?.lifecycle).toMatchObject({ state: 'requested', originId: null });
  expect(found?.lifecycle.lane).toBe(found?.lifecycle.id);
});

test('a type that is followed later brings its contracts from before, once', async () => {
  await using under = await postgresStore();
  await prepared(under, following(APP_INSTALL_REQUEST, APP_INSTALL, LICENSE));
  const before = await under.store.reads.lifecycle(license, io());
  expect(before?.renewals).toEqual([]);
  for (let start = 0; start < 2; start += 1) {
    await prepared(under, ledger.streams);
    const view = await under.store.reads.lifecycle(license, io());
    expect(view?.renewals.map(({ lifecycle }) => lifecycle.contractId)).toEqual([renewal]);
    expect(view?.renewals[0]?.lifecycle.version).toBe(1);
  }
  const followed = await under.store.transact(io(), (tx) => tx.followedTypes());
  expect(followed).toContain(templateFqn(LICENSE_RENEWAL_REQUEST));
});

const activeIn = (under: Awaited<ReturnType<typeof postgresStore>>, name: string) =>
  under.pool
    .query<{ contract_id: string }>('select contract_id from active($1)', [name])
    .then(({ rows }) => rows.map((row) => row.contract_id));

test('a name that is followed is known before its first contract', async () => {
  await using under = await postgresStore();
  await prepared(under, ledger.streams);
  for (const name of [
    'Licensing.AppInstall:AppInstallRequest',
    'Licensing.LicenseComment:LicenseComment',
    'Splice.Api.Token.AllocationV1:Allocation',
  ]) {
    expect([name, await activeIn(under, name)]).toEqual([name, []]);
  }
  const request = 'Splice.Api.Token.AllocationRequestV1:AllocationRequest';
  expect(await activeIn(under, request)).toEqual([renewal]);
  await expect(activeIn(under, 'Licensing.License:Nothing')).rejects.toThrow('not found');
});

test('an interface that is followed later brings its views, and changes no contract', async () => {
  await using under = await postgresStore();
  await prepared(under, following(LICENSE, LICENSE_RENEWAL_REQUEST));
  const name = 'Splice.Api.Token.AllocationRequestV1:AllocationRequest';
  await expect(activeIn(under, name)).rejects.toThrow('not found');
  await prepared(under, ledger.streams);
  expect(await activeIn(under, name)).toEqual([renewal]);
  const view = await under.store.reads.lifecycle(license, io());
  expect(view?.renewals.map(({ lifecycle }) => lifecycle.version)).toEqual([1]);
});

test('whoever has lost the lease adds nothing', async () => {
  await using under = await postgresStore();
  await prepared(under, following(APP_INSTALL_REQUEST, APP_INSTALL, LICENSE));
  const stale = { store: under.store, streams: ledger.streams, gateway: ledger.gateway, log: LOG };
  await under.leases.acquire(PROJECTOR_LEASE, 'test', 60_000, io());
  const deps = { ...stale, leaseEpoch: 1n };
  const ledgers = new LedgerCheck(deps, []);
  await expect(prepareUpdates({ model: NEWEST_MODEL, ...deps, ledgers }, io())).rejects.toThrow();
  const view = await under.store.reads.lifecycle(license, io());
  expect(view?.renewals).toEqual([]);
});
