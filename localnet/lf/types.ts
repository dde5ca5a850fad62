import { Cursor, LENGTH_DELIMITED, VARINT } from './cursor.ts';
import { parseError } from './errors.ts';
import { readFields } from './fields.ts';
import type { Fields, Span } from './fields.ts';
import type { Tables } from './tables.ts';

/** Identifies a definition in any package. */
export interface DefinitionId {
  readonly packageId: string;
  readonly module: string;
  readonly name: string;
}

export type Kind = 'star' | 'nat' | { readonly from: Kind; readonly to: Kind };

/** A type of Daml-LF, as it occurs in a package. Types are shared: one table entry is always the same object. */
export type Type =
  | { readonly kind: 'var'; readonly name: string }
  | { readonly kind: 'nat'; readonly value: number }
  | { readonly kind: 'con'; readonly id: DefinitionId }
  | { readonly kind: 'builtin'; readonly builtin: Builtin }
  | { readonly kind: 'app'; readonly fun: Type; readonly arg: Type }
  | { readonly kind: 'synonym'; readonly id: DefinitionId; readonly args: readonly Type[] }
  | { readonly kind: 'forall'; readonly vars: readonly TypeVar[]; readonly body: Type }
  | { readonly kind: 'struct'; readonly fields: readonly TypedName[] };

export interface AppliedSynonym {
  readonly id: DefinitionId;
  readonly args: number;
}

export interface TypeVar {
  readonly name: string;
  readonly kind: Kind;
}

export interface TypedName {
  readonly name: string;
  readonly type: Type;
}

/** Built-in types, by their numbers in the format. */
const BUILTINS = [
  'Unit',
  'Bool',
  'Int64',
  'Date',
  'Timestamp',
  'Numeric',
  'Party',
  'Text',
  'ContractId',
  'Optional',
  'List',
  'GenMap',
  undefined,
  'Any',
  'AnyException',
  'TypeRep',
  'Arrow',
  'Update',
  'FailureCategory',
  'TextMap',
] as const;
export type Builtin = NonNullable<(typeof BUILTINS)[number]>;

const TYPE = {
  var: 1,
  con: 2,
  builtin: 3,
  forall: 4,
  struct: 5,
  nat: 6,
  synonym: 7,
  interned: 8,
  app: 9,
} as const;
const NUMERIC_SCALE_MAX = 37;
const KIND = { star: 1, arrow: 2, nat: 3, interned: 4 } as const;
const ARROW = { params: 1, result: 2 } as const;
const NAMED = { module: 1, name: 2 } as const;
const MODULE_ID = { package: 1, name: 2 } as const;
const PACKAGE_ID = { self: 1, text: 3, import: 4 } as const;
const WITH_NAME = { name: 3, of: 2 } as const;
const APPLIED = { head: 1, args: 2 } as const;
const FORALL = { vars: 1, body: 2 } as const;
const TAPP = { fun: 1, arg: 2 } as const;

/** Decodes types from the tables and definitions of a package. Each table entry is decoded once. */
export class TypeReader {
  readonly #tables: Tables;
  readonly #packageId: string;
  readonly #types: Type[] = [];
  readonly #kinds: Kind[] = [];
  readonly #cons = new Map<string, DefinitionId>();
  readonly #synonyms = new Map<string, AppliedSynonym>();

  constructor(packageId: string, tables: Tables) {
    this.#packageId = packageId;
    this.#tables = tables;
  }

  #fields(span: Span | undefined): Fields {
    return readFields(this.#tables.bytes, span);
  }

