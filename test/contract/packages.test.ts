import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { forFile } from '../kit/for-file.ts';
import { darOf, makePackage, zipOf } from './kit/dar.ts';
import type { PackageSource } from './kit/dar.ts';
import { eventsOf } from './kit/formats.ts';
import { http, installRequestBody } from './kit/http.ts';
import { PROVIDER_ADMIN, USER_ADMIN, USER_PERSON } from './kit/identities.ts';
import { openNetwork } from './kit/network.ts';
import { refusalOf } from './kit/refusal.ts';
import { activeContracts } from './kit/steps.ts';

/*
 * Uploads of DARs that are not part of LocalNet, modelled on PackageManagementServiceIT and UpgradingIT. All ways of
 * uploading a DAR give the same answer.
 */

type Bytes = Uint8Array<ArrayBuffer>;
const OCTETS = { 'content-type': 'application/octet-stream' };

const network = await forFile(openNetwork());

const urls = () => network.localnet.urls.participants['app-user'];
const formOf = (bytes: Bytes): FormData => {
  const form = new FormData();
  form.append('dar', new Blob([bytes]), 'made.dar');
  return form;
};

/** All ways of uploading a DAR to the user's participant. Each returns the code of the refusal, or `undefined`. */
const WAYS: Readonly<Record<string, (dar: Bytes) => Promise<string | undefined>>> = {
  'admin port, raw': (dar) => post(`${urls().admin}/v2/packages`, dar),
  'admin port, form': (dar) => post(`${urls().admin}/v2/packages`, formOf(dar)),
  'JSON API, raw': (dar) => post(`${urls().json}/v2/packages`, dar),
  'JSON API, by its newer name': (dar) => post(`${urls().json}/v2/dars`, dar),
  gRPC: async (dar) => {
    try {
      await network.as(USER_ADMIN).packageAdmin.uploadDarFile({ darFile: dar });
      return undefined;
    } catch (error) {
      const { status, reason } = await refusalOf(Promise.reject(error));
      expect(status).toBe('INVALID_ARGUMENT');
      return reason;
    }
  },
};

async function post(url: string, body: Bytes | FormData): Promise<string | undefined> {
  const headers = body instanceof FormData ? {} : OCTETS;
  const { status, json } = await http(network, url, { body, headers, as: USER_ADMIN });
  if (status === 200) return undefined;
  expect(status).toBe(400);
  return (json as { code: string }).code;
}

const upload = (dar: Bytes) => WAYS['JSON API, raw']!(dar);
const source = (changes: Partial<PackageSource> = {}): PackageSource => ({
  name: `made-${randomUUID()}`,
  version: '1.0.0',
  ...changes,
});

test('the admin port refuses a page of another machine, and takes one of this machine', async () => {
  const from = async (origin: string) => {
    const body = formOf(darOf([makePackage(source())]));
    return (await http(network, `${urls().admin}/v2/packages`, { body, headers: { origin } }))
      .status;
  };
  expect(await from('http://pages.example:3902')).toBe(403);
  expect(await from('http://localhost:5173')).toBe(200);
});

