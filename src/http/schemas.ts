import { Type } from '@fastify/type-provider-typebox';
import { HTTP_LIMITS } from './limits.ts';
import { LIMITS } from '../domain/limits.ts';
import type { LicensingKind } from '../domain/licensing.ts';
import { PROBLEMS } from '../domain/problems.ts';
import { describe } from '../../machines/registry.ts';
import {
  AppInstallCancel,
  AppInstallCreateLicenseRequest,
  AppInstallRequestAccept,
  AppInstallRequestCancel,
  AppInstallRequestReject,
  LicenseExpireRequest,
} from './kit/bodies.ts';
import {
  AuthenticatedUser,
  CreatedTenantRegistration,
  FeatureFlags,
  LoginLink,
  Session,
  TenantRegistration,
  TenantRegistrationRequest,
} from './routes/callers/caller-schemas.ts';
import {
  Action,
  AppInstall,
  AppInstallCreateLicenseResult,
  AppInstallRequest,
  CONTRACT,
  HistoryEntry,
  License,
  LicenseParams,
  LicenseRenewalRequest,
  LicenseRenewalResult,
  Metadata,
} from './routes/lifecycles/lifecycle-schemas.ts';
import {
  CompleteLicenseRenewalRequest,
  LicenseRenewRequest,
} from './routes/lifecycles/renewal-bodies.ts';
import { Contract, Exercised, LicenseComment } from './routes/contracts/contract-schemas.ts';
import { CustomerSchema, PlanSchema, PlanVersionSchema } from './routes/product/product-schemas.ts';
import { EVENT_SCHEMAS } from './routes/events/event-schemas.ts';
import { Delivery, Webhook } from './routes/webhooks/webhook-schemas.ts';
import { Alarm, Operation, OpsOperation } from './routes/operations/operation-schemas.ts';
import {
  ExpiryPolicySchema,
  PendingPolicySchema,
  PolicyPreviewSchema,
  RenewalPolicySchema,
} from './routes/policies/policy-bodies.ts';
import { ActPreview } from './kit/confirmation.ts';
import { component, optionalBoolean, optionalText, words } from './kit/schema.ts';
import { ExpiryPreview, TimerSchema } from './routes/policies/timer-schemas.ts';
import { MACHINE_SCHEMAS } from './routes/machines/machine-schemas.ts';
import { MONEY_SCHEMAS } from './routes/money/money-schemas.ts';
import { OPS_SCHEMAS } from './routes/ops/ops-schemas.ts';
import { VALIDATION_SCHEMAS } from './routes/validation/validation-schemas.ts';
import { LicenseActPreview, LicenseActResult } from './routes/subscriptions/license-act-schemas.ts';
import { SubscriptionSchema } from './routes/subscriptions/subscription-schemas.ts';
import { BulkAct, BulkPreview, Pause } from './routes/ops/acts-schemas.ts';
import { LIFECYCLE_SORTS } from './kit/list-query.ts';

/*
 * Schemas of answers, for the OpenAPI document. Every object allows other members, because callers must tolerate
 * members that are added later.
 */

const ErrorResponse = component('ErrorResponse', {
  type: Type.String({
    format: 'uri-reference',
    description: 'The address of the page that explains the `code`, relative to the request',
    examples: ['/errors/step-not-allowed'],
  }),
  title: Type.String({ examples: [PROBLEMS.STEP_NOT_ALLOWED.title] }),
  status: Type.Integer({ examples: [409] }),
  detail: Type.String({ examples: ['expire is refused: not before 2030-01-31T12:00:00Z'] }),
  instance: Type.String({ examples: ['/licenses/license-a1b2c3d4e5f60718293a:expire'] }),
  message: Type.String({ description: 'Equal to `detail`' }),
  code: words(Object.keys(PROBLEMS)),
  ledgerCode: Type.Optional(
    Type.String({ description: 'Where the ledger refused', examples: ['DAML_FAILURE'] }),
  ),
  retryable: Type.Boolean({ description: 'Whether the same call may work later' }),
  commandId: optionalText(),
  replayed: optionalBoolean('`true`: the failure is the recorded one of an earlier call'),
  operationId: optionalText('For a replayed failure: the ID of the operation'),
  retryWith: optionalText(
    'For a replayed failure: repeating the call always gives this answer',
    'new-command-id',
  ),
  traceId: Type.String({ examples: ['4bf92f3577b34da6a3ce929d0e0e4736'] }),
});

const Readiness = component('Readiness', {
  status: Type.String({ examples: ['ready'] }),
});

const REQUESTS = [
  AppInstallRequestAccept,
  AppInstallRequestReject,
  AppInstallRequestCancel,
  AppInstallCreateLicenseRequest,
  AppInstallCancel,
  LicenseRenewRequest,
  CompleteLicenseRenewalRequest,
  LicenseExpireRequest,
  TenantRegistrationRequest,
] as const;

