import { beforeAll, expect, test } from 'vitest';
import type { VettedPackages } from '../../../proto/gen/com/daml/ledger/api/v2/package_reference.ts';
import {
  UpdateVettedPackagesForceFlag as ForceFlag,
  UploadDarFileRequest_VettingChange as VettingChange,
} from '../../../proto/gen/com/daml/ledger/api/v2/admin/package_management_service.ts';
import { text } from '../../../localnet/lf/build/types.ts';
import { change } from '../kit/commands.ts';
import { expectRefused, openSuite, unique } from '../kit/conformance.ts';
import { darOf, makePackage } from '../kit/dar.ts';
import { USER_READER } from '../kit/identities.ts';
import { createRequest } from '../kit/licensing.ts';
import { refusalOf } from '../kit/refusal.ts';

/* Modelled on the public conformance suite VettingIT, with a single synchronizer. */

const { network, ledger, party } = await openSuite();
const { packages, packageAdmin, partyAdmin } = ledger;
const { participantId } = await partyAdmin.getParticipantId({});
const { synchronizerId } = network.localnet;

const DEP_NAME = unique('vetting-dep');
const MAIN_NAME = unique('vetting-main');
const dep = makePackage({ name: DEP_NAME, version: '1.0.0' });
const mainV1 = makePackage({ name: MAIN_NAME, version: '1.0.0' });
const mainV2 = makePackage({ name: MAIN_NAME, version: '2.0.0' });
const alt = makePackage({ name: unique('vetting-alt'), version: '1.0.0' });

const upload = (darFile: Uint8Array, vettingChange: VettingChange) =>
  packageAdmin.uploadDarFile({ darFile, vettingChange });

beforeAll(async () => {
  for (const dar of [darOf([dep]), darOf([mainV1, dep]), darOf([mainV2, dep]), darOf([alt])]) {
    await upload(dar, VettingChange.DONT_VET_ANY_PACKAGES);
  }
});

interface Ref {
  readonly packageId?: string;
  readonly packageName?: string;
  readonly packageVersion?: string;
}

const byId = ({ id }: { readonly id: string }): Ref => ({ packageId: id });
const vet = (...refs: readonly Ref[]) => ({
  operation: { $case: 'vet' as const, value: { packages: [...refs] } },
});
const unvet = (...refs: readonly Ref[]) => ({
  operation: { $case: 'unvet' as const, value: { packages: [...refs] } },
});
type Change = ReturnType<typeof vet> | ReturnType<typeof unvet>;

const update = (changes: readonly Change[], more: object = {}) =>
  packageAdmin.updateVettedPackages({ changes: [...changes], synchronizerId, ...more });

/** Restores the state in which no package of the suite is vetted, as before the first case. */
const unvetAll = () => update([unvet(...[dep, mainV1, mainV2, alt].map(byId))]);

async function vetted(packageMetadataFilter: object = {}): Promise<string[]> {
  const { vettedPackages } = await packages.listVettedPackages({
    packageMetadataFilter,
    topologyStateFilter: { participantIds: [participantId], synchronizerIds: [synchronizerId] },
  });
  return ours(vettedPackages[0]);
}

/** Returns those vetted packages that belong to this suite, by their roles. */
const ours = (state: VettedPackages | undefined): string[] => {
  const names = new Map([
    [dep.id, 'dep'],
    [mainV1.id, 'main 1'],
    [mainV2.id, 'main 2'],
    [alt.id, 'alt'],
  ]);
  return (state?.packages ?? []).flatMap(({ packageId }) => names.get(packageId) ?? []).sort();
};

