import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { UploadDarFileRequest_VettingChange as VettingChange } from '../../proto/gen/com/daml/ledger/api/v2/admin/package_management_service.ts';
import { forFile } from '../kit/for-file.ts';
import { lfPackage } from '../../localnet/lf/build/package.ts';
import type { LfSource, MadePackage } from '../../localnet/lf/build/package.ts';
import type { Bytes } from '../../localnet/lf/build/tables.ts';
import { con, optional, party, text, unit } from '../../localnet/lf/build/types.ts';
import type { Type } from '../../localnet/lf/build/types.ts';
import { PARTICIPANT_NAMES } from '../../localnet/ports.ts';
import { darOf, makePackage } from './kit/dar.ts';
import { http } from './kit/http.ts';
import { PROVIDER_ADMIN, USER_ADMIN } from './kit/identities.ts';
import { openNetwork } from './kit/network.ts';
import { refusalOf } from './kit/refusal.ts';

/* Uploads that declare an upgrade of an existing package. The unit tests of upgrades test the rules themselves. */

const logged: Readonly<Record<string, unknown>>[] = [];
const network = await forFile(openNetwork({ log: (line) => logged.push(line) }));
const user = network.as(USER_ADMIN);

const OWNED = { owner: party };
const version = (name: string, of: string, fields: Readonly<Record<string, Type>>): LfSource => ({
  name,
  version: of,
  modules: { Main: { templates: { Thing: { fields, choices: { Touch: { result: unit } } } } } },
});
const upload = (...packages: readonly MadePackage[]) =>
  user.packageAdmin.uploadDarFile({ darFile: darOf(packages) });
const vet = (packageId: string) => ({
  changes: [{ operation: { $case: 'vet' as const, value: { packages: [{ packageId }] } } }],
});
async function vetted(name: string): Promise<readonly string[]> {
  const { participantId } = await user.partyAdmin.getParticipantId({});
  const { vettedPackages } = await user.packages.listVettedPackages({
    packageMetadataFilter: { packageNamePrefixes: [name] },
    topologyStateFilter: { participantIds: [participantId] },
  });
  return vettedPackages
    .flatMap(({ packages }) => packages.map(({ packageId }) => packageId))
    .sort();
}
const newName = () => `made-${randomUUID()}`;

test('a later version may add an optional field, and is what the name means then', async () => {
  const name = newName();
  const [first, second] = [
    lfPackage(version(name, '1.0.0', OWNED)),
    lfPackage(version(name, '1.0.1', { ...OWNED, note: optional(text) })),
  ];
  await upload(first);
  await upload(second);
  const describe = await fetch(`${network.localnet.urls.network}/control/packages/${name}`);
  expect(await describe.json()).toMatchObject({
    id: second.id,
    version: '1.0.1',
    modules: [
      { templates: [{ fields: [{ name: 'owner' }, { name: 'note', type: 'Optional Text' }] }] },
    ],
  });
});

