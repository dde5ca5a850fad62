/*
 * Terms
 * - LF type:  a description, at run time, of a Daml-LF type. Everything that reads or writes a value does so by one of
 *             these: argument checks, the label rule, numeric scale, trailing optionals, JSON, protobuf.
 * - LF value: the plain JavaScript value that a type describes. It carries no tags, so contract code reads naturally.
 *
 *   LF type        value
 *   unit           {}
 *   bool           boolean
 *   int64          bigint, 64 bits
 *   date           number, days since 1970-01-01
 *   timestamp      bigint, microseconds since 1970-01-01T00:00:00Z
 *   numeric n      string in canonical form, always n digits after the point
 *   party, text    string
 *   contract id    string, lower-case hex
 *   optional       null for None, { some: value } for Some
 *   list           array
 *   text map       Map, keys in order of their UTF-8 bytes
 *   gen map        array of [key, value]
 *   record         object by field name
 *   variant        { tag, value }
 *   enum           string
 */

/** The name of a record, variant, enum, template or interface within a package. */
export interface TypeName {
  readonly packageName: string;
  readonly module: string;
  readonly entity: string;
}

export interface RecordField {
  readonly name: string;
  readonly type: LfType;
}

/** The forms of LF types. Optional fields at the end of a record may be missing in input, and are omitted in output. */
type LfShape =
  | { readonly kind: 'unit' | 'bool' | 'int64' | 'date' | 'timestamp' | 'party' | 'text' }
  | { readonly kind: 'numeric'; readonly scale: number }
  | {
      readonly kind: 'contractId';
      /** The template or interface of the contracts that the ID may refer to; if absent, they may have any type. */
      readonly of?: TypeName;
    }
  | { readonly kind: 'optional'; readonly of: LfType }
  | { readonly kind: 'list'; readonly of: LfType }
  | { readonly kind: 'textMap'; readonly of: LfType }
  | { readonly kind: 'genMap'; readonly key: LfType; readonly value: LfType }
  | { readonly kind: 'record'; readonly name: TypeName; readonly fields: readonly RecordField[] }
  | {
      readonly kind: 'variant';
      readonly name: TypeName;
      readonly constructors: readonly RecordField[];
    }
  | { readonly kind: 'enum'; readonly name: TypeName; readonly constructors: readonly string[] };

declare const valueType: unique symbol;

/** An LF type whose values have the TypeScript type `T`. The symbol property exists at compile time only. */
export type LfType<T = unknown> = LfShape & { readonly [valueType]?: T };

/** The TypeScript type of an LF type's values. */
export type LfValue<L> = L extends { readonly [valueType]?: infer T } ? T : never;

export type Unit = Readonly<Record<string, never>>;
export type Optional<T> = { readonly some: T } | null;
export const UNIT: Unit = Object.freeze({});

export const unit: LfType<Unit> = { kind: 'unit' };
export const bool: LfType<boolean> = { kind: 'bool' };
export const int64: LfType<bigint> = { kind: 'int64' };
export const date: LfType<number> = { kind: 'date' };
export const timestamp: LfType<bigint> = { kind: 'timestamp' };
export const party: LfType<string> = { kind: 'party' };
export const text: LfType<string> = { kind: 'text' };
export const contractId: LfType<string> = { kind: 'contractId' };
/** Returns the type of IDs of contracts of one template or interface. */
export const contractIdOf = (of: TypeName): LfType<string> => ({ kind: 'contractId', of });
/** Returns the numeric type with `scale` digits after the point. Daml's `Decimal` has scale 10. */
export const numeric = (scale: number): LfType<string> => ({ kind: 'numeric', scale });
export const optional = <T>(of: LfType<T>): LfType<Optional<T>> => ({ kind: 'optional', of });
export const list = <T>(of: LfType<T>): LfType<readonly T[]> => ({ kind: 'list', of });
export const textMap = <T>(of: LfType<T>): LfType<ReadonlyMap<string, T>> => ({
  kind: 'textMap',
  of,
});
export const genMap = <K, V>(
  key: LfType<K>,
  value: LfType<V>,
): LfType<readonly (readonly [K, V])[]> => ({ kind: 'genMap', key, value });

export type FieldTypes = Readonly<Record<string, LfType>>;
export type RecordValue<F extends FieldTypes> = { readonly [K in keyof F]: LfValue<F[K]> };
export type VariantValue<C extends FieldTypes> = {
  readonly [K in keyof C & string]: { readonly tag: K; readonly value: LfValue<C[K]> };
}[keyof C & string];

const fieldList = (fields: FieldTypes): readonly RecordField[] =>
  Object.entries(fields).map(([name, type]) => ({ name, type }));

/** Returns a record type. The order of `fields` is the order of declaration, which is also the order on the wire. */
export const record = <F extends FieldTypes>(
  name: TypeName,
  fields: F,
): LfType<RecordValue<F>> & { readonly kind: 'record' } => ({
  kind: 'record',
  name,
  fields: fieldList(fields),
});

export const variant = <C extends FieldTypes>(
  name: TypeName,
  constructors: C,
): LfType<VariantValue<C>> & { readonly kind: 'variant' } => ({
  kind: 'variant',
  name,
  constructors: fieldList(constructors),
});

/** Returns a variant type in which some constructors hold values of the variant itself. */
export function recursiveVariant<T>(
  name: TypeName,
  constructorsOf: (self: LfType<T>) => FieldTypes,
): LfType<T> & { readonly kind: 'variant' } {
  const constructors: RecordField[] = [];
  const self: LfType<T> & { readonly kind: 'variant' } = { kind: 'variant', name, constructors };
  constructors.push(...fieldList(constructorsOf(self)));
  return self;
}

export const enumeration = <C extends string>(
  name: TypeName,
  constructors: readonly C[],
): LfType<C> & { readonly kind: 'enum' } => ({ kind: 'enum', name, constructors });
