import { isContractId, isParty } from '../domain/ids.ts';
import type { Json, JsonRecord } from '../domain/json.ts';
import { isJsonRecord } from '../domain/json.ts';
import { unreachable } from '../domain/unreachable.ts';
import type {
  Optional,
  Record as LedgerRecord,
  Value,
} from '../../proto/gen/com/daml/ledger/api/v2/value.ts';
import { isoToDays, isoToMicros } from './instants.ts';
import type { LfFields, LfRecord, LfType } from '../app/contract/lf.ts';

/** An argument without the type that the template or choice declares. Detected before anything is sent. */
export class ArgumentError extends Error {
  override readonly name = 'ArgumentError';
  /** The path of the value, such as `meta.values.note` or `parties[2]`; empty for the argument itself. */
  readonly path: string;
  readonly expected: string;
  constructor(path: string, expected: string) {
    super(path === '' ? `expected ${expected}` : `${path}: expected ${expected}`);
    this.path = path;
    this.expected = expected;
  }
}

/**
 * Encodes JSON in the query store's encoding as a ledger record. Fields carry labels. Trailing fields that are None are
 * omitted, so that a package version that lacks these fields also accepts the record.
 *
 * @throws ArgumentError that names the first invalid field
 */
export function encodeRecord(type: LfRecord, json: Json, path = ''): LedgerRecord {
  const source = recordAt(json, path, 'an object');
  const names = Object.keys(type.fields);
  rejectUnknown(source, names, path);
  const fields = names.map((label) => ({
    label,
    value: encodeField(type.fields, label, source, path),
  }));
  while (isNone(fields.at(-1)?.value)) fields.pop();
  return { recordId: undefined, fields };
}

/** @throws ArgumentError that names the first invalid path */
export function encodeValue(type: LfType, json: Json, path = ''): Value {
  switch (type.kind) {
    case 'unit':
      rejectUnknown(recordAt(json, path, '{}'), [], path);
      return { sum: { $case: 'unit', value: {} } };
    case 'bool':
      if (typeof json !== 'boolean') throw new ArgumentError(path, 'true or false');
      return { sum: { $case: 'bool', value: json } };
    case 'int64':
      return { sum: { $case: 'int64', value: int64At(json, path) } };
    case 'numeric':
      return { sum: { $case: 'numeric', value: numericAt(json, type.scale, path) } };
    case 'date':
      return { sum: { $case: 'date', value: dateAt(json, path) } };
    case 'timestamp':
      return { sum: { $case: 'timestamp', value: timestampAt(json, path) } };
    case 'party':
      return { sum: { $case: 'party', value: partyAt(json, path) } };
    case 'text':
      return { sum: { $case: 'text', value: textAt(json, path) } };
    case 'contractId':
      return { sum: { $case: 'contractId', value: contractIdAt(json, path) } };
    case 'record':
      return { sum: { $case: 'record', value: encodeRecord(type, json, path) } };
    case 'optional':
    case 'list':
    case 'textMap':
    case 'genMap':
    case 'variant':
    case 'enum':
      return encodeContainer(type, json, path);
    default:
      return unreachable(type);
  }
}

type Container = Extract<
  LfType,
  { kind: 'optional' | 'list' | 'textMap' | 'genMap' | 'variant' | 'enum' }
>;

function encodeContainer(type: Container, json: Json, path: string): Value {
  switch (type.kind) {
    case 'optional':
      return { sum: { $case: 'optional', value: encodeOptional(type.of, json, path) } };
    case 'list': {
      const elements = arrayAt(json, path, 'an array').map((element, i) =>
        encodeValue(type.of, element, `${path}[${i}]`),
      );
      return { sum: { $case: 'list', value: { elements } } };
    }
    case 'textMap': {
      const entries = Object.entries(recordAt(json, path, 'an object')).map(([key, value]) => ({
        key: textAt(key, below(path, key)),
        value: encodeValue(type.of, value, below(path, key)),
      }));
      return { sum: { $case: 'textMap', value: { entries } } };
    }
    case 'genMap': {
      const entries = arrayAt(json, path, 'an array of pairs').map((pair, i) => {
        const at = `${path}[${i}]`;
        const [key, value, ...more] = arrayAt(pair, at, 'a pair');
        if (key === undefined || value === undefined || more.length > 0) {
          throw new ArgumentError(at, 'a pair');
        }
        return {
          key: encodeValue(type.key, key, `${at}[0]`),
          value: encodeValue(type.value, value, `${at}[1]`),
        };
      });
      return { sum: { $case: 'genMap', value: { entries } } };
    }
    case 'variant':
      return encodeVariant(type.constructors, json, path);
    case 'enum': {
      if (typeof json !== 'string' || !type.constructors.includes(json)) {
        throw new ArgumentError(path, `one of ${type.constructors.join(', ')}`);
      }
      return { sum: { $case: 'enum', value: { enumId: undefined, constructor: json } } };
    }
    default:
      return unreachable(type);
  }
}

