import type { ApiCommand, ApiGroup, Option } from './description.ts';

const ONE = 'license-a1b2c3d4e5f60718293a';

const ENDED: Option = {
  flags: '--ended <ended>',
  about: 'true lists ended licences instead of active ones',
  choices: ['true', 'false'],
};

/** Commands that validate a licence, and manage its keys and machines. */
const VALIDATION: readonly ApiCommand[] = [
  {
    usage: 'validate <contractId>',
    about: 'check whether a licence is valid, by its ID, a contract ID or its reference',
    path: '/licenses/{contractId}/validate',
    options: [
      { flags: '--machine <fingerprint>', about: 'also check that this machine holds a seat' },
      {
        flags: '--entitlement <name>',
        about: 'also check that the plan of the licence has this entitlement',
      },
    ],
    examples: ['licenses validate LIC-0001', `licenses validate ${ONE} --entitlement export`],
  },
  {
    usage: 'keys <contractId>',
    about: 'the keys that programs use to validate a licence',
    path: '/licenses/{contractId}/keys',
    columns: [
      ['key', 'id', 'whole'],
      ['name', 'name', 'whole'],
      ['created', 'createdAt', 'time'],
      ['revoked', 'revokedAt', 'time'],
      ['by', 'createdBy'],
    ],
    none: 'no keys',
    examples: ['licenses keys LIC-0001'],
  },
  {
    usage: 'create-key <contractId>',
    about: 'create a key, which is shown only once',
    method: 'POST',
    path: '/licenses/{contractId}/keys',
    options: [{ flags: '--name <name>', about: 'a name for people' }],
    hasSecret: true,
    examples: ['licenses create-key LIC-0001 --name laptop --secret-file licence.key'],
  },
  {
    usage: 'revoke-key <contractId> <keyId>',
    about: 'revoke a key, so that programs with this key are refused',
    method: 'DELETE',
    path: '/licenses/{contractId}/keys/{keyId}',
    examples: ['licenses revoke-key LIC-0001 key_5e0fd54fdd1c4d7f8a9b0c1d2e3f4a5b'],
  },
  {
    usage: 'machines <contractId>',
    about: 'the machines that occupy seats of a licence',
    path: '/licenses/{contractId}/machines',
    columns: [
      ['machine', 'id', 'whole'],
      ['name', 'name', 'whole'],
      ['activated', 'activatedAt', 'time'],
      ['seen', 'seenAt', 'time'],
      ['fingerprint', 'fingerprint'],
    ],
    none: 'no machines',
    examples: ['licenses machines LIC-0001'],
  },
  {
    usage: 'free-seat <contractId> <machineId>',
    about: 'free the seat of a machine',
    method: 'DELETE',
    path: '/licenses/{contractId}/machines/{machineId}',
    examples: ['licenses free-seat LIC-0001 machine_5e0fd54fdd1c4d7f8a9b0c1d2e3f4a5b'],
  },
];

/** Commands that sell a licence and ask for its next payment. */
const SALE: readonly ApiCommand[] = [
  {
    usage: 'installs',
    about: 'the installations of your customers; a licence is created for an installation',
    path: '/app-installs',
    options: [{ flags: '--user <party>', about: 'only those of this user' }],
    isPaged: true,
    columns: [
      ['install', 'lifecycleId', 'whole'],
      ['customer', 'customer.name'],
      ['licences', 'numLicensesCreated', 'whole'],
      ['user', 'user'],
      ['contract', 'contractId'],
    ],
    none: 'no installations',
    examples: ['licenses installs'],
  },
  {
    usage: 'create <contractId>',
    about: 'create a licence for an installation, by the ID of the installation',
    method: 'POST',
    path: '/app-installs/{contractId}/create-license',
    options: [{ flags: '--plan-id <id>', about: 'the plan of the licence' }],
    fixed: { params: {} },
    isOperation: true,
    examples: ['licenses create install-a1b2c3d4e5f60718293a --plan-id pro'],
  },
  {
    usage: 'offer <contractId>',
    about: 'offer a renewal: ask the user of a licence to pay for the next period',
    method: 'POST',
    path: '/licenses/{contractId}/renew',
    options: [
      { flags: '--plan-id <id>', about: 'the plan, which supplies the values that are left out' },
      {
        flags: '--plan-version <number>',
        about: 'the version of the plan (default: the newest)',
        as: 'number',
      },
      { flags: '--fee <amount>', about: 'a decimal', name: 'licenseFeeCc' },
      { flags: '--instrument <id>', about: 'of the fee', name: 'licenseFeeInstrument' },
      {
        flags: '--extension <duration>',
        about: 'how long the licence is extended: 30d',
        name: 'licenseExtensionDuration',
        isAge: true,
      },
      {
        flags: '--prepare-until-duration <duration>',
        about: 'the time in which the user may pay, such as 3d',
        isAge: true,
      },
      {
        flags: '--settle-before-duration <duration>',
        about: 'the time in which the renewal may be completed, such as 4d',
        isAge: true,
      },
      { flags: '--description <text>', about: 'the text that the user sees in the wallet' },
      { flags: '--allow-concurrent', about: 'offer the renewal even if another one is open' },
    ],
    isOperation: true,
    examples: [
      `licenses offer ${ONE} --plan-id pro`,
      `licenses offer ${ONE} --fee 12.50 --extension 30d --prepare-until-duration 3d --settle-before-duration 4d --description "One more month"`,
    ],
  },
];