test('VettingIT PVListVettedPackagesBasic: all, by name and by ID', async () => {
  await unvetAll();
  await update([vet(...[dep, mainV1, mainV2].map(byId))]);
  expect(await vetted()).toEqual(['dep', 'main 1', 'main 2']);
  expect(await vetted({ packageNamePrefixes: [DEP_NAME] })).toEqual(['dep']);
  expect(await vetted({ packageNamePrefixes: [DEP_NAME, MAIN_NAME] })).toHaveLength(3);
  expect(await vetted({ packageIds: [dep.id] })).toEqual(['dep']);
  expect(await vetted({ packageIds: [dep.id, mainV2.id] })).toEqual(['dep', 'main 2']);
  expect(await vetted({ packageIds: [dep.id], packageNamePrefixes: [MAIN_NAME] })).toHaveLength(3);
  expect(await vetted({ packageNamePrefixes: ['vetting-'] })).toHaveLength(3);
});

test('VettingIT PVUploadDarFileBasic: an upload vets all of its packages', async () => {
  await unvetAll();
  await upload(darOf([mainV2, dep]), VettingChange.VET_ALL_PACKAGES);
  expect(await vetted()).toEqual(['dep', 'main 2']);
});

test('VettingIT PVUpdateVetDepThenV2Succeeds: one after the other', async () => {
  await unvetAll();
  const first = await update([vet(byId(dep))]);
  const second = await update([vet(byId(mainV2))]);
  expect(ours(first.pastVettedPackages)).toEqual([]);
  expect(ours(first.newVettedPackages)).toEqual(['dep']);
  expect(ours(second.newVettedPackages)).toEqual(['dep', 'main 2']);
  expect(await vetted()).toEqual(['dep', 'main 2']);
});

test('VettingIT PVUpdateUnvetV2Succeeds: and taken back', async () => {
  await unvetAll();
  await update([vet(byId(dep), byId(mainV2))]);
  const { pastVettedPackages, newVettedPackages } = await update([unvet(byId(mainV2))]);
  expect(ours(pastVettedPackages)).toEqual(['dep', 'main 2']);
  expect(ours(newVettedPackages)).toEqual(['dep']);
});

test('VettingIT PVUpdateVetTwoPackagesAtATimeSucceeds: two at a time', async () => {
  await unvetAll();
  const { newVettedPackages } = await update([vet(byId(mainV2), byId(dep))]);
  expect(ours(newVettedPackages)).toEqual(['dep', 'main 2']);
});

test.each<[string, Ref, string]>([
  ['PVUpdateVetMultipleByNameFails', { packageName: MAIN_NAME }, 'AMBIGUOUS_VETTING_REFERENCE'],
  ['PVUpdateVetNonexistentNameFails', { packageName: 'none' }, 'UNRESOLVED_VETTING_REFERENCE'],
  [
    'PVUpdateVetByNameAndNonexistentVersion',
    { packageName: MAIN_NAME, packageVersion: '3.0.0' },
    'UNRESOLVED_VETTING_REFERENCE',
  ],
  [
    'PVUpdateVetByIdWithWrongName',
    { packageId: mainV2.id, packageName: 'none', packageVersion: '2.0.0' },
    'UNRESOLVED_VETTING_REFERENCE',
  ],
  [
    'PVUpdateVetByIdWithWrongVersion',
    { packageId: mainV2.id, packageName: MAIN_NAME, packageVersion: '3.0.0' },
    'UNRESOLVED_VETTING_REFERENCE',
  ],
])('VettingIT %s: a reference that names none or several', async (_case, ref, code) => {
  await expectRefused(update([vet(ref)]), code);
});

test.each<[string, Ref]>([
  ['PVUpdateVetByNameAndVersion', { packageName: MAIN_NAME, packageVersion: '2.0.0' }],
  [
    'PVUpdateVetByIdAndNameAndVersion',
    { packageId: mainV2.id, packageName: MAIN_NAME, packageVersion: '2.0.0' },
  ],
])('VettingIT %s: a reference that names one', async (_case, ref) => {
  await unvetAll();
  expect(ours((await update([vet(ref)])).newVettedPackages)).toEqual(['main 2']);
});

test('VettingIT PVUpdateVetWithSerial: from the state that the caller knows', async () => {
  await unvetAll();
  const { vettedPackages } = await packages.listVettedPackages({
    topologyStateFilter: { participantIds: [participantId] },
  });
  const value = vettedPackages[0]!.topologySerial;
  const expectedTopologySerial = { serial: { $case: 'prior', value } };
  const { pastVettedPackages: past, newVettedPackages: now } = await update([vet(byId(dep))], {
    expectedTopologySerial,
  });
  expect(past!.topologySerial).toBe(value);
  expect(now!.topologySerial).not.toBe(value);
});

