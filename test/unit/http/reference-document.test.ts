import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ReferenceOperation } from '../../kit/reference.ts';
import {
  REFERENCE_ANSWERS,
  REFERENCE_OPERATIONS,
  REFERENCE_REQUESTS,
} from '../../kit/reference.ts';

/*
 * A client generated from docs/openapi.json makes the same calls with the same names as one generated from the
 * reference's document: operations, parameters, schemas and members. Tenure's document may have additional ones, and
 * may require fewer members and parameters.
 */

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
}
type Content = Readonly<Record<string, { readonly schema: Schema }>>;
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const { paths, components } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Document;

/** Returns the types that a schema permits, as the recorded facts write them. */
function kindsOf({ $ref, type, items, additionalProperties }: Schema): readonly string[] {
  if ($ref !== undefined) return [$ref.replace('#/components/schemas/', '')];
  return [type ?? []].flat().map((one) => {
    if (one === 'array') return `${kindsOf(items ?? {}).join('|')}[]`;
    return one === 'object' && typeof additionalProperties === 'object' ? 'texts' : one;
  });
}

const bodyOf = (content: Content | undefined): string | undefined =>
  Object.values(content ?? {}).map(({ schema }) => kindsOf(schema).join('|'))[0];

/**
 * A registration is answered with `internal: null`. The reference does this too, although its own document says
 * otherwise.
 */
const OTHERWISE: Readonly<Record<string, string>> = {
  createTenantRegistration: 'CreatedTenantRegistration',
};

const operations = Object.entries<ReferenceOperation>(REFERENCE_OPERATIONS);

test.each(operations)('%s is called as the reference’s', (id, facts) => {
  const { method, path, isCommand, request, success } = facts;
  // Tenure's document has the address without the colon. The reference's spelling works as well.
  const ours = paths[path.replace(':', '/')]?.[method.toLowerCase()];
  expect(ours?.operationId).toBe(id);
  const { parameters = [], requestBody, responses } = ours!;
  const named = (where: string) =>
    parameters.flatMap((one) => (one.in === where && one.required === true ? [one.name] : []));
  expect(named('path')).toEqual(/\{(\w+)\}/u.exec(path)?.slice(1) ?? []);
  // A command may also be named by the header Idempotency-Key, so its parameter is not required.
  expect(named('query')).toEqual([]);
  if (isCommand === true) {
    expect(parameters).toContainEqual(expect.objectContaining({ in: 'query', name: 'commandId' }));
  }
  expect(named('header')).toEqual([]);
  if (request !== undefined) expect(bodyOf(requestBody?.content)).toBe(request);
  const [status, body] = success;
  expect(bodyOf(responses[status]?.content)).toBe(OTHERWISE[id] ?? body);
  const failures = Object.entries(responses).filter(([code]) => Number(code) >= 400);
  expect(failures.length).toBeGreaterThan(0);
  for (const [, { content }] of failures) expect(bodyOf(content)).toBe('ErrorResponse');
});

test('there are as many operations as the reference has', () => {
  expect(operations).toHaveLength(17);
});

const factOf = (fact: string) => ({ kind: fact.replace('?', ''), isRequired: !fact.endsWith('?') });

describe('the schema of a request', () => {
  test.each(Object.entries(REFERENCE_REQUESTS))(
    '%s takes what the reference’s takes',
    (name, facts) => {
      const { properties = {}, required = [] } = components.schemas[name] ?? {};
      for (const [member, fact] of Object.entries<string>(facts)) {
        expect([member, ...kindsOf(properties[member] ?? {})]).toContain(factOf(fact).kind);
      }
      // Members that clients of the reference may omit must not be required.
      const given = Object.entries<string>(facts).filter(([, fact]) => factOf(fact).isRequired);
      expect(given.map(([member]) => member)).toEqual(expect.arrayContaining([...required]));
    },
  );

  test('says what is required', () => {
    const required = Object.keys(REFERENCE_REQUESTS).map((name) => [
      name,
      ...(components.schemas[name]?.required ?? []),
    ]);
    expect(required).toEqual([
      ['TenantRegistrationRequest', 'tenantId', 'partyId'],
      ['AppInstallRequestAccept', 'installMeta'],
      ['AppInstallRequestReject'],
      ['AppInstallRequestCancel'],
      ['AppInstallCreateLicenseRequest', 'params'],
      ['AppInstallCancel'],
      // Members that a body omits are taken from the plan.
      ['LicenseRenewRequest'],
      ['LicenseExpireRequest'],
      ['CompleteLicenseRenewalRequest', 'renewalRequestContractId', 'allocationContractId'],
    ]);
  });
});

describe('the schema of an answer', () => {
  test.each(Object.entries(REFERENCE_ANSWERS))('%s has what the reference’s has', (name, facts) => {
    const { properties = {}, required = [] } = components.schemas[name] ?? {};
    for (const [member, fact] of Object.entries<string>(facts)) {
      const { kind, isRequired } = factOf(fact);
      const kinds = kindsOf(properties[member] ?? {}).filter((one) => one !== 'null');
      expect([member, ...kinds]).toEqual([member, kind]);
      if (isRequired) expect(required).toContain(member);
    }
  });

  test('may hold null in these members, as the reference’s answers do though its document denies it', () => {
    const nullable = Object.entries(REFERENCE_ANSWERS).flatMap(([name, facts]) =>
      Object.keys(facts).flatMap((member) => {
        const kinds = kindsOf(components.schemas[name]?.properties?.[member] ?? {});
        return kinds.includes('null') ? [`${name}.${member}`] : [];
      }),
    );
    expect(nullable).toEqual([
      'AuthenticatedUser.walletUrl',
      'TenantRegistration.walletUrl',
      'TenantRegistration.clientId',
      'TenantRegistration.issuerUrl',
      'AppInstallCreateLicenseResult.installId',
      'AppInstallCreateLicenseResult.licenseId',
      'LicenseRenewalResult.licenseId',
      'LicenseRenewalRequest.allocationCid',
    ]);
  });

  // In TypeScript, the result of a call may have either type, also in the reference's frontend.
  test.each(['AppInstallCreateLicenseResult', 'LicenseRenewalResult'])(
    '%s takes the operation that a 202 answers with',
    (name) => {
      const { properties = {}, required } = components.schemas[name] ?? {};
      expect(required).toBeUndefined();
      const operation = components.schemas['Operation']?.properties ?? {};
      const shared = Object.keys(properties).filter((member) => member in operation);
      expect(shared).toEqual(['lifecycleId', 'state']);
      for (const member of shared) {
        expect(kindsOf(properties[member] ?? {})).toEqual(
          expect.arrayContaining([...kindsOf(operation[member] ?? {})]),
        );
      }
    },
  );

  test('of a registration is that of the list, but for internal', () => {
    const { TenantRegistration: listed, CreatedTenantRegistration: created } = components.schemas;
    // Only the list shows whether the party is hosted by a participant.
    const { hosted: _hosted, ...properties } = listed?.properties ?? {};
    expect(created).toEqual({
      ...listed,
      required: listed?.required?.filter((name: string) => name !== 'hosted'),
      properties: { ...properties, internal: created?.properties?.['internal'] },
    });
    expect(created?.properties?.['internal']?.type).toBe('null');
  });
});
