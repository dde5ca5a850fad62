import { duplicateName, parseError } from './errors.ts';
import { readFields, readNumbers } from './fields.ts';
import type { Fields, Span } from './fields.ts';
import { definitionText } from './pretty.ts';
import type { Tables } from './tables.ts';
import type { DefinitionId, Type, TypedName, TypeReader, TypeVar } from './types.ts';

/** The form of a data type. */
export type DataShape =
  | { readonly kind: 'record'; readonly fields: readonly TypedName[] }
  | { readonly kind: 'variant'; readonly constructors: readonly TypedName[] }
  | { readonly kind: 'enum'; readonly constructors: readonly string[] }
  | { readonly kind: 'interface' };

export interface DataType {
  readonly name: string;
  readonly params: readonly TypeVar[];
  readonly isSerializable: boolean;
  readonly shape: DataShape;
}

export interface Synonym {
  readonly name: string;
  readonly params: readonly TypeVar[];
  readonly type: Type;
}

export interface Choice {
  readonly name: string;
  readonly isConsuming: boolean;
  readonly argument: Type;
  readonly result: Type;
}

export interface Template {
  /** The template's name, which is also the name of its payload's data type. */
  readonly name: string;
  readonly choices: ReadonlyMap<string, Choice>;
  readonly key: Type | undefined;
  readonly implements: readonly Instance[];
}

/** A template's implementation of an interface. */
export interface Instance {
  readonly id: DefinitionId;
  readonly methods: readonly string[];
}

export interface Interface {
  readonly name: string;
  readonly choices: ReadonlyMap<string, Choice>;
  readonly methods: readonly TypedName[];
  readonly view: Type;
  readonly requires: readonly DefinitionId[];
}

const MODULE = {
  name: 1,
  flags: 2,
  synonyms: 3,
  dataTypes: 4,
  values: 5,
  templates: 6,
  exceptions: 7,
  interfaces: 8,
} as const;
const FLAGS = [1, 2, 3] as const;
const DATA_TYPE = {
  name: 2,
  params: 3,
  isSerializable: 4,
  record: 5,
  variant: 6,
  enum: 7,
  interface: 8,
} as const;
const SYNONYM = { name: 2, params: 3, type: 4 } as const;
const FIELDS = { fields: 1 } as const;
const ENUM = { constructors: 2 } as const;
const TEMPLATE = { name: 1, choices: 6, key: 9, implements: 10 } as const;
const KEY = { type: 1 } as const;
const IMPLEMENTS = { interface: 1, body: 2 } as const;
/** Field numbers of an interface instance's body, and of a method in it. */
const BODY = { methods: 1, method: 1 } as const;
const CHOICE = { name: 2, isConsuming: 3, argument: 6, result: 8 } as const;
const INTERFACE = { name: 2, methods: 3, choices: 5, view: 6, requires: 7 } as const;
const METHOD = { name: 2, type: 3 } as const;
const EXCEPTION = { name: 1 } as const;

/** One module. Its definitions are indexed by name, and each is decoded on demand. */
export class LfModule {
  readonly name: string;
  readonly #tables: Tables;
  readonly #types: TypeReader;
  readonly dataTypes: Definitions<DataType>;
  readonly synonyms: Definitions<Synonym>;
  readonly templates: Definitions<Template>;
  readonly interfaces: Definitions<Interface>;
  readonly exceptions: Definitions<{ readonly name: string }>;