test.each([
  ['PVUpdateVetWithWrongSerial', false],
  ['PVDryRunWithWrongSerial', true],
])('VettingIT %s: from another state', async (_case, dryRun) => {
  await unvetAll();
  await update([vet(byId(dep))]);
  const expectedTopologySerial = { serial: { $case: 'prior', value: 1 } };
  await expectRefused(
    update([vet(byId(mainV2))], { expectedTopologySerial, dryRun }),
    'TOPOLOGY_SERIAL_MISMATCH',
  );
});

test('VettingIT PVListVettedPackagesNothingVetted: an upload need not vet anything', async () => {
  await unvetAll();
  await upload(darOf([mainV2, dep]), VettingChange.DONT_VET_ANY_PACKAGES);
  expect(await vetted()).toEqual([]);
});

test('VettingIT PVDryRun: what would be', async () => {
  await unvetAll();
  const { newVettedPackages } = await update([vet(byId(alt))], { dryRun: true });
  expect(ours(newVettedPackages)).toEqual(['alt']);
  expect(await vetted()).toEqual([]);
});

test('VettingIT PVWritingAndOverwritingBounds: from when to when', async () => {
  await unvetAll();
  const at = (seconds: bigint) => ({ seconds, nanos: 0 });
  const within = (from: bigint, until: bigint, ...refs: readonly Ref[]) => ({
    operation: {
      $case: 'vet' as const,
      value: {
        packages: [...refs],
        newValidFromInclusive: at(from),
        newValidUntilExclusive: at(until),
      },
    },
  });
  await update([within(0n, 1n, byId(mainV2))]);
  const { newVettedPackages } = await update([within(2n, 3n, byId(mainV2), byId(alt))]);
  const bounds = newVettedPackages!.packages
    .filter(({ packageId }) => [mainV2.id, alt.id].includes(packageId))
    .map(({ validFromInclusive, validUntilExclusive }) => [
      validFromInclusive,
      validUntilExclusive,
    ]);
  expect(bounds).toEqual([
    [at(2n), at(3n)],
    [at(2n), at(3n)],
  ]);
});

test('VettingIT PVUnvettedDependenciesSupported: without what it needs', async () => {
  await unvetAll();
  await update([vet(byId(mainV2))]);
  await update([vet(byId(dep))]);
  const { newVettedPackages } = await update([vet(byId(mainV2)), unvet(byId(dep))]);
  expect(ours(newVettedPackages)).toEqual(['main 2']);
});

test('VettingIT PVCheckUpgradeInvariantsExceptWithForceFlag: versions continue each other, unless the caller insists', async () => {
  await unvetAll();
  const otherV2 = makePackage({ name: MAIN_NAME, version: '2.0.0', content: 'other' });
  const brokenV3 = makePackage({ name: MAIN_NAME, version: '3.0.0', fields: { title: text } });
  const updateVettedPackagesForceFlags = [ForceFlag.ALLOW_VET_INCOMPATIBLE_UPGRADES];
  for (const made of [otherV2, brokenV3]) {
    await upload(darOf([made]), VettingChange.DONT_VET_ANY_PACKAGES);
  }
  for (const [other, code] of [
    [brokenV3, 'NOT_VALID_UPGRADE_PACKAGE'],
    [otherV2, 'KNOWN_PACKAGE_VERSION'],
  ] as const) {
    const both = [vet(byId(mainV2), byId(other))];
    for (const dryRun of [true, false]) {
      await expectRefused(update(both, { dryRun }), code);
      expect(ours((await update([], {})).newVettedPackages)).toEqual([]);
    }
    for (const dryRun of [true, false]) {
      const { newVettedPackages } = await update(both, { dryRun, updateVettedPackagesForceFlags });
      expect(newVettedPackages!.packages.map(({ packageId }) => packageId)).toEqual(
        expect.arrayContaining([mainV2.id, other.id]),
      );
    }
    await update([unvet(byId(mainV2), byId(other))]);
  }
});

