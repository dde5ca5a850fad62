import type { Meter } from './engine/bounds.ts';
import type { Attempt, EngineBody } from './engine/updates.ts';
import { assemblePackage } from './assembled-package.ts';
import type { Contract } from './contract.ts';
import { record, unit } from './lf-types.ts';
import type { LfType, TypeName, Unit } from './lf-types.ts';

/**
 * - `consuming`: the contract is archived before the body runs.
 * - `nonconsuming`: the contract stays active.
 * - `postconsuming`: the body runs, and then a separate exercise of `Archive` archives the contract, because Daml
 *   compiles such choices in this way.
 */
type ChoiceKind = 'consuming' | 'nonconsuming' | 'postconsuming';

/**
 * The operations that a choice body can use. Each call adds a node to the transaction or checks something; no call
 * waits.
 */
export interface ChoiceContext {
  /** Ledger time in microseconds. */
  getTime(): bigint;
  create<P>(template: TemplateDefinition<P>, payload: P): string;
  /** Returns the payload of a contract. A stakeholder of the contract must be among the authorizers. */
  fetch<P>(template: TemplateDefinition<P>, contractId: string): P;
  fetchInterface<V>(iface: InterfaceDefinition<V>, contractId: string): V;
  /** Like `fetchInterface`, but returns the contract itself instead of the view. */
  fetchContract(iface: InterfaceDefinition, contractId: string): Contract;
  exercise<A, R>(
    target: ChoiceTarget,
    contractId: string,
    choice: ChoiceType<A, R>,
    argument: A,
  ): R;
  /** Like `exercise`, but does not run the choice's body. The caller must run it. */
  begin(target: ChoiceTarget, contractId: string, choice: string, argument: unknown): BegunExercise;
  archive<P>(template: TemplateDefinition<P>, contractId: string): void;
  /**
   * Finds an active contract with exactly this payload, among the contracts that the submitter sees. This corresponds
   * to a look-up by a contract key that consists of the whole payload. The template must have {@link
   * TemplateDefinition.isFoundByPayload}.
   */
  findByPayload<P>(template: TemplateDefinition<P>, payload: P): string | undefined;
  /**
   * Fails unless the condition holds, like Daml's `require`: raises an AssertionFailed with the same text as in the
   * reference application's contracts.
   */
  require(description: string, condition: boolean): void;
  /** Fails unless both values are equal, like Daml's `===`: the failure shows both values. */
  requireEqual(left: unknown, right: unknown, type: LfType): void;
  /** Fails if ledger time is at or past the deadline, which is in microseconds. */
  requireWithinDeadline(name: string, deadline: bigint): void;
  /** Fails if ledger time is strictly before the deadline, which is in microseconds. */
  requireDeadlineExceeded(name: string, deadline: bigint): void;
  /** Fails like Daml's `failWithStatus`, in category InvalidGivenCurrentSystemStateOther. */
  fail(errorId: string, message: string, metadata?: Readonly<Record<string, string>>): never;
  /** Returns whether ledger time is before a time, which is in microseconds. */
  isBefore(micros: bigint): boolean;
  /** Returns active contracts with a key, the latest first. All maintainers must be among the authorizers. */
  queryByKey(template: KeyedTemplate, key: unknown, most: number): readonly Contract[];
  /** Returns the ID of the latest contract with a key. Throws CONTRACT_KEY_NOT_FOUND. */
  findByKey(template: KeyedTemplate, key: unknown): string;
  /** Begins a part of the transaction that can be undone. */
  attempt(): Attempt;
  /** Counts the resources that the submission uses. */
  readonly meter: Meter;
}

/** The contract key of a template. */
export interface KeyDefinition {
  readonly type: LfType;
  of(payload: unknown, meter: Meter): unknown;
  maintainers(key: unknown, meter: Meter): readonly string[];
}

export type KeyedTemplate = TemplateDefinition & { readonly key: KeyDefinition };

/** The part of a template or interface that a caller of its choices must know. */
export type ChoiceTarget = Pick<TemplateDefinition | InterfaceDefinition, 'kind' | 'name'>;

/** The contract on which a choice runs, as the body of the choice sees it. */
interface ChoiceSelf<P> {
  readonly contractId: string;
  readonly payload: P;
}

/** The part of a choice that a caller must know. A choice of an interface consists of this part only. */
export interface ChoiceType<A = unknown, R = unknown> {
  readonly name: string;
  readonly kind: ChoiceKind;
  readonly argument: LfType<A>;
  readonly result: LfType<R>;
}

