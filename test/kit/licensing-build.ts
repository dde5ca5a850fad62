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
import { lfPackage } from '../../localnet/lf/build/package.ts';
import type {
  ChoiceSource,
  LfSource,
  MadePackage,
  ModuleSource,
  TemplateSource,
} from '../../localnet/lf/build/package.ts';

/*
 * Builds of the licensing package as a user's compiler makes them: with bytes of their own, and with all packages that
 * they refer to. Those are builds too, so their IDs are not the published ones.
 */

type Base = Omit<Described, 'archive'>;

const TYPES = [RelTime, Metadata, ExtraArgs, ChoiceExecutionMetadata, InstrumentId, Archive];

/** What the licensing package refers to, dependencies first. */
const BASES: readonly Base[] = [
  standardLibraryPackage,
  ...STANDARD_LIBRARY_PACKAGES.slice(0, 1),
  ...TOKEN_PACKAGES.slice(0, 4),
].map(({ name, templates, interfaces }: PackageDefinition) => ({
  name,
  // Another version than LocalNet's, as content differs.
  version: '1.0.99',
  templates,
  interfaces,
  types: TYPES.filter((type) => type.name.packageName === name),
}));

/**
 * The packages that licensing refers to, and gives their IDs by name.
 *
 * @param known gives an ID that a package has whatever its content is
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

/** What of a build is other than in LocalNet's package. */
export type Change = (source: LfSource) => LfSource;

let builds = 0;

/** A build of the licensing package, then what it refers to. No two have the same bytes. */
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
