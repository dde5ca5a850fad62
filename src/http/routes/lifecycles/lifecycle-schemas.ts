import type { TSchema } from '@fastify/type-provider-typebox';
import { Type } from '@fastify/type-provider-typebox';
import { LIMITS } from '../../../domain/limits.ts';
import { component, optionalInteger, optionalText, words, nullableText } from '../../kit/schema.ts';

/*
 * Schemas of lifecycles in answers. They have the names and the order of the reference application's members, followed
 * by our own. Objects allow other members.
 */

const open = { additionalProperties: true } as const;

const PARTY = 'app_provider_quickstart-root-1::1220f5d3';
export const CONTRACT = '00a1b2c3d4e5f60718293a4b5c6d7e8f9012233445566778899aabbccddeeff0011';

const contractId = Type.String({
  description: 'The current contract; changes when the contract is re-created',
  examples: [CONTRACT],
});
const provider = Type.String({ examples: [PARTY] });
const user = Type.String({ examples: ['app_user_quickstart-root-1::1220aa01'] });

/** Metadata in requests and answers. Requests may contain other types: see `MetadataCheck`. */
export const Metadata = Type.Object(
  {
    data: Type.Optional(
      Type.Unsafe<Readonly<Record<string, string>>>({
        type: 'object',
        additionalProperties: { type: 'string' },
        description:
          `At most ${LIMITS.metadataEntriesMax} entries of at most ${LIMITS.metadataTextCharsMax} ` +
          'characters. Requests may also have numbers and booleans, which are recorded as strings.',
        examples: [{ note: 'first purchase' }],
      }),
    ),
  },
  { $id: 'Metadata', description: 'Metadata on the ledger', ...open },
);
const meta = Type.Unsafe<unknown>({ $ref: 'Metadata#' });

export const LicenseParams = component('LicenseParams', { meta: Type.Optional(meta) });
const instant = (example: string) => Type.String({ format: 'date-time', examples: [example] });
const identity = {
  lifecycleId: optionalText('Never changes', 'install-a1b2c3d4e5f60718293a'),
  version: optionalInteger('Rises with every step; also the entity tag', 3),
  machineVersion: optionalInteger(
    'The version of the machine that took the last step: see /machines',
    3,
  ),
  state: optionalText('The state of the lifecycle', 'active'),
};

/** The provider's customer data about the user, for every body that shows it. It is kept outside the ledger. */
export const customer = Type.Optional(
  Type.Unsafe<object | null>({
    type: ['object', 'null'],
    properties: { id: { type: 'string' }, name: { type: 'string' } },
    description:
      'Shown only to the provider: the customer record of the user, which is not on the ledger',
    examples: [{ id: 'cus_5e0fd54fdd1c4d7f', name: 'Acme' }],
  }),
);
export const reference = Type.Optional(
  nullableText({
    description: 'The reference of the licence for people, which is not on the ledger',
    examples: ['ACME-0007'],
  }),
);
const beside = (description: string, example: object, properties: Record<string, TSchema> = {}) =>
  Type.Optional(
    Type.Unsafe<object | null>({
      type: ['object', 'null'],
      description,
      examples: [example],
      properties,
      required: Object.keys(properties),
      ...open,
    }),
  );

export const AppInstallRequest = component('AppInstallRequest', {
  contractId,
  provider,
  user,
  meta,
  customer,
  ...identity,
});

export const AppInstall = component('AppInstall', {
  contractId,
  provider,
  user,
  meta,
  numLicensesCreated: Type.Integer({ examples: [2] }),
  licenseNum: Type.Integer({ description: 'Licences created so far', examples: [2] }),
  customer,
  ...identity,
});

export const LicenseRenewalRequest = component('LicenseRenewalRequest', {
  contractId,
  provider,
  user,
  customer,
  reference,
  licenseNum: Type.Integer({ examples: [1] }),
  licenseFeeAmount: Type.Number({
    description: 'A decimal with all its digits, up to 10 after the point',
    examples: [100],
  }),
  licenseFeeInstrument: Type.String({ examples: ['Amulet'] }),
  licenseExtensionDuration: Type.String({
    description: 'The length of the extension in days, as text',
    examples: ['30 days'],
  }),
  prepareUntil: instant('2026-01-31T12:10:00.000000Z'),
  settleBefore: instant('2026-01-31T12:20:00.000000Z'),
  requestedAt: instant('2026-01-31T12:00:00.000000Z'),
  description: Type.String({ examples: ['One more month'] }),
  requestId: Type.String({ examples: ['0d4b2a51-7f1f-4b0a-9b51-3a6f0d7a9f10'] }),
  allocationCid: nullableText({
    description:
      'The allocation for the completion: one that matches the request, otherwise the newest one for the request',
  }),
  prepareDeadlinePassed: Type.Boolean({ description: 'Judged by ledger time' }),
  settleDeadlinePassed: Type.Boolean({ description: 'Judged by ledger time' }),
  allocationMatches: Type.Unsafe<boolean | null>({
    type: ['boolean', 'null'],
    description: 'Whether the ledger will accept the allocation; null without an allocation',
  }),
  allocationDiffers: Type.Array(Type.String(), {
    description: 'The parts of the allocation that differ from the request',
    examples: [['amount']],
  }),
  licenseLifecycleId: nullableText({
    description:
      'The only licence that the renewal extends. `null`: the ledger does not show this licence; the first licence on which the renewal is completed becomes the one',
    examples: ['license-a1b2c3d4e5f60718293a'],
  }),
  endedAt: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'The ledger time of the end, if it has ended',
      examples: ['2026-01-31T12:15:00.000000Z'],
    }),
  ),
  updateId: optionalText(
    'The ledger update that ended it, if it has ended. A completed renewal extended its licence in the same update',
    '1220f1e2',
  ),
  ...identity,
});

