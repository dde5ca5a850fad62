import { Cursor, FIXED64, LENGTH_DELIMITED, VARINT } from '../../lf/cursor.ts';
import { parseError } from '../../lf/errors.ts';
import { readFields, Spans } from '../../lf/fields.ts';
import type { Fields, Span } from '../../lf/fields.ts';
import type { LfPackage } from '../../lf/package.ts';
import { PACKAGE } from '../../lf/tables.ts';
import type { DefinitionId, Type } from '../../lf/types.ts';
import { builtinOf } from './builtins.ts';
import type { Code } from './code.ts';
import type { Expression } from './expression.ts';
import * as forms from './forms.ts';
import type { Binding, Branch, Pattern } from './forms.ts';
import { Partial } from './functions.ts';
import * as interfaces from './interface-forms.ts';
import { literalOf } from './literals.ts';
import type { Place } from './places.ts';
import { readUpdate } from './update-reader.ts';
import { NIL, NONE, UNIT } from './values.ts';

const LOCATION = 1;
const INTERNED = 44;
/** The maximum number of nested abstractions, or of nested applications, that are combined into one. */
const JOINED_MAX = 16;

const EXPR = { var: 2, app: 15, tyApp: 16, abs: 17, tyAbs: 18 } as const;
/** The fields of a location, of its module, and of its range. Lines count from 0. */
const LOCATED = { module: 1, name: 2, range: 2, startLine: 1 } as const;
const NAMED_TYPE = { name: 3, type: 2 } as const;
const CONSTANTS = [UNIT, false, true] as const;

type Read = (reader: Reader, fields: Fields, inner: Span) => Expression;

/** The table of expressions of a package, and the expressions that have been read from it. */
class Table {
  readonly known: (Expression | undefined)[] = [];
  #spans: Spans | undefined;

  at(lf: LfPackage, index: number): Span | undefined {
    this.#spans ??= expressionsOf(lf);
    return this.#spans.at(index);
  }
}

/** Decodes the expressions of one package. Each is decoded when it is evaluated first. */
export class Reader {
  readonly lf: LfPackage;
  readonly code: Code;
  readonly #module: string;
  readonly #definition: string;
  readonly #table: Table;

  /** @param definition the definition whose expressions are decoded */
  constructor(lf: LfPackage, code: Code, module = '', definition = '', table = new Table()) {
    this.lf = lf;
    this.code = code;
    this.#module = module;
    this.#definition = definition;
    this.#table = table;
  }

  /** Returns a reader for the expressions of one definition. */
  within(module: string, definition: string): Reader {
    return new Reader(this.lf, this.code, module, definition, this.#table);
  }

  fields(span: Span | undefined): Fields {
    return readFields(this.lf.payload, span);
  }

  text(index: number): string {
    return this.lf.tables.string(index);
  }

  id(span: Span | undefined): DefinitionId {
    return this.lf.types.definitionId(span);
  }

  type(span: Span | undefined): Type {
    return this.lf.types.interned(span);
  }

  /** Returns the data type to which a constructor, a projection or an update refers. */
  constructedId(span: Span | undefined): DefinitionId {
    return this.id(this.fields(span).span(1));
  }

  expression(span: Span | undefined): Expression {
    if (span === undefined) throw parseError('Expr.SUM_NOT_SET');
    return new forms.Deferred(() => this.#read(span), this, span);
  }

  #atIndex(index: number): Expression {
    const known = this.#table.known[index];
    if (known !== undefined) return known;
    const made = this.expression(this.#table.at(this.lf, index));
    this.#table.known[index] = made;
    return made;
  }

  /** Returns the place of an expression, or of the expression that it stands for, if the package has its location. */
  placeOf(span: Span): Place | undefined {
    let fields = this.fields(span);
    for (;;) {
      const location = fields.span(LOCATION);
      if (location !== undefined) return this.#placeAt(this.fields(location));
      const inner = fields.has(INTERNED)
        ? this.#table.at(this.lf, fields.number(INTERNED))
        : this.#behindTypes(fields);
      if (inner === undefined) return undefined;
      fields = this.fields(inner);
    }
  }

  /** Returns the expression that is applied to types, or abstracted over them. */
  #behindTypes(fields: Fields): Span | undefined {
    const applied = fields.span(EXPR.tyApp);
    if (applied !== undefined) return this.fields(applied).span(1);
    const abstracted = fields.span(EXPR.tyAbs);
    return abstracted && this.fields(abstracted).span(2);
  }

  #placeAt(fields: Fields): Place {
    const module = fields.span(LOCATED.module);
    const line = this.fields(fields.span(LOCATED.range)).number(LOCATED.startLine) + 1;
    return {
      module:
        module === undefined
          ? this.#module
          : this.lf.tables.dottedName(this.fields(module).number(LOCATED.name)),
      definition: this.#definition,
      line,
    };
  }

