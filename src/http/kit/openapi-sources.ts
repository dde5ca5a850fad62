/*
 * Adds to members of answers where their values come from, as `x-source`:
 *
 * - `contract`: the payload or the ID of a contract, which its signatories have signed.
 * - `ledger`: an update of the ledger, for example its ID, offset or time.
 * - `tenure`: Tenure keeps the value, or computes it.
 * - `stated`: `contract` or `tenure`, as another member of the same answer says.
 */

type Source = 'contract' | 'ledger' | 'stated';

const CONTRACT = ['contractId', 'provider', 'user'];

/** Members that do not come from Tenure, by component. A dot leads to a member of an object in the member. */
const SOURCES: Readonly<Record<string, Readonly<Partial<Record<Source, readonly string[]>>>>> = {
  AppInstallRequest: { contract: [...CONTRACT, 'meta'] },
  AppInstall: { contract: [...CONTRACT, 'meta', 'numLicensesCreated', 'licenseNum'] },
  License: {
    contract: [...CONTRACT, 'params', 'expiresAt', 'licenseNum', 'acceptedTerms'],
    stated: ['plan.id', 'plan.version', 'terms'],
  },
  LicenseRenewalRequest: {
    contract: [
      ...CONTRACT,
      'licenseNum',
      'licenseFeeAmount',
      'licenseFeeInstrument',
      'licenseExtensionDuration',
      'prepareUntil',
      'settleBefore',
      'requestedAt',
      'description',
      'requestId',
      'allocationCid',
    ],
    ledger: ['endedAt', 'updateId'],
  },
  LicenseComment: { contract: [...CONTRACT, 'licenseNum', 'commenter', 'body', 'createdAt'] },
  Payment: {
    contract: [
      'licenseNum',
      'provider',
      'user',
      'amount',
      'instrument',
      'description',
      'requestedAt',
      'settleBefore',
    ],
    ledger: ['endedAt', 'updateId', 'offset'],
  },
  PaymentSum: { contract: ['instrument'] },
  LicenseStatistics: {},
  RevenueStatistics: { contract: ['instrument'] },
  Subscription: {
    contract: [
      'provider',
      'user',
      'expiresAt',
      'offer.requestId',
      'offer.fee',
      'offer.instrument',
      'offer.settleBefore',
    ],
    ledger: ['offer.isAllocated'],
  },
  Customer: { contract: ['party'] },
  Plan: {},
  PlanVersion: {},
  Validation: {
    contract: [
      'license.contractId',
      'license.licenseNum',
      'license.provider',
      'license.user',
      'expiresAt',
    ],
    ledger: ['ledgerTime', 'dataTime'],
    stated: ['entitlements', 'seats.total'],
  },
  LicenseKey: {},
  LicenseMachine: {},
};

interface Member {
  readonly properties?: Readonly<Record<string, Member>>;
  readonly anyOf?: readonly Member[];
  readonly items?: Member;
  readonly $ref?: string;
  'x-source'?: string;
}

/** The parts of an OpenAPI document that are read and changed here. */
export interface Sourced {
  readonly components: { readonly schemas: Readonly<Record<string, Member>> };
}

const membersOf = ({ properties, anyOf = [] }: Member): Readonly<Record<string, Member>> =>
  properties ?? anyOf.find((one) => one.properties !== undefined)?.properties ?? {};

const isComponent = ({ $ref, items }: Member): boolean =>
  $ref !== undefined || items?.$ref !== undefined;

/** Marks a member, or the members of an object that has no source as a whole. Removes from `sources` what it used. */
function mark(member: Member, path: string, sources: Map<string, string>): void {
  const inner = Object.entries(membersOf(member));
  const source = sources.get(path);
  sources.delete(path);
  if (source === undefined && inner.length > 0) {
    for (const [name, part] of inner) mark(part, `${path}.${name}`, sources);
  } else if (!isComponent(member)) {
    member['x-source'] = source ?? 'tenure';
  }
}

/**
 * Adds `x-source` to each member of the answers about licences and the licence product.
 *
 * @throws Error if a member of the table is not in the document
 */
export function addSources({ components: { schemas } }: Sourced): void {
  for (const [component, named] of Object.entries(SOURCES)) {
    const sources = new Map(
      Object.entries(named).flatMap(([source, paths]) => paths.map((path) => [path, source])),
    );
    const members = Object.entries(schemas[component]?.properties ?? {});
    for (const [name, member] of members) mark(member, name, sources);
    if (sources.size > 0) {
      throw new Error(`The answer ${component} has no member ${[...sources.keys()].join(', ')}.`);
    }
  }
}