describe('a DAR', () => {
  test.each(Object.keys(WAYS))('is taken through the %s, as often as it comes', async (way) => {
    const library = makePackage(source({ hasTemplate: false }));
    const main = makePackage(source());
    const dar = darOf([main, library]);
    expect([await WAYS[way]!(dar), await WAYS[way]!(dar)]).toEqual([undefined, undefined]);

    const { packageAdmin, packages } = network.as(USER_ADMIN);
    const { packageDetails } = await packageAdmin.listKnownPackages({});
    for (const { id, payload } of [main, library]) {
      expect(packageDetails.filter(({ packageId }) => packageId === id)).toEqual([
        expect.objectContaining({ packageSize: BigInt(payload.length), version: '1.0.0' }),
      ]);
      const { archivePayload, hash } = await packages.getPackage({ packageId: id });
      expect([Buffer.from(archivePayload).equals(payload), hash]).toEqual([true, id]);
    }
  });

  test('answers with the ID of its main package, and is listed in both spellings', async () => {
    const [main, library] = [makePackage(source()), makePackage(source({ hasTemplate: false }))];
    const body = darOf([main, library]);
    const { json } = await http(network, `${urls().admin}/v2/packages`, { body, headers: OCTETS });
    expect(json).toEqual({ packageIds: [main.id], package_ids: [main.id] });
    for (const base of [urls().admin, urls().json]) {
      const listed = await http(network, `${base}/v2/packages`, { as: USER_ADMIN });
      const { packageIds, package_ids } = listed.json as Record<string, string[]>;
      expect(packageIds).toEqual(expect.arrayContaining([main.id, library.id]));
      // Only the admin port returns the second spelling: the JSON API does not, because a real participant does not.
      expect(package_ids).toEqual(base === urls().admin ? packageIds : undefined);
    }
  });

  test('for all participants that one refuses stays with those before, and the answer says so', async () => {
    const { network: ports, participants } = network.localnet.urls;
    const same = source();
    const toAll = (dar: Bytes) =>
      http(network, `${ports}/control/packages`, { body: dar, headers: OCTETS });
    const built = darOf([makePackage({ ...same, content: 'one' })]);
    const there = { body: built, headers: OCTETS };
    expect((await http(network, `${participants.sv.admin}/v2/packages`, there)).status).toBe(200);
    const other = makePackage({ ...same, content: 'two' });
    const { status, json } = await toAll(darOf([other]));
    expect([status, json]).toEqual([
      400,
      { error: expect.stringMatching(/^sv: .*; it stays with app-user and app-provider$/u) },
    ]);
    expect((await network.as(USER_ADMIN).packages.listPackages({})).packageIds).toContain(other.id);
  });

  test('is known to the participant that it was uploaded to, and to no other', async () => {
    const { id } = makePackage(source());
    const made = makePackage(source());
    expect(await upload(darOf([made]))).toBeUndefined();
    const statusAt = async (name: 'app-user' | 'app-provider', packageId: string) => {
      const { json } = network.localnet.urls.participants[name];
      const as = name === 'app-user' ? USER_ADMIN : PROVIDER_ADMIN;
      return (await http(network, `${json}/v2/packages/${packageId}/status`, { as })).json;
    };
    expect(await statusAt('app-user', made.id)).toEqual({
      packageStatus: 'PACKAGE_STATUS_REGISTERED',
    });
    const nowhere = { packageStatus: 'PACKAGE_STATUS_UNSPECIFIED' };
    expect(await statusAt('app-provider', made.id)).toEqual(nowhere);
    expect(await statusAt('app-user', id)).toEqual(nowhere);
  });

  test('can be looked at before, and downloaded after', async () => {
    const made = makePackage(source());
    const body = darOf([made]);
    const validated = await http(network, `${urls().json}/v2/dars/validate`, {
      body,
      headers: OCTETS,
      as: USER_ADMIN,
    });
    expect([validated.status, validated.json]).toEqual([200, undefined]);
    const url = `${urls().json}/v2/packages/${made.id}`;
    const before = await http(network, url, { as: USER_PERSON });
    expect([before.status, before.json]).toEqual([
      404,
      expect.objectContaining({ code: 'PACKAGE_NOT_FOUND' }),
    ]);
    await upload(body);
    const answer = await fetch(url, {
      headers: { authorization: `Bearer ${await network.tokens.of(USER_PERSON)}` },
    });
    expect(answer.headers.get('canton-package-hash')).toBe(made.id);
    expect(Buffer.from(await answer.arrayBuffer()).equals(made.payload)).toBe(true);
  });

  test('is not for everybody to upload', async () => {
    const body = darOf([makePackage(source())]);
    for (const path of ['packages', 'dars', 'dars/validate']) {
      const { status } = await http(network, `${urls().json}/v2/${path}`, {
        body,
        headers: OCTETS,
        as: USER_PERSON,
      });
      expect([path, status]).toEqual([path, 403]);
    }
  });

  test('outlives the process, on the participants that have it', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'tenure-packages-'));
    try {
      const made = makePackage(source({ content: 'x'.repeat(200_000) }));
      await using first = await openNetwork({ dataDir });
      for (const identity of [USER_ADMIN, PROVIDER_ADMIN]) {
        await first.as(identity).packageAdmin.uploadDarFile({ darFile: darOf([made]) });
      }
      await first[Symbol.asyncDispose]();
      await using second = await openNetwork({ dataDir });
      for (const identity of [USER_ADMIN, PROVIDER_ADMIN]) {
        const { packages } = second.as(identity);
        const { archivePayload } = await packages.getPackage({ packageId: made.id });
        expect(Buffer.from(archivePayload).equals(made.payload)).toBe(true);
      }
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});

