import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { BUILT_IN_PACKAGES } from '../localnet/ledger/licensing/package.ts';
import type { LfType, RecordField, TypeName } from '../localnet/ledger/lf-types.ts';
import type {
  ChoiceType,
  InterfaceDefinition,
  PackageDefinition,
  TemplateDefinition,
} from '../localnet/ledger/package-definition.ts';
import { readDar } from '../localnet/lf/dar.ts';
import { LedgerTypes } from '../localnet/lf/ledger-types.ts';
import { libraryOf } from '../localnet/lf/library.ts';
import type { Choice, LfModule } from '../localnet/lf/module.ts';
import type { LfPackage } from '../localnet/lf/package.ts';

/*
 * Compares LocalNet's stand-ins for published packages with the published packages themselves: fields, choices,
 * interfaces and all types that these use. Run this script after a change of a description, with DARs that are not part
 * of this repository.
 *
 *   node scripts/compare-packages.ts <folder of DARs>
 */

const nameOf = ({ module, entity }: TypeName): string => `${module}:${entity}`;

/**
 * Collects the differences between types in the descriptions and published types. Each pair of types is compared once.
 */
class TypeDifferences {
  readonly found: string[] = [];
  readonly #seen = new Set<string>();

  compare(where: string, described: LfType, published: LfType): void {
    if (described.kind !== published.kind) {
      this.found.push(`${where}: ${described.kind} here, ${published.kind} there`);
      return;
    }
    switch (described.kind) {
      case 'numeric':
        if (published.kind === 'numeric' && published.scale !== described.scale)
          this.found.push(`${where}: Numeric ${described.scale} here, ${published.scale} there`);
        return;
      case 'optional':
      case 'list':
      case 'textMap':
        if (published.kind === described.kind) this.compare(where, described.of, published.of);
        return;
      case 'genMap':
        if (published.kind !== 'genMap') return;
        this.compare(`${where} key`, described.key, published.key);
        this.compare(`${where} value`, described.value, published.value);
        return;
      case 'record':
        if (published.kind === 'record')
          this.#compareParts(where, described, described.fields, published, published.fields);
        return;
      case 'variant':
        if (published.kind === 'variant') {
          const [here, there] = [described.constructors, published.constructors];
          this.#compareParts(where, described, here, published, there);
        }
        return;
      case 'enum':
        if (published.kind === 'enum')
          this.#compareNames(where, described.constructors, published.constructors);
        return;
      case 'unit':
      case 'bool':
      case 'int64':
      case 'date':
      case 'timestamp':
      case 'party':
      case 'text':
      case 'contractId':
        return;
      default:
        described satisfies never;
    }
  }

