import { createHash } from 'node:crypto';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { Code } from './code.ts';
import { Expressions } from './expressions.ts';
import { LfTables, message, number, part } from './tables.ts';
import type { Bytes, Write } from './tables.ts';
import { arrow, bool, list, party, SELF, text, unit, update } from './types.ts';
import type { Type } from './types.ts';

/*
 * Assembles Daml-LF packages as a compiler does. If an expression is missing, one of the required type that fails is
 * used.
 */

export type FieldsSource = Readonly<Record<string, Type>>;

export interface ChoiceSource {
  /** Fields of the argument record, which has the choice's name. @default none */
  readonly fields?: FieldsSource;
  /** A type that replaces the argument record. */
  readonly argument?: Type;
  readonly result: Type;
  /** @default true */
  readonly isConsuming?: boolean;
  /** Whether the choice states that it has no observers. @default false */
  readonly isUnobserved?: boolean;
  /** Whether the choice has an empty update, with result `()`. @default false */
  readonly doesNothing?: boolean;
  /** An expression in which `this` and `argument` are in scope. */
  readonly controllers?: Code;
  readonly observers?: Code;
  /** An expression in which `self` is in scope as well. */
  readonly update?: Code;
}

export interface TemplateSource {
  readonly fields: FieldsSource;
  readonly choices?: Readonly<Record<string, ChoiceSource>>;
  /** Only from Daml-LF 2.3 on. */
  readonly key?: Type;
  readonly implements?: readonly InstanceSource[];
  /** Whether some payloads are invalid. @default false */
  readonly hasPrecondition?: boolean;
  /** An expression in which `this` is in scope. */
  readonly precondition?: Code;
  readonly signatories?: Code;
  readonly observers?: Code;
  readonly keyCode?: KeySource;
}

export interface KeySource {
  /** An expression in which `this` is in scope. */
  readonly key: Code;
  /** A function that takes the key. */
  readonly maintainers: Code;
}

export interface InstanceSource {
  readonly iface: Type;
  /** @default `()` */
  readonly view?: Type;
  readonly methods?: FieldsSource;
  /** An expression in which `this` is in scope. */
  readonly viewCode?: Code;
  readonly methodCode?: Readonly<Record<string, Code>>;
}

export interface DefinitionSource {
  readonly type: Type;
  readonly body: Code;
}

export interface InterfaceSource {
  readonly view: Type;
  readonly methods?: FieldsSource;
  readonly choices?: Readonly<Record<string, ChoiceSource>>;
  readonly requires?: readonly Type[];
}

export interface DataSource {
  readonly record?: FieldsSource;
  readonly variant?: FieldsSource;
  readonly enum?: readonly string[];
  readonly params?: readonly string[];
  /** Whether the data type represents an interface. */
  readonly isInterface?: boolean;
  /** @default true, but false for a data type that represents an interface */
  readonly isSerializable?: boolean;
}

export interface ModuleSource {
  readonly data?: Readonly<Record<string, DataSource>>;
  readonly templates?: Readonly<Record<string, TemplateSource>>;
  readonly interfaces?: Readonly<Record<string, InterfaceSource>>;
  readonly synonyms?: Readonly<Record<string, Type>>;
  /** Names of records that are exceptions. */
  readonly exceptions?: readonly string[];
  /** The serialised expressions of values, by name. */
  readonly values?: Readonly<Record<string, Bytes>>;
  readonly definitions?: Readonly<Record<string, DefinitionSource>>;
  /** Functions that return the messages of exceptions. */
  readonly messages?: Readonly<Record<string, Code>>;
}

export interface LfSource {
  readonly name: string;
  readonly version: string;
  /** The minor version of Daml-LF 2. @default 1 */
  readonly minor?: number;
  readonly modules: Readonly<Record<string, ModuleSource>>;
  /** The ID of the package that this one upgrades, which a compiler stores if it is told the package. */
  readonly upgrades?: string;
  /** Unused strings. Two packages that differ only in them have different IDs. */
  readonly strings?: readonly string[];
  /** The failure message of expressions. @default says that the package was made without expressions */
  readonly failure?: string;
}

export interface MadePackage {
  readonly id: string;
  /** The serialised `ArchivePayload`. */
  readonly payload: Bytes;
  /** The serialised `Archive`, which is the content of a `.dalf` file. */
  readonly archive: Bytes;
}

const repeated = (writes: Iterable<Write>): Write => {
  const all = [...writes];
  return (writer) => all.forEach((write) => write(writer));
};

class PackageMaker {
  readonly tables: LfTables;
  readonly #expressions: Expressions;

