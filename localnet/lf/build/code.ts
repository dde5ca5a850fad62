import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { message, number, part } from './tables.ts';
import type { Bytes, LfTables, Write } from './tables.ts';
import { text as textType, unit as unitType } from './types.ts';
import type { Type } from './types.ts';

/*
 * Expressions of assembled packages. Each is a function that writes the expression once the tables of its package
 * exist.
 */

export type Code = (tables: LfTables) => Bytes;

/** Returns an expression of one kind, given by its field number and its contents. */
const form =
  (field: number, ...writes: readonly ((tables: LfTables) => Write)[]): Code =>
  (tables) =>
    message(part(field, message(...writes.map((write) => write(tables)))));

const sub =
  (field: number, code: Code) =>
  (tables: LfTables): Write =>
    part(field, code(tables));
const name =
  (field: number, of: string) =>
  (tables: LfTables): Write =>
    number(field, tables.string(of));
const ofType =
  (field: number, type: Type) =>
  (tables: LfTables): Write =>
    part(field, tables.typeReference(type));
const reference =
  (field: number, type: Type) =>
  (tables: LfTables): Write =>
    part(field, tables.reference(type));
/** Returns a type constructor in the form that records and variants use. */
const constructed =
  (field: number, type: Type) =>
  (tables: LfTables): Write =>
    part(field, message(part(1, tables.reference(type))));
const inside =
  (field: number, ...writes: readonly ((tables: LfTables) => Write)[]) =>
  (tables: LfTables): Write =>
    part(field, message(...writes.map((write) => write(tables))));
const each =
  <T>(items: readonly T[], write: (item: T) => (tables: LfTables) => Write) =>
  (tables: LfTables): Write => {
    const writes = items.map((item) => write(item)(tables));
    return (writer) => writes.forEach((of) => of(writer));
  };

export const variable =
  (of: string): Code =>
  (tables) =>
    message(number(2, tables.string(of)));
export const value =
  (of: Type): Code =>
  (tables) =>
    message(part(3, tables.reference(of)));
export const builtin =
  (of: number): Code =>
  () =>
    message(number(4, of));
const constant =
  (of: number): Code =>
  () =>
    message(number(5, of));
export const unitValue = constant(0);
export const falseValue = constant(1);
export const trueValue = constant(2);

export const int64 =
  (of: bigint): Code =>
  () =>
    message(
      part(
        6,
        message((writer) => writer.tag(1, WireType.Varint).sint64(of.toString())),
      ),
    );
export const timestamp =
  (micros: bigint): Code =>
  () =>
    message(
      part(
        6,
        message((writer) => writer.tag(2, WireType.Bit64).sfixed64(micros.toString())),
      ),
    );
export const numeric = (of: string): Code => form(6, name(3, of));
export const text = (of: string): Code => form(6, name(4, of));
export const date = (days: number): Code => form(6, () => number(5, days));
export const category = (of: 0 | 1): Code => form(6, () => number(6, of));

type Named = Readonly<Record<string, Code>>;
const fields = (field: number, of: Named) =>
  each(Object.entries(of), ([key, code]) => inside(field, name(3, key), sub(2, code)));

export const record = (type: Type, of: Named): Code => form(7, constructed(1, type), fields(2, of));
export const project = (type: Type, field: string, of: Code): Code =>
  form(8, constructed(1, type), name(4, field), sub(3, of));
export const recordUpdate = (type: Type, field: string, of: Code, to: Code): Code =>
  form(9, constructed(1, type), name(2, field), sub(3, of), sub(4, to));
export const variant = (type: Type, tag: string, of: Code): Code =>
  form(10, constructed(1, type), name(2, tag), sub(3, of));
export const enumValue = (type: Type, of: string): Code =>
  form(11, reference(1, type), name(2, of));
export const struct = (of: Named): Code => form(12, fields(1, of));
export const structProject = (field: string, of: Code): Code =>
  form(13, name(1, field), sub(2, of));
export const structUpdate = (field: string, of: Code, to: Code): Code =>
  form(14, name(1, field), sub(2, of), sub(3, to));
export const apply = (fun: Code, ...args: readonly Code[]): Code =>
  form(
    15,
    sub(1, fun),
    each(args, (arg) => sub(2, arg)),
  );
export const typeApply = (of: Code, type: Type): Code => form(16, sub(1, of), ofType(2, type));

const binder = (field: number, of: string) => inside(field, name(3, of), ofType(2, unitType));

/** Returns a function with one or several parameters. The types of parameters are not checked. */
export const lambda = (params: readonly string[], body: Code): Code =>
  params.reduceRight((inner, param) => form(17, binder(1, param), sub(2, inner)), body);

/** The pattern of a branch of a case expression. */
export type PatternCode = (tables: LfTables) => Write;
const alternative = (field: number, ...writes: readonly PatternCode[]): PatternCode =>
  inside(field, ...writes);
