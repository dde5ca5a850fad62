import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type {
  Right,
  User,
} from '../../../proto/gen/com/daml/ledger/api/v2/admin/user_management_service.ts';
import { expectRefused, openSuite, unique } from '../kit/conformance.ts';
import { LedgerRefusal } from '../kit/refusal.ts';

/* Modelled on the public conformance suite UserManagementServiceIT; identity providers are tested in another file. */

const { ledger, party } = await openSuite();
const { userAdmin } = ledger;

const SUITE = 'UserManagementServiceIT';
const canActAs = (name: string): Right => ({ kind: { $case: 'canActAs', value: { party: name } } });
const canReadAs = (name: string): Right => ({
  kind: { $case: 'canReadAs', value: { party: name } },
});

const userOf = (id: string, changes: Partial<User> = {}): Partial<User> => ({
  id,
  primaryParty: '',
  isDeactivated: false,
  identityProviderId: '',
  primaryPartyAuthentication: false,
  ...changes,
});

/** Returns a user without its version. */
const withoutVersion = (user: User | undefined): Partial<User> => {
  const { metadata, ...rest } = user!;
  expect(metadata!.resourceVersion).not.toBe('');
  return rest;
};

async function newUser(changes: Partial<User> = {}, rights: readonly Right[] = []): Promise<User> {
  const request = { user: userOf(unique('user'), changes), rights: [...rights] };
  return (await userAdmin.createUser(request)).user!;
}

/** Returns the outcomes of ten calls that are made at the same time. */
async function outcomesOf<T>(call: () => Promise<T>) {
  const results = await Promise.allSettled(Array.from({ length: 10 }, call));
  const reasons = results.flatMap((it) => (it.status === 'rejected' ? [it.reason as unknown] : []));
  const answers = results.flatMap((it) => (it.status === 'fulfilled' ? [it.value] : []));
  return { answers, codes: reasons.map((it) => (it instanceof LedgerRefusal ? it.reason : it)) };
}

const NINE = (code: string) => Array.from({ length: 9 }, () => code);

test(`${SUITE} UserManagementUserRightsLimit: a user has so many rights and no more`, async () => {
  const { features } = await ledger.version.getLedgerApiVersion({});
  const max = features!.userManagement!.maxRightsPerUser;
  const rights = Array.from({ length: max + 1 }, (_, index) => canActAs(`party-${index}`));
  const tooMany = userAdmin.createUser({ user: { id: unique('user') }, rights });
  await expectRefused(tooMany, 'TOO_MANY_USER_RIGHTS');
  const [first, ...others] = rights;
  const { id } = await newUser({}, others);
  const oneMore = userAdmin.grantUserRights({ userId: id, rights: [first!] });
  await expectRefused(oneMore, 'TOO_MANY_USER_RIGHTS');
  expect((await userAdmin.listUserRights({ userId: id })).rights).toHaveLength(max);
});

test(`${SUITE} UserManagementCreateUserInvalidArguments: each has its code`, async () => {
  const created = (user: Partial<User>, rights: Right[] = []) =>
    userAdmin.createUser({ user, rights });
  await expectRefused(created({}), 'MISSING_FIELD');
  await expectRefused(created(userOf('?')), 'INVALID_FIELD');
  const badParty = created(userOf(unique('user'), { primaryParty: 'party2-!!' }));
  await expectRefused(badParty, 'INVALID_ARGUMENT');
  const badRight = created(userOf(unique('user')), [canActAs('party3-!!')]);
  await expectRefused(badRight, 'INVALID_ARGUMENT');
});

test(`${SUITE} UserManagementGetUserInvalidArguments: an ID that is none is told with its form`, async () => {
  await expectRefused(
    userAdmin.getUser({ userId: '?' }),
    'INVALID_FIELD',
    'The submitted command has a field with invalid value: Invalid field user_id: User ID "?" does not match regex',
  );
});

test(`${SUITE} RaceConditionCreateUsers: one of many creates the user`, async () => {
  const user = userOf(unique('user'));
  const { answers, codes } = await outcomesOf(() => userAdmin.createUser({ user }));
  expect([answers.length, codes]).toEqual([1, NINE('USER_ALREADY_EXISTS')]);
});

