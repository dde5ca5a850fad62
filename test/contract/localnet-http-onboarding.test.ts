import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { http } from './kit/http.ts';
import type { HttpReply, HttpRequest } from './kit/http.ts';
import { PROVIDER_ADMIN, PROVIDER_READER, USER_ADMIN } from './kit/identities.ts';
import type { Identity } from './kit/identities.ts';
import { spawnNetwork } from './kit/network-process.ts';
import type { Network } from './kit/network.ts';

/*
 * The steps of the reference's onboarding container, over plain HTTP, in the same order, with the same bodies and the
 * same checks of success. Then LocalNet's process is killed. After a restart, the users and parties must still exist.
 */

interface User {
  readonly id: string;
  readonly primaryParty: string;
  readonly metadata: { readonly annotations: Record<string, string> };
}

interface Side {
  readonly admin: Identity;
  readonly adminName: string;
  readonly backend: string;
  readonly reader: string;
}

const PROVIDER: Side = {
  admin: PROVIDER_ADMIN,
  adminName: 'service-account-app-provider-validator',
  backend: 'backend-of-a-new-application',
  reader: 'query-store-of-a-new-application',
};
const USER: Side = {
  admin: USER_ADMIN,
  adminName: 'service-account-app-user-validator',
  backend: 'backend-of-a-users-application',
  reader: 'query-store-of-a-users-application',
};

/** Does the same as the script's `curl_check`: fails unless the status is one of three. */
function checked(reply: HttpReply): unknown {
  expect([200, 201, 204], reply.text).toContain(reply.status);
  return reply.json;
}

/** Returns functions that call the JSON API of one side, always with the content type that the script sends. */
const apiOf = (network: Network, { admin }: Side) => {
  const { json } = network.localnet.urls.participants[admin.participant];
  return (path: string, { headers, ...request }: HttpRequest = {}) =>
    http(network, `${json}${path}`, {
      as: admin,
      headers: { 'content-type': 'application/json', ...headers },
      ...request,
    });
};

const userOf = (reply: HttpReply) => (checked(reply) as { user: User }).user;

/** Creates a user without rights, unless it exists. An existing user is not changed. */
async function createUser(call: ReturnType<typeof apiOf>, id: string, username: string) {
  const present = await call(`/v2/users/${id}`);
  if (present.status !== 404) return;
  const metadata = { resourceVersion: '', annotations: { username } };
  const user = { id, isDeactivated: false, primaryParty: '', identityProviderId: '', metadata };
  const created = await call('/v2/users', { body: { user, rights: [] } });
  expect(userOf(created).id).toBe(id);
}

async function grantRights(
  call: ReturnType<typeof apiOf>,
  userId: string,
  rights: readonly object[],
) {
  const body = { userId, identityProviderId: '', rights };
  const granted = await call(`/v2/users/${userId}/rights`, { body });
  // For this call only, the script itself accepts no status but 200.
  expect(granted.status).toBe(200);
}

async function onboard(network: Network, side: Side, dar: Uint8Array<ArrayBuffer>) {
  const call = apiOf(network, side);
  const id = side.admin.userId;
  const party = userOf(await call(`/v2/users/${id}`)).primaryParty;

  const update = {
    user: {
      id,
      isDeactivated: false,
      primaryParty: party,
      identityProviderId: '',
      metadata: { resourceVersion: '', annotations: { username: side.adminName } },
    },
    updateMask: { paths: ['primary_party', 'metadata'], unknownFields: { fields: {} } },
  };
  const updated = await call(`/v2/users/${id}`, { method: 'PATCH', body: update });
  expect(userOf(updated).metadata.annotations).toMatchObject({ username: side.adminName });

  expect((await call('/v2/users/participant_admin')).status).toBe(200);
  checked(await call('/v2/users/participant_admin', { method: 'DELETE' }));
  expect((await call('/v2/users/participant_admin')).status).toBe(404);

  const octets = { 'content-type': 'application/octet-stream' };
  checked(await call('/v2/packages', { body: dar, headers: octets }));

  const actAs = { kind: { CanActAs: { value: { party } } } };
  const readAs = { kind: { CanReadAs: { value: { party } } } };
  await createUser(call, side.backend, 'service-account-backend');
  await grantRights(call, side.backend, [readAs, actAs]);
  await createUser(call, side.reader, 'service-account-pqs');
  await grantRights(call, side.reader, [readAs]);
  return party;
}

/** Returns the users, parties and rights that the onboarding has created on one side. */
async function picture(network: Network, side: Side) {
  const call = apiOf(network, side);
  const rightsOf = async (id: string) =>
    (checked(await call(`/v2/users/${id}/rights`)) as { rights: unknown[] }).rights;
  return {
    admin: userOf(await call(`/v2/users/${side.admin.userId}`)),
    backend: [userOf(await call(`/v2/users/${side.backend}`)), await rightsOf(side.backend)],
    reader: [userOf(await call(`/v2/users/${side.reader}`)), await rightsOf(side.reader)],
    defaultAdmin: (await call('/v2/users/participant_admin')).status,
  };
}

test('the onboarding of the reference runs to its end, and outlives the process', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tenure-onboarding-'));
  try {
    await using first = await spawnNetwork(dataDir);
    const { packageDetails } = await first.as(USER_ADMIN).packageAdmin.listKnownPackages({});
    const { packageId } = packageDetails.find(({ name }) => name === 'quickstart-licensing')!;
    const { archivePayload } = await first.as(PROVIDER_READER).packages.getPackage({ packageId });
    const dar = new Uint8Array(archivePayload);

    expect(await onboard(first, PROVIDER, dar)).toBe(first.localnet.parties.appProvider);
    expect(await onboard(first, USER, dar)).toBe(first.localnet.parties.appUser);
    const dso = await http(
      first,
      `${first.localnet.urls.participants['app-user'].validator}/api/validator/v0/scan-proxy/dso-party-id`,
      { as: USER_ADMIN, headers: { 'content-type': 'application/json' } },
    );
    expect(checked(dso)).toEqual({ dso_party_id: first.localnet.parties.dso });
    const before = [await picture(first, PROVIDER), await picture(first, USER)];
    expect(before.map(({ defaultAdmin }) => defaultAdmin)).toEqual([404, 404]);
    await first.kill();

    await using second = await spawnNetwork(dataDir);
    expect([await picture(second, PROVIDER), await picture(second, USER)]).toEqual(before);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});

test('the helper that allocates a party finds it the second time', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tenure-onboarding-'));
  try {
    await using network = await spawnNetwork(dataDir);
    const call = apiOf(network, PROVIDER);
    const allocate = async () => {
      const { participantId } = checked(await call('/v2/parties/participant-id')) as {
        participantId: string;
      };
      // The script gets the namespace from the participant's ID by removing this prefix.
      const party = `shop::${participantId.replace(/^participant::/, '')}`;
      const found = checked(await call(`/v2/parties/party?parties=${party}`));
      const { partyDetails } = found as { partyDetails: { party: string }[] };
      const [known] = partyDetails;
      if (known !== undefined) return ['found', known.party];
      const body = { partyIdHint: 'shop', displayName: 'shop', identityProviderId: '' };
      const allocated = checked(await call('/v2/parties', { body }));
      return ['allocated', (allocated as { partyDetails: { party: string } }).partyDetails.party];
    };
    const [how, party] = await allocate();
    expect([how, party]).toEqual(['allocated', expect.stringMatching(/^shop::1220[\da-f]{64}$/)]);
    expect(await allocate()).toEqual(['found', party]);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});
