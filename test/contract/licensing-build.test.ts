import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sourceOf } from '../../localnet/ledger/assembled-package.ts';
import { party as ownerType, record as lfRecord } from '../../localnet/ledger/lf-types.ts';
import type { LfValue } from '../../localnet/ledger/lf-types.ts';
import {
  ARCHIVE_TYPE,
  definePackage,
  template,
  typeNamer,
} from '../../localnet/ledger/package-definition.ts';
import { lfPackage } from '../../localnet/lf/build/package.ts';
import type { Command } from '../../proto/gen/com/daml/ledger/api/v2/commands.ts';
import * as code from '../../localnet/lf/build/code.ts';
import { con, optional, text } from '../../localnet/lf/build/types.ts';
import type { LocalnetOptions } from '../../localnet/localnet.ts';
import {
  inTemplate,
  inVersion,
  licensingBases,
  licensingBuild,
  withCode,
} from '../kit/licensing-build.ts';
import { forFile } from '../kit/for-file.ts';
import { darOf } from './kit/dar.ts';
import { change as commandsOf } from './kit/commands.ts';
import { Control } from './kit/faults.ts';
import { eventsOf } from './kit/formats.ts';
import { http } from './kit/http.ts';
import { PROVIDER_ADMIN, USER_ADMIN } from './kit/identities.ts';
import type { Identity } from './kit/identities.ts';
import {
  create as createOf,
  createRequest,
  exercise as exerciseOf,
  REQUEST,
} from './kit/licensing.ts';
import { openNetwork } from './kit/network.ts';
import type { Network } from './kit/network.ts';
import { refusalOf } from './kit/refusal.ts';
import { activeContracts, createdOf, newRequest, transact } from './kit/steps.ts';
import { party as lfParty, record, recordValue } from './kit/values.ts';

/* LocalNet's own licensing package, and uploaded builds that replace it. The builds run as they were compiled. */

/** A network whose packages no test changes. */
const untouched = await forFile(openNetwork());

const NAME = 'quickstart-licensing';
const LICENSE = 'Licensing.License';
const OCTETS = { 'content-type': 'application/octet-stream' };

const listed = async (network: Network, as: Identity = USER_ADMIN) => {
  const { packageDetails } = await network.as(as).packageAdmin.listKnownPackages({});
  return packageDetails.filter(({ name }) => name === NAME);
};
const idIn = async (network: Network) => (await listed(network))[0]!.packageId;

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

const upload = (network: Network, packages: Parameters<typeof darOf>[0], as = USER_ADMIN) =>
  network.as(as).packageAdmin.uploadDarFile({ darFile: darOf(packages) });

describe("LocalNet's own package", () => {
  test('is the bytes whose hash is its ID, at every participant', async () => {
    const network = untouched;
    const packageId = await idIn(network);
    for (const identity of [USER_ADMIN, PROVIDER_ADMIN]) {
      const { archivePayload, hash } = await network
        .as(identity)
        .packages.getPackage({ packageId });
      expect([sha256(archivePayload), hash]).toEqual([packageId, packageId]);
      const [{ packageSize } = { packageSize: 0n }] = await listed(network, identity);
      expect(packageSize).toBe(BigInt(archivePayload.length));
    }
  });

  test('is told as what it is', async () => {
    const network = untouched;
    const { json } = await http(
      network,
      `${network.localnet.urls.network}/control/packages/${NAME}`,
    );
    expect(json).toMatchObject({
      id: await idIn(network),
      languageVersion: '2.1',
      modules: expect.arrayContaining([
        {
          name: LICENSE,
          templates: expect.arrayContaining([
            expect.objectContaining({
              name: 'LicenseRenewalRequest',
              implements: ['Splice.Api.Token.AllocationRequestV1:AllocationRequest'],
            }),
            expect.objectContaining({
              name: 'License',
              choices: expect.arrayContaining([
                {
                  name: 'License_Renew',
                  consuming: false,
                  argument: `${LICENSE}:License_Renew`,
                  result: `ContractId ${LICENSE}:LicenseRenewalRequest`,
                },
                expect.objectContaining({ name: 'Archive', result: 'Unit' }),
              ]) as unknown,
            }),
          ]) as unknown,
          interfaces: [],
          types: expect.arrayContaining([
            {
              name: 'LicenseParams',
              params: [],
              kind: 'record',
              parts: [{ name: 'meta', type: 'Splice.Api.Token.MetadataV1:Metadata' }],
            },
          ]) as unknown,
        },
      ]) as unknown,
    });
  });
});

