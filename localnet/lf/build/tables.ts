import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { SELF } from './types.ts';
import type { Type } from './types.ts';

export type Bytes = Uint8Array<ArrayBuffer>;
export type Write = (writer: BinaryWriter) => unknown;

export function message(...writes: readonly Write[]): Bytes {
  const writer = new BinaryWriter();
  for (const write of writes) write(writer);
  return new Uint8Array(writer.finish());
}

export const part =
  (field: number, bytes: Uint8Array): Write =>
  (writer) =>
    writer.tag(field, WireType.LengthDelimited).bytes(bytes);
export const number =
  (field: number, value: number): Write =>
  (writer) =>
    writer.tag(field, WireType.Varint).int32(value);

const BUILTINS: Readonly<Record<string, number>> = {
  Unit: 0,
  Bool: 1,
  Int64: 2,
  Date: 3,
  Timestamp: 4,
  Numeric: 5,
  Party: 6,
  Text: 7,
  ContractId: 8,
  Optional: 9,
  List: 10,
  GenMap: 11,
  Arrow: 16,
  Update: 17,
  TextMap: 19,
};

/** The first minor version in which types are applied one at a time and packages are imported by number. */
const FLAT_MINOR = 2;

/** The tables of a package under construction. Each entry occurs only once. */
export class LfTables {
  readonly #minor: number;
  readonly #strings = new Map<string, number>();
  readonly #dotted = new Map<string, number>();
  readonly #types = new Map<string, number>();
  /** Like `#types`, but finds types by object identity, for types that occur repeatedly as the same object. */
  readonly #seenTypes = new Map<Type, number>();
  /** The bytes of references to types, which are reused for the same type. */
  readonly #references = new Map<Type, Bytes>();
  readonly #typeReferences: Bytes[] = [];
  readonly #dottedNames: Bytes[] = [];
  readonly #typeEntries: Bytes[] = [];
  readonly #imports: string[] = [];
  readonly #expressions: Bytes[] = [];

  constructor(minor: number) {
    this.#minor = minor;
  }

  string(of: string): number {
    const known = this.#strings.get(of) ?? this.#strings.size;
    this.#strings.set(of, known);
    return known;
  }

  dotted(name: string): number {
    const known = this.#dotted.get(name);
    if (known !== undefined) return known;
    const writer = new BinaryWriter();
    for (const segment of name.split('.')) writer.uint32(this.string(segment));
    this.#dottedNames.push(message(part(1, writer.finish())));
    this.#dotted.set(name, this.#dottedNames.length - 1);
    return this.#dottedNames.length - 1;
  }

  /** Adds an expression to the table. Returns its index. */
  expression(entry: Bytes): number {
    return this.#expressions.push(entry) - 1;
  }

  /** Returns the encoded reference to a type, for code that is outside the table of types. */
  typeReference(type: Type): Bytes {
    const index = this.#type(type);
    this.#typeReferences[index] ??= message(number(8, index));
    return this.#typeReferences[index];
  }

  /** Returns a reference to the name of a data type or an interface. */
  reference(type: Type): Bytes {
    const made = this.#references.get(type) ?? this.#makeReference(type);
    this.#references.set(type, made);
    return made;
  }

  #makeReference(type: Type): Bytes {
    if (type.kind !== 'con' && type.kind !== 'synonym')
      throw new TypeError(`${type.kind} has no name`);
    const { packageId, module, name } = type.id;
    const of = message(part(1, this.#package(packageId)), number(2, this.dotted(module)));
    return message(part(1, of), number(2, this.dotted(name)));
  }

  #package(packageId: string): Bytes {
    if (packageId === SELF) return message(part(1, message()));
    if (this.#minor < FLAT_MINOR) return message(number(3, this.string(packageId)));
    if (!this.#imports.includes(packageId)) this.#imports.push(packageId);
    return message(number(4, this.#imports.indexOf(packageId)));
  }

  #type(type: Type): number {
    const seen = this.#seenTypes.get(type);
    if (seen !== undefined) return seen;
    const index = this.#typeAlike(type);
    this.#seenTypes.set(type, index);
    return index;
  }

  #typeAlike(type: Type): number {
    const key = JSON.stringify(type);
    const known = this.#types.get(key);
    if (known !== undefined) return known;
    const entry = this.#typeEntry(type);
    this.#typeEntries.push(entry);
    this.#types.set(key, this.#typeEntries.length - 1);
    return this.#typeEntries.length - 1;
  }

  #typeEntry(type: Type): Bytes {
    const args: Type[] = [];
    let head = type;
    if (type.kind === 'app' && this.#minor >= FLAT_MINOR) {
      const [fun, arg] = [this.typeReference(type.fun), this.typeReference(type.arg)];
      return message(part(9, message(part(1, fun), part(2, arg))));
    }
    while (head.kind === 'app') {
      args.unshift(head.arg);
      head = head.fun;
    }
    const applied = args.map((arg) => part(2, this.typeReference(arg)));
    switch (head.kind) {
      case 'var':
        return message(part(1, message(number(3, this.string(head.name)), ...applied)));
      case 'con':
        return message(part(2, message(part(1, this.reference(head)), ...applied)));
      case 'builtin':
        return message(part(3, message(number(1, BUILTINS[head.builtin] ?? -1), ...applied)));
      case 'nat': {
        const { value } = head;
        return message((writer) => writer.tag(6, WireType.Varint).sint64(value));
      }
      case 'synonym':
        return message(part(7, message(part(1, this.reference(head)), ...applied)));
      case 'forall':
      case 'struct':
        throw new TypeError(`${head.kind} is not made here`);
      default:
        return head satisfies never;
    }
  }

  write(): Write {
    return (writer) => {
      for (const text of this.#strings.keys()) writer.tag(2, WireType.LengthDelimited).string(text);
      for (const name of this.#dottedNames) part(3, name)(writer);
      for (const type of this.#typeEntries) part(5, type)(writer);
      if (this.#minor < FLAT_MINOR) return;
      for (const expression of this.#expressions) part(7, expression)(writer);
      const imports = message(
        ...this.#imports.map(
          (id): Write =>
            (of) =>
              of.tag(1, WireType.LengthDelimited).string(id),
        ),
      );
      part(9, imports)(writer);
    };
  }
}