export const SHARED_SCHEMAS = [
  Metadata,
  LicenseParams,
  ...REQUESTS,
  AppInstallRequest,
  AppInstall,
  LicenseRenewalRequest,
  License,
  AppInstallCreateLicenseResult,
  LicenseRenewalResult,
  LicenseComment,
  Contract,
  Exercised,
  Action,
  HistoryEntry,
  ErrorResponse,
  Operation,
  OpsOperation,
  ...OPS_SCHEMAS,
  ...MACHINE_SCHEMAS,
  ...MONEY_SCHEMAS,
  Alarm,
  Pause,
  ExpiryPolicySchema,
  RenewalPolicySchema,
  ExpiryPreview,
  PolicyPreviewSchema,
  PendingPolicySchema,
  ActPreview,
  TimerSchema,
  BulkPreview,
  BulkAct,
  CustomerSchema,
  PlanSchema,
  PlanVersionSchema,
  SubscriptionSchema,
  LicenseActPreview,
  LicenseActResult,
  Webhook,
  Delivery,
  ...EVENT_SCHEMAS,
  ...VALIDATION_SCHEMAS,
  Readiness,
  TenantRegistration,
  CreatedTenantRegistration,
  FeatureFlags,
  LoginLink,
  AuthenticatedUser,
  Session,
] as const;

type NameOf<Schema> = Schema extends { readonly $id: infer Name extends string } ? Name : never;

/** The names of components that answers reference. */
export type SharedSchemaName = NameOf<(typeof SHARED_SCHEMAS)[number]>;

export const ref = (name: SharedSchemaName) => Type.Unsafe<unknown>({ $ref: `${name}#` });

/** Query parameters of a write. */
export const WriteQuery = Type.Object({
  commandId: optionalText(
    'Names the change, so that it can be repeated safely: 1 to 255 of the letters, digits, # : - _ / and space. ' +
      'Header Idempotency-Key is taken in its place. Without either a comment gets an ID, which the answer names, and ' +
      'every other change is refused.',
    'accept-1',
  ),
});

export const WriteHeaders = Type.Object({
  'Idempotency-Key': optionalText(
    'The commandId, plain or quoted (draft-ietf-httpapi-idempotency-key-header). Beside a different commandId it is ' +
      'refused',
    '"accept-1"',
  ),
  Prefer: optionalText(
    `respond-async answers 202 at once; wait=N waits at most N seconds (up to ${HTTP_LIMITS.httpWaitMsMax / 1_000})`,
    'wait=5',
  ),
});

/** Headers of writes on an existing resource. */
export const StepHeaders = Type.Object({
  ...WriteHeaders.properties,
  'If-Match': optionalText('The ETag last seen: refuses the change if it has moved on'),
});

export const PolicyHeaders = Type.Object({
  'If-Match': optionalText(
    'The ETag last seen: the change is refused if another caller has changed the object since',
  ),
});

/** The path of one lifecycle or contract. The parameter has the name that the reference application gives it. */
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
  cursor: optionalText('The cursor in a Link header; opaque'),
};

export const PagingQuery = Type.Object(PAGING);

/** The query parameter with which the caller of a list requests the total number of entries. */
export const TOTAL = {
  total: Type.Optional(
    Type.Unsafe<string>({
      type: 'string',
      enum: ['true', 'false'],
      description: `\`true\`: header \`Total-Count\` has the number of all entries, exact up to ${LIMITS.countMax}`,
    }),
  ),
};

/** Query parameters of every list of lifecycles. */
export const LIST_QUERY = {
  ...PAGING,
  party: optionalText('Only those of this party, as their user or their provider'),
  user: optionalText('Only those of this user'),
  provider: optionalText('Only those of this provider'),
};

const end = (when: string) =>
  Type.Optional(
    Type.String({
      description: `Only those whose time is over ${when} this instant, or this duration from now, such as P30D`,
      examples: ['2030-01-31T12:00:00Z'],
    }),
  );

/** Query parameters of a list of lifecycles of one kind. */
export const listQuery = (kind: LicensingKind) =>
  Type.Object({
    ...LIST_QUERY,
    sort: Type.Optional(
      Type.Unsafe<string>({
        type: 'string',
        enum: [...LIFECYCLE_SORTS],
        default: LIFECYCLE_SORTS[0],
        description: 'Ordered by user, then by number and ID. A minus means descending',
      }),
    ),
    ...TOTAL,
    state: Type.Optional(
      Type.Unsafe<string>({
        type: 'string',
        enum: Object.keys(describe(kind).machine.states),
        description: 'Only those in this state; one that is an end means those that have ended so',
      }),
    ),
    ended: Type.Optional(
      Type.Unsafe<string>({
        type: 'string',
        enum: ['true', 'false'],
        description:
          '`true`: those that have ended, in place of the active ones. Without it `state` says which are meant',
      }),
    ),
    ...(kind === 'renewal'
      ? {
          licenseNum: Type.Optional(
            Type.Integer({ minimum: 0, description: 'Only those of licences with this number' }),
          ),
        }
      : {}),
    ...(kind === 'license'
      ? {
          search: optionalText(
            'Only those whose reference begins with the text, or whose customer has it in its name or in an external reference',
            'ACME-00',
          ),
          expiresAfter: end('at or after'),
          expiresBefore: end('before'),
        }
      : {}),
  });
