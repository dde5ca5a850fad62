import { BESIDE, LISTS, MESSAGES, ONE_OF } from './messages.ts';
import type { FieldText, ListText, MessageText } from './messages.ts';

/** An index of one of a package's tables. */
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
/** A kind of number with a restricted range. */
export type NumberKind = 'function' | 'con' | 'category' | 'date' | 'immediate';
/** The type as which a field is read. */
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
  /** The first minor version of Daml-LF 2 with this field. */
  readonly since: number;
  /** The type of the field's message, if it holds one. */
  message: Message | undefined;
}

export interface Message {
  /** The name in error messages. */
  readonly fullName: string;
  /** Fields by number. Fields with larger numbers are in {@link rare}. */
  readonly fields: readonly (Field | undefined)[];
  readonly rare: ReadonlyMap<number, Field>;
  /** Bits of the required fields. */
  readonly required: number;
  /** Bits of the fields of the oneof. */
  readonly oneOf: number;
  /** The error when none of them is present. */
  readonly notSet: string;
  /** The number of a repeated field with a checked count, or 0, and the permitted count. */
  readonly counted: number;
  readonly list: ListText | undefined;
  /** The number of the field with the name of a definition, or 0. */
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
/** Higher than every accepted version. */
const DEV = 1000;
const COMMON_FIELDS = 64;
/** Names of messages in restricted places, and their names in the format. */
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

/** The format's root message, built on first use. */
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
