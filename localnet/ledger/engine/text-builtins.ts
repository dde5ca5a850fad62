import { dateText, isInt64, isParty, timestampText } from '../lf-values.ts';
import type { Meter } from './bounds.ts';
import { as, itemsIn, pure } from './builtin.ts';
import type { Builtin } from './builtin.ts';
import * as crypto from './crypto-builtins.ts';
import type { Machine } from './machine.ts';
import { numericText, parseNumeric } from './numerics.ts';
import { Cons, NIL, NONE, Some, optionalOf } from './values.ts';
import type { List, Value } from './values.ts';

const CHARS_A_STEP = 16;
/** The maximum length of a text. Operations whose result would be longer are refused. */
const TEXT_CHARS_MAX = 100_000_000;

/** Counts the characters of a text. Throws if there are too many. */
function countChars(meter: Meter, chars: number): void {
  meter.spend(chars / CHARS_A_STEP);
  if (chars > TEXT_CHARS_MAX) throw new RangeError('a text is too long');
}

function textOf({ meter }: Machine, text: string): string {
  countChars(meter, text.length);
  return text;
}

const texts = (name: string, of: (text: string) => Value): Builtin =>
  pure(name, 1, ([text], machine) => of(textOf(machine, as.text(text))));

const INTEGER = /^[+-]?\d+$/;
const INTEGER_CHARS_MAX = 1000;

function parseInteger(text: string): Value {
  if (!INTEGER.test(text) || text.length > INTEGER_CHARS_MAX) return NONE;
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return isInt64(value) ? new Some(value) : NONE;
}

const HIGH_SURROGATE = 0xd800;
const LOW_SURROGATE = 0xdc00;
const SURROGATES_END = 0xdfff;

/** Returns a list with an item for each character. Each item is counted as a step before memory is allocated for it. */
function explode(text: string, meter: Meter, of: (character: string) => Value): List {
  let list: List = NIL;
  for (let end = text.length; end > 0;) {
    meter.spend(1);
    const isPair = end > 1 && isLow(text.charCodeAt(end - 1)) && isHigh(text.charCodeAt(end - 2));
    const start = end - (isPair ? 2 : 1);
    list = new Cons(of(text.slice(start, end)), list);
    end = start;
  }
  return list;
}

const isHigh = (unit: number) => unit >= HIGH_SURROGATE && unit < LOW_SURROGATE;
const isLow = (unit: number) => unit >= LOW_SURROGATE && unit <= SURROGATES_END;

function codePointsOf(list: List, meter: Meter): string {
  const points = Array.from(itemsIn(list, meter), (point) => Number(as.integer(point)));
  const isValid = (point: number) =>
    point > 0 && point <= 0x10ffff && !(point >= HIGH_SURROGATE && point <= SURROGATES_END);
  const invalid = points.find((point) => !isValid(point));
  if (invalid !== undefined) throw new RangeError(`invalid code point 0x${invalid.toString(16)}.`);
  return points.map((point) => String.fromCodePoint(point)).join('');
}

function join(list: List, meter: Meter): string {
  const parts = Array.from(itemsIn(list, meter), (part) => as.text(part));
  countChars(
    meter,
    parts.reduce((chars, part) => chars + part.length, 0),
  );
  return parts.join('');
}

const hashed = (name: string, of: (text: string, meter: Meter) => string): Builtin =>
  pure(name, 1, ([text], machine) =>
    textOf(machine, of(textOf(machine, as.text(text)), machine.meter)),
  );

const signatures = (
  name: string,
  holds: (signature: string, message: string, key: string) => boolean,
): Builtin =>
  pure(name, 3, ([signature, message, key], machine) => {
    machine.meter.spend(SIGNATURE_STEPS);
    const counted = (text: Value | undefined) => textOf(machine, as.text(text));
    return holds(counted(signature), counted(message), counted(key));
  });
/** The cost of checking a signature, in steps. */
const SIGNATURE_STEPS = 100_000;

/** The builtins by their numbers in the Daml-LF format. */
export const TEXT_BUILTINS: Readonly<Record<number, Builtin>> = {
  22: pure('INT64_TO_TEXT', 1, ([value]) => as.integer(value).toString()),
  23: pure('NUMERIC_TO_TEXT', 1, ([value]) => numericText(as.numeric(value))),
  25: pure('TIMESTAMP_TO_TEXT', 1, ([value]) => timestampText(as.integer(value))),
  26: pure('DATE_TO_TEXT', 1, ([value]) => dateText(as.days(value))),
  27: pure('PARTY_TO_TEXT', 1, ([value]) => as.text(value)),
  28: texts('TEXT_TO_PARTY', (text) => (isParty(text) ? new Some(text) : NONE)),
  29: texts('TEXT_TO_INT64', parseInteger),
  30: pure('TEXT_TO_NUMERIC', 2, ([scale, text], machine) =>
    optionalOf(parseNumeric(as.numeric(scale).scale, textOf(machine, as.text(text)))),
  ),
  // Contract code cannot see the text of a contract ID, because the ID is unknown until its transaction is complete. So
  // the result is always None.
  31: pure('CONTRACT_ID_TO_TEXT', 1, () => NONE),
  32: hashed('SHA256_TEXT', crypto.sha256Text),
  33: pure('EXPLODE_TEXT', 1, ([text], { meter }) =>
    explode(as.text(text), meter, (character) => character),
  ),
  34: pure('APPEND_TEXT', 2, ([a, b], machine) => textOf(machine, as.text(a) + as.text(b))),
  35: pure('IMPLODE_TEXT', 1, ([list], { meter }) => join(as.list(list), meter)),
  36: pure('CODE_POINTS_TO_TEXT', 1, ([list], machine) => {
    const text = codePointsOf(as.list(list), machine.meter);
    return textOf(machine, text);
  }),
  37: pure('TEXT_TO_CODE_POINTS', 1, ([text], { meter }) =>
    explode(as.text(text), meter, (character) => BigInt(character.codePointAt(0) ?? 0)),
  ),
  67: hashed('KECCAK256_TEXT', crypto.keccak256Hex),
  68: signatures('SECP256K1_BOOL', crypto.isSignedBytes),
  69: hashed('HEX_TO_TEXT', crypto.hexToText),
  70: hashed('TEXT_TO_HEX', crypto.textToHex),
  71: hashed('SHA256_HEX', crypto.sha256Hex),
  72: signatures('SECP256K1_WITH_ECDSA_BOOL', crypto.isSignedHash),
  73: texts('SECP256K1_VALIDATE_KEY', crypto.isValidKey),
};
