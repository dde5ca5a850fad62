import { BESIDE, LISTS, MESSAGES, ONE_OF } from './messages.ts';
import type { FieldText, ListText, MessageText } from './messages.ts';

/** Indexes of the different tables of a package. */
export type IndexKind =
  | '#text'
  | '#name'
  | '#numeric'
  | '#package'
  | '#packageId'
  | '#dotted'
  | '#defined'
  | '#import'
  | '#kind'
  | '#type'
  | '#expr';
/** Kinds of numbers with a restricted range. */
export type NumberKind = 'function' | 'con' | 'category' | 'date' | 'immediate';
/** How a field is read. */
type FieldKind =
  | 'message'
  | 'int'
  | 'fixed64'
  | 'timestamp'
  | 'text'
  | 'bytes'
  | '#names'
  | IndexKind
  | NumberKind;

export interface Field {
  readonly kind: FieldKind;
  readonly wireType: number;
  /** The first minor version of Daml-LF 2 that has this field. */
  readonly since: number;
  /** The type of the field's message; undefined if the field is not a message. */
  message: Message | undefined;
}

export interface Message {
  /** The message's name in error messages. */
  readonly fullName: string;
  /** Fields by number. Fields with large numbers are in {@link rare}. */
  readonly fields: readonly (Field | undefined)[];
  readonly rare: ReadonlyMap<number, Field>;
  /** A bit set of the required fields. */
  readonly required: number;
  /** A bit set of the fields of the oneof. */
  readonly oneOf: number;
  /** The name in the error if none of these is present. */
  readonly notSet: string;
  /** The number of the repeated field whose items are counted, or 0; `list` contains the permitted count. */
  readonly counted: number;
  readonly list: ListText | undefined;
  /** The number of the field that contains a definition's name, or 0. */
  readonly defines: number;
}

const WIRE_TYPES: Partial<Record<FieldKind, number>> = {
  message: 2,
  fixed64: 1,
  timestamp: 1,
  text: 2,
  bytes: 2,
  '#names': 2,
};
/** A minor version that is higher than every accepted one. */
const DEV = 1000;
const COMMON_FIELDS = 64;
/**
 * The format's names of messages for which this file has several names, because their content is restricted in some
 * places.
 */
const ALIASES: Readonly<Record<string, string>> = {
  InternedType: 'Type',
  'Expr.Con': 'Type.Con',
  FieldOfStruct: 'FieldWithType',
  'Expr.Let': 'Block',
  'Type.Entry': 'Type',
  'Kind.Entry': 'Kind',
  'Expr.Entry': 'Expr',
};

function fieldOf(text: FieldText): Field & { readonly of: string; readonly isRequired: boolean } {
  const [what = '', since = '1'] = text.split('@');
  const isRequired = what.endsWith('!');
  const of = isRequired ? what.slice(0, -1) : what;
  const kind = of in MESSAGES ? 'message' : (of as FieldKind);
  const wireType = WIRE_TYPES[kind] ?? 0;
  return {
    kind,
    wireType,
    since: since === 'dev' ? DEV : Number(since),
    message: undefined,
    of,
    isRequired,
  };
}

function compile(
  name: string,
  text: MessageText,
): Message & { readonly all: ReturnType<typeof fieldOf>[] } {
  const fields: (Field | undefined)[] = Array.from({ length: COMMON_FIELDS });
  const rare = new Map<number, Field>();
  const all: ReturnType<typeof fieldOf>[] = [];
  let required = 0;
  let oneOf = 0;
  let defines = 0;
  for (const [number, described] of Object.entries(text).map(
    ([key, of]) => [Number(key), of] as const,
  )) {
    const field = fieldOf(described);
    all.push(field);
    if (number < COMMON_FIELDS) fields[number] = field;
    else rare.set(number, field);
    if (field.kind === '#defined') defines = number;
    if (field.isRequired) required |= 1 << number;
    if (name in ONE_OF && BESIDE[name]?.includes(number) !== true)
      oneOf |= 1 << Math.min(number, 31);
  }
  const fullName = `daml_lf_2.${ALIASES[name] ?? name}`;
  const list = LISTS[name];
  return {
    fullName,
    fields,
    rare,
    required,
    oneOf,
    notSet: ONE_OF[name] ?? '',
    counted: list?.field ?? 0,
    list,
    defines,
    all,
  };
}

let compiled: Message | undefined;

/** Returns the format's root message, which is built when it is used first. */
export function packageMessage(): Message {
  if (compiled !== undefined) return compiled;
  const messages = new Map(
    Object.entries(MESSAGES).map(([name, text]) => [name, compile(name, text)]),
  );
  for (const { all } of messages.values()) {
    for (const field of all) field.message = messages.get(field.of);
  }
  compiled = messages.get('Package');
  if (compiled === undefined) throw new TypeError('no message Package');
  return compiled;
}