function encodeField(fields: LfFields, label: string, source: JsonRecord, path: string): Value {
  const type = fields[label];
  if (type === undefined) throw new Error(`no type for field ${label}`);
  const at = below(path, label);
  const value = Object.hasOwn(source, label) ? source[label] : undefined;
  if (value !== undefined) return encodeValue(type, value, at);
  if (type.kind === 'optional') return { sum: { $case: 'optional', value: { value: undefined } } };
  throw new ArgumentError(at, 'a value, but it is missing');
}

/**
 * Encodes an Optional. None is null and any other value stands for itself, so an Optional directly inside an Optional
 * is an empty or one-element array.
 */
function encodeOptional(of: LfType, json: Json, path: string): Optional {
  if (json === null) return { value: undefined };
  return {
    value: of.kind === 'optional' ? encodeNested(of.of, json, path) : encodeValue(of, json, path),
  };
}

function encodeNested(of: LfType, json: Json, path: string): Value {
  const [inner, ...more] = arrayAt(json, path, 'null, [] or an array of one');
  if (more.length > 0) throw new ArgumentError(path, 'null, [] or an array of one');
  const at = `${path}[0]`;
  const value =
    inner === undefined
      ? undefined
      : of.kind === 'optional'
        ? encodeNested(of.of, inner, at)
        : encodeValue(of, inner, at);
  return { sum: { $case: 'optional', value: { value } } };
}

function encodeVariant(constructors: LfFields, json: Json, path: string): Value {
  const source = recordAt(json, path, '{tag, value}');
  rejectUnknown(source, ['tag', 'value'], path);
  const tag = source['tag'];
  const type =
    typeof tag === 'string' && Object.hasOwn(constructors, tag) ? constructors[tag] : null;
  if (typeof tag !== 'string' || type == null) {
    throw new ArgumentError(below(path, 'tag'), `one of ${Object.keys(constructors).join(', ')}`);
  }
  const at = below(path, 'value');
  if (source['value'] === undefined) throw new ArgumentError(at, 'a value, but it is missing');
  const value = encodeValue(type, source['value'], at);
  return { sum: { $case: 'variant', value: { variantId: undefined, constructor: tag, value } } };
}

const INT64_TEXT = /^[+-]?\d{1,19}$/;
const NUMERIC_TEXT = /^[+-]?(\d+)(?:\.(\d+))?$/;
const NUMERIC_DIGITS_MAX = 38;

function int64At(json: Json, path: string): bigint {
  const isExact = typeof json === 'number' && Number.isSafeInteger(json);
  if (isExact || (typeof json === 'string' && INT64_TEXT.test(json))) {
    const value = BigInt(json);
    if (BigInt.asIntN(64, value) === value) return value;
  }
  throw new ArgumentError(path, 'a 64-bit integer as text');
}

/** Reads a numeric, which must be a text: a JSON number has already lost exact digits in the parser. */
function numericAt(json: Json, scale: number, path: string): string {
  const match = typeof json === 'string' ? NUMERIC_TEXT.exec(json) : null;
  const whole = match?.[1]?.replace(/^0+/, '') ?? '';
  if (
    typeof json !== 'string' ||
    match === null ||
    whole.length > NUMERIC_DIGITS_MAX - scale ||
    (match[2] ?? '').length > scale
  ) {
    throw new ArgumentError(path, `a decimal as text with at most ${scale} digits after the point`);
  }
  return json;
}

function dateAt(json: Json, path: string): number {
  const days = typeof json === 'string' ? isoToDays(json) : null;
  if (days === null) throw new ArgumentError(path, 'a date such as 2025-10-28');
  return days;
}

function timestampAt(json: Json, path: string): bigint {
  const micros = typeof json === 'string' ? isoToMicros(json) : null;
  if (micros === null)
    throw new ArgumentError(path, 'a UTC time such as 2025-10-28T16:20:38.735022Z');
  return micros;
}

function partyAt(json: Json, path: string): string {
  if (typeof json !== 'string' || !isParty(json)) throw new ArgumentError(path, 'a party');
  return json;
}

/**
 * Reads a text. The ledger's texts are UTF-8 without NUL; an unpaired surrogate would silently become another
 * character.
 */
function textAt(json: Json, path: string): string {
  if (typeof json !== 'string' || json.includes('\0') || !json.isWellFormed()) {
    throw new ArgumentError(path, 'a text');
  }
  return json;
}

function contractIdAt(json: Json, path: string): string {
  if (typeof json !== 'string' || !isContractId(json))
    throw new ArgumentError(path, 'a contract id');
  return json;
}

function recordAt(json: Json, path: string, expected: string): JsonRecord {
  if (!isJsonRecord(json)) throw new ArgumentError(path, expected);
  return json;
}

function arrayAt(json: Json, path: string, expected: string): readonly Json[] {
  if (!Array.isArray(json)) throw new ArgumentError(path, expected);
  return json;
}

function rejectUnknown(source: JsonRecord, names: readonly string[], path: string): void {
  const unknown = Object.keys(source).find((key) => !names.includes(key));
  if (unknown !== undefined) throw new ArgumentError(below(path, unknown), 'no such field');
}

const below = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

const isNone = (value: Value | undefined): boolean =>
  value?.sum?.$case === 'optional' && value.sum.value.value === undefined;