export interface ChoiceDefinition<P, A = unknown, R = unknown> extends ChoiceType<A, R> {
  controllers(payload: P, argument: A, meter: Meter): readonly string[];
  observers?(payload: P, argument: A, meter: Meter): readonly string[];
  exercise(context: ChoiceContext, self: ChoiceSelf<P>, argument: A): R;
  /** Returns the body as engine code, if the engine runs the choice. */
  body?(context: ChoiceContext, self: ChoiceSelf<P>, argument: A): EngineBody;
}

/** An exercise whose checks are done and whose body has not run yet. */
export interface BegunExercise {
  readonly choice: ChoiceDefinition<unknown>;
  readonly context: ChoiceContext;
  readonly self: ChoiceSelf<unknown>;
  readonly argument: unknown;
  /** Must be called with the body's result. Returns this result. */
  readonly end: (result: unknown) => unknown;
  /** Must be called with the body's error. */
  readonly failed: (error: unknown) => void;
}

/** A choice of an interface. Its controllers are computed from the view, so they are defined once for all templates. */
export interface InterfaceChoice<V, A, R> extends ChoiceType<A, R> {
  controllers(view: V, argument: A): readonly string[];
}

/** A template's implementation of an interface. */
export interface InterfaceImplementation<P, V = unknown> {
  readonly iface: InterfaceDefinition<V>;
  view(payload: P, meter: Meter): V;
  /** The bodies of the interface's choices for this template, by choice name. */
  readonly choices: Readonly<Record<string, ChoiceDefinition<P>>>;
}

export interface InterfaceDefinition<V = unknown> {
  readonly kind: 'interface';
  readonly name: TypeName;
  readonly view: LfType<V>;
  readonly choices: readonly ChoiceType[];
  /** The methods through which templates implement choices: the choice's name for each method. @default none */
  readonly methods?: Readonly<Record<string, string>>;
}

export interface TemplateDefinition<P = unknown> {
  readonly kind: 'template';
  readonly name: TypeName;
  readonly payload: LfType<P> & { readonly kind: 'record' };
  /** If the engine runs the template, the ID of the package with its code; absent if the template is native. */
  readonly packageId?: string;
  signatories(payload: P, meter: Meter): readonly string[];
  observers(payload: P, meter: Meter): readonly string[];
  ensure?(payload: P, meter: Meter): boolean;
  readonly key?: KeyDefinition;
  /** Whether choices find contracts of this template with `findByPayload`. @default false */
  readonly isFoundByPayload?: boolean;
  /** The choices, without `Archive`, which every template has. */
  readonly choices: readonly ChoiceDefinition<P>[];
  readonly implements: readonly InterfaceImplementation<P>[];
  /**
   * This template as it was in earlier builds, with fewer fields. Contracts in a journal that match it keep its types,
   * because their IDs contain a hash that depends on these types. Exercises of its choices can be read from a journal,
   * but not made.
   */
  readonly former?: TemplateDefinition;
}

export interface PackageDefinition {
  readonly name: string;
  readonly version: string;
  /** SHA-256 of {@link archive} in hex; for a stand-in, the published package's ID. */
  readonly id: string;
  /** Whether the package stands for a published package. If so, it has the published package's ID. */
  readonly isStandIn: boolean;
  /**
   * The package in Daml-LF, assembled from its description, as `GetPackage` returns it. For a package that stands for a
   * published one, the archive is a JSON description, which cannot be mistaken for the published package's content.
   */
  readonly archive: Uint8Array;
  readonly templates: readonly TemplateDefinition[];
  readonly interfaces: readonly InterfaceDefinition[];
}

/** Runs the body of an exercise that has begun. */
export function runBegun({ choice, context, self, argument, end, failed }: BegunExercise): unknown {
  try {
    return end(choice.exercise(context, self, argument));
  } catch (error) {
    failed(error);
    throw error;
  }
}

export const ARCHIVE_CHOICE = 'Archive';

/** Returns a function that returns the name of a type in the package `packageName` for `Module:Entity`. */
export const typeNamer =
  (packageName: string) =>
  (qualifiedName: string): TypeName => {
    const [module = '', entity = ''] = qualifiedName.split(':');
    return { packageName, module, entity };
  };

/** Declares a template. This is a function only so that TypeScript infers the payload type from its record. */
export function template<P>(
  definition: Omit<TemplateDefinition<P>, 'kind' | 'choices' | 'implements'> & {
    readonly choices?: readonly ChoiceDefinition<P>[];
    readonly implements?: readonly InterfaceImplementation<P>[];
  },
): TemplateDefinition<P> {
  return { choices: [], implements: [], ...definition, kind: 'template' };
}

/**
 * Declares a choice. This is a function only so that TypeScript infers argument and result types from their
 * descriptions.
 */
