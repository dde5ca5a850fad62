import { isUserId } from '../../../ledger/lf-values.ts';
import { invalidArgument } from '../../../ledger/submission-checks.ts';
import { PAGE_QUERY, pageOf, unary } from '../operation.ts';
import type { Given, Operation } from '../operation.ts';
import {
  createUserAnswer,
  createUserRequest,
  getUserAnswer,
  grantRightsAnswer,
  grantRightsRequest,
  listRightsAnswer,
  listUsersAnswer,
  revokeRightsAnswer,
  revokeRightsRequest,
  updateUserAnswer,
  updateUserProviderRequest,
  updateUserRequest,
} from '../shapes/administration.ts';
import { nothing } from '../shapes/commands.ts';

const PATH = '/v2/users';
const USER = `${PATH}/{user-id}`;

const identityProvider = [{ name: 'identity-provider-id', kind: 'text' }] as const;
const identityProviderOf = ({ query }: Given<unknown>) => query.text('identity-provider-id');

/** Returns the user in the path. Throws INVALID_ARGUMENT for an invalid user ID. */
function userIdOf({ path }: Given<unknown>): string {
  const userId = path['user-id'] ?? '';
  if (isUserId(userId)) return userId;
  throw invalidArgument(
    `Malformed user-id: User ID "${userId.slice(0, 150)}" does not match regex`,
  );
}

/** Requires that the body names the same user as the path, if both name one. */
function requireSameUser({ path }: Given<unknown>, inBody: string | undefined): void {
  const inPath = path['user-id'] ?? '';
  if (inPath === inBody) return;
  const named = inBody === undefined ? 'None' : `Some(${inBody.slice(0, 150)})`;
  throw invalidArgument(`${inPath.slice(0, 150)} does not match user in body: ${named} `);
}

export const userOperations: readonly Operation[] = [
  unary({
    method: 'GET',
    path: PATH,
    calls: 'UserManagementService/ListUsers',
    query: PAGE_QUERY,
    answer: listUsersAnswer,
    run: ({ users }, { query }, call) =>
      users.listUsers({ ...pageOf(query), identityProviderId: '' }, call),
  }),
  unary({
    method: 'POST',
    path: PATH,
    calls: 'UserManagementService/CreateUser',
    body: createUserRequest,
    answer: createUserAnswer,
    run: ({ users }, { body }, call) => users.createUser(body, call),
  }),
  unary({
    method: 'GET',
    path: USER,
    calls: 'UserManagementService/GetUser',
    query: identityProvider,
    answer: getUserAnswer,
    run: async ({ users }, given, call) => {
      const identityProviderId = identityProviderOf(given);
      return users.getUser({ userId: userIdOf(given), identityProviderId }, call);
    },
  }),
  unary({
    method: 'DELETE',
    path: USER,
    calls: 'UserManagementService/DeleteUser',
    answer: nothing('Unit'),
    run: async ({ users }, given, call) =>
      users.deleteUser({ userId: userIdOf(given), identityProviderId: '' }, call),
  }),
  unary({
    method: 'PATCH',
    path: USER,
    calls: 'UserManagementService/UpdateUser',
    body: updateUserRequest,
    answer: updateUserAnswer,
    run: async ({ users }, given, call) => {
      requireSameUser(given, given.body.user?.id);
      return users.updateUser(given.body, call);
    },
  }),
  unary({
    method: 'GET',
    path: '/v2/authenticated-user',
    calls: 'UserManagementService/GetUser',
    query: identityProvider,
    answer: getUserAnswer,
    run: ({ users }, given, call) =>
      users.getUser({ userId: '', identityProviderId: identityProviderOf(given) }, call),
  }),
  unary({
    method: 'GET',
    path: `${USER}/rights`,
    calls: 'UserManagementService/ListUserRights',
    answer: listRightsAnswer,
    run: async ({ users }, given, call) =>
      users.listUserRights({ userId: userIdOf(given), identityProviderId: '' }, call),
  }),
  unary({
    method: 'POST',
    path: `${USER}/rights`,
    calls: 'UserManagementService/GrantUserRights',
    body: grantRightsRequest,
    answer: grantRightsAnswer,
    run: async ({ users }, given, call) => {
      requireSameUser(given, given.body.userId);
      return users.grantUserRights(given.body, call);
    },
  }),
  unary({
    method: 'PATCH',
    path: `${USER}/rights`,
    calls: 'UserManagementService/RevokeUserRights',
    body: revokeRightsRequest,
    answer: revokeRightsAnswer,
    run: async ({ users }, given, call) => {
      requireSameUser(given, given.body.userId);
      return users.revokeUserRights(given.body, call);
    },
  }),
  unary({
    method: 'PATCH',
    path: `${USER}/identity-provider-id`,
    calls: 'UserManagementService/UpdateUserIdentityProviderId',
    body: updateUserProviderRequest,
    answer: nothing('UpdateUserIdentityProviderIdResponse'),
    run: async ({ users }, given, call) => {
      requireSameUser(given, given.body.userId);
      return users.updateUserIdentityProviderId(given.body, call);
    },
  }),
];
