import { describe, expect, test } from 'vitest';
import { describeType } from '../../../localnet/ledger/built-in-description.ts';
import type { LfType } from '../../../localnet/ledger/lf-types.ts';
import { BUILT_IN_PACKAGES, licensingPackage } from '../../../localnet/ledger/licensing/package.ts';
import { LedgerError } from '../../../localnet/ledger/ledger-error.ts';
import type { Json } from '../../../localnet/ledger/lf-json.ts';
import { timestampText } from '../../../localnet/ledger/lf-values.ts';
import { standardLibraryPackage } from '../../../localnet/ledger/package-definition.ts';
import { witnessesOf } from '../../../localnet/ledger/transaction-tree.ts';
import { readArchive, readPayload } from '../../../localnet/lf/archive.ts';
import { optional, text } from '../../../localnet/lf/build/types.ts';
import type { Type } from '../../../localnet/lf/build/types.ts';
import { readFields } from '../../../localnet/lf/fields.ts';
import type { Span } from '../../../localnet/lf/fields.ts';
import { libraryOf } from '../../../localnet/lf/library.ts';
import { upgradeDefect } from '../../../localnet/lf/upgrade.ts';
import { validatePackages } from '../../../localnet/lf/validation.ts';
import {
  inTemplate,
  inVersion,
  licensingBases,
  licensingBuild,
  withCode,
} from '../../kit/licensing-build.ts';
import type { Change } from '../../kit/licensing-build.ts';
import { withLicenseCode } from '../../kit/license-code.ts';
import { EngineLedger, NOW, create, exercise, treeOf } from './engine-ledger.ts';

/* LocalNet's licensing package in Daml-LF, compared with a compiled build. */

const LICENSE = 'Licensing.License';

/** Numbers of enum values in the Daml-LF format. */
const [BUILTIN_ERROR, BUILTIN_UPDATE] = [1, 17];

const IDS = new Map(
  [...BUILT_IN_PACKAGES, standardLibraryPackage].map(({ name, id }) => [name, id]),
);

/** Returns the packages to which the licensing package refers, with their published IDs. */
const publishedBases = () => licensingBases((name) => IDS.get(name));

/** Reads LocalNet's own package as participants serve it, and the packages to which it refers. */
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
    // A postconsuming choice is compiled to a nonconsuming choice that archives the contract itself.
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
    // The first choice of the first template in the first module.
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

