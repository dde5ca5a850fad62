import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { forFile } from '../kit/for-file.ts';
import { lfPackage } from '../kit/lf-package.ts';
import type { Bytes, LfSource, MadePackage } from '../kit/lf-package.ts';
import { con, optional, party, text, unit } from '../kit/lf-types.ts';
import type { Type } from '../kit/lf-types.ts';
import { darOf } from './kit/dar.ts';
import { http } from './kit/http.ts';
import { PROVIDER_ADMIN, USER_ADMIN } from './kit/identities.ts';
import { openNetwork } from './kit/network.ts';
import { refusalOf } from './kit/refusal.ts';

/* Uploads that claim to continue what is there. The rules themselves are in the unit tests of upgrades. */

const network = await forFile(openNetwork());
const user = network.as(USER_ADMIN);

const OWNED = { owner: party };
const version = (name: string, of: string, fields: Readonly<Record<string, Type>>): LfSource => ({
  name,
  version: of,
  modules: { Main: { templates: { Thing: { fields, choices: { Touch: { result: unit } } } } } },
});
const upload = (...packages: readonly MadePackage[]) =>
  user.packageAdmin.uploadDarFile({ darFile: darOf(packages) });
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

test('one that is no upgrade is refused everywhere, and leaves nothing behind', async () => {
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
    packageStatus: 0,
  });
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

test('a DAR must bring all that it refers to, and what is known needs no second look', async () => {
  const base = lfPackage({
    name: newName(),
    version: '1.0.0',
    modules: { Main: { data: { Base: { record: {} } } } },
  });
  const main = lfPackage(
    version(newName(), '1.0.0', { ...OWNED, base: con('Main:Base', base.id) }),
  );
  expect((await refusalOf(upload(main))).reason).toBe('DAR_VALIDATION_ERROR');
  await upload(main, base);
  await upload(main, base);
  expect((await refusalOf(upload(main))).reason).toBe('DAR_VALIDATION_ERROR');
  const bytes: Bytes = new Uint8Array(
    (await user.packages.getPackage({ packageId: base.id })).archivePayload,
  );
  expect(Buffer.from(bytes).equals(base.payload)).toBe(true);
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
