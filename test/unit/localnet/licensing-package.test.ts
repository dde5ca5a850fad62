import { describe, expect, test } from 'vitest';
import { describeType } from '../../../localnet/ledger/built-in-description.ts';
import type { LfType } from '../../../localnet/ledger/lf-types.ts';
import { BUILT_IN_PACKAGES, licensingPackage } from '../../../localnet/ledger/licensing/package.ts';
import { standardLibraryPackage } from '../../../localnet/ledger/package-definition.ts';
import { shapeDifference } from '../../../localnet/ledger/shape-difference.ts';
import { readArchive, readPayload } from '../../../localnet/lf/archive.ts';
import {
  con,
  contractId,
  int64,
  list,
  optional,
  party,
  text,
} from '../../../localnet/lf/build/types.ts';
import type { Type } from '../../../localnet/lf/build/types.ts';
import { readFields } from '../../../localnet/lf/fields.ts';
import type { Span } from '../../../localnet/lf/fields.ts';
import { libraryOf } from '../../../localnet/lf/library.ts';
import { upgradeDefect } from '../../../localnet/lf/upgrade.ts';
import { validatePackages } from '../../../localnet/lf/validation.ts';
import {
  inChoice,
  inModule,
  inTemplate,
  inVersion,
  licensingBases,
  licensingBuild,
} from '../../kit/licensing-build.ts';
import type { Change } from '../../kit/licensing-build.ts';

/* The licensing package in Daml-LF, and what of a build of it is held against its description. */

const [APP_INSTALL, LICENSE] = ['Licensing.AppInstall', 'Licensing.License'];

const readBuild = (change?: Change) => {
  const [main, ...others] = licensingBuild(change).map(({ archive }) => readArchive(archive));
  return { main: main!, packages: [main!, ...others] };
};

/** Numbers of the format. */
const [BUILTIN_ERROR, BUILTIN_UPDATE] = [1, 17];

const IDS = new Map(
  [...BUILT_IN_PACKAGES, standardLibraryPackage].map(({ name, id }) => [name, id]),
);

/** What it refers to, under the published IDs. */
const publishedBases = () => licensingBases((name) => IDS.get(name));

/** LocalNet's own, as it is served, and what it refers to. */
function readOwn() {
  const main = readPayload(licensingPackage.id, licensingPackage.archive);
  const others = publishedBases().packages.map(({ id, payload }) => readPayload(id, payload));
  return [main, ...others] as const;
}

const withField = (name: string, type: Type): Change =>
  inTemplate(LICENSE, 'License', (template) => ({
    ...template,
    fields: { ...template.fields, [name]: type },
  }));

describe("LocalNet's own licensing package", () => {
  test('is a valid package that refers to published ones', () => {
    const packages = readOwn();
    expect(() => validatePackages(packages)).not.toThrow();
    const names = packages
      .filter(({ id }) => packages[0].dependencies.has(id))
      .map(({ name }) => name);
    expect([...names].toSorted()).toEqual([
      'daml-stdlib-DA-Time-Types',
      'ghc-stdlib-DA-Internal-Template',
      'splice-api-token-allocation-request-v1',
      'splice-api-token-allocation-v1',
      'splice-api-token-holding-v1',
      'splice-api-token-metadata-v1',
    ]);
  });

  test('has the shapes of its description', () => {
    const packages = readOwn();
    const [main] = packages;
    expect(shapeDifference(licensingPackage, main, libraryOf(packages))).toBeUndefined();
  });

  test('is upgraded by the rules of all packages', () => {
    const bases = publishedBases();
    const [own] = readOwn();
    const defectOf = (type: Type) => {
      const [next] = licensingBuild(
        (source) => inVersion('0.0.2')(withField('note', type)(source)),
        bases,
      );
      const later = readArchive(next!.archive);
      const others = bases.packages.map(({ id, payload }) => readPayload(id, payload));
      return upgradeDefect(libraryOf([own, later, ...others]), own, later);
    };
    expect(defectOf(optional(text))).toBeUndefined();
    expect(defectOf(text)).toBe(
      'The upgraded template License has added new fields, but those fields are not Optional.',
    );
  });

  test('has the instance and the choices that a compiler makes of the same contracts', () => {
    const [own] = readOwn();
    const renewal = own.modules.get(LICENSE)?.templates.get('LicenseRenewalRequest');
    expect(renewal?.implements.map(({ methods }) => methods)).toEqual([
      ['allocationRequest_RejectImpl', 'allocationRequest_WithdrawImpl'],
    ]);
    const choices = [...(renewal?.choices.values() ?? [])];
    // What consumes afterwards archives by itself.
    expect(choices.map(({ name, isConsuming }) => [name, isConsuming])).toEqual([
      ['LicenseRenewalRequest_CompleteRenewal', false],
      ['Archive', true],
    ]);
  });

  test('says where code would be that LocalNet runs it, in an expression of the right type', () => {
    const { archive } = licensingPackage;
    const fields = (span: Span) => readFields(archive, span);
    const inside = (span: Span, ...path: readonly number[]) =>
      path.reduce((at, field) => fields(at).spans(field)[0]!, span);
    const content = inside({ start: 0, end: archive.length }, 4);
    // The first choice of the first template of the first module.
    const choice = inside(content, 1, 6, 6);
    const result = fields(inside(choice, 8)).number(8);
    const [call, error] = [inside(choice, 9, 15), inside(choice, 9, 15, 1, 16)];
    expect(fields(inside(error, 1)).number(4)).toBe(BUILTIN_ERROR);
    const type = fields(content).spans(5)[fields(inside(error, 2)).number(8)]!;
    expect(fields(inside(type, 3)).number(1)).toBe(BUILTIN_UPDATE);
    expect(fields(inside(type, 3, 2)).number(8)).toBe(result);
    const text = fields(content).spans(2)[fields(inside(call, 2, 6)).number(4)]!;
    expect(Buffer.from(archive.subarray(text.start, text.end)).toString()).toBe(
      'LocalNet runs this package natively: its Daml-LF has types, and no code.',
    );
  });
});

