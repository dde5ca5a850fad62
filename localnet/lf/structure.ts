import { isUtf8 } from 'node:buffer';
import { Cursor } from './cursor.ts';
import { duplicateName, parseError, TOO_DEEP, wireError } from './errors.ts';
import { checkNumber, checkNumeric, checkTimestamp } from './literals.ts';
import type { ListText } from './messages.ts';
import { packageMessage } from './schema.ts';
import type { Field, IndexKind, Message } from './schema.ts';
import { STABLE_PACKAGES } from './stable-packages.ts';
import { PACKAGE } from './tables.ts';
import type { Tables } from './tables.ts';

/*
 * Finds everything that a participant's reader would refuse, in one pass over the whole package, without storing its
 * contents.
 */

/**
 * The maximum nesting of messages that a participant accepts. From 2.2 on it is the limit of protobuf's own reader;
 * before, it is higher.
 */
const NESTING_MAX = { flat: 100, nested: 1000 } as const;
/** The first minor version with a table of expressions, and therefore with little nesting. */
const FLAT_MINOR = 2;
const BIT_OF_HIGH_FIELDS = 31;
const FIXED64_BYTES = 8;

/** Returns the IDs of all packages to which a package refers. Throws DAR_PARSE_ERROR. */
export function checkStructure(tables: Tables): ReadonlySet<string> {
  return new StructureCheck(tables).run();
}

class StructureCheck {
  readonly #cursor: Cursor;
  readonly #tables: Tables;
  readonly #nestingMax: number;
  readonly #packages = new Set<string>();
  readonly #next = { types: 0, kinds: 0, exprs: 0 };
  #typesBefore = 0;
  #kindsBefore = 0;
  #exprsBefore = 0;
  #isInExprs = false;
  /** The names of types, synonyms and values that the current module has defined so far. */
  #defined = new Set<string>();

  constructor(tables: Tables) {
    this.#cursor = new Cursor(tables.bytes, tables.start);
    this.#tables = tables;
    this.#nestingMax = tables.minor < FLAT_MINOR ? NESTING_MAX.nested : NESTING_MAX.flat;
  }

  run(): ReadonlySet<string> {
    const { end, imports } = this.#tables;
    this.#message(packageMessage(), end, 0);
    for (const imported of imports ?? []) this.#packages.add(imported);
    this.#tables.requireDottedNames();
    return this.#packages;
  }