export const patterns = {
  any: alternative(2),
  variant: (type: Type, tag: string, as: string): PatternCode =>
    alternative(3, reference(1, type), name(2, tag), name(3, as)),
  true: (() => number(4, 2)) as PatternCode,
  false: (() => number(4, 1)) as PatternCode,
  unit: (() => number(4, 0)) as PatternCode,
  nil: alternative(5),
  cons: (head: string, tail: string): PatternCode => alternative(6, name(1, head), name(2, tail)),
  none: alternative(7),
  some: (as: string): PatternCode => alternative(8, name(1, as)),
  enum: (type: Type, of: string): PatternCode => alternative(9, reference(1, type), name(2, of)),
} as const;

export const match = (
  of: Code,
  ...branches: readonly (readonly [pattern: PatternCode, body: Code])[]
): Code =>
  form(
    19,
    sub(1, of),
    each(branches, ([pattern, body]) => inside(2, pattern, sub(1, body))),
  );

const bindings = (of: Named) =>
  each(Object.entries(of), ([key, code]) => inside(1, binder(1, key), sub(2, code)));
export const letIn = (of: Named, body: Code): Code => form(20, bindings(of), sub(2, body));

export const nil: Code = form(21, ofType(1, unitType));
export const cons = (front: readonly Code[], tail: Code = nil): Code =>
  front.length === 0
    ? tail
    : form(
        22,
        ofType(1, unitType),
        each(front, (item) => sub(2, item)),
        sub(3, tail),
      );
export const none: Code = form(25, ofType(1, unitType));
export const some = (of: Code): Code => form(26, ofType(1, unitType), sub(2, of));
export const toAny = (type: Type, of: Code): Code => form(27, ofType(1, type), sub(2, of));
export const fromAny = (type: Type, of: Code): Code => form(28, ofType(1, type), sub(2, of));
export const typeRep =
  (type: Type): Code =>
  (tables) =>
    message(part(29, tables.typeReference(type)));
export const toAnyException = (type: Type, of: Code): Code => form(30, ofType(1, type), sub(2, of));
export const fromAnyException = (type: Type, of: Code): Code =>
  form(31, ofType(1, type), sub(2, of));
export const raise = (type: Type, of: Code): Code =>
  form(32, ofType(1, unitType), ofType(2, type), sub(3, of));

export const toInterface = (iface: Type, template: Type, of: Code): Code =>
  form(33, reference(1, iface), reference(2, template), sub(3, of));
export const fromInterface = (iface: Type, template: Type, of: Code): Code =>
  form(34, reference(1, iface), reference(2, template), sub(3, of));
export const callInterface = (iface: Type, method: string, of: Code): Code =>
  form(35, reference(1, iface), name(2, method), sub(3, of));
/** Returns a function that makes expressions of an interface and a value of this interface. */
const ofInterface =
  (field: number) =>
  (iface: Type, of: Code): Code =>
    form(field, reference(1, iface), sub(2, of));
export const signatoryInterface = ofInterface(36);
export const observerInterface = ofInterface(37);
export const viewInterface = ofInterface(38);
export const interfaceTemplate = ofInterface(40);
export const unsafeFromInterface = (iface: Type, template: Type, id: Code, of: Code): Code =>
  form(39, reference(1, iface), reference(2, template), sub(3, id), sub(4, of));
export const toRequired = (required: Type, requiring: Type, of: Code): Code =>
  form(41, reference(1, required), reference(2, requiring), sub(3, of));
export const fromRequired = (required: Type, requiring: Type, of: Code): Code =>
  form(42, reference(1, required), reference(2, requiring), sub(3, of));
export const unsafeFromRequired = (required: Type, requiring: Type, id: Code, of: Code): Code =>
  form(43, reference(1, required), reference(2, requiring), sub(3, id), sub(4, of));

/** Returns the code of an update action. The kind of action is given by its field number. */
const updating = (field: number, ...writes: readonly ((tables: LfTables) => Write)[]): Code =>
  form(23, inside(field, ...writes));

export const pure = (of: Code): Code => updating(1, ofType(1, unitType), sub(2, of));
/** Performs updates in order, binds each result to a name, and performs the last update. */
export const block = (of: Named, last: Code): Code => updating(2, bindings(of), sub(2, last));
export const create = (template: Type, of: Code): Code =>
  updating(3, reference(1, template), sub(2, of));
export const createInterface = (iface: Type, of: Code): Code =>
  updating(12, reference(1, iface), sub(2, of));
export const exercise = (template: Type, choice: string, id: Code, argument: Code): Code =>
  updating(4, reference(1, template), name(6, choice), sub(3, id), sub(5, argument));
export const exerciseInterface = (iface: Type, choice: string, id: Code, argument: Code): Code =>
  updating(13, reference(1, iface), name(2, choice), sub(3, id), sub(4, argument));
