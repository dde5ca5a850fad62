import { sourceOf } from '../../localnet/ledger/assembled-package.ts';
import type { Described } from '../../localnet/ledger/assembled-package.ts';
import { licensingPackage } from '../../localnet/ledger/licensing/package.ts';
import {
  Archive,
  ARCHIVE_TYPE,
  standardLibraryPackage,
} from '../../localnet/ledger/package-definition.ts';
import type { PackageDefinition } from '../../localnet/ledger/package-definition.ts';
import { RelTime, STANDARD_LIBRARY_PACKAGES } from '../../localnet/ledger/standard-library.ts';
import { InstrumentId } from '../../localnet/ledger/tokens/holding.ts';
import {
  ChoiceExecutionMetadata,
  ExtraArgs,
  Metadata,
} from '../../localnet/ledger/tokens/metadata.ts';
import { TOKEN_PACKAGES } from '../../localnet/ledger/tokens/packages.ts';
import * as code from '../../localnet/lf/build/code.ts';
import type { Code } from '../../localnet/lf/build/code.ts';
import { lfPackage } from '../../localnet/lf/build/package.ts';
import type {
  ChoiceSource,
  LfSource,
  MadePackage,
  ModuleSource,
  TemplateSource,
} from '../../localnet/lf/build/package.ts';
import { con } from '../../localnet/lf/build/types.ts';

/*
 * Builds of the licensing package as a user's compiler would make them: with different bytes, and with all packages on
 * which they depend. These packages are built again too, so their IDs differ from the published ones.
 */

type Base = Omit<Described, 'archive'>;

const TYPES = [RelTime, Metadata, ExtraArgs, ChoiceExecutionMetadata, InstrumentId, Archive];

/** The packages that the licensing package depends on, each after its own dependencies. */
const BASES: readonly Base[] = [
  standardLibraryPackage,
  ...STANDARD_LIBRARY_PACKAGES.slice(0, 1),
  ...TOKEN_PACKAGES.slice(0, 4),
].map(({ name, templates, interfaces }: PackageDefinition) => ({
  name,
  // The version differs from that of LocalNet's package, because the content differs.
  version: '1.0.99',
  templates,
  interfaces,
  types: TYPES.filter((type) => type.name.packageName === name),
}));

/**
 * Returns the packages that licensing refers to, and their IDs by name.
 *
 * @param known returns the ID of a package that keeps its ID whatever its content
 */
export function licensingBases(known: (name: string) => string | undefined = () => undefined) {
  const ids = new Map<string, string>();
  const idOf = (name: string) => ids.get(name)!;
  const packages = BASES.map((base): MadePackage & { readonly name: string } => {
    const made = lfPackage(sourceOf({ ...base, archive: ARCHIVE_TYPE }, idOf));
    const id = known(base.name) ?? made.id;
    ids.set(base.name, id);
    return { ...made, id, name: base.name };
  });
  return { packages, idOf };
}

/** A change that a build makes to LocalNet's package. */
export type Change = (source: LfSource) => LfSource;

let builds = 0;

/**
 * Returns a build of the licensing package, followed by the packages that it refers to. No two builds have the same
 * bytes.
 */
export function licensingBuild(
  change: Change = (source) => source,
  { packages, idOf } = licensingBases(),
): readonly MadePackage[] {
  builds += 1;
  const source = sourceOf({ ...licensingPackage, archive: ARCHIVE_TYPE }, idOf);
  return [lfPackage(change({ ...source, strings: [`build ${builds}`] })), ...packages];
}

export const inVersion =
  (version: string): Change =>
  (source) => ({ ...source, version });

export const inModule =
  (name: string, change: (module: ModuleSource) => ModuleSource): Change =>
  (source) => ({
    ...source,
    modules: { ...source.modules, [name]: change(source.modules[name]!) },
  });

