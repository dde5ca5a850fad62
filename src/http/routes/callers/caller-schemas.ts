import { Type } from '@fastify/type-provider-typebox';

/* Answers about who asks and how people sign in. Open, like all of them: see `schemas.ts`. */

const open = { additionalProperties: true } as const;

export const FeatureFlags = Type.Object(
  {
    authMode: Type.Unsafe<string>({ type: 'string', enum: ['oauth2', 'shared-secret'] }),
  },
  { $id: 'FeatureFlags', ...open },
);

export const LoginLink = Type.Object(
  {
    name: Type.String({ description: 'The tenant', examples: ['AppUser'] }),
    url: Type.String({
      description: 'Where a browser signs in; not under /api',
      examples: ['/oauth2/authorization/AppUser-app-provider-backend-oidc'],
    }),
  },
  { $id: 'LoginLink', ...open },
);

export const AuthenticatedUser = Type.Object(
  {
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
    tenantId: Type.String({ examples: ['AppUser'] }),
    operatorOf: Type.Unsafe<'deployment' | 'tenant' | null>({
      type: ['string', 'null'],
      enum: ['deployment', 'tenant', null],
      description:
        'What its operations desk shows: everything of the provider, or what is the party’s own; null without that role',
    }),
    walletUrl: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      examples: ['http://wallet.localhost:2000'],
    }),
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
  },
  { $id: 'AuthenticatedUser', ...open },
);
