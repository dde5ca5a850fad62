import { LedgerTypes } from '../lf/ledger-types.ts';
import type { Library } from '../lf/library.ts';
import type { Choice, Interface, LfModule, Template } from '../lf/module.ts';
import type { LfPackage } from '../lf/package.ts';
import type { Type } from '../lf/types.ts';
import { describeType } from './built-in-description.ts';
import { sameType } from './contract.ts';
import type { LfType, RecordField, TypeName } from './lf-types.ts';
import { ARCHIVE_CHOICE } from './package-definition.ts';
import type { ChoiceType, PackageDefinition } from './package-definition.ts';

type Difference = string | undefined;

/** The first answer that there is. */
function firstOf<T>(items: Iterable<T>, find: (item: T) => Difference): Difference {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

const textOf = ({ module, entity }: TypeName): string => `${module}:${entity}`;

/**
 * The first thing by which another build of a package differs from its description, in plain words; `undefined` if
 * it has the same templates, interfaces, choices and types. Its expressions are not looked at. Other packages are the
 * same if they have the same name, as IDs are those of builds.
 *
 * @param library the build and all that it refers to
 */
export const shapeDifference = (
  ours: PackageDefinition,
  theirs: LfPackage,
  library: Library,
): Difference => new ShapeComparison(ours, theirs, library).difference();

class ShapeComparison {
  readonly #ours: PackageDefinition;
  readonly #theirs: LfPackage;
  readonly #types: LedgerTypes;
  /** Data types that have been compared, or are being: a type may contain itself. */
  readonly #seen = new Set<LfType>();

  constructor(ours: PackageDefinition, theirs: LfPackage, library: Library) {
    this.#ours = ours;
    this.#theirs = theirs;
    this.#types = new LedgerTypes(library);
  }

  difference(): Difference {
    const { templates, interfaces } = this.#ours;
    return (
      this.#namesDifference('template', templates, (module) => module.templates.names()) ??
      this.#namesDifference('interface', interfaces, (module) => module.interfaces.names()) ??
      firstOf(templates, (ours) => this.#templateDifference(ours)) ??
      firstOf(interfaces, (ours) => this.#interfaceDifference(ours))
    );
  }

  #namesDifference(
    kind: 'template' | 'interface',
    ours: readonly { readonly name: TypeName }[],
    namesIn: (module: LfModule) => Iterable<string>,
  ): Difference {
    const theirs = Array.from(this.#theirs.modules.values()).flatMap((module) =>
      Array.from(namesIn(module), (name) => `${module.name}:${name}`),
    );
    return setDifference(
      kind,
      ours.map(({ name }) => textOf(name)),
      theirs,
    );
  }

  #templateDifference({
    name,
    payload,
    choices,
    implements: implemented,
  }: PackageDefinition['templates'][number]): Difference {
    const theirs = this.#theirs.modules.get(name.module)?.templates.get(name.entity);
    if (theirs === undefined) return `it has no template ${textOf(name)}`;
    const where = `template ${textOf(name)}`;
    if (theirs.key !== undefined) return `${where} has a key`;
    const self: Type = {
      kind: 'con',
      id: { packageId: this.#theirs.id, module: name.module, name: name.entity },
    };
    return (
      this.#typeDifference(where, payload, this.#types.of(self)) ??
      setDifference(
        `${where}: instance of`,
        implemented.map(({ iface }) => textOf(iface.name)),
        theirs.implements.map(({ id }) => `${id.module}:${id.name}`),
      ) ??
      this.#choicesDifference(where, choices, theirs)
    );
  }

  #interfaceDifference({
    name,
    view,
    choices,
  }: PackageDefinition['interfaces'][number]): Difference {
    const theirs = this.#theirs.modules.get(name.module)?.interfaces.get(name.entity);
    if (theirs === undefined) return `it has no interface ${textOf(name)}`;
    const where = `interface ${textOf(name)}`;
    return (
      this.#typeDifference(`view of ${where}`, view, this.#types.of(theirs.view)) ??
      this.#choicesDifference(where, choices, theirs)
    );
  }

  #choicesDifference(
    where: string,
    ours: readonly ChoiceType[],
    theirs: Template | Interface,
  ): Difference {
    const listed = [...theirs.choices.keys()].filter((name) => name !== ARCHIVE_CHOICE);
    const names = setDifference(
      `${where}: choice`,
      ours.map(({ name }) => name),
      listed,
    );
    return names ?? firstOf(ours, (choice) => this.#choiceDifference(choice, theirs.choices));
  }

  #choiceDifference(
    { name, kind, argument, result }: ChoiceType,
    choices: ReadonlyMap<string, Choice>,
  ): Difference {
    const theirs = choices.get(name);
    if (theirs === undefined) return `it has no choice ${name}`;
    if (theirs.isConsuming !== (kind === 'consuming')) {
      return `choice ${name} is ${theirs.isConsuming ? '' : 'not '}consuming`;
    }
    return (
      this.#typeDifference(
        `argument of choice ${name}`,
        argument,
        this.#types.of(theirs.argument),
      ) ?? this.#typeDifference(`result of choice ${name}`, result, this.#types.of(theirs.result))
    );
  }

  #typeDifference(where: string, ours: LfType, theirs: LfType): Difference {
    const differs = () =>
      `${where} is ${describeType(theirs)}, and not ${describeType(ours)} as in LocalNet`;
    switch (ours.kind) {
      case 'numeric':
        return theirs.kind === ours.kind && theirs.scale === ours.scale ? undefined : differs();
      case 'contractId':
        return theirs.kind === ours.kind && isTarget(ours.of, theirs.of) ? undefined : differs();
      case 'optional':
      case 'list':
      case 'textMap':
        return theirs.kind === ours.kind
          ? this.#typeDifference(`inside of what is ${where}`, ours.of, theirs.of)
          : differs();
      case 'genMap':
        if (theirs.kind !== ours.kind) return differs();
        return (
          this.#typeDifference(`key of what is ${where}`, ours.key, theirs.key) ??
          this.#typeDifference(`inside of what is ${where}`, ours.value, theirs.value)
        );
      case 'record':
      case 'variant':
      case 'enum':
        if (theirs.kind !== ours.kind || !sameType(ours.name, theirs.name)) return differs();
        return this.#dataDifference(ours, theirs);
      case 'unit':
      case 'bool':
      case 'int64':
      case 'date':
      case 'timestamp':
      case 'party':
      case 'text':
        return theirs.kind === ours.kind ? undefined : differs();
      default:
        return ours satisfies never;
    }
  }

  #dataDifference(ours: LfType & { readonly name: TypeName }, theirs: LfType): Difference {
    if (this.#seen.has(ours)) return undefined;
    this.#seen.add(ours);
    const [name, ourParts, theirParts] = [textOf(ours.name), partsOf(ours), partsOf(theirs)];
    const names = (parts: readonly Part[]) => parts.map((part) => part.name);
    const difference =
      setDifference(`${name}: part`, names(ourParts), names(theirParts)) ??
      orderDifference(name, names(ourParts), names(theirParts));
    if (difference !== undefined) return difference;
    return firstOf(ourParts.entries(), ([index, { name: part, type }]) => {
      const other = theirParts[index]?.type;
      return type === undefined || other === undefined
        ? undefined
        : this.#typeDifference(`${part} of ${name}`, type, other);
    });
  }
}

type Part = Pick<RecordField, 'name'> & { readonly type?: LfType };

function partsOf(type: LfType): readonly Part[] {
  if (type.kind === 'record') return type.fields;
  if (type.kind === 'variant') return type.constructors;
  return type.kind === 'enum' ? type.constructors.map((name) => ({ name })) : [];
}

const isTarget = (ours: TypeName | undefined, theirs: TypeName | undefined): boolean =>
  ours === undefined || (theirs !== undefined && sameType(ours, theirs));

function setDifference(
  what: string,
  ours: readonly string[],
  theirs: readonly string[],
): Difference {
  const lacking = ours.find((name) => !theirs.includes(name));
  if (lacking !== undefined) return `it lacks ${what} ${lacking}`;
  const extra = theirs.find((name) => !ours.includes(name));
  return extra === undefined ? undefined : `it has ${what} ${extra}, which LocalNet has not`;
}

const orderDifference = (
  what: string,
  ours: readonly string[],
  theirs: readonly string[],
): Difference =>
  ours.every((name, index) => theirs[index] === name)
    ? undefined
    : `the parts of ${what} have another order`;
