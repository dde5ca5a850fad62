import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Member {
  readonly properties?: Readonly<Record<string, Member>>;
  readonly anyOf?: readonly Member[];
  readonly items?: Member;
  readonly $ref?: string;
  readonly 'x-source'?: string;
}

const { components } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as {
  readonly components: { readonly schemas: Readonly<Record<string, Member>> };
};

/** Returns the paths of members without a source. A member of another component has its source there. */
function unsourced(member: Member, path: string): readonly string[] {
  if (member['x-source'] !== undefined) return [];
  if (member.$ref !== undefined || member.items?.$ref !== undefined) return [];
  const parts = [member, ...(member.anyOf ?? [])].flatMap(({ properties = {} }) =>
    Object.entries(properties),
  );
  if (parts.length === 0) return [path];
  return parts.flatMap(([name, part]) => unsourced(part, `${path}.${name}`));
}

const ANSWERS = [
  'AppInstallRequest',
  'AppInstall',
  'License',
  'LicenseRenewalRequest',
  'LicenseComment',
  'Payment',
  'PaymentSum',
  'LicenseStatistics',
  'RevenueStatistics',
  'Subscription',
  'Customer',
  'Plan',
  'PlanVersion',
  'Validation',
  'LicenseKey',
  'LicenseMachine',
];

test('every value of an answer about licences names its source', () => {
  expect(ANSWERS.flatMap((name) => unsourced(components.schemas[name] ?? {}, name))).toEqual([]);
});