export const inTemplate = (
  module: string,
  name: string,
  change: (template: TemplateSource) => TemplateSource,
): Change =>
  inModule(module, (source) => ({
    ...source,
    templates: { ...source.templates, [name]: change(source.templates![name]!) },
  }));

export const inChoice = (
  module: string,
  template: string,
  name: string,
  change: (choice: ChoiceSource) => ChoiceSource,
): Change =>
  inTemplate(module, template, (source) => ({
    ...source,
    choices: { ...source.choices, [name]: change(source.choices![name]!) },
  }));

const INSTALL_MODULE = 'Licensing.AppInstall';
const [Request, Install] = [
  con(`${INSTALL_MODULE}:AppInstallRequest`),
  con(`${INSTALL_MODULE}:AppInstall`),
];
const License = con('Licensing.License:License');
const here = code.variable('this');
const parties = (...of: Code[]): Code => code.cons(of);
const argument = (choice: string, name: string): Code =>
  code.project(con(`${INSTALL_MODULE}:${choice}`), name, code.variable('argument'));

/** Adds the compiled contracts of the module AppInstall, and the signatories of a licence. */
export const withCode: Change = (source) => {
  const request = (name: string) => code.project(Request, name, here);
  const install = (name: string) => code.project(Install, name, here);
  const controlled =
    (by: Code, update: Code) =>
    (choice: ChoiceSource): ChoiceSource => ({
      ...choice,
      controllers: parties(by),
      observers: code.nil,
      update,
    });
  const nothing = code.pure(code.unitValue);
  const created = code.call('ADD_INT64', install('numLicensesCreated'), code.int64(1n));
  const result = con(`${INSTALL_MODULE}:AppInstall_CreateLicense_Result`);
  const choices: readonly (readonly [string, string, (choice: ChoiceSource) => ChoiceSource])[] = [
    [
      'AppInstallRequest',
      'AppInstallRequest_Accept',
      controlled(
        request('provider'),
        code.create(
          Install,
          code.record(Install, {
            provider: request('provider'),
            user: request('user'),
            meta: argument('AppInstallRequest_Accept', 'installMeta'),
            numLicensesCreated: code.int64(0n),
          }),
        ),
      ),
    ],
    ['AppInstallRequest', 'AppInstallRequest_Reject', controlled(request('provider'), nothing)],
    ['AppInstallRequest', 'AppInstallRequest_Cancel', controlled(request('user'), nothing)],
    [
      'AppInstall',
      'AppInstall_CreateLicense',
      controlled(
        install('provider'),
        code.block(
          {
            now: code.getTime,
            licenseId: code.create(
              License,
              code.record(License, {
                provider: install('provider'),
                user: install('user'),
                expiresAt: code.variable('now'),
                licenseNum: created,
                params: argument('AppInstall_CreateLicense', 'params'),
              }),
            ),
            installId: code.create(
              Install,
              code.recordUpdate(Install, 'numLicensesCreated', here, created),
            ),
          },
          code.pure(
            code.record(result, {
              installId: code.variable('installId'),
              licenseId: code.variable('licenseId'),
            }),
          ),
        ),
      ),
    ],
  ];
  const withChoices = choices.reduce(
    (changed, [template, name, change]) =>
      inChoice(INSTALL_MODULE, template, name, change)(changed),
    source,
  );
  const signed = (module: string, name: string, signatories: Code, observers: Code) =>
    inTemplate(module, name, (template) => ({ ...template, signatories, observers }));
  const both = (of: typeof Install) =>
    parties(code.project(of, 'provider', here), code.project(of, 'user', here));
  return [
    signed(
      INSTALL_MODULE,
      'AppInstallRequest',
      parties(request('user')),
      parties(request('provider')),
    ),
    signed(INSTALL_MODULE, 'AppInstall', both(Install), code.nil),
    signed('Licensing.License', 'License', both(License), code.nil),
  ].reduce((changed, change) => change(changed), withChoices);
};
