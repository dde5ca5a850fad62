import { UNIT as LEDGER_UNIT } from '../lf-types.ts';
import type { LfType } from '../lf-types.ts';
import { VALUE_NESTING_MAX, isText } from '../lf-values.ts';
import type { Meter } from './bounds.ts';
import { as } from './builtin.ts';
import { interpreterRefusal } from '../interpretation-errors.ts';
import { fieldsOf } from './forms.ts';
import { canonicalText, ofCanonicalText } from './numerics.ts';
import {
  Enum,
  itemsOf,
  LfRecord,
  listOf,
  NONE,
  Some,
  SortedMap,
  UNIT,
  Variant,
  wrongType,
} from './values.ts';
import type { Value } from './values.ts';

/* Converts values of the ledger to values of the engine and back, according to their types. */

type Part = { readonly name: string; readonly type: LfType };

/**
 * The number of steps that converting one part of a value costs. It is more than one, because the part is read again by
 * checks, for the contract's ID and by the journal.
 */
const STEPS_A_PART = 8;
const CHARS_A_STEP = 4;

/** Converts a ledger value to an engine value. */
export function toEngine(type: LfType, value: unknown, meter: Meter): Value {
  meter.spend(STEPS_A_PART);
  switch (type.kind) {
    case 'unit':
      return UNIT;
    case 'bool':
    case 'int64':
    case 'date':
    case 'timestamp':
    case 'party':
    case 'text':
    case 'contractId':
      return value as Value;
    case 'numeric':
      return ofCanonicalText(value as string, type.scale);
    case 'optional': {
      const optional = value as { readonly some: unknown } | null;
      return optional === null ? NONE : new Some(toEngine(type.of, optional.some, meter));
    }
    case 'list':
      return listOf((value as readonly unknown[]).map((item) => toEngine(type.of, item, meter)));
    case 'textMap':
      return new SortedMap(
        Array.from(
          value as ReadonlyMap<string, unknown>,
          ([key, item]) => [key, toEngine(type.of, item, meter)] as const,
        ),
      );
    case 'genMap':
      return new SortedMap(
        (value as readonly (readonly [unknown, unknown])[]).map(
          ([key, item]) =>
            [toEngine(type.key, key, meter), toEngine(type.value, item, meter)] as const,
        ),
      );
    case 'record': {
      const record = value as Readonly<Record<string, unknown>>;
      return new LfRecord(
        type.fields.map((field) => toEngine(field.type, record[field.name], meter)),
      );
    }
    case 'variant': {
      const { tag, value: inner } = value as { readonly tag: string; readonly value: unknown };
      const rank = type.constructors.findIndex(({ name }) => name === tag);
      return new Variant(tag, rank, toEngine(partOf(type.constructors, rank).type, inner, meter));
    }
    case 'enum':
      return new Enum(value as string, type.constructors.indexOf(value as string));
    default:
      return type satisfies never;
  }
}

function partOf(parts: readonly Part[], index: number): Part {
  const part = parts[index];
  if (part === undefined) throw wrongType('a constructor of the variant');
  return part;
}

/**
 * Converts an engine value to a ledger value. Throws VALUE_NESTING if the value is nested too deeply, and
 * MALFORMED_TEXT.
 */
export const toLedger = (type: LfType, value: Value, meter: Meter): unknown =>
  new Conversion(meter).convert(type, value, 0);

/**
 * Converts engine values to ledger values. An engine value may contain one part many times without copying it, but a
 * ledger value may not, so a small engine value can become a large ledger value. Therefore the meter counts each part.
 */
class Conversion {
  readonly #meter: Meter;

  constructor(meter: Meter) {
    this.#meter = meter;
  }

  convert(type: LfType, value: Value, level: number): unknown {
    this.#meter.spend(STEPS_A_PART);
    if (level > VALUE_NESTING_MAX) {
      throw interpreterRefusal(
        'VALUE_NESTING',
        `Value exceeds maximum nesting value of ${VALUE_NESTING_MAX}`,
      );
    }
    switch (type.kind) {
      case 'unit':
        return LEDGER_UNIT;
      case 'bool':
        if (typeof value !== 'boolean') throw wrongType('a truth value');
        return value;
      case 'int64':
      case 'timestamp':
        return as.integer(value);
      case 'date':
        return as.days(value);
      case 'party':
      case 'text':
      case 'contractId':
        return this.#text(value);
      case 'numeric':
        return canonicalText(as.numeric(value));
      case 'optional':
        return value instanceof Some
          ? { some: this.convert(type.of, value.value, level + 1) }
          : null;
      case 'list':
        return Array.from(itemsOf(as.list(value)), (item) =>
          this.convert(type.of, item, level + 1),
        );
      case 'textMap':
        return new Map(
          as
            .map(value)
            .entries.map(([key, item]) => [
              this.#text(key),
              this.convert(type.of, item, level + 1),
            ]),
        );
      case 'genMap':
        return as
          .map(value)
          .entries.map(([key, item]) => [
            this.convert(type.key, key, level + 1),
            this.convert(type.value, item, level + 1),
          ]);
      case 'record':
        return this.#record(type.fields, value, level);
      case 'variant': {
        if (!(value instanceof Variant)) throw wrongType('a variant');
        const part = partOf(type.constructors, value.rank);
        return { tag: value.tag, value: this.convert(part.type, value.value, level + 1) };
      }
      case 'enum':
        if (!(value instanceof Enum)) throw wrongType('an enumeration');
        return value.name;
      default:
        return type satisfies never;
    }
  }

  #text(value: Value): string {
    const text = as.text(value);
    this.#meter.spend(text.length / CHARS_A_STEP);
    if (isText(text)) return text;
    const why = text.includes('\0') ? 'null character' : 'unpaired surrogate';
    throw interpreterRefusal('MALFORMED_TEXT', `Text is malformed: Text contains ${why}`);
  }

  #record(fields: readonly Part[], value: Value, level: number): unknown {
    const given = fieldsOf(value);
    return Object.fromEntries(
      fields.map(({ name, type }, index) => [
        name,
        this.convert(type, as.value(given[index]), level + 1),
      ]),
    );
  }
}