test(`${SUITE} RaceConditionDeleteUsers: one of many deletes the user`, async () => {
  const { id } = await newUser();
  const { answers, codes } = await outcomesOf(() => userAdmin.deleteUser({ userId: id }));
  expect([answers.length, codes]).toEqual([1, NINE('USER_NOT_FOUND')]);
});

test(`${SUITE} RaceConditionGrantRights: one of many grants the rights`, async () => {
  const { id } = await newUser();
  const rights = [canActAs('acting-party-1'), canReadAs('reading-party-1')];
  const { answers, codes } = await outcomesOf(() =>
    userAdmin.grantUserRights({ userId: id, rights }),
  );
  expect(codes).toEqual([]);
  const granted = answers.map((it) => it.newlyGrantedRights).filter(({ length }) => length > 0);
  expect(granted).toEqual([rights]);
});

test(`${SUITE} RaceConditionRevokeRights: one of many revokes the rights`, async () => {
  const rights = [canActAs('acting-party-2'), canReadAs('reading-party-2')];
  const { id } = await newUser({}, rights);
  const { answers, codes } = await outcomesOf(() =>
    userAdmin.revokeUserRights({ userId: id, rights }),
  );
  expect(codes).toEqual([]);
  const revoked = answers.map((it) => it.newlyRevokedRights).filter(({ length }) => length > 0);
  expect(revoked).toEqual([rights]);
});

test(`${SUITE} TestAdminExists: there is an administrator from the beginning`, async () => {
  const { user } = await userAdmin.getUser({ userId: 'participant_admin' });
  expect(withoutVersion(user)).toEqual(userOf('participant_admin'));
  expect(user!.metadata!.annotations).toEqual({});
  const { rights } = await userAdmin.listUserRights({ userId: 'participant_admin' });
  expect(rights).toEqual([{ kind: { $case: 'participantAdmin', value: {} } }]);
});

test(`${SUITE} TestCreateUser: a user is created once, and can be deleted`, async () => {
  const [one, two] = [userOf(unique('user'), { primaryParty: 'party1' }), userOf(unique('user'))];
  expect(withoutVersion((await userAdmin.createUser({ user: one })).user)).toEqual(one);
  await expectRefused(userAdmin.createUser({ user: one }), 'USER_ALREADY_EXISTS');
  expect(withoutVersion((await userAdmin.createUser({ user: two })).user)).toEqual(two);
  expect(await userAdmin.deleteUser({ userId: two.id! })).toEqual({});
});

test(`${SUITE} TestPrimaryPartyAuthenticationCreateUser: the flag is kept`, async () => {
  for (const primaryPartyAuthentication of [false, true]) {
    const user = userOf(unique('user'), { primaryParty: 'party1', primaryPartyAuthentication });
    expect(withoutVersion((await userAdmin.createUser({ user })).user)).toEqual(user);
    expect(withoutVersion((await userAdmin.getUser({ userId: user.id! })).user)).toEqual(user);
  }
});

test(`${SUITE} TestInvalidResourceVersionInCreateUser: a new user has no version yet`, async () => {
  const metadata = { resourceVersion: 'someResourceVersion1', annotations: {} };
  await expectRefused(newUser({ metadata }), 'INVALID_ARGUMENT', 'user.metadata.resource_version');
});

test(`${SUITE} TestGetUser: a user is told, an unknown one is not found`, async () => {
  const user = await newUser({ primaryParty: 'party1' });
  expect((await userAdmin.getUser({ userId: user.id })).user).toEqual(user);
  await expectRefused(userAdmin.getUser({ userId: unique('user') }), 'USER_NOT_FOUND');
});

test(`${SUITE} TestDeleteUser: a user is deleted, an unknown one is not found`, async () => {
  const { id } = await newUser({ primaryParty: 'party1' });
  expect(await userAdmin.deleteUser({ userId: id })).toEqual({});
  await expectRefused(userAdmin.deleteUser({ userId: unique('user') }), 'USER_NOT_FOUND');
});

test(`${SUITE} TestGrantUserRights: rights are granted once`, async () => {
  const { id } = await newUser();
  const rights = [canActAs(await party()), canReadAs('reading-party-1')];
  const grant = async () =>
    (await userAdmin.grantUserRights({ userId: id, rights })).newlyGrantedRights;
  expect(await grant()).toEqual(rights);
  expect(await grant()).toEqual([]);
  const unknown = userAdmin.grantUserRights({ userId: unique('user'), rights });
  await expectRefused(unknown, 'USER_NOT_FOUND');
});