test('a type that holds itself twice, sixty times over, is described in time and in few words', () => {
  const twice = Array.from({ length: 60 }).reduce<LfType>(
    (type) => ({ kind: 'genMap', key: type, value: type }),
    { kind: 'text' },
  );
  expect(describeType(twice)).toMatch(/^GenMap \(GenMap .*/);
  expect(describeType(twice)).toHaveLength(1_000);
});

describe('a build of it that the engine runs', () => {
  const MODULES: Readonly<Record<string, string>> = {
    AppInstallRequest: 'Licensing.AppInstall',
    AppInstall: 'Licensing.AppInstall',
    License: LICENSE,
    LicenseRenewalRequest: LICENSE,
    LicenseComment: 'Licensing.LicenseComment',
  };
  const META = { values: {} };

  const bases = publishedBases();
  const [build] = licensingBuild((source) => withLicenseCode(withCode(source)), bases);
  const uploaded = [build!, ...bases.packages].map(({ id, payload }) => readPayload(id, payload));

  /** Returns a new ledger with the licensing package: either LocalNet's native one, or a build. */
  function ledgerOf(kind: 'native' | 'engine') {
    const ledger = new EngineLedger(BUILT_IN_PACKAGES);
    for (const { id, name, version, payload } of uploaded) {
      ledger.registry.uploaded.add({ id, name, version, payload: () => payload });
    }
    const packageId = kind === 'native' ? licensingPackage.id : build!.id;
    return { ledger, type: (name: string) => `${packageId}:${MODULES[name]}:${name}` };
  }

  /**
   * Replaces contract IDs by numbers in the order of creation. The IDs themselves differ between ledgers, because they
   * contain a hash that depends on the package.
   */
  function numbered(ledger: EngineLedger, value: unknown): unknown {
    const ids = [...ledger.created];
    const words = JSON.stringify(value, (_key, of: unknown) =>
      typeof of === 'bigint'
        ? of.toString()
        : of instanceof Map
          ? [...(of as Map<unknown, unknown>)]
          : of,
    );
    return ids.reduce((shown, id, index) => shown.replaceAll(id, `#${index}`), words);
  }

  const PARTIES = ['provider', 'user', 'other'] as const;

  /** Runs a random history on a ledger. Returns the result or the refusal of each step. */
  function history(kind: 'native' | 'engine', random: () => number): unknown[] {
    const { ledger, type } = ledgerOf(kind);
    const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!;
    /** Returns in most cases a contract of the template, otherwise any contract or an unknown ID. */
    const idOf = (template: string) => {
      const fitting = [...ledger.contracts.values()]
        .filter((contract) => contract.template.name.entity === template)
        .map(({ contractId }) => contractId);
      const from = random() < 0.8 && fitting.length > 0 ? fitting : ledger.created;
      return pick(from) ?? `00${'ab'.repeat(40)}`;
    };
    const on = (template: string, choice: string, argument: Json) =>
      exercise(type(template), idOf(template), choice, argument);
    const sides = () => ({ provider: pick(PARTIES), user: pick(PARTIES) });
    const moment = (later = 0) => timestampText(ledger.now + BigInt(later + pick([-2, -1, 0, 1])));
    const acts = {
      request: () => create(type('AppInstallRequest'), { ...sides(), meta: META }),
      answer: () =>
        on('AppInstallRequest', pick(['AppInstallRequest_Reject', 'AppInstallRequest_Cancel']), {
          meta: META,
        }),
      accept: () =>
        on('AppInstallRequest', 'AppInstallRequest_Accept', { installMeta: META, meta: META }),
      license: () => on('AppInstall', 'AppInstall_CreateLicense', { params: { meta: META } }),
      cancel: () => on('AppInstall', 'AppInstall_Cancel', { actor: pick(PARTIES), meta: META }),
      sell: () =>
        create(type('License'), {
          ...sides(),
          expiresAt: moment(),
          licenseNum: '7',
          params: { meta: META },
        }),
      expire: () => on('License', 'License_Expire', { actor: pick(PARTIES), meta: META }),
      renew: () =>
        on('License', 'License_Renew', {
          requestId: 'renewal',
          licenseFeeInstrumentId: { admin: 'dso', id: 'Amulet' },
          licenseFeeAmount: '12.5',
          licenseExtensionDuration: { microseconds: '1000000' },
          requestedAt: moment(),
          prepareUntil: moment(2),
          settleBefore: moment(3),
          description: 'a month more',
        }),
      comment: () =>
        create(type('LicenseComment'), {
          ...sides(),
          licenseNum: '7',
          commenter: pick(PARTIES),
          body: 'a comment',
          createdAt: moment(),
        }),
    };
    const names = Object.keys(acts) as (keyof typeof acts)[];
    return Array.from({ length: 80 }, (_, step) => {
      ledger.now = NOW + BigInt(step);
      const command = acts[pick(names)]();
      const actAs = PARTIES.filter(() => random() < 0.8);
      try {
        const tree = ledger.submit(actAs, command);
        const { timeBounds } = tree;
        const witnesses = [...witnessesOf(tree.roots)];
        return numbered(ledger, [treeOf(tree.roots), witnesses, timeBounds, [...tree.consumed]]);
      } catch (error) {
        if (!(error instanceof LedgerError)) throw error;
        const words = error.text.replaceAll(/\b[0-9a-f]{64}\b/g, 'PACKAGE');
        return numbered(ledger, [error.code, words]);
      }
    });
  }

  test('has the events, results, witnesses and refusals of the native one', () => {
    const seen = new Set<string>();
    for (let seed = 1; seed <= 8; seed += 1) {
      const native = history('native', randomFrom(seed));
      expect(history('engine', randomFrom(seed))).toEqual(native);
      for (const step of native) seen.add(String(step));
    }
    // Checks that the histories were long enough to contain these steps.
    const said = [...seen].join('\n');
    for (const part of [
      '"exercise":"AppInstallRequest_Accept"',
      '"exercise":"AppInstallRequest_Reject"',
      '"exercise":"AppInstall_CreateLicense"',
      '"exercise":"AppInstall_Cancel"',
      '"exercise":"License_Expire"',
      '"exercise":"License_Renew"',
      '"create":"AppPaymentRequest"',
      '"create":"LicenseComment"',
      'deadline-not-exceeded',
      'deadline-exceeded',
      "'prepareUntil < settleBefore' was not met",
      "'Actor is a signatory' was not met",
      'AUTHORIZATION',
      'NOT_FOUND',
      'WRONGLY',
    ]) {
      expect(said).toContain(part);
    }
  });
});

/** Returns a function that returns numbers between 0 and 1. They are the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