/** All ways of uploading a DAR to the user's participant. */
const WAYS: Readonly<Record<string, (network: Network, dar: Uint8Array<ArrayBuffer>) => unknown>> =
  {
    'by gRPC': (network, darFile) => network.as(USER_ADMIN).packageAdmin.uploadDarFile({ darFile }),
    'through the JSON API': async (network, body) => {
      const { json } = network.localnet.urls.participants['app-user'];
      const { status } = await http(network, `${json}/v2/dars`, {
        body,
        headers: OCTETS,
        as: USER_ADMIN,
      });
      expect(status).toBe(200);
    },
    'at the admin port': async (network, body) => {
      const { admin } = network.localnet.urls.participants['app-user'];
      const { status } = await http(network, `${admin}/v2/packages`, { body, headers: OCTETS });
      expect(status).toBe(200);
    },
  };

describe('a build', () => {
  test.each(Object.keys(WAYS))('that is uploaded %s takes its place', async (way) => {
    await using network = await openNetwork();
    const own = await idIn(network);
    const packages = licensingBuild(withCode);
    const [made] = packages;
    await WAYS[way]!(network, darOf(packages));

    const clients = network.as(USER_ADMIN);
    for (const identity of [USER_ADMIN, PROVIDER_ADMIN]) {
      expect(await listed(network, identity)).toEqual([
        expect.objectContaining({ packageId: made!.id, version: '0.0.1' }),
      ]);
      const { archivePayload } = await network
        .as(identity)
        .packages.getPackage({ packageId: made!.id });
      expect(Buffer.from(archivePayload).equals(made!.payload)).toBe(true);
    }
    const before = refusalOf(clients.packages.getPackage({ packageId: own }));
    expect((await before).reason).toBe('PACKAGE_NOT_FOUND');

    const sides = await network.sides();
    const created = await newRequest(clients, sides);
    expect(created.templateId?.packageId).toBe(made!.id);
    const active = await activeContracts(clients, eventsOf([sides.user], { templates: [REQUEST] }));
    expect(active.map(({ createdEvent }) => createdEvent?.templateId?.packageId)).toEqual([
      made!.id,
    ]);
    const byId = { ...REQUEST, packageId: own };
    const command = createRequest(sides);
    if (command.command?.$case === 'create') command.command.value.templateId = byId;
    const refused = refusalOf(transact(clients, commandsOf(command, { actAs: [sides.user] })));
    expect((await refused).reason).toBe('PACKAGE_NOT_FOUND');
  });

  test('is what is vetted and preferred', async () => {
    await using network = await openNetwork();
    const own = await idIn(network);
    const packages = licensingBuild();
    const packageId = packages[0]!.id;
    await upload(network, packages);
    const clients = network.as(PROVIDER_ADMIN);
    const { appUser, appProvider } = network.localnet.parties;
    const { packageReferences } = await clients.interactive.getPreferredPackages({
      packageVettingRequirements: [{ parties: [appUser, appProvider], packageName: NAME }],
    });
    expect(packageReferences).toEqual([{ packageId, packageName: NAME, packageVersion: '0.0.1' }]);
    const { vettedPackages } = await clients.packages.listVettedPackages({});
    const vetted = vettedPackages.map((state) => state.packages.map((each) => each.packageId));
    expect(vetted).toHaveLength(3);
    for (const ids of vetted) {
      expect(ids).toContain(packageId);
      expect(ids).not.toContain(own);
    }
  });

  test('stays in place over a restart, and is uploaded again without effect', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'tenure-licensing-'));
    try {
      const packages = licensingBuild(withCode);
      const packageId = packages[0]!.id;
      await using first = await openNetwork({ dataDir });
      await upload(first, packages);
      const sides = await first.sides();
      await newRequest(first.as(USER_ADMIN), sides);
      await first[Symbol.asyncDispose]();
      await using second = await openNetwork({ dataDir });
      expect((await listed(second)).map((each) => each.packageId)).toEqual([packageId]);
      const created = await newRequest(second.as(USER_ADMIN), sides);
      expect(created.templateId?.packageId).toBe(packageId);
      for (const identity of [USER_ADMIN, PROVIDER_ADMIN]) {
        expect(await upload(second, packages, identity)).toEqual({});
      }
      expect((await listed(second)).map((each) => each.packageId)).toEqual([packageId]);
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  });

  test('is gone with its ledger', async () => {
    await using network = await openNetwork();
    const own = await idIn(network);
    const packages = licensingBuild();
    await upload(network, packages);
    const url = network.localnet.urls.network;
    const told = async () => {
      const { json } = await http(network, `${url}/control/packages/${NAME}`);
      return (json as { id: string }).id;
    };
    expect(await told()).toBe(packages[0]!.id);
    const control = new Control(network);
    const { networkId } = (await control.ask('/ledger')).json as { networkId: string };
    const { status } = await control.ask('/reset', { body: { networkId } });
    expect([status, await told()]).toEqual([200, own]);
  });

  test('may have another version', async () => {
    await using network = await openNetwork();
    const packages = licensingBuild(inVersion('0.0.7'));
    await upload(network, packages);
    expect(await listed(network)).toEqual([
      expect.objectContaining({ packageId: packages[0]!.id, version: '0.0.7' }),
    ]);
  });

  test('is only looked at by a validation', async () => {
    const network = untouched;
    const own = await idIn(network);
    const darFile = darOf(licensingBuild());
    expect(await network.as(USER_ADMIN).packageAdmin.validateDarFile({ darFile })).toEqual({});
    expect(await idIn(network)).toBe(own);
  });

  test('keeps its place from a further one of its version, as at a participant', async () => {
    await using network = await openNetwork();
    const [first, second] = [licensingBuild(), licensingBuild()];
    await upload(network, first);
    expect((await refusalOf(upload(network, second))).reason).toBe('KNOWN_PACKAGE_VERSION');
    expect(await idIn(network)).toBe(first[0]!.id);
  });
});

