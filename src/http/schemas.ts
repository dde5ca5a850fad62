import { Type } from '@fastify/type-provider-typebox';
import type { Static } from '@fastify/type-provider-typebox';
import { LIMITS } from '../domain/limits.ts';
import type { LicensingKind } from '../domain/licensing.ts';
import { PROBLEMS } from '../domain/problems.ts';
import { describe } from '../../machines/registry.ts';
import { AuthenticatedUser, FeatureFlags, LoginLink } from './routes/callers/caller-schemas.ts';
import { Contract, Exercised, LicenseComment } from './routes/contracts/contract-schemas.ts';
import { Delivery, Webhook } from './routes/webhooks/webhook-schemas.ts';
import { Alarm, Operation, OpsOperation } from './routes/operations/operation-schemas.ts';
import { ExpiryPolicySchema, RenewalPolicySchema } from './routes/policies/policy-bodies.ts';
import { ExpiryPreview, TimerSchema } from './routes/policies/timer-schemas.ts';
import type { MachineSchemaName } from './routes/machines/machine-schemas.ts';
import { MACHINE_SCHEMAS } from './routes/machines/machine-schemas.ts';
import type { OpsSchemaName } from './routes/ops/ops-schemas.ts';
import { OPS_SCHEMAS } from './routes/ops/ops-schemas.ts';
import { BulkAct, BulkPreview, Pause } from './routes/ops/acts-schemas.ts';
import { OpsAttention } from './routes/ops/attention-schemas.ts';

/*
 * What answers look like, for the OpenAPI document. Every object is open: callers must live with members that are
 * added later.
 */

const open = { additionalProperties: true } as const;

const PARTY = 'app_provider_quickstart-root-1::1220f5d3';
const CONTRACT = '00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011';

const contractId = Type.String({
  description: 'The contract that stands for it now; changes when the contract is re-created',
  examples: [CONTRACT],
});
const provider = Type.String({ examples: [PARTY] });
const user = Type.String({ examples: ['app_user_quickstart-root-1::1220aa01'] });
const meta = Type.Object(
  { data: Type.Unsafe({ type: 'object', additionalProperties: { type: 'string' } }) },
  open,
);
const identity = {
  lifecycleId: Type.Optional(
    Type.String({ description: 'Stays the same', examples: ['install-a1b2c3d4e5f60718293a'] }),
  ),
  version: Type.Optional(
    Type.Integer({ description: 'Rises with every step; the entity tag', examples: [3] }),
  ),
  machineVersion: Type.Optional(
    Type.Integer({
      description: 'Of the machine that its last step was taken by: see /machines',
      examples: [3],
    }),
  ),
  state: Type.Optional(
    Type.String({ description: 'Where its lifecycle is', examples: ['active'] }),
  ),
};

const AppInstallRequest = Type.Object(
  { contractId, provider, user, meta, ...identity },
  { $id: 'AppInstallRequest', ...open },
);

const AppInstall = Type.Object(
  {
    contractId,
    provider,
    user,
    meta,
    numLicensesCreated: Type.Integer({ examples: [2] }),
    licenseNum: Type.Integer({ description: 'Licences created so far', examples: [2] }),
    ...identity,
  },
  { $id: 'AppInstall', ...open },
);

const LicenseRenewalRequest = Type.Object(
  {
    contractId,
    provider,
    user,
    licenseNum: Type.Integer({ examples: [1] }),
    licenseFeeAmount: Type.Number({
      description: 'A decimal with up to 10 digits after the point, all of which are sent',
      examples: [100],
    }),
    licenseFeeInstrument: Type.String({ examples: ['Amulet'] }),
    licenseExtensionDuration: Type.String({
      description: 'Whole days of the extension, in words',
      examples: ['30 days'],
    }),
    prepareUntil: Type.String({ examples: ['2026-01-31T12:10:00.000000Z'] }),
    settleBefore: Type.String({ examples: ['2026-01-31T12:20:00.000000Z'] }),
    requestedAt: Type.String({ examples: ['2026-01-31T12:00:00.000000Z'] }),
    description: Type.String({ examples: ['One more month'] }),
    requestId: Type.String({ examples: ['0d4b2a51-7f1f-4b0a-9b51-3a6f0d7a9f10'] }),
    allocationCid: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description:
        'The allocation to complete with: one that matches, else the newest that names the request',
    }),
    prepareDeadlinePassed: Type.Boolean({ description: 'By ledger time' }),
    settleDeadlinePassed: Type.Boolean({ description: 'By ledger time' }),
    allocationMatches: Type.Unsafe<boolean | null>({
      type: ['boolean', 'null'],
      description: 'Whether the ledger will take the allocation; null without one',
    }),
    allocationDiffers: Type.Array(Type.String(), {
      description: 'Where the allocation is not what was asked for',
      examples: [['amount']],
    }),
    ...identity,
  },
  { $id: 'LicenseRenewalRequest', ...open },
);

