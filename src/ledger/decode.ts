import type { Json, JsonRecord } from '../domain/json.ts';
import { unreachable } from '../domain/unreachable.ts';
import type {
  Optional,
  Record as LedgerRecord,
  Value,
} from '../../proto/gen/com/daml/ledger/api/v2/value.ts';
import { daysToIso, microsToIso } from './instants.ts';

/** A value that is invalid on the ledger: a bug of ours or of the participant, never bad input. */
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

/** PostgreSQL cannot store NUL in texts, but the ledger can: NUL becomes the replacement character. */
const storable = (text: string): string => text.replaceAll('\u0000', '\uFFFD');

/**
 * Converts a ledger value to JSON in the query store's encoding: int64 and numeric as text, timestamps as `…Z`,
 * Optional as null or the bare value (nested: arrays), text maps as objects, maps with other keys as pairs, variants as
 * `{tag, value}`. The value describes itself, so no type is needed; trailing fields that are None are absent, as they
 * are on the wire.
 *
 * @throws DecodeError when labels are missing, as in a stream that was not requested as verbose.
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

/** @throws DecodeError when a field has no label. */
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

/** An Optional directly inside another: an empty or one-element array, because null already means the outer None. */
function decodeNested({ value }: Optional): Json {
  if (value === undefined) return [];
  return [value.sum?.$case === 'optional' ? decodeNested(value.sum.value) : decodeValue(value)];
}