  /**
   * Returns the type at an index. Entries refer only to earlier entries, so decoding them in order needs no recursion.
   */
  #typeAt(index: number): Type {
    const { types } = this.#tables;
    if (index >= types.length) throw parseError(`invalid internedTypes table index ${index}`);
    for (let next = this.#types.length; next <= index; next += 1) {
      this.#types.push(this.#read(types.at(next)));
    }
    const type = this.#types[index];
    if (type === undefined) throw parseError(`invalid internedTypes table index ${index}`);
    return type;
  }

  /** Returns each data type in the table once. */
  named(): Iterable<DefinitionId> {
    this.#readAll();
    return this.#cons.values();
  }

  /** Returns the synonyms that the table applies, once for each number of arguments. */
  synonymsNamed(): Iterable<AppliedSynonym> {
    this.#readAll();
    return this.#synonyms.values();
  }

  #readAll(): void {
    const { length } = this.#tables.types;
    if (length > 0) this.#typeAt(length - 1);
  }

  /** Returns a type that is used outside the table and given as an index of the table. */
  interned(span: Span | undefined): Type {
    return this.#typeAt(this.#fields(span).number(TYPE.interned));
  }

  /** Decodes a field, binder or variable with its type. */
  typedName(span: Span): TypedName {
    const fields = this.#fields(span);
    return {
      name: this.#tables.string(fields.number(WITH_NAME.name)),
      type: this.interned(fields.span(WITH_NAME.of)),
    };
  }

  typeVar(span: Span): TypeVar {
    const fields = this.#fields(span);
    return {
      name: this.#tables.string(fields.number(WITH_NAME.name)),
      kind: this.#kind(fields.span(WITH_NAME.of)),
    };
  }

  definitionId(span: Span | undefined): DefinitionId {
    const fields = this.#fields(span);
    const module = this.#fields(fields.span(NAMED.module));
    return {
      packageId: this.#packageIdOf(module.span(MODULE_ID.package)),
      module: this.#tables.dottedName(module.number(MODULE_ID.name)),
      name: this.#tables.dottedName(fields.number(NAMED.name)),
    };
  }

  #packageIdOf(span: Span | undefined): string {
    const fields = this.#fields(span);
    if (fields.span(PACKAGE_ID.self) !== undefined) return this.#packageId;
    return fields.has(PACKAGE_ID.text)
      ? this.#tables.packageId(fields.number(PACKAGE_ID.text))
      : this.#tables.importedPackage(fields.number(PACKAGE_ID.import));
  }

  /** Decodes a type, which is a oneof. If several of its fields are present, the last one counts. */
  #read(span: Span | undefined): Type {
    const { start = 0, end = 0 } = span ?? {};
    const cursor = new Cursor(this.#tables.bytes, start);
    let field = 0;
    let value = 0;
    let inner = 0;
    while (cursor.position < end) {
      const tag = cursor.varint(end);
      if ((tag & 7) === VARINT) value = cursor.varint(end);
      else if ((tag & 7) === LENGTH_DELIMITED) {
        const to = cursor.length(end);
        inner = cursor.position;
        value = to;
        cursor.position = to;
      } else cursor.skipField(tag, end);
      field = tag >>> 3;
    }
    if (field === TYPE.interned) return this.#typeAt(value);
    return field === TYPE.nat ? natOf(value) : this.#sum(field, { start: inner, end: value });
  }

  #sum(field: number, span: Span): Type {
    switch (field) {
      case TYPE.var:
        return this.#applied(span, (head) => this.#variable(head));
      case TYPE.con:
        return this.#applied(span, (head) => this.#con(head));
      case TYPE.builtin:
        return this.#applied(span, builtinOf);
      case TYPE.app: {
        const parts = this.#fields(span);
        const [fun, arg] = [parts.span(TAPP.fun), parts.span(TAPP.arg)];
        return { kind: 'app', fun: this.#read(fun), arg: this.#read(arg) };
      }
      case TYPE.synonym: {
        const parts = this.#fields(span);
        const args = parts.spans(APPLIED.args).map((arg) => this.#read(arg));
        const id = this.definitionId(parts.span(APPLIED.head));
        const key = `${id.packageId}:${id.module}:${id.name} ${args.length}`;
        if (!this.#synonyms.has(key)) this.#synonyms.set(key, { id, args: args.length });
        return { kind: 'synonym', id, args };
      }
      case TYPE.forall: {
        const parts = this.#fields(span);
        const vars = parts.spans(FORALL.vars).map((each) => this.typeVar(each));
        return { kind: 'forall', vars, body: this.#read(parts.span(FORALL.body)) };
      }
      case TYPE.struct:
        return { kind: 'struct', fields: this.#structFields(span) };
      default:
        throw parseError('Type.SUM_NOT_SET');
    }
  }

  #structFields(span: Span): readonly TypedName[] {
    return this.#fields(span)
      .spans(1)
      .map((field) => {
        const parts = this.#fields(field);
        return {
          name: this.#tables.string(parts.number(WITH_NAME.name)),
          type: this.#read(parts.span(WITH_NAME.of)),
        };
      });
  }

  #applied(span: Span, headOf: (fields: Fields) => Type): Type {
    const fields = this.#fields(span);
    let type = headOf(fields);
    for (const arg of fields.spans(APPLIED.args)) {
      type = { kind: 'app', fun: type, arg: this.#read(arg) };
    }
    return type;
  }

  #variable(fields: Fields): Type {
    return { kind: 'var', name: this.#tables.string(fields.number(WITH_NAME.name)) };
  }

  #con(fields: Fields): Type {
    const id = this.definitionId(fields.span(APPLIED.head));
    const key = `${id.packageId}:${id.module}:${id.name}`;
    const known = this.#cons.get(key) ?? id;
    this.#cons.set(key, known);
    return { kind: 'con', id: known };
  }

  #kind(span: Span | undefined): Kind {
    const fields = this.#fields(span);
    if (fields.span(KIND.star) !== undefined) return 'star';
    if (fields.span(KIND.nat) !== undefined) return 'nat';
    const arrow = fields.span(KIND.arrow);
    if (arrow === undefined) return this.#kindAt(fields.number(KIND.interned));
    const parts = this.#fields(arrow);
    const params = parts.spans(ARROW.params).map((param) => this.#kind(param));
    return params.reduceRight<Kind>(
      (to, from) => ({ from, to }),
      this.#kind(parts.span(ARROW.result)),
    );
  }

  #kindAt(index: number): Kind {
    const { kinds } = this.#tables;
    for (let next = this.#kinds.length; next <= index && next < kinds.length; next += 1) {
      this.#kinds.push(this.#kind(kinds.at(next)));
    }
    const kind = this.#kinds[index];
    if (kind === undefined) throw parseError(`invalid internedKinds table index ${index}`);
    return kind;
  }
}

/** Decodes a type-level number, which the format stores as a signed zigzag number. */
function natOf(zigzag: number): Type {
  const value = zigzag / 2;
  if (Number.isInteger(value) && value <= NUMERIC_SCALE_MAX) return { kind: 'nat', value };
  throw parseError(`TNat must be between 0 and ${NUMERIC_SCALE_MAX}, found ${value}`);
}

function builtinOf(fields: Fields): Type {
  const number = fields.number(APPLIED.head);
  const builtin = BUILTINS[number];
  if (builtin === undefined) throw parseError(`builtin type ${number} is not supported`);
  return { kind: 'builtin', builtin };
}