  constructor(minor: number, failure = 'This package was made without expressions.') {
    this.tables = new LfTables(minor);
    this.#expressions = new Expressions(this.tables, failure);
  }

  module(name: string, source: ModuleSource): Bytes {
    const data: Record<string, DataSource> = { ...source.data };
    for (const [of, { fields, choices }] of Object.entries(source.templates ?? {})) {
      data[of] = { record: fields };
      addArguments(data, choices);
    }
    for (const { choices } of Object.values(source.interfaces ?? {})) addArguments(data, choices);
    const { tables } = this;
    const each = <S>(
      field: number,
      of: Readonly<Record<string, S>> | undefined,
      make: (name: string, source: S) => Bytes,
    ) => repeated(Object.entries(of ?? {}).map(([key, value]) => part(field, make(key, value))));
    return message(
      number(1, tables.dotted(name)),
      part(2, message(number(1, 1), number(2, 1), number(3, 1))),
      each(3, source.synonyms, (key, type) =>
        message(number(2, tables.dotted(key)), this.#type(4, type)),
      ),
      each(4, data, (key, of) => this.#data(key, of)),
      each(4, source.interfaces, (key) => this.#data(key, { isInterface: true })),
      each(5, source.values, (key, bytes) =>
        message(
          part(
            2,
            message(
              number(1, tables.dotted(key)),
              this.#type(2, { kind: 'builtin', builtin: 'Unit' }),
            ),
          ),
          part(3, bytes),
        ),
      ),
      each(5, source.definitions, (key, { type, body }) =>
        message(
          part(2, message(number(1, tables.dotted(key)), this.#type(2, type))),
          part(3, body(tables)),
        ),
      ),
      each(6, source.templates, (key, of) => this.#template(name, key, of)),
      repeated(
        (source.exceptions ?? []).map((key) =>
          part(7, this.#exception(name, key, source.messages?.[key])),
        ),
      ),
      each(8, source.interfaces, (key, of) => this.#interface(name, key, of)),
    );
  }

  #type(field: number, type: Type): Write {
    return part(field, this.tables.typeReference(type));
  }

  #fields(fields: FieldsSource): Bytes {
    return message(
      repeated(
        Object.entries(fields).map(([name, type]) =>
          part(1, message(this.#type(2, type), number(3, this.tables.string(name)))),
        ),
      ),
    );
  }

  #data(
    name: string,
    { record, variant, params = [], isInterface = false, ...of }: DataSource,
  ): Bytes {
    const { tables } = this;
    const star = message(part(1, message()));
    return message(
      number(2, tables.dotted(name)),
      repeated(
        params.map((param) => part(3, message(part(2, star), number(3, tables.string(param))))),
      ),
      number(4, (of.isSerializable ?? !isInterface) ? 1 : 0),
      repeated(record === undefined ? [] : [part(5, this.#fields(record))]),
      repeated(variant === undefined ? [] : [part(6, this.#fields(variant))]),
      repeated(of.enum === undefined ? [] : [part(7, message(part(2, this.#packed(of.enum))))]),
      repeated(isInterface ? [part(8, message())] : []),
    );
  }

  #packed(names: readonly string[]): Bytes {
    const writer = new BinaryWriter();
    for (const name of names) writer.uint32(this.tables.string(name));
    return new Uint8Array(writer.finish());
  }

  #choices(
    field: number,
    module: string,
    choices: Readonly<Record<string, ChoiceSource>> = {},
  ): Write {
    return repeated(
      Object.entries(choices).map(([name, choice]) =>
        part(field, this.#choice(module, name, choice)),
      ),
    );
  }

  #choice(module: string, name: string, choice: ChoiceSource): Bytes {
    const { argument, result, isConsuming = true, isUnobserved = false } = choice;
    const of: Type = argument ?? { kind: 'con', id: { packageId: SELF, module, name } };
    const expressions = this.#expressions;
    const given = (code: Code | undefined) => code?.(this.tables);
    const body =
      given(choice.update) ??
      (choice.doesNothing ? expressions.nothing() : expressions.failing(update(result)));
    const noObservers = () => (isUnobserved ? expressions.noParties() : expressions.parties());
    return message(
      number(2, this.tables.string(name)),
      number(3, isConsuming ? 1 : 0),
      part(4, given(choice.controllers) ?? expressions.parties()),
      part(5, given(choice.observers) ?? noObservers()),
      part(6, message(this.#type(2, of), number(3, this.tables.string('argument')))),
      this.#type(8, result),
      part(9, body),
      number(10, this.tables.string('self')),
    );
  }

  #template(module: string, name: string, source: TemplateSource): Bytes {
    const { choices, key, implements: instances = [], hasPrecondition = false } = source;
    const expressions = this.#expressions;
    const given = (code: Code | undefined) => code?.(this.tables);
    const precondition =
      given(source.precondition) ?? (hasPrecondition ? expressions.failing(bool) : undefined);
    return message(
      number(1, this.tables.dotted(name)),
      number(2, this.tables.string('this')),
      repeated(precondition === undefined ? [] : [part(3, precondition)]),
      part(4, given(source.signatories) ?? expressions.parties()),
      this.#choices(6, module, choices),
      part(7, given(source.observers) ?? expressions.parties()),
      repeated(key === undefined ? [] : [part(9, this.#key(key, source.keyCode))]),
      repeated(instances.map((instance) => part(10, this.#instance(instance)))),
    );
  }

  #exception(module: string, name: string, code: Code | undefined): Bytes {
    const type: Type = { kind: 'con', id: { packageId: SELF, module, name } };
    const told = code?.(this.tables) ?? this.#expressions.failing(arrow(type, text));
    return message(number(1, this.tables.dotted(name)), part(3, told));
  }

  #key(type: Type, code: KeySource | undefined): Bytes {
    const { tables } = this;
    const parties = arrow(type, list(party));
    return message(
      this.#type(1, type),
      part(3, code?.maintainers(tables) ?? this.#expressions.failing(parties)),
      part(4, code?.key(tables) ?? this.#expressions.failing(type)),
    );
  }

  #instance({ iface, view = unit, methods = {}, ...code }: InstanceSource): Bytes {
    const bodies = Object.entries(methods).map(([method, type]) => {
      const body = code.methodCode?.[method]?.(this.tables) ?? this.#expressions.failing(type);
      return part(1, message(number(1, this.tables.string(method)), part(2, body)));
    });
    const viewed = code.viewCode?.(this.tables) ?? this.#expressions.failing(view);
    const body = message(repeated(bodies), part(2, viewed));
    return message(part(1, this.tables.reference(iface)), part(2, body));
  }

  #interface(
    module: string,
    name: string,
    { view, methods = {}, choices, requires = [] }: InterfaceSource,
  ): Bytes {
    const { tables } = this;
    return message(
      number(2, tables.dotted(name)),
      repeated(
        Object.entries(methods).map(([method, type]) =>
          part(3, message(number(2, tables.string(method)), this.#type(3, type))),
        ),
      ),
      number(4, tables.string('this')),
      this.#choices(5, module, choices),
      this.#type(6, view),
      repeated(requires.map((type) => part(7, tables.reference(type)))),
    );
  }
}

function addArguments(data: Record<string, DataSource>, choices: TemplateSource['choices']): void {
  for (const [name, { fields = {}, argument }] of Object.entries(choices ?? {})) {
    if (argument === undefined) data[name] = { record: fields };
  }
}

/** The serialised package itself, without the language version. */
export function lfPackageBytes(source: LfSource): Bytes {
  const { name, version, minor = 1, modules, upgrades, strings = [], failure } = source;
  const maker = new PackageMaker(minor, failure);
  const { tables } = maker;
  const metadata = message(
    number(1, tables.string(name)),
    number(2, tables.string(version)),
    repeated(upgrades === undefined ? [] : [part(3, message(number(1, tables.string(upgrades))))]),
  );
  for (const text of strings) tables.string(text);
  const made = Object.entries(modules).map(([key, module]) => part(1, maker.module(key, module)));
  return message(repeated(made), tables.write(), part(4, metadata));
}

export interface ArchiveChanges {
  /** @default 2 */
  readonly major?: 1 | 2;
  readonly minor?: string;
  /** The hash that the archive states. @default its actual hash */
  readonly hash?: string;
}

/** Returns an archive of a serialised package. */
export function archiveOf(
  lf: Uint8Array,
  { major = 2, minor = '1', hash }: ArchiveChanges = {},
): MadePackage {
  const payload = message(
    (writer) => writer.tag(3, WireType.LengthDelimited).string(minor),
    part(major === 1 ? 2 : 4, lf),
  );
  const id = createHash('sha256').update(payload).digest('hex');
  const archive = message(number(1, 0), part(3, payload), (writer) =>
    writer.tag(4, WireType.LengthDelimited).string(hash ?? id),
  );
  return { id, payload, archive };
}

export const lfPackage = (source: LfSource): MadePackage =>
  archiveOf(lfPackageBytes(source), { minor: String(source.minor ?? 1) });