/** Returns the text of a refusal without its code and the number of the request. */
const wordsOf = (message: string) => message.replace(/^\w+\(\d+,\w*\): /, '');

/**
 * Checks that the upload and the validation of a DAR are refused in the same way, and that nothing changes.
 * @returns the reason and the text
 */
async function refused(network: Network, made: ReturnType<typeof licensingBuild>) {
  const before = await network.as(USER_ADMIN).packages.listPackages({});
  const { status, reason, message } = await refusalOf(upload(network, made));
  expect(status).toBe('INVALID_ARGUMENT');
  const { packageAdmin, packages } = network.as(USER_ADMIN);
  const looked = await refusalOf(packageAdmin.validateDarFile({ darFile: darOf(made) }));
  expect([looked.reason, wordsOf(looked.message)]).toEqual([reason, wordsOf(message)]);
  expect(await packages.listPackages({})).toEqual(before);
  return { reason, words: wordsOf(message) };
}

describe('a build that comes too late', () => {
  const openUsed = async (options: LocalnetOptions = {}) => {
    const network = await openNetwork(options);
    const sides = await network.sides();
    return { network, sides, clients: network.as(USER_ADMIN) };
  };

  test('is refused in words once there has been a contract', async () => {
    const { network, sides, clients } = await openUsed();
    await using _closed = network;
    await newRequest(clients, sides);
    const { reason, words } = await refused(network, licensingBuild());
    expect(reason).toBe('KNOWN_PACKAGE_VERSION');
    expect(words).toContain(
      'there are contracts of it already; upload before the first one, or reset LocalNet.',
    );
  });

  test('comes beside it as an upgrade, which reads its contracts', async () => {
    const Owned = lfRecord(typeNamer('own')('Main:Thing'), { owner: ownerType });
    const Thing = template<LfValue<typeof Owned>>({
      name: Owned.name,
      payload: Owned,
      signatories: ({ owner }) => [owner],
      observers: () => [],
    });
    const own = definePackage({ name: 'own', version: '1.0.0', templates: [Thing] });
    await using network = await openNetwork({ extraPackages: [own] });
    const { user } = await network.sides();
    const clients = network.as(USER_ADMIN);
    const thing = { packageId: '#own', moduleName: 'Main', entityName: 'Thing' };
    const act = (command: Command) => transact(clients, commandsOf(command, { actAs: [user] }));
    const create = async () =>
      createdOf(await act(createOf(thing, record({ owner: lfParty(user) }))), thing);
    const earlier = await create();
    const { packages, idOf } = licensingBases();
    const source = sourceOf({ ...own, version: '1.0.1', archive: ARCHIVE_TYPE }, idOf);
    const owner = code.cons([code.project(con('Main:Thing'), 'owner', code.variable('this'))]);
    const upgraded = lfPackage(
      inTemplate('Main', 'Thing', (of) => ({
        ...of,
        fields: { ...of.fields, note: optional(text) },
        signatories: owner,
        observers: code.nil,
        choices: {
          ...of.choices,
          Greet: {
            result: text,
            isConsuming: false,
            controllers: owner,
            observers: code.nil,
            update: code.fail('hello'),
          },
        },
      }))(source),
    );
    await upload(network, [upgraded, ...packages]);
    const later = await create();
    const ids = [earlier, later].map(({ templateId }) => templateId?.packageId);
    expect(ids).toEqual([own.id, upgraded.id]);
    for (const { contractId } of [earlier, later]) {
      const greeting = refusalOf(act(exerciseOf(thing, contractId, 'Greet', recordValue({}))));
      expect((await greeting).message).toContain('hello');
    }
    const byOwn = { ...thing, packageId: own.id };
    const archival = exerciseOf(byOwn, later.contractId, 'Archive', recordValue({}));
    expect((await act(archival)).events).toHaveLength(1);
  });

  test('is refused in words while a command waits for its verdict', async () => {
    const { network, sides, clients } = await openUsed({ latencyMs: 60_000 });
    await using _closed = network;
    await clients.submission.submit({
      commands: commandsOf(createRequest(sides), { actAs: [sides.user] }),
    });
    const { words } = await refused(network, licensingBuild());
    expect(words).toContain('commands wait for their verdict; upload again.');
  });
});