test('VettingIT PVValidateDarCheckUpgradeInvariants: what would be vetted is checked', async () => {
  await unvetAll();
  await upload(darOf([mainV2, dep]), VettingChange.VET_ALL_PACKAGES);
  const validate = (version: string, more: object) =>
    packageAdmin.validateDarFile({
      darFile: darOf([makePackage({ name: MAIN_NAME, version, ...more })]),
    });
  await expectRefused(validate('2.0.0', { content: 'another' }), 'KNOWN_PACKAGE_VERSION');
  await expectRefused(validate('4.0.0', { fields: { title: text } }), 'NOT_VALID_UPGRADE_PACKAGE');
  await unvetAll();
  await validate('2.0.0', { content: 'another' });
});

test('VettingIT PVListVettedPackagesPagination: one participant a page', async () => {
  const all = await packages.listVettedPackages({});
  const ids = all.vettedPackages.map((state) => state.participantId);
  expect(ids).toEqual(ids.toSorted());
  const paged: string[] = [];
  let pageToken = '';
  do {
    const answer = await packages.listVettedPackages({ pageSize: 1, pageToken });
    paged.push(...answer.vettedPackages.map((state) => state.participantId));
    pageToken = answer.nextPageToken;
  } while (pageToken !== '');
  expect(paged).toEqual(ids);
  expect(ids).toHaveLength(3);
  for (const malformed of ['%', Buffer.from('no participant').toString('base64url')]) {
    const list = packages.listVettedPackages({ pageToken: malformed });
    await expectRefused(list, 'INVALID_ARGUMENT', 'Page token');
  }
  const { features } = await ledger.version.getLedgerApiVersion({});
  const pageSize = features!.packageFeature!.maxVettedPackagesPageSize;
  expect((await packages.listVettedPackages({ pageSize })).vettedPackages).toHaveLength(3);
  const tooMany = packages.listVettedPackages({ pageSize: pageSize + 1 });
  await expectRefused(tooMany, 'PROTO_DESERIALIZATION_FAILURE', 'page_size');
});

test('VettingIT PVUnvetPackageWithActiveContracts: what is not vetted is not used', async () => {
  const who = await party();
  const submit = (synchronizer = '') =>
    ledger.commands.submitAndWait({
      commands: change(createRequest({ user: who, provider: who }), {
        actAs: [who],
        synchronizerId: synchronizer,
      }),
    });
  await submit();
  await update([unvet({ packageName: 'quickstart-licensing' })]);
  try {
    await expectRefused(submit(), 'PACKAGE_SELECTION_FAILED', 'quickstart-licensing');
    await expectRefused(submit(synchronizerId), 'INVALID_PRESCRIBED_SYNCHRONIZER_ID');
    const { packagePreference } = await ledger.interactive.getPreferredPackageVersion({
      parties: [who],
      packageName: 'quickstart-licensing',
    });
    expect(packagePreference).toBeUndefined();
    await expectRefused(
      ledger.interactive.getPreferredPackages({
        packageVettingRequirements: [{ parties: [who], packageName: 'quickstart-licensing' }],
      }),
      'NO_PREFERRED_PACKAGES_FOUND',
    );
  } finally {
    await update([vet({ packageName: 'quickstart-licensing' })]);
  }
  await submit();
});

test('UpdateVettedPackagesAuthIT deny calls with a token of a user who is no participant admin', async () => {
  const reader = network.as(USER_READER);
  expect((await refusalOf(reader.packageAdmin.updateVettedPackages({}))).status).toBe(
    'PERMISSION_DENIED',
  );
});

test('ListVettedPackagesAuthIT allow calls with a token of any user', async () => {
  const { vettedPackages } = await network.as(USER_READER).packages.listVettedPackages({});
  expect(vettedPackages).toHaveLength(3);
});
