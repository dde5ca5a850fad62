import { expect, test } from 'vitest';
import type { User } from '../../../proto/gen/com/daml/ledger/api/v2/admin/user_management_service.ts';
import { expectRefused, openSuite, unique } from '../kit/conformance.ts';

/* Modelled on the public conformance suite UserManagementServiceUpdateRpcIT. */

const {
  ledger: { userAdmin },
} = await openSuite();

const SUITE = 'UserManagementServiceUpdateRpcIT';

async function newUser(changes: Partial<User> = {}): Promise<User> {
  return (await userAdmin.createUser({ user: { id: unique('user'), ...changes } })).user!;
}

const update = async (user: Partial<User>, ...updateMask: string[]): Promise<User> =>
  (await userAdmin.updateUser({ user, updateMask })).user!;

const annotated = (annotations: Record<string, string>) => ({
  metadata: { resourceVersion: '', annotations },
});

test(`${SUITE} UpdateAllUpdatableFields: all at once, annotations one by one`, async () => {
  const { id } = await newUser({
    primaryParty: 'primaryParty0',
    isDeactivated: true,
    ...annotated({ k1: 'v1', k2: 'v2', k3: 'v3' }),
  });
  const change = {
    id,
    isDeactivated: false,
    primaryParty: 'primaryParty1',
    ...annotated({ k1: 'v1a', k3: '', k4: 'v4', k5: '' }),
  };
  expect(await update(change, 'is_deactivated', 'primary_party', 'metadata')).toMatchObject({
    id,
    isDeactivated: false,
    primaryParty: 'primaryParty1',
    metadata: { annotations: { k1: 'v1a', k2: 'v2', k4: 'v4' } },
  });
});

test(`${SUITE} UpdateUserEvenIfMetadataIsNotSetInUpdateRequest: what is left out stays`, async () => {
  const { id } = await newUser();
  const changed = await update({ id, primaryParty: 'nextPrimaryParty' }, 'primary_party');
  expect(changed.primaryParty).toBe('nextPrimaryParty');
});

test(`${SUITE} InvalidUpdateRequestsUserFieldIsUnset: a user is named`, async () => {
  await expectRefused(
    userAdmin.updateUser({ updateMask: ['metadata'] }),
    'MISSING_FIELD',
    'missing a mandatory field: user',
  );
});

test(`${SUITE} FailUpdateNonExistentUser: an unknown user is not found`, async () => {
  const change = { id: unique('user'), ...annotated({ k1: 'v1' }) };
  await expectRefused(update(change, 'metadata.annotations'), 'USER_NOT_FOUND');
});

test(`${SUITE} InvalidUpdateRequestsInvalidUserIdSyntax: an ID that is none comes before the mask`, async () => {
  await expectRefused(update({ id: '%%!!!', ...annotated({ k2: 'v2' }) }), 'INVALID_FIELD');
});

test(`${SUITE} UpdatePrimaryPartyUsingNonEmptyValue: it is the new one`, async () => {
  const { id } = await newUser({ primaryParty: 'primaryParty0' });
  const changed = await update({ id, primaryParty: 'primaryParty1' }, 'primary_party');
  expect(changed.primaryParty).toBe('primaryParty1');
});

test(`${SUITE} UpdatePrimaryPartyUsingEmptyValue: there is none afterwards`, async () => {
  const { id } = await newUser({ primaryParty: 'primaryParty0' });
  expect((await update({ id, primaryParty: '' }, 'primary_party')).primaryParty).toBe('');
});

test(`${SUITE} UpdateIsDeactivatedUsingNonDefaultValue: the user is deactivated`, async () => {
  const { id } = await newUser();
  const changed = await update({ id, isDeactivated: true }, 'is_deactivated');
  expect(changed.isDeactivated).toBe(true);
});

test(`${SUITE} UpdateIsDeactivatedUsingTheDefaultValue: the user is active again`, async () => {
  const { id } = await newUser({ isDeactivated: true });
  const changed = await update({ id, isDeactivated: false }, 'is_deactivated');
  expect(changed.isDeactivated).toBe(false);
});

test(`${SUITE} UpdatePrimaryPartyAuthentication: the flag goes on and off`, async () => {
  const { id } = await newUser();
  for (const primaryPartyAuthentication of [true, false]) {
    const change = { id, primaryPartyAuthentication };
    const changed = await update(change, 'primary_party_authentication');
    expect(changed.primaryPartyAuthentication).toBe(primaryPartyAuthentication);
    const { user } = await userAdmin.getUser({ userId: id });
    expect(user!.primaryPartyAuthentication).toBe(primaryPartyAuthentication);
  }
});