  #read(span: Span): Expression {
    const { number, inner, value } = sumOf(this.lf.payload, span);
    if (number === EXPR.var) return new forms.Variable(value);
    if (number === INTERNED) return this.#atIndex(value);
    if (number === 4) return builtin(value);
    if (number === 5) return new forms.Constant(CONSTANTS[value] ?? UNIT);
    if (number === 6) return new forms.Constant(literalOf(this.lf, inner));
    const read = FORMS[number];
    if (read === undefined) throw parseError('Expr.SUM_NOT_SET');
    return read(this, this.fields(inner), inner);
  }

  /** Decodes an abstraction, and combines it with the abstractions nested in its body. */
  abstraction(fields: Fields): Expression {
    const params = this.#params(fields);
    let body = fields.span(2);
    while (params.length < JOINED_MAX && body !== undefined) {
      const { number, inner } = this.#behindIndexes(body);
      if (number === EXPR.abs) params.push(...this.#params(this.fields(inner)));
      else if (number !== EXPR.tyAbs) break;
      body = this.fields(inner).span(2);
    }
    return new forms.Abstraction(params, this.expression(body));
  }

  #params(fields: Fields): number[] {
    return fields.spans(1).map((param) => this.fields(param).number(NAMED_TYPE.name));
  }

  /** Decodes an application, and combines it with the applications nested in its function. */
  application(fields: Fields): Expression {
    let args = fields.spans(2);
    let fun = fields.span(1);
    while (args.length < JOINED_MAX && fun !== undefined) {
      const { number, inner } = this.#behindIndexes(fun);
      if (number !== EXPR.app && number !== EXPR.tyApp) break;
      const parts = this.fields(inner);
      if (number === EXPR.app) args = [...parts.spans(2), ...args];
      fun = parts.span(1);
    }
    return forms.application(
      this.expression(fun),
      args.map((arg) => this.expression(arg)),
    );
  }

  #behindIndexes(span: Span): Sum {
    let sum = sumOf(this.lf.payload, span);
    while (sum.number === INTERNED) {
      const entry = this.#table.at(this.lf, sum.value);
      if (entry === undefined) throw parseError('Expr.SUM_NOT_SET');
      sum = sumOf(this.lf.payload, entry);
    }
    return sum;
  }

  binding(span: Span): Binding {
    const fields = this.fields(span);
    const name = this.fields(fields.span(1)).number(NAMED_TYPE.name);
    return { name, of: this.expression(fields.span(2)) };
  }

  branch(span: Span): Branch {
    const fields = this.fields(span);
    return { pattern: this.#pattern(fields), body: this.expression(fields.span(1)) };
  }

  #pattern(fields: Fields): Pattern {
    const inside = (field: number) => this.fields(fields.span(field));
    const has = (field: number) => fields.span(field) !== undefined;
    if (has(3)) {
      const of = inside(3);
      const rank = this.code.constructorRank(this.id(of.span(1)), this.text(of.number(2)));
      return forms.patterns.variant(rank, of.number(3));
    }
    if (fields.has(4)) return forms.patterns.constant(CONSTANTS[fields.number(4)] ?? UNIT);
    if (has(5)) return forms.patterns.nil();
    if (has(6)) return forms.patterns.cons(inside(6).number(1), inside(6).number(2));
    if (has(7)) return forms.patterns.none();
    if (has(8)) return forms.patterns.some(inside(8).number(1));
    if (has(9)) {
      const of = inside(9);
      const name = this.text(of.number(2));
      return forms.patterns.enum(this.code.constructorRank(this.id(of.span(1)), name));
    }
    return forms.patterns.any();
  }

  /** Decodes fields with expressions, by name. */
  named(spans: readonly Span[]): ReadonlyMap<string, Expression> {
    return new Map(
      spans.map((span) => {
        const fields = this.fields(span);
        return [this.text(fields.number(NAMED_TYPE.name)), this.expression(fields.span(2))];
      }),
    );
  }

  record(fields: Fields): Expression {
    const given = this.named(fields.spans(2));
    const names = this.code.fieldNames(this.constructedId(fields.span(1)));
    return forms.recordOf(names.map((name) => given.get(name) ?? missing(name)));
  }

  fieldIndex(con: Span | undefined, name: number): number {
    return this.code.fieldIndex(this.constructedId(con), this.text(name));
  }
}

function builtin(number: number): Expression {
  const found = builtinOf(number);
  return found.arity === 0
    ? { evaluate: (machine) => found.execute(machine, []) }
    : new forms.Constant(new Partial(found, []));
}

const missing = (name: string): never => {
  throw new TypeError(`the code of a package makes a record without ${name}`);
};

interface Sum {
  readonly number: number;
  /** The span of the embedded message, if the field holds one. */
  readonly inner: Span;
  readonly value: number;
}