const License = Type.Object(
  {
    contractId,
    provider,
    user,
    params: Type.Object({ meta }, open),
    expiresAt: Type.String({ examples: ['2030-01-31T12:00:00.000000Z'] }),
    licenseNum: Type.Integer({ examples: [1] }),
    isExpired: Type.Boolean({ description: 'By ledger time; a new licence is born expired' }),
    renewalRequests: Type.Array(Type.Unsafe<unknown>({ $ref: 'LicenseRenewalRequest#' }), {
      description: 'Open ones, oldest first',
    }),
    ...identity,
  },
  { $id: 'License', ...open },
);

const CreatedLicense = Type.Object(
  {
    installId: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The contract that stands for the install from now on',
    }),
    licenseId: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  },
  { $id: 'CreatedLicense', ...open },
);

const RenewedLicense = Type.Object(
  {
    licenseId: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The contract that stands for the licence from now on',
    }),
  },
  { $id: 'RenewedLicense', ...open },
);

const Action = Type.Object(
  {
    name: Type.String({ examples: ['expire'] }),
    allowed: Type.Boolean(),
    reason: Type.Optional(
      Type.String({ description: 'Why not', examples: ['it has ended: expired'] }),
    ),
    method: Type.String({ examples: ['POST'] }),
    href: Type.String({ examples: ['/licenses/license-a1b2c3d4e5f60718293a:expire'] }),
  },
  { $id: 'Action', ...open },
);

const HistoryEntry = Type.Object(
  {
    at: Type.String({ examples: ['2026-01-31T12:00:00.000000Z'] }),
    kind: Type.String({
      description:
        'The event, as `events` of the machine’s transitions name it, where a step was taken; else ledger.created, or a step beside the machine',
      examples: ['ledger.created', 'license.expire'],
    }),
    state: Type.String({
      description: 'The state then; the one before it is that of the entry before',
      examples: ['active'],
    }),
    by: Type.Optional(Type.String({ description: 'The party that asked for it' })),
    commandId: Type.Optional(Type.String({ description: 'Of the caller’s own changes only' })),
    offset: Type.Optional(Type.Integer({ examples: [42] })),
    updateId: Type.Optional(Type.String()),
    contractId: Type.Optional(Type.String()),
    detail: Type.Object(
      {},
      { ...open, description: 'What was asked: operation, subject, policy, reason, code' },
    ),
  },
  { $id: 'HistoryEntry', ...open },
);

const Problem = Type.Object(
  {
    type: Type.String({ examples: ['urn:tenure:problem:step-not-allowed'] }),
    title: Type.String({ examples: [PROBLEMS.STEP_NOT_ALLOWED.title] }),
    status: Type.Integer({ examples: [409] }),
    detail: Type.String({ examples: ['expire is refused: not before 2030-01-31T12:00:00Z'] }),
    instance: Type.String({ examples: ['/licenses/license-a1b2c3d4e5f60718293a:expire'] }),
    message: Type.String({ description: 'The same as `detail`' }),
    code: Type.Unsafe<string>({ type: 'string', enum: Object.keys(PROBLEMS) }),
    ledgerCode: Type.Optional(
      Type.String({ description: 'Where the ledger refused', examples: ['DAML_FAILURE'] }),
    ),
    retryable: Type.Boolean({ description: 'Whether the same call may work later' }),
    commandId: Type.Optional(Type.String()),
    traceId: Type.String({ examples: ['4bf92f3577b34da6a3ce929d0e0e4736'] }),
  },
  { $id: 'Problem', ...open },
);

const Readiness = Type.Object(
  {
    status: Type.String({ examples: ['ready'] }),
    checks: Type.Array(
      Type.Object(
        { name: Type.String(), ok: Type.Boolean(), reason: Type.Optional(Type.String()) },
        open,
      ),
    ),
  },
  { $id: 'Readiness', ...open },
);

const nullableText = (options: object) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], ...options });

const TENANT = {
  tenantId: { examples: ['AppUser'] },
  partyId: { examples: ['app_user_quickstart-root-1::1220aa01'] },
  walletUrl: { description: 'Of its people', examples: ['http://wallet.localhost:2000'] },
  clientId: {
    description: 'What this application is registered as at the issuer; mode oauth2',
    examples: ['app-provider-backend-oidc'],
  },
  issuerUrl: {
    description: 'Its authorization server; mode oauth2',
    examples: ['http://keycloak.localhost:8082/realms/AppUser'],
  },
} as const;

const TenantRegistration = Type.Object(
  {
    tenantId: Type.String(TENANT.tenantId),
    partyId: Type.String(TENANT.partyId),
    walletUrl: nullableText(TENANT.walletUrl),
    clientId: nullableText(TENANT.clientId),
    issuerUrl: nullableText(TENANT.issuerUrl),
    internal: Type.Unsafe<boolean | null>({
      type: ['boolean', 'null'],
      description: 'Whether it belongs to the configuration; `null` in the answer of its creation',
    }),
    users: Type.Array(Type.String(), { description: 'Names that log in; mode shared-secret' }),
  },
  { $id: 'TenantRegistration', ...open },
);