  constructor(tables: Tables, types: TypeReader, span: Span) {
    this.#tables = tables;
    this.#types = types;
    const fields = readFields(tables.bytes, span, MODULE.values);
    this.name = tables.dottedName(fields.number(MODULE.name));
    const flags = readFields(tables.bytes, fields.span(MODULE.flags));
    if (FLAGS.some((flag) => flags.number(flag) === 0)) {
      throw parseError('Deprecated feature flag settings detected, refusing to parse package');
    }
    const define = <D>(
      field: number,
      nameField: number,
      read: (fields: Fields, name: string) => D,
    ) => new Definitions(tables, fields.spans(field), nameField, read);
    this.dataTypes = define(MODULE.dataTypes, DATA_TYPE.name, (of, name) =>
      this.#dataType(of, name),
    );
    this.synonyms = define(MODULE.synonyms, SYNONYM.name, (of, name) => this.#synonym(of, name));
    this.templates = define(MODULE.templates, TEMPLATE.name, (of, name) =>
      this.#template(of, name),
    );
    this.interfaces = define(MODULE.interfaces, INTERFACE.name, (of, name) =>
      this.#interface(of, name),
    );
    this.exceptions = define(MODULE.exceptions, EXCEPTION.name, (_of, name) => ({ name }));
    requireOnce([
      ...this.templates.names(),
      ...this.exceptions.names(),
      ...this.interfaces.names(),
    ]);
  }

  /** Whether the module contains no types whose values can be stored. */
  get isUtility(): boolean {
    const { templates, interfaces, dataTypes } = this;
    if (templates.size > 0 || interfaces.size > 0) return false;
    for (const { isSerializable } of dataTypes.values()) if (isSerializable) return false;
    return true;
  }

  #read(span: Span | undefined): Fields {
    return readFields(this.#tables.bytes, span);
  }

  #dataType(fields: Fields, name: string): DataType {
    const shape = this.#shape(fields);
    const params = fields.spans(DATA_TYPE.params).map((param) => this.#types.typeVar(param));
    if (shape.kind === 'enum' && params.length > 0) throw parseError('Unexpected non-empty params');
    return { name, params, isSerializable: fields.number(DATA_TYPE.isSerializable) !== 0, shape };
  }

  #shape(fields: Fields): DataShape {
    const record = fields.span(DATA_TYPE.record);
    if (record !== undefined) return { kind: 'record', fields: this.#typedNames(record) };
    const variant = fields.span(DATA_TYPE.variant);
    if (variant !== undefined) return { kind: 'variant', constructors: this.#typedNames(variant) };
    const enumeration = fields.span(DATA_TYPE.enum);
    if (enumeration === undefined) return { kind: 'interface' };
    const indexes = readNumbers(this.#tables.bytes, enumeration, ENUM.constructors);
    return { kind: 'enum', constructors: indexes.map((index) => this.#tables.string(index)) };
  }

  #typedNames(span: Span): readonly TypedName[] {
    return this.#read(span)
      .spans(FIELDS.fields)
      .map((field) => this.#types.typedName(field));
  }

  #synonym(fields: Fields, name: string): Synonym {
    const params = fields.spans(SYNONYM.params).map((param) => this.#types.typeVar(param));
    return { name, params, type: this.#types.interned(fields.span(SYNONYM.type)) };
  }

  #choices(spans: readonly Span[]): ReadonlyMap<string, Choice> {
    const choices = new Map<string, Choice>();
    for (const span of spans) {
      const fields = this.#read(span);
      const name = this.#tables.string(fields.number(CHOICE.name));
      if (choices.has(name)) throw duplicateName();
      const argument = fields.span(CHOICE.argument);
      if (argument === undefined)
        throw parseError('SUM_NOT_SET is not supported outside type interning table');
      choices.set(name, {
        name,
        isConsuming: fields.number(CHOICE.isConsuming) !== 0,
        argument: this.#types.typedName(argument).type,
        result: this.#types.interned(fields.span(CHOICE.result)),
      });
    }
    return choices;
  }

  #template(fields: Fields, name: string): Template {
    const key = fields.span(TEMPLATE.key);
    const instances = fields.spans(TEMPLATE.implements).map((span) => this.#instance(span));
    requireOnce(instances.map(({ id }) => definitionText(id)));
    return {
      name,
      choices: this.#choices(fields.spans(TEMPLATE.choices)),
      key: key === undefined ? undefined : this.#types.interned(this.#read(key).span(KEY.type)),
      implements: instances,
    };
  }

  #instance(span: Span): Instance {
    const fields = this.#read(span);
    const bodies = this.#read(fields.span(IMPLEMENTS.body)).spans(BODY.methods);
    const methods = bodies.map((each) => this.#tables.string(this.#read(each).number(BODY.method)));
    requireOnce(methods);
    return { id: this.#types.definitionId(fields.span(IMPLEMENTS.interface)), methods };
  }

  #interface(fields: Fields, name: string): Interface {
    const methods = fields.spans(INTERFACE.methods).map((span) => {
      const method = this.#read(span);
      return {
        name: this.#tables.string(method.number(METHOD.name)),
        type: this.#types.interned(method.span(METHOD.type)),
      };
    });
    const requires = fields.spans(INTERFACE.requires).map((span) => this.#types.definitionId(span));
    requireOnce(methods.map((method) => method.name));
    requireOnce(requires.map(definitionText));
    return {
      name,
      choices: this.#choices(fields.spans(INTERFACE.choices)),
      methods,
      view: this.#types.interned(fields.span(INTERFACE.view)),
      requires,
    };
  }
}

function requireOnce(names: readonly string[]): void {
  if (new Set(names).size < names.length) throw duplicateName();
}

/** The definitions of one kind in a module, by name. */
export class Definitions<D> {
  readonly #tables: Tables;
  readonly #spans = new Map<string, Span>();
  readonly #known = new Map<string, D>();
  readonly #read: (fields: Fields, name: string) => D;

  constructor(
    tables: Tables,
    spans: readonly Span[],
    nameField: number,
    read: (fields: Fields, name: string) => D,
  ) {
    this.#tables = tables;
    this.#read = read;
    for (const span of spans) {
      const name = tables.dottedName(readFields(tables.bytes, span).number(nameField));
      if (this.#spans.has(name)) throw duplicateName();
      this.#spans.set(name, span);
    }
  }

  get size(): number {
    return this.#spans.size;
  }

  /** Returns the names in the package's order. */
  names(): Iterable<string> {
    return this.#spans.keys();
  }

  has(name: string): boolean {
    return this.#spans.has(name);
  }

  get(name: string): D | undefined {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const span = this.#spans.get(name);
    if (span === undefined) return undefined;
    const definition = this.#read(readFields(this.#tables.bytes, span), name);
    this.#known.set(name, definition);
    return definition;
  }

  *values(): Generator<D> {
    for (const name of this.#spans.keys()) {
      const definition = this.get(name);
      if (definition !== undefined) yield definition;
    }
  }
}