  #message(message: Message, end: number, layer: number): void {
    if (layer > this.#nestingMax) throw wireError(TOO_DEEP);
    let seen = 0;
    let count = 0;
    while (this.#cursor.position < end) {
      const tag = this.#cursor.varint(end);
      const number = tag >>> 3;
      const field = message.fields[number] ?? message.rare.get(number);
      if (field === undefined || field.wireType !== (tag & 7)) {
        // The numbers of a list may also be written separately, instead of packed.
        if (field?.kind !== '#names' || (tag & 7) !== 0) throw unknownField(message, tag);
        this.#tables.requireName(this.#cursor.varint(end));
        continue;
      }
      if (field.since > this.#tables.minor) throw this.#unsupported(message, number);
      seen |= 1 << Math.min(number, BIT_OF_HIGH_FIELDS);
      if (number === message.counted) count += 1;
      if (layer === 0) this.#enter(number);
      this.#field(message, field, end, layer);
    }
    // A missing number counts as 0.
    if (message.defines !== 0 && (seen & (1 << message.defines)) === 0) this.#define(0);
    if (message.list !== undefined) this.#requireList(message.list, count);
    if ((seen & message.required) !== message.required) throw missing(message, seen);
    if (message.oneOf !== 0 && (seen & message.oneOf) === 0) throw parseError(message.notSet);
  }

  #field(of: Message, { kind, message }: Field, end: number, layer: number): void {
    const cursor = this.#cursor;
    // Messages are tested first, because most fields are messages. The most frequent kinds follow.
    if (message !== undefined) {
      this.#message(message, cursor.length(end), layer + 1);
      return;
    }
    switch (kind) {
      case '#name':
      case '#type':
      case '#dotted':
      case '#package':
      case '#expr':
      case '#text':
      case '#numeric':
      case '#packageId':
      case '#import':
      case '#kind':
      case '#defined':
        this.#index(kind, cursor.varint(end));
        return;
      case 'int':
        cursor.varint(end);
        return;
      case 'function':
      case 'con':
      case 'category':
      case 'date':
      case 'immediate':
        checkNumber(kind, cursor.varint(end), of.fullName, this.#tables.minor);
        return;
      case 'fixed64':
        cursor.skip(FIXED64_BYTES, end);
        return;
      case 'timestamp':
        cursor.skip(FIXED64_BYTES, end);
        checkTimestamp(cursor.bytes, cursor.position - FIXED64_BYTES);
        return;
      case 'text':
        this.#text(end);
        return;
      case 'message':
      case 'bytes':
        cursor.position = cursor.length(end);
        return;
      case '#names': {
        const inner = cursor.length(end);
        while (cursor.position < inner) this.#tables.requireName(cursor.varint(inner));
        return;
      }
      default:
        kind satisfies never;
    }
  }

  #index(kind: IndexKind, index: number): void {
    const tables = this.#tables;
    switch (kind) {
      case '#name':
        tables.requireName(index);
        return;
      case '#type':
        if (index >= this.#typesBefore) throw invalidIndex('internedTypes', index);
        return;
      case '#dotted':
        tables.requireDottedName(index);
        return;
      case '#defined':
        this.#define(index);
        return;
      case '#package':
        this.#packages.add(this.#packageNamedById(index));
        return;
      case '#packageId':
        tables.packageId(index);
        return;
      case '#expr':
        if (index < this.#exprsBefore) return;
        throw this.#isInExprs ? parseError(NOT_MONOTONIC) : invalidIndex('internedExprs', index);
      case '#text':
        tables.requireString(index);
        return;
      case '#numeric':
        checkNumeric(tables.string(index));
        return;
      case '#import':
        tables.importedPackage(index);
        return;
      case '#kind':
        if (index >= this.#kindsBefore) throw invalidIndex('internedKinds', index);
        return;
      default:
        kind satisfies never;
    }
  }

  /** Called before each field of the package itself. An entry of a table may refer only to earlier entries. */
  #enter(field: number): void {
    const { types, kinds, exprs } = this.#tables;
    this.#isInExprs = field === PACKAGE.exprs;
    if (field === PACKAGE.modules) this.#defined = new Set();
    this.#typesBefore = field === PACKAGE.types ? this.#next.types++ : types.length;
    this.#kindsBefore = field === PACKAGE.kinds ? this.#next.kinds++ : kinds.length;
    this.#exprsBefore = field === PACKAGE.exprs ? this.#next.exprs++ : exprs;
  }

  #define(index: number): void {
    const name = this.#tables.dottedName(index);
    if (this.#defined.has(name)) throw duplicateName();
    this.#defined.add(name);
  }

  /**
   * Returns the ID of a package that is given by ID. In versions that import packages by number, only stable packages
   * may be given by ID.
   */
  #packageNamedById(index: number): string {
    const id = this.#tables.packageId(index);
    const { minor } = this.#tables;
    if (minor < FLAT_MINOR || STABLE_PACKAGES.has(id)) return id;
    throw parseError(
      `Got explicit non-stable package id (${id}) on lf version (2.${minor}) that supports explicit package imports`,
    );
  }

  #requireList({ needed, flat }: ListText, count: number): void {
    if (needed !== undefined && count === 0) throw parseError(`Unexpected empty ${needed}`);
    if (flat === undefined || this.#tables.minor < FLAT_MINOR) return;
    const [most, name] = flat;
    if (count <= most) return;
    const expected =
      most === 0
        ? 'Since lf flattening is supported, expected a null list'
        : 'since lf flattening is supported, expected a single element for';
    throw parseError(
      `Illegal local flattening: ${expected} ${name}, but found ${count}, version 2.${this.#tables.minor}`,
    );
  }

  #unsupported(message: Message, field: number): Error {
    return parseError(
      `field ${field} of ${message.fullName} is not supported by Daml-LF 2.${this.#tables.minor}`,
    );
  }

  #text(end: number): void {
    const inner = this.#cursor.length(end);
    const start = this.#cursor.position;
    this.#cursor.position = inner;
    for (let at = start; at < inner; at += 1) {
      if ((this.#cursor.bytes[at] ?? 0) < 0x80) continue;
      if (isUtf8(this.#cursor.bytes.subarray(start, inner))) return;
      throw wireError('Protocol message had invalid UTF-8.');
    }
  }
}

const NOT_MONOTONIC =
  'Interned expression indexes not monotonic (interned expressions may only refer to interned expressions of smaller index)';

const invalidIndex = (table: string, index: number) =>
  parseError(`invalid ${table} table index ${index}`);

function unknownField(message: Message, tag: number): Error {
  const number = tag >>> 3;
  if (number === 0) return wireError('Protocol message contained an invalid tag (zero).');
  if ((tag & 7) > 5) return wireError('Protocol message tag had invalid wire type.');
  return parseError(
    `Message of type ${message.fullName} contains unknown field numbered ${number}`,
  );
}

/** Returns the error for a message that lacks a required field. A missing message counts as an empty one. */
function missing(message: Message, seen: number): Error {
  const absent = message.fields.find(
    (_field, number) => (message.required & ~seen & (1 << number)) !== 0 && number < 32,
  );
  let of = absent?.message;
  while (of !== undefined && of.notSet === '') {
    const inner: Field | undefined = of.fields.find((field) => field?.message !== undefined);
    of = inner?.message;
  }
  return parseError(of?.notSet ?? `${message.fullName} lacks a part`);
}