describe('an upload to all participants', () => {
  const packages = `${network.localnet.urls.network}/control/packages`;
  const send = (body: Uint8Array | string, type = 'application/octet-stream') =>
    http(network, packages, { body, headers: { 'content-type': type } });

  test('is at each of them, and vetted', async () => {
    const name = newName();
    const made = lfPackage(version(name, '1.0.0', OWNED));
    const { status, json } = await send(darOf([made]));
    expect([status, json]).toEqual([
      200,
      {
        id: made.id,
        name,
        version: '1.0.0',
        runs: 'engine',
        participants: PARTICIPANT_NAMES,
      },
    ]);
    expect(await vetted(name)).toEqual([made.id]);
  });

  test('is refused in the words of the participant', async () => {
    const name = newName();
    await upload(lfPackage(version(name, '1.0.0', OWNED)));
    const second = lfPackage(version(name, '1.0.1', { ...OWNED, note: text }));
    const { status, json } = await send(darOf([second]));
    expect([status, json]).toEqual([
      400,
      { error: expect.stringContaining(`(${name} v1.0.1) cannot be an upgrade of`) },
    ]);
  });

  test('is refused with what is in the context elsewhere', async () => {
    const deep = makePackage({ name: newName(), version: '1.0.0', layers: 1_000 });
    const { status, json } = await send(darOf([deep]));
    expect([status, json]).toEqual([
      400,
      {
        error: expect.stringMatching(
          /^app-user: DAR_PARSE_ERROR: Failed to parse the dar file content\. Recursion limit overflow in module: .*too many levels of nesting/u,
        ),
      },
    ]);
  });

  test('that is refused at one participant is told to its log with the same', async () => {
    const deep = makePackage({ name: newName(), version: '1.0.0', layers: 1_000 });
    const { admin } = network.localnet.urls.participants['app-user'];
    const headers = { 'content-type': 'application/octet-stream' };
    logged.length = 0;
    const { status } = await http(network, `${admin}/v2/packages`, {
      body: darOf([deep]),
      headers,
    });
    expect(status).toBe(400);
    expect(logged).toEqual([
      expect.objectContaining({
        code: 'DAR_PARSE_ERROR',
        reason: expect.stringContaining('Recursion limit overflow in module'),
      }),
    ]);
  });

  test('is a DAR, as bytes', async () => {
    const { status, json } = await send('{}', 'application/json');
    expect([status, json]).toEqual([400, { error: 'Send the DAR as application/octet-stream' }]);
  });
});

test('one that is no upgrade is refused everywhere; it is there then, and not vetted', async () => {
  const name = newName();
  const [first, second] = [
    lfPackage(version(name, '1.0.0', OWNED)),
    lfPackage(version(name, '1.0.1', { ...OWNED, note: text })),
  ];
  await upload(first);
  const words = `Upgrade checks indicate that ${second.id} (${name} v1.0.1) cannot be an upgrade of ${first.id} (${name} v1.0.0). Reason: The upgraded template Thing has added new fields, but those fields are not Optional.`;
  const refusal = await refusalOf(upload(second));
  expect([refusal.status, refusal.reason]).toEqual([
    'INVALID_ARGUMENT',
    'NOT_VALID_UPGRADE_PACKAGE',
  ]);
  const validate = () => user.packageAdmin.validateDarFile({ darFile: darOf([second]) });
  expect((await refusalOf(validate())).reason).toBe('NOT_VALID_UPGRADE_PACKAGE');
  const { status, json } = await http(
    network,
    `${network.localnet.urls.participants['app-user'].json}/v2/dars`,
    {
      body: darOf([second]),
      headers: { 'content-type': 'application/octet-stream' },
      as: USER_ADMIN,
    },
  );
  expect([status, json]).toEqual([
    400,
    expect.objectContaining({ code: 'NOT_VALID_UPGRADE_PACKAGE', cause: words }),
  ]);
  expect(await user.packages.getPackageStatus({ packageId: second.id })).toEqual({
    packageStatus: 1,
  });
  expect(await vetted(name)).toEqual([first.id]);
});

test('one that is not vetted is taken, and holds nothing up', async () => {
  const name = newName();
  const [first, other, third] = [
    lfPackage(version(name, '1.0.0', OWNED)),
    lfPackage(version(name, '1.0.1', { ...OWNED, note: text })),
    lfPackage(version(name, '1.0.2', { ...OWNED, note: optional(text) })),
  ];
  const unvetted = { vettingChange: VettingChange.DONT_VET_ANY_PACKAGES };
  await upload(first);
  await user.packageAdmin.uploadDarFile({ darFile: darOf([other]), ...unvetted });
  await upload(third);
  expect(await vetted(name)).toEqual([first.id, third.id].toSorted());
  const late = vet(other.id);
  expect((await refusalOf(user.packageAdmin.updateVettedPackages(late))).reason).toBe(
    'NOT_VALID_UPGRADE_PACKAGE',
  );
});