/** Returns the kind and the content of an expression, without its source location. */
function sumOf(bytes: Uint8Array, { start, end }: Span): Sum {
  const cursor = new Cursor(bytes, start);
  let sum: Sum = { number: 0, inner: { start: end, end }, value: 0 };
  while (cursor.position < end) {
    const tag = cursor.varint(end);
    const number = tag >>> 3;
    if ((tag & 7) === VARINT) {
      sum = { number, inner: { start: end, end }, value: cursor.varint(end) };
    } else if ((tag & 7) === LENGTH_DELIMITED) {
      const to = cursor.length(end);
      const inner = { start: cursor.position, end: to };
      cursor.position = to;
      if (number !== LOCATION) sum = { number, inner, value: 0 };
    } else if ((tag & 7) === FIXED64) cursor.skip(8, end);
    else cursor.skipField(tag, end);
  }
  return sum;
}

/** Returns the entries of the table of expressions, which packages have from Daml-LF 2.2 on. */
function expressionsOf({ payload, tables }: LfPackage): Spans {
  const spans = new Spans();
  const cursor = new Cursor(payload, tables.start);
  while (cursor.position < tables.end) {
    const tag = cursor.varint(tables.end);
    if ((tag & 7) !== LENGTH_DELIMITED) {
      cursor.skipField(tag, tables.end);
      continue;
    }
    const to = cursor.length(tables.end);
    if (tag >>> 3 === PACKAGE.exprs) spans.add(cursor.position, to);
    cursor.position = to;
  }
  return spans;
}

/** The decoders of expressions, by their numbers in the Daml-LF format. Types are ignored. */
const FORMS: Readonly<Record<number, Read>> = {
  3: (reader, _fields, inner) => forms.valueOf(reader.id(inner), reader.code),
  7: (reader, fields) => reader.record(fields),
  8: (reader, fields) =>
    forms.projection(
      reader.fieldIndex(fields.span(1), fields.number(4)),
      reader.expression(fields.span(3)),
    ),
  9: (reader, fields) =>
    forms.recordUpdate(
      reader.fieldIndex(fields.span(1), fields.number(2)),
      reader.expression(fields.span(3)),
      reader.expression(fields.span(4)),
    ),
  10: (reader, fields) => {
    const tag = reader.text(fields.number(2));
    const rank = reader.code.constructorRank(reader.constructedId(fields.span(1)), tag);
    return forms.variantOf(tag, rank, reader.expression(fields.span(3)));
  },
  11: (reader, fields) => {
    const name = reader.text(fields.number(2));
    return forms.enumOf(name, reader.code.constructorRank(reader.id(fields.span(1)), name));
  },
  12: (reader, fields) => {
    const given = reader.named(fields.spans(1));
    return forms.structOf([...given.keys()], [...given.values()]);
  },
  13: (reader, fields) =>
    forms.structProjection(reader.text(fields.number(1)), reader.expression(fields.span(2))),
  14: (reader, fields) =>
    forms.structUpdate(
      reader.text(fields.number(1)),
      reader.expression(fields.span(2)),
      reader.expression(fields.span(3)),
    ),
  15: (reader, fields) => reader.application(fields),
  16: (reader, fields) => reader.expression(fields.span(1)),
  17: (reader, fields) => reader.abstraction(fields),
  18: (reader, fields) => reader.expression(fields.span(2)),
  19: (reader, fields) =>
    new forms.Case(
      reader.expression(fields.span(1)),
      fields.spans(2).map((span) => reader.branch(span)),
    ),
  20: (reader, fields) =>
    new forms.Let(
      fields.spans(1).map((span) => reader.binding(span)),
      reader.expression(fields.span(2)),
    ),
  21: () => new forms.Constant(NIL),
  22: (reader, fields) =>
    forms.consOf(
      fields.spans(2).map((span) => reader.expression(span)),
      reader.expression(fields.span(3)),
    ),
  23: (reader, fields) => readUpdate(reader, fields),
  25: () => new forms.Constant(NONE),
  26: (reader, fields) => forms.someOf(reader.expression(fields.span(2))),
  27: (reader, fields) =>
    forms.toAny(reader.type(fields.span(1)), reader.expression(fields.span(2))),
  28: (reader, fields) =>
    forms.fromAny(reader.type(fields.span(1)), reader.expression(fields.span(2))),
  29: (reader, _fields, inner) => forms.typeRep(reader.type(inner)),
  30: (reader, fields) =>
    forms.toAny(reader.type(fields.span(1)), reader.expression(fields.span(2))),
  31: (reader, fields) =>
    forms.fromAny(reader.type(fields.span(1)), reader.expression(fields.span(2))),
  32: (reader, fields) =>
    forms.thrown(reader.type(fields.span(2)), reader.expression(fields.span(3)), reader.code),
  ...interfaces.FORMS,
};