test(`${SUITE} TestGrantTheEmptyRight: a right is of some kind`, async () => {
  const { id } = await newUser();
  const granted = userAdmin.grantUserRights({ userId: id, rights: [{}] });
  await expectRefused(granted, 'INVALID_ARGUMENT', 'unknown kind of right');
});

test(`${SUITE} TestGrantingAndRevokingEmptyListOfRights: nothing is granted, nothing revoked`, async () => {
  const { id: userId } = await newUser();
  expect(await userAdmin.grantUserRights({ userId, rights: [] })).toEqual({
    newlyGrantedRights: [],
  });
  expect(await userAdmin.revokeUserRights({ userId, rights: [] })).toEqual({
    newlyRevokedRights: [],
  });
});

test(`${SUITE} TestAllocationTimeGrantUserRights: a party comes with a user who acts as it`, async () => {
  const { id: userId } = await newUser();
  const { partyDetails } = await ledger.partyAdmin.allocateParty({ userId });
  expect((await userAdmin.listUserRights({ userId })).rights).toEqual([
    canActAs(partyDetails!.party),
  ]);
});

test(`${SUITE} TestRevokeUserRights: rights are revoked once`, async () => {
  const rights = [canActAs('acting-party-1'), canReadAs('reading-party-1')];
  const { id } = await newUser({}, rights);
  const revoke = async () =>
    (await userAdmin.revokeUserRights({ userId: id, rights })).newlyRevokedRights;
  expect(await revoke()).toEqual(rights);
  expect(await revoke()).toEqual([]);
  const unknown = userAdmin.revokeUserRights({ userId: unique('user'), rights });
  await expectRefused(unknown, 'USER_NOT_FOUND');
});

test(`${SUITE} TestListUserRights: all rights are listed`, async () => {
  const [first, second] = [canActAs('acting-party-1'), canReadAs('reading-party-1')];
  const { id } = await newUser({}, [first]);
  const listed = async () => (await userAdmin.listUserRights({ userId: id })).rights;
  expect(await listed()).toEqual([first]);
  await userAdmin.grantUserRights({ userId: id, rights: [second] });
  expect(await listed()).toEqual([first, second]);
});

test(`${SUITE} TestListUsersVisibilityOfNewUserWhenCreatedAndThenDeleted: it is on a page and then not`, async () => {
  const firstIds = async () =>
    (await userAdmin.listUsers({ pageSize: 10 })).users.map(({ id }) => id);
  const [first] = await firstIds();
  const id = `!${first}`;
  await userAdmin.createUser({ user: userOf(id) });
  expect(await firstIds()).toContain(id);
  await userAdmin.deleteUser({ userId: id });
  expect(await firstIds()).not.toContain(id);
});

test(`${SUITE} TestListUsersCreateOrDeleteUserOnPreviousPage: the next page stays as it is`, async () => {
  for (let count = 0; count < 4; count += 1) await newUser();
  const { users, nextPageToken: pageToken } = await userAdmin.listUsers({ pageSize: 2 });
  const second = async () => (await userAdmin.listUsers({ pageSize: 2, pageToken })).users;
  const before = await second();
  await userAdmin.createUser({ user: userOf(`!${users.at(-1)!.id}`) });
  expect(await second()).toEqual(before);
});

test(`${SUITE} TestListUsersReachingTheLastPage: pages come to an end`, async () => {
  const seen: string[] = [];
  let pageToken = '';
  do {
    const page = await userAdmin.listUsers({ pageSize: 3, pageToken });
    seen.push(...page.users.map(({ id }) => id));
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen).toContain('participant_admin');
});

test(`${SUITE} TestListUsersOnInvalidRequests: a token or a size that is none is refused`, async () => {
  await expectRefused(userAdmin.listUsers({ pageToken: randomUUID() }), 'INVALID_ARGUMENT');
  await expectRefused(userAdmin.listUsers({ pageSize: -100 }), 'INVALID_ARGUMENT');
});

test(`${SUITE} TestListUsersRequestPageSizeZero: size zero is the participant's own`, async () => {
  const [of0, of1] = await Promise.all([
    userAdmin.listUsers({ pageSize: 0 }),
    userAdmin.listUsers({ pageSize: 1 }),
  ]);
  expect(of1.users).toEqual([of0.users[0]]);
});