export const License = component('License', {
  contractId,
  provider,
  user,
  params: Type.Unsafe<unknown>({ $ref: 'LicenseParams#' }),
  expiresAt: instant('2030-01-31T12:00:00.000000Z'),
  licenseNum: Type.Integer({ examples: [1] }),
  customer,
  reference,
  plan: beside(
    'The plan that applies; `from` says whether the contract or a completed renewal named it. The name is Tenure’s',
    { id: 'pro', version: 3, from: 'contract', name: 'Pro' },
    {
      id: Type.String(),
      version: Type.Integer(),
      from: words(['contract', 'renewal']),
      name: nullableText(),
    },
  ),
  terms: beside(
    'Terms of the plan, each `{value, from}`: `contract`, as both parties signed it, or `tenure`',
    { seats: { value: 5, from: 'contract' }, grace: { value: 'P3D', from: 'tenure' } },
  ),
  suspended: beside(
    'The time and the reason of the suspension by the provider, which is not on the ledger',
    { at: '2030-01-31T12:00:00.000000Z', reason: 'chargeback of January' },
    { at: Type.String({ format: 'date-time' }), reason: Type.String() },
  ),
  acceptedTerms: beside(
    'The newest terms that the user has accepted on the ledger; shown for a single licence, not in lists',
    {
      hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      version: '2026-11',
      url: 'https://provider.example/terms/2026-11',
      acceptedAt: '2026-01-31T12:00:00.000000Z',
      commentContractId: CONTRACT,
    },
    {
      hash: Type.String({ description: 'SHA-256 of the text, as 64 hexadecimal digits' }),
      version: nullableText(),
      url: nullableText(),
      acceptedAt: Type.String({ format: 'date-time' }),
      commentContractId: Type.String({
        description: 'The ID of the comment that accepts the terms',
      }),
    },
  ),
  isExpired: Type.Boolean({
    description: 'Judged by ledger time; a new licence is expired until its first renewal',
  }),
  isNeverRenewed: Type.Boolean({ description: 'Whether no renewal has extended the licence yet' }),
  renewalRequests: Type.Array(Type.Unsafe<unknown>({ $ref: 'LicenseRenewalRequest#' }), {
    description:
      `Renewals that have not ended, oldest first. Of more than ${LIMITS.renewalsShownMax}, the ones with the latest deadlines, so that ` +
      'open ones and the newest are there. One with `licenseLifecycleId: null` is listed at each licence that it may be of',
  }),
  ...identity,
});

/** The licence that a step created or extended, for clients that read only this result. */
const licenseOf = {
  lifecycleId: Type.Optional(
    nullableText({
      description: 'The ID of the licence; never changes',
      examples: ['license-a1b2c3d4e5f60718293a'],
    }),
  ),
  version: Type.Optional(
    Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'The value of the licence',
    }),
  ),
  machineVersion: Type.Optional(
    Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'The value of the licence',
    }),
  ),
  state: Type.Optional(
    nullableText({ description: 'The state of the licence', examples: ['active'] }),
  ),
};

/*
 * Results of steps. As in the reference application, no member is required, because its clients parse the operation of
 * a `202` as one of these results. Ids are `null` if the ledger accepted the command but its update was never seen.
 */

export const AppInstallCreateLicenseResult = component('AppInstallCreateLicenseResult', {
  installId: Type.Optional(nullableText({ description: 'The new contract of the install' })),
  licenseId: Type.Optional(nullableText({ description: 'The contract of the new licence' })),
  ...licenseOf,
});

export const LicenseRenewalResult = component('LicenseRenewalResult', {
  licenseId: Type.Optional(nullableText({ description: 'The new contract of the licence' })),
  ...licenseOf,
});

export const Action = component('Action', {
  name: Type.String({ examples: ['expire'] }),
  allowed: Type.Boolean(),
  reason: optionalText('Why not', 'it has ended: expired'),
  method: Type.String({ examples: ['POST'] }),
  href: Type.String({ examples: ['/licenses/license-a1b2c3d4e5f60718293a:expire'] }),
  needsBody: Type.Boolean({ description: 'Whether the request needs a body' }),
});

export const HistoryEntry = component('HistoryEntry', {
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
  by: optionalText('The party that requested the step'),
  commandId: optionalText('Shown only for changes of the caller'),
  offset: Type.Optional(Type.Integer({ examples: [42] })),
  updateId: optionalText(),
  contractId: optionalText(),
  detail: Type.Object(
    {},
    {
      ...open,
      description:
        'For a request: operation, subject, policy, reason, code. For a ledger update: `through`, the lifecycle ' +
        'whose step did it, such as the renewal that extended a licence; of an end `endedBy`, the parties that did it, ' +
        'with the `policy` and the `reason` where one is known; `licenseLifecycleId: null` of a comment that may be of ' +
        'another licence with the same number',
    },
  ),
});