test.each([1, 2])('one in 2.%i that says what it upgrades need not bring that', async (minor) => {
  const name = newName();
  const first = lfPackage({ ...version(name, '1.0.0', OWNED), minor });
  const second = lfPackage({ ...version(name, '1.0.1', OWNED), minor, upgrades: first.id });
  expect(await upload(second)).toEqual({});
  expect(await upload(first)).toEqual({});
  expect(await vetted(name)).toEqual([first.id, second.id].toSorted());
});

test('one that comes between two others is held against both', async () => {
  const name = newName();
  await upload(lfPackage(version(name, '1.0.0', OWNED)));
  await upload(lfPackage(version(name, '1.2.0', { ...OWNED, note: optional(text) })));
  const between = lfPackage(version(name, '1.1.0', { ...OWNED, other: optional(text) }));
  expect((await refusalOf(upload(between))).reason).toBe('NOT_VALID_UPGRADE_PACKAGE');
});

test('another participant has versions of its own', async () => {
  const name = newName();
  await upload(lfPackage(version(name, '1.0.0', { ...OWNED, note: text })));
  const other = lfPackage(version(name, '1.0.1', OWNED));
  expect((await refusalOf(upload(other))).reason).toBe('NOT_VALID_UPGRADE_PACKAGE');
  const provider = network.as(PROVIDER_ADMIN).packageAdmin;
  expect(await provider.uploadDarFile({ darFile: darOf([other]) })).toEqual({});
});

test('a DAR of 2.1 need not bring what is there, and what is known needs no second look', async () => {
  const base = lfPackage({
    name: newName(),
    version: '1.0.0',
    modules: { Main: { data: { Base: { record: {} } } } },
  });
  const main = lfPackage(
    version(newName(), '1.0.0', { ...OWNED, base: con('Main:Base', base.id) }),
  );
  expect((await refusalOf(upload(main))).reason).toBe(
    'TOPOLOGY_CANNOT_VET_DUE_TO_MISSING_PACKAGES',
  );
  await upload(main, base);
  await upload(main, base);
  const later = lfPackage(
    version(newName(), '1.0.0', { ...OWNED, base: con('Main:Base', base.id) }),
  );
  expect(await upload(later)).toEqual({});
  const bytes: Bytes = new Uint8Array(
    (await user.packages.getPackage({ packageId: base.id })).archivePayload,
  );
  expect(Buffer.from(bytes).equals(base.payload)).toBe(true);
});

test('a DAR of 2.2 brings what it refers to, and nothing else', async () => {
  const base = lfPackage({
    name: newName(),
    version: '1.0.0',
    minor: 2,
    modules: { Main: { data: { Base: { record: {} } } } },
  });
  const fields = { ...OWNED, base: con('Main:Base', base.id) };
  const main = lfPackage({ ...version(newName(), '1.0.0', fields), minor: 2 });
  const alone = lfPackage({ ...version(newName(), '1.0.0', OWNED), minor: 2 });
  const lacking = await refusalOf(upload(main));
  expect([lacking.reason, lacking.metadata]).toEqual([
    'DAR_DEPENDENCIES_NOT_VALID',
    expect.objectContaining({
      mainPackageId: main.id,
      missingDependencies: `Set(${base.id})`,
      extraDependencies: 'Set()',
    }),
  ]);
  const extra = await refusalOf(upload(alone, base));
  expect([extra.reason, extra.metadata['extraDependencies']]).toEqual([
    'DAR_DEPENDENCIES_NOT_VALID',
    `Set(${base.id})`,
  ]);
  expect(await upload(main, base)).toEqual({});
});

test('a library that LocalNet knows types of is taken as it was published', async () => {
  const { packageDetails } = await user.packageAdmin.listKnownPackages({});
  const known = packageDetails.find(({ name }) => name === 'daml-stdlib-DA-Time-Types');
  const published = lfPackage({
    name: known!.name,
    version: known!.version,
    modules: { Main: { data: { RelTime: { record: { label: text } } } } },
  });
  expect(await upload(published)).toEqual({});
});