  #compareParts(
    where: string,
    described: { readonly name: TypeName },
    here: readonly RecordField[],
    published: { readonly name: TypeName },
    there: readonly RecordField[],
  ): void {
    const name = nameOf(described.name);
    if (
      name !== nameOf(published.name) ||
      described.name.packageName !== published.name.packageName
    )
      this.found.push(`${where}: ${name} here, ${nameOf(published.name)} there`);
    const types = here.map((part) => JSON.stringify(shallow(part.type))).join(' ');
    const key = `${described.name.packageName} ${name} ${types}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const names = (parts: readonly RecordField[]) => parts.map((part) => part.name);
    this.#compareNames(name, names(here), names(there));
    for (const { name: part, type } of here) {
      const other = there.find((each) => each.name === part);
      if (other !== undefined) this.compare(`${name}.${part}`, type, other.type);
    }
  }

  #compareNames(where: string, here: readonly string[], there: readonly string[]): void {
    const missing = there.filter((name) => !here.includes(name));
    const extra = here.filter((name) => !there.includes(name));
    if (missing.length > 0) this.found.push(`${where} lacks ${missing.join(', ')}`);
    if (extra.length > 0) this.found.push(`${where} has ${extra.join(', ')} in addition`);
    if (missing.length + extra.length > 0 || here.join() === there.join()) return;
    this.found.push(`${where} has another order: ${here.join(', ')}`);
  }
}

/** Returns a type without its contents. This is sufficient to distinguish the uses of a type that has parameters. */
const shallow = (type: LfType): object => ({
  kind: type.kind,
  ...('name' in type ? { name: type.name.entity } : {}),
  ...('of' in type && type.kind !== 'contractId' ? { of: shallow(type.of) } : {}),
});

/** Compares one stand-in with its published package. */
class PackageComparison {
  readonly #published: LfPackage;
  readonly #types: LedgerTypes;
  readonly #differences = new TypeDifferences();

  constructor(published: LfPackage, all: Iterable<LfPackage>) {
    this.#published = published;
    this.#types = new LedgerTypes(libraryOf(all));
  }

  differences({ templates, interfaces }: PackageDefinition): readonly string[] {
    const { found } = this.#differences;
    const modules = [...this.#published.modules.values()];
    const listed = (pick: (module: LfModule) => Iterable<string>) =>
      modules.flatMap((module) => Array.from(pick(module), (name) => `${module.name}:${name}`));
    const absent = (kind: string, all: readonly string[], here: readonly { name: TypeName }[]) => {
      const names = here.map(({ name }) => nameOf(name));
      for (const name of all) if (!names.includes(name)) found.push(`no ${kind} ${name}`);
    };
    absent(
      'template',
      listed((module) => module.templates.names()),
      templates,
    );
    absent(
      'interface',
      listed((module) => module.interfaces.names()),
      interfaces,
    );
    for (const template of templates) this.#template(template);
    for (const iface of interfaces) this.#interface(iface);
    return found;
  }

  #template({ name, payload, choices, implements: instances }: TemplateDefinition): void {
    const { found } = this.#differences;
    const published = this.#published.modules.get(name.module)?.templates.get(name.entity);
    if (published === undefined) {
      found.push(`template ${nameOf(name)} is not published`);
      return;
    }
    const id = { packageId: this.#published.id, module: name.module, name: name.entity };
    this.#differences.compare(nameOf(name), payload, this.#types.of({ kind: 'con', id }));
    this.#choices(nameOf(name), choices, published.choices);
    const here = instances.map(({ iface }) => nameOf(iface.name));
    const there = published.implements.map((each) => `${each.id.module}:${each.id.name}`);
    for (const iface of there)
      if (!here.includes(iface)) found.push(`${nameOf(name)} does not implement ${iface}`);
    for (const iface of here)
      if (!there.includes(iface)) found.push(`${nameOf(name)} implements ${iface} in addition`);
  }

  #interface({ name, view, choices }: InterfaceDefinition): void {
    const published = this.#published.modules.get(name.module)?.interfaces.get(name.entity);
    if (published === undefined) {
      this.#differences.found.push(`interface ${nameOf(name)} is not published`);
      return;
    }
    this.#differences.compare(`${nameOf(name)} view`, view, this.#types.of(published.view));
    this.#choices(nameOf(name), choices, published.choices);
  }

  #choices(of: string, here: readonly ChoiceType[], there: ReadonlyMap<string, Choice>): void {
    const { found } = this.#differences;
    const names = new Set(here.map(({ name }) => name));
    for (const name of there.keys())
      if (name !== 'Archive' && !names.has(name)) found.push(`${of} has no choice ${name}`);
    for (const { name, kind, argument, result } of here) {
      const published = there.get(name);
      if (published === undefined) {
        found.push(`${of} has the choice ${name} in addition`);
        continue;
      }
      if ((kind === 'consuming') !== published.isConsuming)
        found.push(`${of} ${name}: ${kind} here, not there`);
      const where = `${of} ${name}`;
      const types = this.#types;
      this.#differences.compare(`${where} argument`, argument, types.of(published.argument));
      this.#differences.compare(`${where} result`, result, types.of(published.result));
    }
  }
}

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const [folder] = process.argv.slice(2);
if (folder === undefined)
  throw new Error('usage: node scripts/compare-packages.ts <folder of DARs>');
const published = new Map<string, LfPackage>();
for (const file of await readdir(folder)) {
  if (!file.endsWith('.dar')) continue;
  const { main, dependencies } = await readDar(await readFile(join(folder, file)));
  for (const each of [main, ...dependencies]) published.set(each.id, each);
}
for (const built of BUILT_IN_PACKAGES) {
  const counterpart = published.get(built.id);
  const heading = `${built.name} ${built.version}`;
  if (counterpart === undefined) {
    print(`${heading}: not among the DARs`);
    continue;
  }
  const found = new PackageComparison(counterpart, published.values()).differences(built);
  print(`${heading}: ${found.length === 0 ? 'the same' : ''}`);
  for (const line of found) print(`  ${line}`);
}