describe('the same name and version', () => {
  const other = (same: PackageSource) => darOf([makePackage({ ...same, content: 'other' })]);

  test.each(Object.keys(WAYS))('with another content is refused through the %s', async (way) => {
    const same = source();
    expect(await WAYS[way]!(darOf([makePackage(same)]))).toBeUndefined();
    expect(await WAYS[way]!(other(same))).toBe('KNOWN_PACKAGE_VERSION');
    expect(await WAYS[way]!(darOf([makePackage({ ...same, version: '1.0.1' })]))).toBeUndefined();
  });

  test('is fine for a library, and on another participant', async () => {
    const library = source({ hasTemplate: false });
    expect(await upload(darOf([makePackage(library)]))).toBeUndefined();
    expect(await upload(other(library))).toBeUndefined();
    const same = source();
    expect(await upload(darOf([makePackage(same)]))).toBeUndefined();
    const { packageAdmin } = network.as(PROVIDER_ADMIN);
    expect(await packageAdmin.uploadDarFile({ darFile: other(same) })).toEqual({});
  });

  test('of a dependency counts like that of the main package', async () => {
    const same = source();
    expect(await upload(darOf([makePackage(same)]))).toBeUndefined();
    const changed = makePackage({ ...same, content: 'other' });
    const main = makePackage(source());
    expect(await upload(darOf([main, changed]))).toBe('KNOWN_PACKAGE_VERSION');
    // Either all packages of a DAR are vetted, or none of them.
    const { vettedPackages } = await network.as(USER_ADMIN).packages.listVettedPackages({
      packageMetadataFilter: { packageIds: [main.id, changed.id] },
    });
    expect(vettedPackages).toEqual([]);
  });
});

