import { beginningOf } from '../../ledger/lf-json.ts';
import type { Json } from '../../ledger/lf-json.ts';
import type { SchemaNames, JsonSchema } from './schema.ts';
import type { ValueCodec } from './value-codec.ts';

/*
 * A shape defines the JSON form of a protobuf message, or of a part of one: it can read the JSON, write it, and
 * describe it. Reading collects all errors, with the messages of a participant's JSON library, before the body is
 * refused.
 */

export type JsonObject = Readonly<Record<string, Json>>;

/**
 * The maximum number of reported errors. A body of many small items may contain an error in each, and an answer with
 * all of them would be many times as long as the body.
 */
const DEFECTS_MAX = 100;

/** The current position in the JSON, and the errors that have been found so far. */
export class Reader {
  readonly #path: string;
  readonly #defects: string[];

  constructor(path = '', defects: string[] = []) {
    this.#path = path;
    this.#defects = defects;
  }

  get defects(): readonly string[] {
    return this.#defects;
  }

  key(name: string): Reader {
    return new Reader(this.#path === '' ? name : `${this.#path}.${name}`, this.#defects);
  }

  item(index: number): Reader {
    return new Reader(`${this.#path}[${index}]`, this.#defects);
  }

  /** Records an error at this position. The return value is never used. */
  fail(message: string): never {
    if (this.#defects.length < DEFECTS_MAX) {
      this.#defects.push(this.#path === '' ? message : `${message} at '${this.#path}'`);
    }
    return undefined as never;
  }

  wrongType(json: Json, expected: string): never {
    return this.fail(`Got value '${beginningOf(json)}' with wrong type, expecting ${expected}`);
  }
}

export interface Shape<T> {
  read(json: Json, at: Reader): T;
  /** Returns the JSON of a value. A value that the service omitted is written as its default. */
  write(value: T | undefined, values: ValueCodec): Json;
  /** The default for a key that is missing or `null`. If there is no default, the key is required. */
  readonly absent?: { readonly value: T };
  /** Whether the key may be omitted from an object whose other keys are required. */
  readonly isOptional?: boolean;
  schema(names: SchemaNames): JsonSchema;
}

export const text: Shape<string> = {
  read: (json, at) => (typeof json === 'string' ? json : at.wrongType(json, 'string')),
  write: (value = '') => value,
  absent: { value: '' },
  schema: () => ({ type: 'string' }),
};

export const flag: Shape<boolean> = {
  read: (json, at) => (typeof json === 'boolean' ? json : at.wrongType(json, `'true' or 'false'`)),
  write: (value = false) => value,
  absent: { value: false },
  schema: () => ({ type: 'boolean' }),
};

const INT_MAX = 2 ** 31 - 1;
const isInteger = (json: Json): json is number | string =>
  Number.isInteger(json) || (typeof json === 'string' && /^-?\d{1,19}$/.test(json));

/** An integer of 32 bits. */
export const int: Shape<number> = {
  read: (json, at) => {
    const value = isInteger(json) ? Number(json) : Infinity;
    return Math.abs(value) <= INT_MAX ? value : at.fail('Int');
  },
  write: (value = 0) => value,
  absent: { value: 0 },
  schema: () => ({ type: 'integer', format: 'int32' }),
};

/**
 * A 64-bit integer, as a JSON number. A string is accepted too, because the numbers of some clients cannot represent
 * all 64-bit integers.
 */
export const long: Shape<bigint> = {
  read: (json, at) => {
    if (!isInteger(json)) return at.fail('Long');
    const value = BigInt(json);
    return BigInt.asIntN(64, value) === value ? value : at.fail('Long');
  },
  write: (value = 0n) => longJson(value),
  absent: { value: 0n },
  schema: () => ({ type: 'integer', format: 'int64' }),
};

declare global {
  /** The method of the ECMAScript proposal "JSON.parse source text access", which TypeScript does not declare yet. */
  interface JSON {
    rawJSON(text: string): object;
  }
}

function longJson(value: bigint): Json {
  const near = Number(value);
  // The number is written exactly, not as the nearest double.
  return Number.isSafeInteger(near) ? near : (JSON.rawJSON(value.toString()) as unknown as Json);
}

const TEXT_SHOWN_CHARS = 200;
const NOT_BASE64 = /[^A-Za-z0-9+/]/;

/**
 * Returns whether a text is base64, with or without padding. The check uses no regular expression with a repeated
 * group, because such an expression fails for texts as long as a file.
 */
function isBase64(text: string): boolean {
  const digits = text.replace(/={1,2}$/, '');
  if (NOT_BASE64.test(digits) || digits.length % 4 === 1) return false;
  return digits.length === text.length || text.length % 4 === 0;
}

export const bytes: Shape<Uint8Array> = {
  read: (json, at) => {
    if (typeof json !== 'string') return at.wrongType(json, 'string');
    if (!isBase64(json)) {
      return at.fail(`The string is not a valid Base64: ${json.slice(0, TEXT_SHOWN_CHARS)}`);
    }
    return new Uint8Array(Buffer.from(json, 'base64'));
  },
  write: (value) => (value === undefined ? '' : Buffer.from(value).toString('base64')),
  absent: { value: new Uint8Array() },
  schema: () => ({ type: 'string' }),
};

/** Any JSON, unchanged. */
export const anyJson: Shape<Json> = {
  read: (json) => json,
  write: (value = null) => value,
  schema: () => ({}),
};

export const optional = <T>(of: Shape<T>): Shape<T | undefined> => ({
  read: (json, at) => (json === null ? undefined : of.read(json, at)),
  write: (value, values) => (value === undefined ? null : of.write(value, values)),
  absent: { value: undefined },
  isOptional: true,
  schema: (names) => of.schema(names),
});

/** Makes the key of this shape optional in a {@link record}. */
export const defaulted = <T>(of: Shape<T>, value?: T): Shape<T> => {
  const absent = value === undefined ? of.absent : { value };
  if (absent === undefined) throw new TypeError('the shape has no default');
  return { ...of, absent, isOptional: true };
};

export const list = <T>(of: Shape<T>): Shape<T[]> => ({
  read: (json, at) =>
    Array.isArray(json)
      ? (json as readonly Json[]).map((item, index) => of.read(item, at.item(index)))
      : at.wrongType(json, 'array'),
  write: (value, values) => (value ?? []).map((item) => of.write(item, values)),
  absent: { value: [] },
  schema: (names) => ({ type: 'array', items: of.schema(names) }),
});

export const isObject = (json: Json | undefined): json is JsonObject =>
  typeof json === 'object' && json !== null && !Array.isArray(json);

/** An object whose keys are data, so that keys such as `__proto__` must have no special meaning. */
export const map = <T>(of: Shape<T>): Shape<Record<string, T>> => ({
  read: (json, at) => {
    if (!isObject(json)) return at.wrongType(json, 'object');
    const entries = Object.entries(json).map(([key, item]) => [key, of.read(item, at.key(key))]);
    return Object.fromEntries(entries) as Record<string, T>;
  },
  write: (value, values) => {
    const entries = Object.entries(value ?? {});
    return Object.fromEntries(entries.map(([key, item]) => [key, of.write(item, values)]));
  },
  absent: { value: {} },
  schema: (names) => ({ type: 'object', additionalProperties: of.schema(names) }),
});

/** A protobuf enum. In JSON a value is its name: a prefix, and the name of the generated constant. */
export function enumeration<N extends number>(
  prefix: string,
  constants: Readonly<Record<string, N>>,
): Shape<N> {
  const entries = Object.entries(constants).filter(([, value]) => value >= 0);
  const byName = new Map(entries.map(([name, value]) => [`${prefix}_${name}`, value]));
  const byValue = new Map(Array.from(byName, ([name, value]) => [value, name]));
  const names = [...byName.keys()];
  return {
    read: (json, at) => {
      if (typeof json !== 'string') return at.wrongType(json, 'string');
      const found = json === UNRECOGNIZED ? constants[UNRECOGNIZED] : byName.get(json);
      if (found !== undefined) return found;
      return at.fail(`Unrecognized enum value ${json}. Supported values: [${names.join(', ')}]`);
    },
    write: (value) => byValue.get(value ?? (0 as N)) ?? UNRECOGNIZED,
    schema: () => ({ type: 'string', enum: names }),
  };
}

const UNRECOGNIZED = 'UNRECOGNIZED';

/** The JSON that a participant's library writes if a message has no value for an enum. */
const ABSENT_ENUM: Json = { Unrecognized: { unrecognizedValue: 0 } };

type FieldShapes<T> = { readonly [K in keyof T]-?: Shape<T[K]> };

/** Fields without static types, because their types were already checked where the shape was declared. */
type Fields = readonly (readonly [string, Shape<unknown>])[];

/** Reads an object's fields by key. Unknown keys are ignored. */
const readFields = (
  fields: Fields,
  json: Json,
  at: Reader,
  absentOf: (name: string, shape: Shape<unknown>) => unknown,
): unknown => {
  if (!isObject(json)) return at.wrongType(json, 'object');
  const read: Record<string, unknown> = {};
  for (const [name, shape] of fields) {
    const given = Object.hasOwn(json, name) ? json[name] : undefined;
    const isAbsent = given === undefined || (given === null && shape.absent !== undefined);
    read[name] = isAbsent ? absentOf(name, shape) : shape.read(given, at.key(name));
  }
  return read;
};

const writeFields = (fields: Fields, value: unknown, values: ValueCodec): Json => {
  const given = (value ?? {}) as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    fields.map(([name, shape]) => [name, shape.write(given[name], values)]),
  );
};

const objectSchema = (
  fields: Fields,
  names: SchemaNames,
  isRequired: (shape: Shape<unknown>) => boolean,
): JsonSchema => {
  const required = fields.filter(([, shape]) => isRequired(shape)).map(([name]) => name);
  return {
    type: 'object',
    ...(required.length === 0 ? {} : { required }),
    properties: Object.fromEntries(fields.map(([name, shape]) => [name, shape.schema(names)])),
  };
};

/**
 * A protobuf message. Every field may be omitted, as on the wire, except enums, for which a participant's JSON library
 * has no default.
 */
export function message<T, Hidden extends keyof T = never>(
  name: string,
  shapes: FieldShapes<Omit<T, Hidden>>,
): Shape<T> {
  const fields = Object.entries(shapes) as unknown as Fields;
  return {
    read: (json, at) =>
      readFields(fields, json, at, (key, shape) => {
        if (shape.absent !== undefined) return shape.absent.value;
        return shape.read(ABSENT_ENUM, at.key(key));
      }) as T,
    write: (value, values) => writeFields(fields, value, values),
    schema: (names) =>
      names.component(name, () =>
        objectSchema(fields, names, ({ absent }) => absent === undefined),
      ),
  };
}

/**
 * An object that only the JSON API has, or a message whose keys the JSON API requires. Only optional keys may be
 * omitted.
 */
export function record<T, Hidden extends keyof T = never>(
  name: string,
  shapes: FieldShapes<Omit<T, Hidden>>,
): Shape<T> {
  const fields = Object.entries(shapes) as unknown as Fields;
  const mayBeAbsent = ({ isOptional }: Shape<unknown>) => isOptional === true;
  return {
    read: (json, at) =>
      readFields(fields, json, at, (key, shape) =>
        mayBeAbsent(shape) ? shape.absent?.value : at.key(key).fail('Missing required field'),
      ) as T,
    write: (value, values) => writeFields(fields, value, values),
    schema: (names) =>
      names.component(name, () => objectSchema(fields, names, (shape) => !mayBeAbsent(shape))),
  };
}

/** One case of a oneof: its key, and whether its content is wrapped in `{value}`. */
export interface Case<T> {
  readonly key: string;
  readonly shape: Shape<T>;
  readonly isBare?: boolean;
}

/** A case without the `{value}` wrapper. */
export const bare = <T>(key: string, shape: Shape<T>): Case<T> => ({ key, shape, isBare: true });

type Oneof = { readonly $case: string; readonly value: unknown };
type CaseValue<O extends Oneof, K> = Extract<O, { readonly $case: K }>['value'];
type CaseShapes<O extends Oneof> = {
  readonly [K in O['$case']]: Shape<CaseValue<O, K>> | Case<CaseValue<O, K>>;
};

const isCase = (given: Shape<unknown> | Case<unknown>): given is Case<unknown> => 'key' in given;
const capitalised = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

/**
 * A protobuf oneof: `{<Case>: {value: …}}`, or `{Empty: {}}` if no case is set. If several cases are given, the first
 * by name is used.
 *
 * @param options the name of the empty case; `null` means that a case is required
 */
export function oneOf<O extends Oneof>(
  shapes: CaseShapes<O>,
  options: { readonly empty: string | null } = { empty: 'Empty' },
): Shape<O | undefined> {
  const entries = Object.entries<Shape<unknown> | Case<unknown>>(shapes);
  const cases = entries
    .map(([name, given]) => ({
      name,
      ...(isCase(given) ? given : { key: capitalised(name), shape: given }),
    }))
    .sort((one, other) => (one.key < other.key ? -1 : 1));
  const { empty } = options;
  return {
    read: (json, at) => {
      if (!isObject(json)) return at.fail('JSON decoding to CNil should never happen');
      const found = cases.find(({ key }) => Object.hasOwn(json, key));
      if (found === undefined) {
        if (empty !== null && Object.hasOwn(json, empty)) return undefined;
        return at.fail('JSON decoding to CNil should never happen');
      }
      const value = readCase(found, json[found.key] ?? null, at.key(found.key));
      return { $case: found.name, value } as unknown as O;
    },
    write: (value, values) => {
      const found = cases.find(({ name }) => name === value?.$case);
      if (found === undefined) return { [empty ?? 'Empty']: {} };
      const inner = found.shape.write(value?.value, values);
      return { [found.key]: found.isBare === true ? inner : { value: inner } };
    },
    ...(empty === null ? {} : { absent: { value: undefined } }),
    schema: (names) => ({
      oneOf: [
        ...(empty === null ? [] : [caseSchema(empty, { type: 'object' })]),
        ...cases.map(({ key, shape, isBare }) =>
          caseSchema(key, isBare === true ? shape.schema(names) : valueSchema(shape.schema(names))),
        ),
      ],
    }),
  };
}

function readCase({ shape, isBare }: Case<unknown>, json: Json, at: Reader): unknown {
  if (isBare === true) return shape.read(json, at);
  if (!isObject(json)) return at.wrongType(json, 'object');
  const { value } = json;
  if (value !== undefined) return shape.read(value, at.key('value'));
  if (shape.absent !== undefined) return shape.absent.value;
  return at.key('value').fail('Missing required field');
}

const caseSchema = (key: string, of: JsonSchema): JsonSchema => ({
  type: 'object',
  required: [key],
  properties: { [key]: of },
});

const valueSchema = (of: JsonSchema): JsonSchema => ({
  type: 'object',
  required: ['value'],
  properties: { value: of },
});

/** Returns a shape that first converts a value of a service's answer to the JSON API's form, and then writes it. */
export const writtenAs = <T, U>(
  shape: Shape<U>,
  toShape: (value: T, values: ValueCodec) => U,
): Shape<T> => ({
  read: () => {
    throw new TypeError('the shape is for answers only');
  },
  write: (value, values) =>
    shape.write(value === undefined ? undefined : toShape(value, values), values),
  schema: (names) => shape.schema(names),
});