/** The command that acts on all licences of a filter. */
const BULK: ApiCommand = {
  usage: 'bulk <action>',
  about: 'act on all active licences that match a filter, after you have confirmed their number',
  choices: { action: ['offer', 'expire', 'suspend', 'reinstate', 'change-plan'] },
  method: 'POST',
  path: '/licenses/bulk',
  preview: '/licenses/preview-bulk',
  options: [
    {
      flags: '--where <condition...>',
      name: 'filter',
      about:
        'user, plan, search, state, expiresAfter, expiresBefore or suspended: plan=pro expiresBefore=30d',
      as: 'values',
      isRequired: true,
    },
    { flags: '--plan-id <id>', about: 'with change-plan: the plan of later renewals' },
    { flags: '--reason <text>', about: 'the reason, for the audit log', isRequired: true },
  ],
  examples: [
    'licenses bulk offer --where plan=pro expiresBefore=30d --reason "the yearly invoice"',
    'licenses bulk change-plan --where plan=pro --plan-id team --reason "pro ends" --confirm 40',
  ],
};

/** Commands for licences and renewals that the caller may see: `/licenses`, `/license-renewal-requests`. */
export const LICENSES: ApiGroup = {
  name: 'licenses',
  about: 'licences: list and show them, their possible actions and their history',
  commands: [
    {
      usage: 'list',
      about: 'your active licences',
      path: '/licenses',
      options: [
        { flags: '--party <party>', about: 'only those of this user or provider' },
        { flags: '--user <party>', about: 'only those of this user' },
        { flags: '--provider <party>', about: 'only those of this provider' },
        {
          flags: '--state <state>',
          about: 'only those in this state of their lifecycle; a final state lists ended licences',
        },
        ENDED,
        {
          flags: '--search <text>',
          about:
            'only those whose reference begins with this text, or whose customer name contains it',
        },
        {
          flags: '--expires-after <instant>',
          about: 'only those that expire at or after this time',
          isAge: true,
        },
        {
          flags: '--expires-before <instant>',
          about:
            'only those that expire before this time, such as 2030-01-31T12:00:00Z, or within a duration, such as 30d',
          isAge: true,
        },
      ],
      isPaged: true,
      hasCsv: true,
      columns: [
        ['licence', 'lifecycleId', 'whole'],
        ['reference', 'reference', 'whole'],
        ['customer', 'customer.name'],
        ['plan', 'plan.id', 'whole'],
        ['number', 'licenseNum', 'whole'],
        ['state', 'state', 'state'],
        ['suspended', 'suspended.at', 'time'],
        ['expires', 'expiresAt', 'time'],
        ['expired', 'isExpired', 'whole'],
        ['user', 'user'],
        ['contract', 'contractId'],
      ],
      none: 'no licences',
      examples: [
        'licenses list',
        'licenses list --expires-before 2030-01-31T12:00:00Z --all --json',
      ],
    },
    {
      usage: 'renewals',
      about: 'your open or ended renewals, with their fees',
      path: '/license-renewal-requests',
      options: [
        { flags: '--party <party>', about: 'only those of this user or provider' },
        { flags: '--user <party>', about: 'only those of this user' },
        { flags: '--provider <party>', about: 'only those of this provider' },
        { flags: '--license-num <number>', about: 'only those of licences with this number' },
        {
          flags: '--state <state>',
          about: 'only those in this state, such as requested, renewed, withdrawn, rejected',
        },
        ENDED,
      ],
      isPaged: true,
      hasCsv: true,
      columns: [
        ['renewal', 'lifecycleId', 'whole'],
        ['licence', 'licenseLifecycleId'],
        ['number', 'licenseNum', 'whole'],
        ['state', 'state', 'state'],
        ['fee', 'licenseFeeAmount', 'whole'],
        ['in', 'licenseFeeInstrument', 'whole'],
        ['extends by', 'licenseExtensionDuration', 'whole'],
        ['complete by', 'settleBefore', 'time'],
        ['ended', 'endedAt', 'time'],
        ['user', 'user'],
        ['update', 'updateId'],
      ],
      none: 'no renewals',
      examples: ['licenses renewals', 'licenses renewals --state renewed --license-num 1 --json'],
    },
    {
      usage: 'show <contractId>',
      about: 'show one licence, even an ended one, by its ID or any of its contract IDs',
      path: '/licenses/{contractId}',
      examples: [`licenses show ${ONE}`],
    },
    ...(['suspend', 'reinstate'] as const).map((verb) => ({
      usage: `${verb} <contractId>`,
      about:
        verb === 'suspend'
          ? 'suspend a licence as its provider; the suspension is not on the ledger'
          : 'end the suspension of a licence',
      method: 'POST' as const,
      path: `/licenses/{contractId}/${verb}`,
      options: [
        { flags: '--reason <text>', about: 'the reason, for the audit log', isRequired: true },
      ],
      examples: [`licenses ${verb} ${ONE} --reason "chargeback of January"`],
    })),
    {
      usage: 'actions <contractId>',
      about: 'the actions that you can take on a licence now, and why the others are not possible',
      path: '/licenses/{contractId}/actions',
      columns: [
        ['action', 'name', 'whole'],
        ['allowed', 'allowed', 'whole'],
        ['why not', 'reason'],
        ['call', 'href'],
      ],
      examples: [`licenses actions ${ONE}`],
    },
    {
      usage: 'history <contractId>',
      about: 'the history of a licence, oldest first',
      path: '/licenses/{contractId}/history',
      isPaged: true,
      columns: [
        ['at', 'at', 'time'],
        ['what', 'kind', 'whole'],
        ['state', 'state', 'state'],
        ['policy', 'detail.policy', 'whole'],
        ['code', 'detail.code', 'whole'],
        ['reason', 'detail.reason'],
        ['offset', 'offset', 'whole'],
        ['command', 'commandId'],
        ['by', 'by'],
        ['identity', 'detail.subject'],
        ['contract', 'contractId'],
      ],
      examples: [`licenses history ${ONE}`],
    },
    ...SALE,
    BULK,
    ...VALIDATION,
  ],
};