describe('a DAR that is none', () => {
  const made = makePackage(source());
  const dar = darOf([made]);
  const broken = makePackage(source({ hash: 'ab'.repeat(32) }));
  const truncated = new Uint8Array(dar.subarray(0, dar.length / 2));
  const flipped = new Uint8Array(dar);
  // This byte is in the compressed content of the first entry, which is the manifest.
  flipped[70] = flipped[70]! ^ 0xff;

  const CASES: readonly (readonly [string, Bytes, string])[] = [
    ['nothing', new Uint8Array(), 'INVALID_DAR'],
    ['text', new Uint8Array(Buffer.from('not a DAR')), 'INVALID_DAR'],
    ['a zip file without manifest', zipOf([{ name: 'a', bytes: made.archive }]), 'INVALID_DAR'],
    ['a manifest of another format', darOf([made], { manifest: { Format: 'jar' } }), 'INVALID_DAR'],
    [
      'a manifest without a main package',
      zipOf([{ name: 'META-INF/MANIFEST.MF', bytes: Buffer.from('Dalfs: a\nFormat: daml-lf\n') }]),
      'INVALID_DAR',
    ],
    ['a missing archive', darOf([made], { without: [made] }), 'INVALID_ZIP_ENTRY'],
    ['half a zip file', truncated, 'DAR_PARSE_ERROR'],
    ['a zip file with a broken entry', flipped, 'DAR_PARSE_ERROR'],
    ['an archive with another hash', darOf([broken]), 'DAR_PARSE_ERROR'],
    [
      'an archive that is none',
      darOf([{ ...made, archive: new Uint8Array([255, 255, 255]) }]),
      'DAR_PARSE_ERROR',
    ],
    ['a package without a name', darOf([makePackage(source({ name: '' }))]), 'DAR_PARSE_ERROR'],
    [
      'a package without a version',
      darOf([makePackage(source({ version: '' }))]),
      'DAR_PARSE_ERROR',
    ],
    ['Daml-LF 1', darOf([makePackage(source({ major: 1 }))]), 'ALLOWED_LANGUAGE_VERSIONS'],
    [
      'a future Daml-LF',
      darOf([makePackage(source({ minor: 'dev' }))]),
      'ALLOWED_LANGUAGE_VERSIONS',
    ],
    [
      'a thousand layers of expressions',
      darOf([makePackage(source({ layers: 1_000 }))]),
      'DAR_PARSE_ERROR',
    ],
    [
      'a zip bomb',
      darOf([made], { extra: [{ name: 'b', bytes: Buffer.alloc(65 * 1024 * 1024) }] }),
      'ZIP_BOMB',
    ],
    [
      'a manifest that is a bomb',
      zipOf([{ name: 'META-INF/MANIFEST.MF', bytes: Buffer.alloc(2 * 1024 * 1024, ' \n') }]),
      'ZIP_BOMB',
    ],
    [
      'a zip bomb that does not look like one',
      zipOf([
        { name: 'META-INF/MANIFEST.MF', bytes: Buffer.alloc(8 * 1024 * 1024, 'a'), saidSize: 100 },
      ]),
      'DAR_PARSE_ERROR',
    ],
  ];

  test.each(CASES)('%s', async (_what, bytes, code) => {
    const before = await network.as(USER_ADMIN).packages.listPackages({});
    const ways = Object.keys(WAYS).filter((way) => bytes.length > 0 || !way.includes('form'));
    const codes = await Promise.all(ways.map((way) => WAYS[way]!(bytes)));
    expect(codes).toEqual(ways.map(() => code));
    expect(await network.as(USER_ADMIN).packages.listPackages({})).toEqual(before);
  });

  test('a few hundred layers are fine', async () => {
    expect(await upload(darOf([makePackage(source({ layers: 400 }))]))).toBeUndefined();
  });

  test('says in the context what is wrong, and nothing in the text', async () => {
    const { json } = await http(network, `${urls().admin}/v2/packages`, {
      body: darOf([makePackage(source({ layers: 1_000 }))]),
      headers: OCTETS,
    });
    expect(json).toMatchObject({
      cause: 'Failed to parse the dar file content.',
      context: {
        reason: expect.stringContaining('Protocol message had too many levels of nesting.'),
      },
    });
  });

  test('a body over the limit is not read', async () => {
    const { status } = await http(network, `${urls().admin}/v2/packages`, {
      body: new Uint8Array(10 * 1024 * 1024 + 1),
      headers: OCTETS,
    });
    expect(status).toBe(413);
  });
});

describe('who names a package', () => {
  const submitCommand = (command: object) => {
    const { appUser: user, appProvider: provider } = network.localnet.parties;
    return http(network, `${urls().json}/v2/commands/submit-and-wait`, {
      body: installRequestBody({ user, provider }, { commands: [command] }),
      as: USER_PERSON,
    });
  };
  const submit = (templateId: string, createArguments: object = {}) =>
    submitCommand({ CreateCommand: { templateId, createArguments } });

  test('that is unknown in a command', async () => {
    const id = 'ab'.repeat(32);
    for (const [name, httpStatus, code] of [
      ['#no-such-package', 400, 'JSON_API_PACKAGE_SELECTION_FAILED'],
      [id, 404, 'TEMPLATES_OR_INTERFACES_NOT_FOUND'],
    ] as const) {
      const { status, json } = await submit(`${name}:Main:Thing`);
      expect([status, json]).toEqual([
        httpStatus,
        expect.objectContaining({
          code,
          cause: expect.stringContaining(name.replace('#', '')),
        }),
      ]);
    }
  });

  test('in a filter', async () => {
    const reasonFor = async (packageId: string) => {
      const templateId = { packageId, moduleName: 'Main', entityName: 'Other' };
      const format = eventsOf([network.localnet.parties.appUser], {
        templates: [templateId],
      });
      return (await refusalOf(activeContracts(network.as(USER_PERSON), format))).reason;
    };
    const same = source();
    await upload(darOf([makePackage(same)]));
    expect(await reasonFor('#no-such-package')).toBe('PACKAGE_NAMES_NOT_FOUND');
    expect(await reasonFor(`#${same.name}`)).toBe(
      'NO_TEMPLATES_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME',
    );
  });
});
