import { Type } from '@fastify/type-provider-typebox';
import type { Static } from '@fastify/type-provider-typebox';
import { PERMISSIONS } from '../../../domain/caller.ts';
import type { Permission } from '../../../domain/caller.ts';
import { component, words, nullableText } from '../../kit/schema.ts';

/* Schemas of tenants, ways to sign in and the current caller. Objects allow other members: see `schemas.ts`. */

const TENANT = {
  tenantId: { examples: ['AppUser'] },
  partyId: {
    description:
      'The party that its people stand for: 1 to 255 letters, digits, `:`, `-`, `_` and spaces, not blank. One that no participant hosts sees nothing.',
    examples: ['app_user_quickstart-root-1::1220aa01'],
  },
  walletUrl: {
    description: 'The wallet of the tenant’s people',
    examples: ['http://wallet.localhost:2000'],
  },
  clientId: {
    description: 'The client ID of this application at the issuer; mode oauth2',
    examples: ['app-provider-backend-oidc'],
  },
  issuerUrl: {
    description: 'Its authorization server; mode oauth2',
    examples: ['http://keycloak.localhost:8082/realms/AppUser'],
  },
} as const;

/** Members that both a list of tenants and the answer to a registration have. */
const REGISTERED = {
  tenantId: Type.String(TENANT.tenantId),
  partyId: Type.String(TENANT.partyId),
  walletUrl: nullableText(TENANT.walletUrl),
  clientId: nullableText(TENANT.clientId),
  issuerUrl: nullableText(TENANT.issuerUrl),
} as const;
const users = Type.Array(Type.String(), { description: 'Names that log in; mode shared-secret' });

export const TenantRegistration = component('TenantRegistration', {
  ...REGISTERED,
  internal: Type.Boolean({ description: 'Whether it belongs to the configuration' }),
  users,
  hosted: Type.Unsafe<boolean | null>({
    type: ['boolean', 'null'],
    description:
      'Whether a participant hosts the party; false: its people see nothing and can do nothing. null: no participant tells us',
  }),
});

/** The answer to a registration, with the same values as the request. */
export const CreatedTenantRegistration = component('CreatedTenantRegistration', {
  ...REGISTERED,
  internal: Type.Null({ description: 'Not the caller’s to say; the list has it' }),
  users,
});

export const TenantRegistrationRequest = Type.Object(
  {
    tenantId: Type.String(TENANT.tenantId),
    partyId: Type.String(TENANT.partyId),
    walletUrl: Type.Optional(Type.String(TENANT.walletUrl)),
    clientId: Type.Optional(
      Type.String({
        ...TENANT.clientId,
        description: `${TENANT.clientId.description}, where it is required`,
      }),
    ),
    issuerUrl: Type.Optional(
      Type.String({
        ...TENANT.issuerUrl,
        description: `${TENANT.issuerUrl.description}, where it is required`,
      }),
    ),
    users: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Names that log in; mode shared-secret, where it is required',
      }),
    ),
  },
  { $id: 'TenantRegistrationRequest', description: 'Empty, null and absent are the same' },
);

/**
 * The check of a registration's body. Which members are required depends on the mode, and a missing one gets the
 * message of the reference application, so this schema requires none. The API document's schema of the same name lists
 * the required ones.
 */
export const TenantRegistrationCheck = Type.Object(
  {
    tenantId: Type.Optional(nullableText()),
    partyId: Type.Optional(nullableText()),
    walletUrl: Type.Optional(nullableText()),
    clientId: Type.Optional(nullableText()),
    issuerUrl: Type.Optional(nullableText()),
    users: Type.Optional(
      Type.Unsafe<readonly string[] | null>({ type: ['array', 'null'], items: { type: 'string' } }),
    ),
  },
  { $id: 'TenantRegistrationRequest' },
);
export type TenantRegistrationRequest = Static<typeof TenantRegistrationCheck>;

export const FeatureFlags = component('FeatureFlags', {
  authMode: words(['oauth2', 'shared-secret']),
});

export const LoginLink = component('LoginLink', {
  name: Type.String({ description: 'The tenant', examples: ['AppUser'] }),
  url: Type.String({
    description: 'Where a browser signs in; not under /api',
    examples: ['/oauth2/authorization/AppUser-app-provider-backend-oidc'],
  }),
});

const time = (description: string) => Type.String({ format: 'date-time', description });

export const Session = component('Session', {
  id: Type.String({
    description: 'Names the session, also in the audit log; nobody signs in with it',
    examples: ['9f86d081884c7d65'],
  }),
  tenantId: Type.String({ examples: ['AppUser'] }),
  party: Type.String({ examples: ['app_user_quickstart-root-1::1220aa01'] }),
  subject: Type.String({ examples: ['c1f7d7b0-5f4e-4c7e-9d43-0e3b1f4b7a11'] }),
  name: Type.String({ description: 'For people', examples: ['app user'] }),
  permissions: Type.Array(Type.Unsafe<Permission>({ type: 'string', enum: [...PERMISSIONS] })),
  createdAt: time('When the person signed in'),
  seenAt: time('When the session was last used, to the minute'),
  endsAt: time('When the session ends in any case'),
  idleEndsAt: time('When the session ends unless it is used before'),
  isCurrent: Type.Boolean({ description: 'Whether the call belongs to this session' }),
});

export const AuthenticatedUser = component('AuthenticatedUser', {
  name: Type.String({ description: 'For people', examples: ['app user'] }),
  subject: Type.String({
    description:
      'The identity behind the party: what `by` of operations and of the audit log finds',
    examples: ['c1f7d7b0-5f4e-4c7e-9d43-0e3b1f4b7a11'],
  }),
  party: Type.String({ examples: ['app_user_quickstart-root-1::1220aa01'] }),
  roles: Type.Array(Type.String(), {
    description:
      'ROLE_ADMIN for the provider, then the tenant and the party; in shared-secret mode ROLE_ADMIN or ROLE_USER',
    examples: [['AppUser', 'app_user_quickstart-root-1::1220aa01']],
  }),
  isAdmin: Type.Boolean({ description: 'Whether it stands for the provider' }),
  permissions: Type.Array(Type.Unsafe<Permission>({ type: 'string', enum: [...PERMISSIONS] }), {
    description: 'Each operation names the one that it needs as x-permission',
    examples: [['read', 'write']],
  }),
  tenantId: Type.String({ examples: ['AppUser'] }),
  operatorOf: Type.Unsafe<'deployment' | 'tenant' | null>({
    type: ['string', 'null'],
    enum: ['deployment', 'tenant', null],
    description:
      'What its operations desk shows: everything of the provider, or what is the party’s own; null without that role',
  }),
  walletUrl: nullableText({ examples: ['http://wallet.localhost:2000'] }),
  session: Type.Unsafe<{ readonly endsAt: string; readonly idleEndsAt: string } | null>({
    type: ['object', 'null'],
    description: 'When the browser’s session ends; null for a caller with a token',
    properties: {
      endsAt: { type: 'string', format: 'date-time', description: 'In any case' },
      idleEndsAt: {
        type: 'string',
        format: 'date-time',
        description: 'Unless it is used before',
      },
    },
    required: ['endsAt', 'idleEndsAt'],
  }),
});
