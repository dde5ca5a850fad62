import type { Json, JsonRecord } from '../domain/json.ts';
import { unreachable } from '../domain/unreachable.ts';
import type {
  Optional,
  Record as LedgerRecord,
  Value,
} from '../../proto/gen/com/daml/ledger/api/v2/value.ts';
import { daysToIso, microsToIso } from './instants.ts';

/** A value from the ledger that cannot be decoded: a bug in Tenure or in the participant, never bad input. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';

  /** Returns the error with `place` as a prefix. */
  inside(place: string): DecodeError {
    return new DecodeError(`${place}: ${this.message}`, { cause: this.cause ?? this });
  }
}

/** Runs `read` and adds the place to a {@link DecodeError}. */
export function decodeAt<T>(place: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof DecodeError ? error.inside(place) : error;
  }
}

/** Replaces NUL, which the ledger can store in texts but PostgreSQL cannot, by the replacement character. */
const storable = (text: string): string => text.replaceAll('\u0000', '\uFFFD');

/**
 * Converts a ledger value to JSON in the query store's encoding: int64 and numeric as text, timestamps as `…Z`,
 * Optional as null or the value itself (nested: arrays), text maps as objects, maps with other keys as pairs, variants
 * as `{tag, value}`. The value contains its structure, so no type is needed. Trailing fields that are None are absent,
 * as in the transmitted value.
 *
 * @throws DecodeError if labels are missing, as in a stream that was not requested as verbose
 */
export function decodeValue(value: Value | undefined): Json {
  const sum = value?.sum;
  if (sum === undefined) throw new DecodeError('a value without content');
  switch (sum.$case) {
    case 'unit':
      return {};
    case 'bool':
    case 'numeric':
    case 'party':
    case 'contractId':
      return sum.value;
    case 'text':
      return storable(sum.value);
    case 'int64':
      return sum.value.toString();
    case 'date':
      return daysToIso(sum.value);
    case 'timestamp':
      return microsToIso(sum.value);
    case 'optional':
      return decodeOptional(sum.value);
    case 'list':
      return sum.value.elements.map(decodeValue);
    case 'textMap':
      return Object.fromEntries(
        sum.value.entries.map((entry) => [storable(entry.key), decodeValue(entry.value)]),
      );
    case 'genMap':
      return sum.value.entries.map((entry) => [decodeValue(entry.key), decodeValue(entry.value)]);
    case 'record':
      return decodeRecord(sum.value);
    case 'variant':
      return { tag: sum.value.constructor, value: decodeValue(sum.value.value) };
    case 'enum':
      return sum.value.constructor;
    default:
      return unreachable(sum);
  }
}

/** @throws DecodeError if a field has no label */
export function decodeRecord(source: LedgerRecord | undefined): JsonRecord {
  if (source === undefined) throw new DecodeError('a record without content');
  return Object.fromEntries(
    source.fields.map(({ label, value }) => {
      if (label === '') throw new DecodeError('a record without labels');
      return [label, decodeAt(label, () => decodeValue(value))];
    }),
  );
}

function decodeOptional({ value }: Optional): Json {
  if (value === undefined) return null;
  return value.sum?.$case === 'optional' ? decodeNested(value.sum.value) : decodeValue(value);
}

/**
 * Converts an Optional that is directly inside another one to an empty or one-element array, because null already means
 * the outer None.
 */
function decodeNested({ value }: Optional): Json {
  if (value === undefined) return [];
  return [value.sum?.$case === 'optional' ? decodeNested(value.sum.value) : decodeValue(value)];
}
