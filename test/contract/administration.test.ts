import { randomUUID } from 'node:crypto';
import { createClient } from 'nice-grpc';
import { ServerReflectionService } from 'nice-grpc-server-reflection';
import { ServerReflectionRequest } from 'nice-grpc-server-reflection/lib/proto/grpc/reflection/v1/reflection_pb.js';
import type { ServerReflectionResponse } from 'nice-grpc-server-reflection/lib/proto/grpc/reflection/v1/reflection_pb.js';
import { describe, expect, it } from 'vitest';
import type { GetConnectedSynchronizersRequest } from '../../proto/gen/com/daml/ledger/api/v2/state_service.ts';
import { forFile } from '../kit/for-file.ts';
import { openChannel } from './kit/clients.ts';
import type { LedgerClients } from './kit/clients.ts';
import { PROVIDER_ADMIN, USER_ADMIN } from './kit/identities.ts';
import { openNetwork } from './kit/network.ts';
import { refusalOf } from './kit/refusal.ts';
import { newRequest } from './kit/steps.ts';
import { readUntil } from './kit/streams.ts';

/*
 * Health, version, packages, parties and users, modelled on the public conformance suites HealthServiceIT,
 * PackageServiceIT, PackageManagementServiceIT, PartyManagementServiceIT, UserManagementServiceIT and ObjectMetaTests.
 * Omitted: vetting, upgrades and identity providers, which LocalNet does not have.
 */

const network = await forFile(openNetwork());
const ledger = network.as(USER_ADMIN);

const unique = (prefix: string) => `${prefix}-${randomUUID()}`;
const SERVING = 1;

describe('Health', () => {
  it.each(['app-user', 'app-provider', 'sv'] as const)(
    'of %s is SERVING, checked and watched',
    async (participant) => {
      const { health } = network.bearing(participant);
      expect(await health.check({})).toEqual({ status: SERVING });
      const watched = await readUntil(
        (options) => health.watch({}, options),
        (seen) => seen.length > 0,
      );
      expect(watched[0]).toEqual({ status: SERVING });
    },
  );
});

describe('reflection', () => {
  /** Sends one request to the reflection service, without a token, and returns the answer. */
  async function ask(question: ServerReflectionRequest): Promise<ServerReflectionResponse> {
    const { ledger: address } = network.localnet.urls.participants['app-user'];
    const channel = openChannel(address);
    try {
      const client = createClient(ServerReflectionService, channel);
      const questions = (async function* one() {
        yield question;
      })();
      for await (const answer of client.serverReflectionInfo(questions)) return answer;
      throw new Error('no answer');
    } finally {
      channel.close();
    }
  }

  it('names the services and describes them', async () => {
    const list = await ask(new ServerReflectionRequest().setListServices('*'));
    const services = list
      .getListServicesResponse()!
      .getServiceList()
      .map((service) => service.getName());
    expect(services).toEqual(
      expect.arrayContaining([
        'com.daml.ledger.api.v2.CommandService',
        'com.daml.ledger.api.v2.UpdateService',
        'com.daml.ledger.api.v2.admin.UserManagementService',
        'grpc.health.v1.Health',
      ]),
    );
    const symbol = 'com.daml.ledger.api.v2.CommandService';
    const file = await ask(new ServerReflectionRequest().setFileContainingSymbol(symbol));
    const [descriptor] = file.getFileDescriptorResponse()!.getFileDescriptorProtoList_asU8();
    expect(Buffer.from(descriptor!).toString('latin1')).toContain(
      'com/daml/ledger/api/v2/command_service.proto',
    );
  });
});