export const fetch = (template: Type, id: Code): Code =>
  updating(5, reference(1, template), sub(2, id));
export const fetchInterface = (iface: Type, id: Code): Code =>
  updating(14, reference(1, iface), sub(2, id));
export const getTime: Code = updating(6);
export const embed = (of: Code): Code => updating(7, ofType(1, unitType), sub(2, of));
export const fetchByKey = (template: Type): Code => updating(9, reference(1, template));
export const queryNByKey = (template: Type): Code => updating(16, reference(1, template));
export const exerciseByKey = (template: Type, choice: string, key: Code, argument: Code): Code =>
  updating(10, reference(1, template), name(2, choice), sub(3, key), sub(4, argument));
export const tryCatch = (body: Code, as: string, handler: Code): Code =>
  updating(11, ofType(1, unitType), sub(2, body), name(3, as), sub(4, handler));
export const isBefore = (time: Code): Code => form(23, sub(15, time));

/** The builtin functions by name. */
export const BUILTIN = {
  TRACE: 0,
  ERROR: 1,
  EQUAL: 2,
  LESS_EQ: 3,
  LESS: 4,
  GREATER_EQ: 5,
  GREATER: 6,
  ADD_INT64: 7,
  SUB_INT64: 8,
  MUL_INT64: 9,
  DIV_INT64: 10,
  MOD_INT64: 11,
  EXP_INT64: 12,
  ADD_NUMERIC: 13,
  SUB_NUMERIC: 14,
  MUL_NUMERIC: 15,
  DIV_NUMERIC: 16,
  ROUND_NUMERIC: 17,
  CAST_NUMERIC: 18,
  SHIFT_NUMERIC: 19,
  INT64_TO_NUMERIC: 20,
  NUMERIC_TO_INT64: 21,
  INT64_TO_TEXT: 22,
  NUMERIC_TO_TEXT: 23,
  TIMESTAMP_TO_TEXT: 25,
  DATE_TO_TEXT: 26,
  PARTY_TO_TEXT: 27,
  TEXT_TO_PARTY: 28,
  TEXT_TO_INT64: 29,
  TEXT_TO_NUMERIC: 30,
  CONTRACT_ID_TO_TEXT: 31,
  SHA256_TEXT: 32,
  EXPLODE_TEXT: 33,
  APPEND_TEXT: 34,
  IMPLODE_TEXT: 35,
  CODE_POINTS_TO_TEXT: 36,
  TEXT_TO_CODE_POINTS: 37,
  DATE_TO_UNIX_DAYS: 38,
  UNIX_DAYS_TO_DATE: 39,
  TIMESTAMP_TO_UNIX_MICROSECONDS: 40,
  UNIX_MICROSECONDS_TO_TIMESTAMP: 41,
  COERCE_CONTRACT_ID: 42,
  FOLDL: 43,
  FOLDR: 44,
  EQUAL_LIST: 45,
  GENMAP_EMPTY: 52,
  GENMAP_INSERT: 53,
  GENMAP_LOOKUP: 54,
  GENMAP_DELETE: 55,
  GENMAP_KEYS: 56,
  GENMAP_VALUES: 57,
  GENMAP_SIZE: 58,
  ANY_EXCEPTION_MESSAGE: 59,
  TEXTMAP_EMPTY: 60,
  TEXTMAP_INSERT: 61,
  TEXTMAP_LOOKUP: 62,
  TEXTMAP_DELETE: 63,
  TEXTMAP_TO_LIST: 64,
  TEXTMAP_SIZE: 65,
  FAIL_WITH_STATUS: 66,
  KECCAK256_TEXT: 67,
  SECP256K1_BOOL: 68,
  HEX_TO_TEXT: 69,
  TEXT_TO_HEX: 70,
  SHA256_HEX: 71,
  SECP256K1_WITH_ECDSA_BOOL: 72,
  SECP256K1_VALIDATE_KEY: 73,
} as const;

/** Applies a builtin function to arguments. */
export const call = (of: keyof typeof BUILTIN, ...args: readonly Code[]): Code =>
  args.length === 0 ? builtin(BUILTIN[of]) : apply(builtin(BUILTIN[of]), ...args);

/** Returns an expression, of any type, that fails with a text. */
export const fail = (why: string): Code =>
  apply(typeApply(builtin(BUILTIN.ERROR), textType), text(why));

/** Adds an expression to the table of expressions, which exists from Daml-LF 2.2 on, and returns a reference to it. */
export const interned =
  (of: Code): Code =>
  (tables) =>
    message(number(44, tables.expression(of(tables))));

/** Returns an expression with a source location. */
export const located =
  (of: Code, startLine: number): Code =>
  (tables) => {
    const range = message(number(1, startLine), number(2, 0), number(3, startLine), number(4, 1));
    const writer = new BinaryWriter();
    part(1, message(part(2, range)))(writer);
    return new Uint8Array([...writer.finish(), ...of(tables)]);
  };