describe('a build of it', () => {
  const differenceOf = (change?: Change) => {
    const { main, packages } = readBuild(change);
    validatePackages(packages);
    return shapeDifference(licensingPackage, main, libraryOf(packages));
  };

  test('with the same shapes and other bytes does not differ', () => {
    expect(differenceOf()).toBeUndefined();
    // Types that no template uses are its own business.
    const helpers = inModule(LICENSE, (module) => ({
      ...module,
      data: { ...module.data, Helper: { record: { of: text } } },
    }));
    expect(differenceOf(helpers)).toBeUndefined();
  });

  const renew = (changes: object): Change =>
    inChoice(LICENSE, 'License', 'License_Renew', (choice) => ({ ...choice, ...changes }));

  const without = <T>(of: Readonly<Record<string, T>> | undefined, name: string) =>
    Object.fromEntries(Object.entries(of ?? {}).filter(([key]) => key !== name));

  const CASES: readonly (readonly [string, Change, string])[] = [
    [
      'a template less',
      inModule('Licensing.LicenseComment', (module) => ({ ...module, templates: {} })),
      'it lacks template Licensing.LicenseComment:LicenseComment',
    ],
    [
      'a template more',
      inModule(LICENSE, (module) => ({
        ...module,
        templates: { ...module.templates, Gift: { fields: { owner: party } } },
      })),
      'it has template Licensing.License:Gift, which LocalNet has not',
    ],
    [
      'a field more',
      withField('note', optional(text)),
      'it has Licensing.License:License: part note, which LocalNet has not',
    ],
    [
      'a field of another type',
      withField('licenseNum', text),
      'licenseNum of Licensing.License:License is Text, and not Int64 as in LocalNet',
    ],
    [
      'fields in another order',
      inTemplate(LICENSE, 'License', ({ fields: { user, ...fields }, ...template }) => ({
        ...template,
        fields: { user: user!, ...fields },
      })),
      'the parts of Licensing.License:License have another order',
    ],
    [
      'a type inside of a field that is another',
      inModule(LICENSE, (module) => ({
        ...module,
        data: { ...module.data, LicenseParams: { record: { meta: list(int64) } } },
      })),
      'meta of Licensing.License:LicenseParams is List Int64, and not Splice.Api.Token.MetadataV1:Metadata as in LocalNet',
    ],
    [
      'a choice less',
      inTemplate(APP_INSTALL, 'AppInstallRequest', (template) => ({
        ...template,
        choices: without(template.choices, 'AppInstallRequest_Cancel'),
      })),
      'it lacks template Licensing.AppInstall:AppInstallRequest: choice AppInstallRequest_Cancel',
    ],
    [
      'a choice more',
      inTemplate(LICENSE, 'License', (template) => ({
        ...template,
        choices: { ...template.choices, Give: { result: text } },
      })),
      'it has template Licensing.License:License: choice Give, which LocalNet has not',
    ],
    ['a choice that consumes', renew({ isConsuming: true }), 'choice License_Renew is consuming'],
    [
      'a choice with another result',
      renew({ result: text }),
      'result of choice License_Renew is Text, and not ContractId Licensing.License:LicenseRenewalRequest as in LocalNet',
    ],
    [
      'a choice that gives a contract of another template',
      renew({ result: contractId(con('Licensing.License:License')) }),
      'result of choice License_Renew is ContractId Licensing.License:License, and not ContractId Licensing.License:LicenseRenewalRequest as in LocalNet',
    ],
    [
      'a choice with another argument',
      inModule(LICENSE, (module) => ({
        ...module,
        data: { ...module.data, License_Expire: { record: { actor: party } } },
      })),
      'it lacks Licensing.License:License_Expire: part meta',
    ],
    [
      'no instance of an interface',
      inTemplate(LICENSE, 'LicenseRenewalRequest', (template) => ({
        ...template,
        implements: [],
      })),
      'it lacks template Licensing.License:LicenseRenewalRequest: instance of Splice.Api.Token.AllocationRequestV1:AllocationRequest',
    ],
    [
      'a key',
      (source) => ({
        ...inTemplate(LICENSE, 'License', (template) => ({ ...template, key: party }))(source),
        minor: 3,
      }),
      'template Licensing.License:License has a key',
    ],
  ];

  test.each(CASES)('with %s differs, in these words', (_what, change, words) => {
    expect(differenceOf(change)).toBe(words);
  });

  test('is told in time and in few words of a type that holds itself twice, sixty times over', () => {
    const twice = Array.from({ length: 60 }).reduce<LfType>(
      (type) => ({ kind: 'genMap', key: type, value: type }),
      { kind: 'text' },
    );
    expect(describeType(twice)).toMatch(/^GenMap \(GenMap .*/);
    expect(describeType(twice)).toHaveLength(1_000);
  });
});