export const choice = <P, A, R>(definition: ChoiceDefinition<P, A, R>): ChoiceDefinition<P, A, R> =>
  definition;

/** Declares a template's implementation of a choice of an interface. */
export const implementChoice = <P, V, A, R>(
  of: InterfaceChoice<V, A, R>,
  view: (payload: P) => V,
  exercise: ChoiceDefinition<P, A, R>['exercise'],
): ChoiceDefinition<P, A, R> => ({
  ...of,
  controllers: (payload, argument) => of.controllers(view(payload), argument),
  exercise,
});

/** The package of the standard library that defines the type of `Archive`'s argument. */
const ARCHIVE_PACKAGE_NAME = 'ghc-stdlib-DA-Internal-Template';

/** The argument of `Archive`: a record without fields, as Daml code generators send it. */
export const Archive = record(typeNamer(ARCHIVE_PACKAGE_NAME)('DA.Internal.Template:Archive'), {});

/** Returns the choice `Archive` of a template: all signatories together archive the contract. */
export const archiveChoice = <P>(of: TemplateDefinition<P>): ChoiceDefinition<P, Unit, Unit> => ({
  name: ARCHIVE_CHOICE,
  kind: 'consuming',
  argument: Archive,
  result: unit,
  controllers: (payload, _argument, meter) => of.signatories(payload, meter),
  exercise: () => ({}),
});

export interface PackageSource {
  readonly name: string;
  readonly version: string;
  /** The ID of the published package for which this package stands. */
  readonly publishedId?: string;
  readonly templates?: readonly TemplateDefinition[];
  readonly interfaces?: readonly InterfaceDefinition[];
  /** Packages whose types this package uses, except for the standard library's type for `Archive`. @default none */
  readonly dependencies?: readonly Pick<PackageDefinition, 'name' | 'id'>[];
}

/** `Archive` in the form that every template and interface has. */
export const ARCHIVE_TYPE = { name: ARCHIVE_CHOICE, argument: Archive, result: unit } as const;

/** Builds a package. Its ID changes exactly when the description of its types changes. */
export function definePackage(source: PackageSource): PackageDefinition {
  const { name, version, publishedId, templates = [], interfaces = [], dependencies = [] } = source;
  const described = { name, version, templates, interfaces };
  if (publishedId !== undefined) {
    let archive: Uint8Array | undefined;
    return {
      ...described,
      id: publishedId,
      isStandIn: true,
      get archive() {
        archive ??= describeStandIn(described);
        return archive;
      },
    };
  }
  const idOf = (packageName: string) => {
    const found = [standardLibraryPackage, ...dependencies].find((one) => one.name === packageName);
    if (found === undefined) throw new TypeError(`${name} does not depend on ${packageName}`);
    return found.id;
  };
  const { id, payload } = assemblePackage({ ...described, archive: ARCHIVE_TYPE }, idOf);
  return { ...described, id, isStandIn: false, archive: payload };
}

function describeStandIn({
  name,
  version,
  templates,
  interfaces,
}: Pick<PackageDefinition, 'name' | 'version' | 'templates' | 'interfaces'>): Uint8Array {
  const description = {
    format: 'tenure-localnet-package/1',
    name,
    version,
    templates: templates.map((template) => ({
      name: template.name,
      payload: template.payload,
      choices: template.choices.map(describeChoice),
      implements: template.implements.map(({ iface }) => iface.name),
    })),
    interfaces: interfaces.map((iface) => ({
      name: iface.name,
      view: iface.view,
      choices: iface.choices.map(describeChoice),
    })),
  };
  return new TextEncoder().encode(JSON.stringify(description, endlessTypesByName()));
}

/**
 * Returns a JSON replacer that writes nested occurrences of a recursive type as its name, because otherwise the text
 * would be infinite.
 */
function endlessTypesByName(): (this: unknown, key: string, value: unknown) => unknown {
  const within: unknown[] = [];
  return function describe(_key, value) {
    if (typeof value !== 'object' || value === null) return value;
    // `this` is the value's parent. Everything after the parent in the stack has been written completely, so it is
    // removed.
    within.length = within.lastIndexOf(this) + 1;
    if (within.includes(value)) return (value as { readonly name: TypeName }).name;
    within.push(value);
    return value;
  };
}

const describeChoice = ({ name, kind, argument, result }: ChoiceType) => ({
  name,
  kind,
  argument,
  result,
});

/** This package is a part of every network, because contracts of every template can be archived. */
export const standardLibraryPackage = definePackage({
  name: ARCHIVE_PACKAGE_NAME,
  version: '1.0.0',
  publishedId: '9e70a8b3510d617f8a136213f33d6a903a10ca0eeec76bb06ba55d1ed9680f69',
});
