import { expect } from 'vitest';

/** The type of a member. An instant is ISO 8601 in UTC. Its fraction has no, three or six digits, as Java prints it. */
type Kind =
  | 'contract'
  | 'text'
  | 'text?'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'instant'
  | 'object'
  | 'array';

const PARTIES = { contractId: 'contract', provider: 'text', user: 'text' } as const;

/** The members of the reference's answers, in the reference's order. */
const SHAPES = {
  AppInstallRequest: { ...PARTIES, meta: 'object' },
  AppInstall: { ...PARTIES, meta: 'object', numLicensesCreated: 'integer', licenseNum: 'integer' },
  License: {
    ...PARTIES,
    params: 'object',
    expiresAt: 'instant',
    licenseNum: 'integer',
    isExpired: 'boolean',
    renewalRequests: 'array',
  },
  LicenseRenewalRequest: {
    ...PARTIES,
    licenseNum: 'integer',
    licenseFeeAmount: 'number',
    licenseFeeInstrument: 'text',
    licenseExtensionDuration: 'text',
    prepareUntil: 'instant',
    settleBefore: 'instant',
    requestedAt: 'instant',
    description: 'text',
    requestId: 'text',
    allocationCid: 'text?',
    prepareDeadlinePassed: 'boolean',
    settleDeadlinePassed: 'boolean',
  },
  LicenseComment: {
    ...PARTIES,
    licenseNum: 'integer',
    commenter: 'text',
    body: 'text',
    createdAt: 'instant',
  },
  TenantRegistration: {
    tenantId: 'text',
    partyId: 'text',
    walletUrl: 'text?',
    clientId: 'text',
    issuerUrl: 'text',
    internal: 'boolean',
    users: 'array',
  },
} as const satisfies Record<string, Record<string, Kind>>;

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.(?!000)\d{3}|\.\d{3}(?!000)\d{3})?Z$/u;

/** The form of the contract IDs that the reference's tests expect in its tables. */
const CONTRACT = /^00[0-9a-f]{64,}$/u;

const FITS: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  contract: (value) => typeof value === 'string' && CONTRACT.test(value),
  text: (value) => typeof value === 'string' && value !== '',
  'text?': (value) => value === null || (typeof value === 'string' && value !== ''),
  integer: (value) => Number.isSafeInteger(value),
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  instant: (value) => typeof value === 'string' && INSTANT.test(value),
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  array: (value) => Array.isArray(value),
};

/** Checks that an object begins with the reference's members, in the reference's order and with its types. */
export function expectMembers(
  value: Readonly<Record<string, unknown>>,
  shape: keyof typeof SHAPES,
) {
  const members = Object.entries<Kind>(SHAPES[shape]);
  expect(Object.keys(value).slice(0, members.length)).toEqual(members.map(([name]) => name));
  for (const [name, kind] of members) {
    expect(FITS[kind](value[name]), `${name} is ${kind}: ${JSON.stringify(value[name])}`).toBe(
      true,
    );
  }
}