describe('GetLedgerApiVersion', () => {
  it('needs no token', async () => {
    const { version } = await network.bearing('app-user').version.getLedgerApiVersion({});
    expect(version).toMatch(/^3\.5\./);
  });

  it('names a version and what the participant can do', async () => {
    const { version, features } = await ledger.version.getLedgerApiVersion({});
    expect(version).toMatch(/^3\.\d+\.\d+/);
    expect(features).toMatchObject({
      experimental: { staticTime: { supported: false } },
      userManagement: { supported: true },
    });
    expect(features?.userManagement?.maxUsersPageSize).toBeGreaterThan(0);
    expect(features?.partyManagement?.maxPartiesPageSize).toBeGreaterThan(0);
  });
});

describe('state', () => {
  it('names the synchronizer to anybody, and what a participant may do there for a party', async () => {
    const { synchronizerId, parties } = network.localnet;
    const asked = async (request: Partial<GetConnectedSynchronizersRequest>) =>
      (await ledger.state.getConnectedSynchronizers(request)).connectedSynchronizers;
    const [UNSPECIFIED, SUBMISSION] = [0, 1];
    expect(await asked({})).toMatchObject([{ synchronizerId, permission: UNSPECIFIED }]);
    const party = parties.appUser;
    expect(await asked({ party })).toMatchObject([{ synchronizerId, permission: SUBMISSION }]);
    const { participantId } = await ledger.partyAdmin.getParticipantId({});
    expect(await asked({ party, participantId })).toHaveLength(1);
    // This participant hosts the party, and the other does not. A party that no participant hosts is not listed.
    expect(await asked({ party, participantId: `${participantId.slice(0, -1)}x` })).toEqual([]);
    expect(await asked({ party: parties.appProvider.replace(/^[^:]+/u, 'nobody') })).toEqual([]);
  });

  it('says that nothing is pruned', async () => {
    expect(await ledger.state.getLatestPrunedOffsets({})).toEqual({
      participantPrunedUpToInclusive: 0n,
      allDivulgedContractsPrunedUpToInclusive: 0n,
    });
  });
});

describe('packages', () => {
  const licensing = async () => {
    const { packageDetails } = await ledger.packageAdmin.listKnownPackages({});
    return packageDetails.find(({ name }) => name === 'quickstart-licensing')!;
  };

  it('are listed by ID, and with name and version for administrators', async () => {
    const { packageIds } = await ledger.packages.listPackages({});
    const { packageDetails } = await ledger.packageAdmin.listKnownPackages({});
    expect(packageDetails.map(({ packageId }) => packageId).toSorted()).toEqual(
      packageIds.toSorted(),
    );
    expect(await licensing()).toMatchObject({
      version: '0.0.1',
      packageId: expect.stringMatching(/^[\da-f]{64}$/) as string,
    });
    expect((await licensing()).packageSize).toBeGreaterThan(0n);
    expect((await licensing()).knownSince).toBeDefined();
  });

  it('are those of events', async () => {
    const user = await network.party('user', USER_ADMIN);
    const { templateId } = await newRequest(ledger, { user, provider: user });
    expect(templateId?.packageId).toBe((await licensing()).packageId);
  });

  it('can be read and asked for', async () => {
    const { packageId } = await licensing();
    const found = await ledger.packages.getPackage({ packageId });
    expect(found).toMatchObject({ hash: packageId });
    expect(found.archivePayload.length).toBeGreaterThan(0);
    const REGISTERED = 1;
    expect(await ledger.packages.getPackageStatus({ packageId })).toEqual({
      packageStatus: REGISTERED,
    });
  });

  it('that are unknown are not found, and have no status', async () => {
    const packageId = 'ab'.repeat(32);
    const refusal = await refusalOf(ledger.packages.getPackage({ packageId }));
    expect(refusal).toMatchObject({ status: 'NOT_FOUND', reason: 'PACKAGE_NOT_FOUND' });
    expect(refusal.resourceNames('PACKAGE')).toEqual([packageId]);
    expect(await ledger.packages.getPackageStatus({ packageId })).toEqual({ packageStatus: 0 });
  });

  it('come from a DAR that is one', async () => {
    const { validateDarFile, uploadDarFile } = ledger.packageAdmin;
    for (const take of [validateDarFile, uploadDarFile]) {
      expect(await refusalOf(take({ darFile: new Uint8Array() }))).toMatchObject({
        status: 'INVALID_ARGUMENT',
        reason: 'INVALID_DAR',
      });
      const garbage = await refusalOf(take({ darFile: Buffer.from('not a DAR') }));
      expect(garbage.status).toBe('INVALID_ARGUMENT');
      expect(['INVALID_DAR', 'DAR_PARSE_ERROR', 'INVALID_ZIP_ENTRY']).toContain(garbage.reason);
    }
  });
});