/** Empty, null and absent are the same. What is required depends on the mode, and is said in words of its own. */
export const TenantRequestBody = Type.Object({
  tenantId: Type.Optional(nullableText(TENANT.tenantId)),
  partyId: Type.Optional(nullableText(TENANT.partyId)),
  walletUrl: Type.Optional(nullableText(TENANT.walletUrl)),
  clientId: Type.Optional(nullableText(TENANT.clientId)),
  issuerUrl: Type.Optional(nullableText(TENANT.issuerUrl)),
  users: Type.Optional(
    Type.Unsafe<readonly string[] | null>({
      type: ['array', 'null'],
      items: { type: 'string' },
      description: 'Names that log in; mode shared-secret',
    }),
  ),
});
export type TenantRequestBody = Static<typeof TenantRequestBody>;

export const SHARED_SCHEMAS = [
  AppInstallRequest,
  AppInstall,
  LicenseRenewalRequest,
  License,
  CreatedLicense,
  RenewedLicense,
  LicenseComment,
  Contract,
  Exercised,
  Action,
  HistoryEntry,
  Problem,
  Operation,
  OpsOperation,
  ...OPS_SCHEMAS,
  ...MACHINE_SCHEMAS,
  Alarm,
  Pause,
  ExpiryPolicySchema,
  RenewalPolicySchema,
  ExpiryPreview,
  TimerSchema,
  BulkPreview,
  BulkAct,
  OpsAttention,
  Webhook,
  Delivery,
  Readiness,
  TenantRegistration,
  FeatureFlags,
  LoginLink,
  AuthenticatedUser,
] as const;

export type SharedSchemaName =
  | 'AppInstallRequest'
  | 'AppInstall'
  | 'License'
  | 'LicenseRenewalRequest'
  | 'CreatedLicense'
  | 'RenewedLicense'
  | 'LicenseComment'
  | 'Contract'
  | 'Exercised'
  | 'Action'
  | 'HistoryEntry'
  | 'Problem'
  | 'Operation'
  | 'OpsOperation'
  | OpsSchemaName
  | MachineSchemaName
  | 'Alarm'
  | 'Pause'
  | 'ExpiryPolicy'
  | 'RenewalPolicy'
  | 'ExpiryPreview'
  | 'Timer'
  | 'BulkPreview'
  | 'BulkAct'
  | 'OpsAttention'
  | 'Webhook'
  | 'Delivery'
  | 'Readiness'
  | 'TenantRegistration'
  | 'FeatureFlags'
  | 'LoginLink'
  | 'AuthenticatedUser';

export const ref = (name: SharedSchemaName) => Type.Unsafe<unknown>({ $ref: `${name}#` });

/** Query parameters of a write. */
export const WriteQuery = Type.Object({
  commandId: Type.String({
    description:
      'Names the change, so that it can be repeated safely: 1 to 255 of the letters, digits, # : - _ / and space. ' +
      'Header Idempotency-Key is taken in its place.',
    examples: ['accept-1'],
  }),
});

/** Of a write that takes the commandId in its body too. */
export const ExerciseQuery = Type.Partial(WriteQuery);

export const WriteHeaders = Type.Object({
  Prefer: Type.Optional(
    Type.String({
      description: `respond-async answers 202 at once; wait=N waits at most N seconds (up to ${LIMITS.httpWaitMsMax / 1_000})`,
      examples: ['wait=5'],
    }),
  ),
});

/** For writes on something that exists. */
export const StepHeaders = Type.Object({
  ...WriteHeaders.properties,
  'If-Match': Type.Optional(
    Type.String({ description: 'The ETag last seen: refuses the change if it has moved on' }),
  ),
});

export const PolicyHeaders = Type.Object({
  'If-Match': Type.Optional(
    Type.String({
      description: 'The ETag last seen: refuses the change if somebody else has made one',
    }),
  ),
});

/** Paths of one lifecycle or contract: the parameter has the reference's name. */
export const ContractParams = Type.Object({
  contractId: Type.String({
    description: 'Any contract ID that it ever had, or its lifecycleId',
    examples: [CONTRACT],
  }),
});

export const IdParams = Type.Object({ id: Type.String() });

const PAGING = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: LIMITS.pageSizeMax, description: 'Entries of one page' }),
  ),
  cursor: Type.Optional(Type.String({ description: 'From a Link header; opaque' })),
};

export const PagingQuery = Type.Object(PAGING);

const LIST_QUERY = {
  ...PAGING,
  user: Type.Optional(Type.String({ description: 'Only those of this user' })),
  provider: Type.Optional(Type.String({ description: 'Only those of this provider' })),
};

/** Query parameters of a list. */
export const listQuery = (kind: LicensingKind) =>
  Type.Object({
    ...LIST_QUERY,
    state: Type.Optional(
      Type.Unsafe<string>({
        type: 'string',
        enum: Object.keys(describe(kind).machine.states),
        description: 'Only those in this state',
      }),
    ),
    ...(kind === 'license'
      ? {
          expiresBefore: Type.Optional(
            Type.String({
              format: 'date-time',
              description: 'Only those whose time is over before this instant',
              examples: ['2030-01-31T12:00:00Z'],
            }),
          ),
        }
      : {}),
  });