describe('parties', () => {
  it('are allocated with the hint that is asked for', async () => {
    const partyIdHint = unique('hint');
    const { partyDetails } = await ledger.partyAdmin.allocateParty({
      partyIdHint,
      localMetadata: { annotations: { colour: 'red' } },
    });
    const { participantId } = await ledger.partyAdmin.getParticipantId({});
    const [, namespace] = participantId.split('::');
    expect(partyDetails).toMatchObject({
      party: `${partyIdHint}::${namespace}`,
      isLocal: true,
      localMetadata: { annotations: { colour: 'red' } },
    });
  });

  it('are allocated with a name of their own when no hint is given', async () => {
    const [first, second] = await Promise.all([
      ledger.partyAdmin.allocateParty({}),
      ledger.partyAdmin.allocateParty({}),
    ]);
    expect(first.partyDetails?.party).toMatch(/^[\w\- ]+::[\da-f]+$/);
    expect(second.partyDetails?.party).not.toBe(first.partyDetails?.party);
  });

  it('are not allocated twice, nor with a hint that no party can have', async () => {
    const partyIdHint = unique('twice');
    await ledger.partyAdmin.allocateParty({ partyIdHint });
    for (const hint of [partyIdHint, 'no party!', 'colons::inside', 'x'.repeat(300)]) {
      const refusal = await refusalOf(ledger.partyAdmin.allocateParty({ partyIdHint: hint }));
      expect([hint, refusal.status]).toEqual([hint, 'INVALID_ARGUMENT']);
    }
  });

  it('are allocated once when asked for at the same time', async () => {
    const partyIdHint = unique('race');
    const answers = await Promise.allSettled(
      Array.from({ length: 5 }, () => ledger.partyAdmin.allocateParty({ partyIdHint })),
    );
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('may be acted for by the user named at the allocation', async () => {
    const { partyDetails } = await ledger.partyAdmin.allocateParty({
      partyIdHint: unique('owned'),
      userId: USER_ADMIN.userId,
    });
    const user = partyDetails!.party;
    expect(await newRequest(ledger, { user, provider: user })).toMatchObject({
      signatories: [user],
    });
  });

  it('are known to all participants and local to one', async () => {
    const party = await network.party('known', USER_ADMIN);
    const details = async (clients: LedgerClients) => {
      const { partyDetails } = await clients.partyAdmin.getParties({ parties: [party] });
      return partyDetails;
    };
    expect(await details(ledger)).toMatchObject([{ party, isLocal: true }]);
    expect(await details(network.as(PROVIDER_ADMIN))).toMatchObject([{ party, isLocal: false }]);
  });

  it('that are unknown are left out of the answer', async () => {
    const party = await network.party('known', USER_ADMIN);
    const { partyDetails } = await ledger.partyAdmin.getParties({
      parties: [`ghost::${party.split('::')[1]}`, party],
    });
    expect(partyDetails.map((details) => details.party)).toEqual([party]);
  });

  it('are listed page by page, and by the beginning of their ID', async () => {
    const prefix = unique('page');
    const allocated = new Set<string>();
    for (let index = 0; index < 5; index += 1) {
      const { partyDetails } = await ledger.partyAdmin.allocateParty({
        partyIdHint: `${prefix}-${index}`,
      });
      allocated.add(partyDetails!.party);
    }
    const pages: string[][] = [];
    let pageToken = '';
    do {
      const page = await ledger.partyAdmin.listKnownParties({
        pageToken,
        pageSize: 2,
        filterParty: prefix,
      });
      pages.push(page.partyDetails.map(({ party }) => party));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(new Set(pages.flat())).toEqual(allocated);
    expect(pages.flat()).toHaveLength(5);
    expect(Math.max(...pages.map((page) => page.length))).toBe(2);

    const { partyDetails } = await ledger.partyAdmin.listKnownParties({});
    const all = partyDetails.map(({ party }) => party);
    expect(all).toEqual(expect.arrayContaining([...allocated, network.localnet.parties.dso]));
    expect(
      (await refusalOf(ledger.partyAdmin.listKnownParties({ pageToken: 'nonsense' }))).status,
    ).toBe('INVALID_ARGUMENT');
  });

  it('have annotations that change only if they are what the caller thinks', async () => {
    const party = await network.party('meta', USER_ADMIN);
    const annotate = async (annotations: Record<string, string>, resourceVersion = '') => {
      const { partyDetails } = await ledger.partyAdmin.updatePartyDetails({
        partyDetails: { party, localMetadata: { annotations, resourceVersion } },
        updateMask: ['local_metadata'],
      });
      return partyDetails!.localMetadata!;
    };
    const first = await annotate({ colour: 'red', size: 'large' });
    expect(first.annotations).toEqual({ colour: 'red', size: 'large' });
    const second = await annotate({ colour: 'blue', size: '' }, first.resourceVersion);
    expect(second.annotations).toEqual({ colour: 'blue' });
    expect(second.resourceVersion).not.toBe(first.resourceVersion);
    expect((await refusalOf(annotate({ colour: 'green' }, first.resourceVersion))).status).toBe(
      'ABORTED',
    );
  });
});

describe('users', () => {
  const { kind: admin } = { kind: { $case: 'participantAdmin', value: {} } } as const;
  const actAs = (party: string) => ({ kind: { $case: 'canActAs', value: { party } } }) as const;

  it('are created with their rights, found, listed and deleted', async () => {
    const id = unique('user');
    const primaryParty = await network.party('primary', USER_ADMIN);
    const { user } = await ledger.userAdmin.createUser({
      user: { id, primaryParty, metadata: { annotations: { team: 'blue' } } },
      rights: [actAs(primaryParty), { kind: admin }],
    });
    expect(user).toMatchObject({
      id,
      primaryParty,
      isDeactivated: false,
      metadata: { annotations: { team: 'blue' } },
    });
    expect((await ledger.userAdmin.getUser({ userId: id })).user).toEqual(user);
    const { rights } = await ledger.userAdmin.listUserRights({ userId: id });
    expect(rights).toHaveLength(2);
    expect(rights).toEqual(expect.arrayContaining([actAs(primaryParty), { kind: admin }]));

    await ledger.userAdmin.deleteUser({ userId: id });
    const { getUser, listUserRights, deleteUser } = ledger.userAdmin;
    for (const call of [getUser, listUserRights, deleteUser]) {
      const refusal = await refusalOf(call({ userId: id }));
      expect(refusal).toMatchObject({ status: 'NOT_FOUND', reason: 'USER_NOT_FOUND' });
      expect(refusal.resourceNames('USER')).toEqual([id]);
    }
  });

  it('are not created twice', async () => {
    const user = { id: unique('user') };
    await ledger.userAdmin.createUser({ user });
    const refusal = await refusalOf(ledger.userAdmin.createUser({ user }));
    expect(refusal).toMatchObject({ status: 'ALREADY_EXISTS', reason: 'USER_ALREADY_EXISTS' });
    expect(refusal.retryDelayMs).toBeUndefined();
  });

  it('have an ID that is one', async () => {
    for (const id of ['', 'no user?', 'x'.repeat(129)]) {
      const refusal = await refusalOf(ledger.userAdmin.createUser({ user: { id } }));
      expect([id, refusal.status]).toEqual([id, 'INVALID_ARGUMENT']);
    }
  });

  it('get and lose rights, each of which counts once', async () => {
    const userId = unique('user');
    const party = await network.party('right', USER_ADMIN);
    await ledger.userAdmin.createUser({ user: { id: userId } });
    const request = { userId, rights: [actAs(party)] };
    const { grantUserRights, revokeUserRights, listUserRights } = ledger.userAdmin;
    expect((await grantUserRights(request)).newlyGrantedRights).toEqual([actAs(party)]);
    expect((await grantUserRights(request)).newlyGrantedRights).toEqual([]);
    expect((await listUserRights({ userId })).rights).toEqual([actAs(party)]);
    expect((await revokeUserRights(request)).newlyRevokedRights).toEqual([actAs(party)]);
    expect((await revokeUserRights(request)).newlyRevokedRights).toEqual([]);
    expect((await listUserRights({ userId })).rights).toEqual([]);
  });

  it('change in the fields that the mask names', async () => {
    const id = unique('user');
    const primaryParty = await network.party('primary', USER_ADMIN);
    await ledger.userAdmin.createUser({
      user: { id, metadata: { annotations: { team: 'blue' } } },
    });
    const { user } = await ledger.userAdmin.updateUser({
      user: { id, primaryParty, isDeactivated: true, metadata: { annotations: { team: 'red' } } },
      updateMask: ['primary_party'],
    });
    expect(user).toMatchObject({
      primaryParty,
      isDeactivated: false,
      metadata: { annotations: { team: 'blue' } },
    });
    for (const updateMask of [undefined, [], ['no_such_field']]) {
      const call = ledger.userAdmin.updateUser({
        user: { id },
        ...(updateMask && { updateMask }),
      });
      expect((await refusalOf(call)).status).toBe('INVALID_ARGUMENT');
    }
  });

  it('change only if they are what the caller thinks', async () => {
    const id = unique('user');
    const { user } = await ledger.userAdmin.createUser({ user: { id } });
    const annotate = (resourceVersion: string, value: string) =>
      ledger.userAdmin.updateUser({
        user: { id, metadata: { resourceVersion, annotations: { value } } },
        updateMask: ['metadata'],
      });
    const first = user!.metadata!.resourceVersion;
    const updated = await annotate(first, 'one');
    expect(updated.user?.metadata?.annotations).toEqual({ value: 'one' });
    expect(await refusalOf(annotate(first, 'two'))).toMatchObject({
      status: 'ABORTED',
      reason: 'CONCURRENT_USER_UPDATE_DETECTED',
    });
    const free = await annotate('', 'three');
    expect(free.user?.metadata?.annotations).toEqual({ value: 'three' });
  });

  it('are listed page by page', async () => {
    const created = Array.from({ length: 5 }, () => unique('listed'));
    for (const id of created) await ledger.userAdmin.createUser({ user: { id } });
    const seen: string[] = [];
    let pageToken = '';
    do {
      const page = await ledger.userAdmin.listUsers({ pageToken, pageSize: 2 });
      expect(page.users.length).toBeLessThanOrEqual(2);
      seen.push(...page.users.map(({ id }) => id));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(seen).toEqual(expect.arrayContaining([...created, USER_ADMIN.userId]));
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('belong to one participant', async () => {
    const { userAdmin } = network.as(PROVIDER_ADMIN);
    const refusal = await refusalOf(userAdmin.getUser({ userId: USER_ADMIN.userId }));
    expect(refusal).toMatchObject({ status: 'NOT_FOUND', reason: 'USER_NOT_FOUND' });
  });
});

describe('a service that a participant does not have', () => {
  it('is UNIMPLEMENTED: there is no TimeService without static time', async () => {
    expect((await refusalOf(ledger.time.getTime({}))).status).toBe('UNIMPLEMENTED');
  });
});
