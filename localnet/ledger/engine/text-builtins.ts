import { dateText, isInt64, isParty, timestampText } from '../lf-values.ts';
import { as, pure } from './builtin.ts';
import type { Builtin } from './builtin.ts';
import * as crypto from './crypto-builtins.ts';
import type { Machine } from './machine.ts';
import { numericText, parseNumeric } from './numerics.ts';
import { NONE, Some, itemsOf, listOf, optionalOf } from './values.ts';
import type { List, Value } from './values.ts';

const CHARS_A_STEP = 16;
/** Texts longer than this are refused. */
const TEXT_CHARS_MAX = 100_000_000;

function textOf(machine: Machine, text: string): string {
  machine.meter.spend(text.length / CHARS_A_STEP);
  if (text.length > TEXT_CHARS_MAX) throw new RangeError('a text is too long');
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

function codePointsOf(list: List): string {
  const points = Array.from(itemsOf(list), (point) => Number(as.integer(point)));
  const isValid = (point: number) =>
    point > 0 && point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff);
  const invalid = points.find((point) => !isValid(point));
  if (invalid !== undefined) throw new RangeError(`invalid code point 0x${invalid.toString(16)}.`);
  return points.map((point) => String.fromCodePoint(point)).join('');
}

const join = (machine: Machine, list: List): string =>
  textOf(machine, Array.from(itemsOf(list), (part) => as.text(part)).join(''));

const hashed = (name: string, of: (text: string) => string): Builtin => texts(name, of);

const signatures = (
  name: string,
  of: (signature: string, message: string, key: string) => boolean,
): Builtin =>
  pure(name, 3, ([signature, message, key], machine) => {
    machine.meter.spend(SIGNATURE_STEPS);
    return of(as.text(signature), textOf(machine, as.text(message)), as.text(key));
  });
/** A signature takes as long as so many steps. */
const SIGNATURE_STEPS = 100_000;

/** The format's numbers are the keys. */
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
  // The ID of a contract is known only when its transaction is.
  31: pure('CONTRACT_ID_TO_TEXT', 1, () => NONE),
  32: hashed('SHA256_TEXT', crypto.sha256Text),
  33: texts('EXPLODE_TEXT', (text) => listOf(Array.from(text))),
  34: pure('APPEND_TEXT', 2, ([a, b], machine) => textOf(machine, as.text(a) + as.text(b))),
  35: pure('IMPLODE_TEXT', 1, ([list], machine) => join(machine, as.list(list))),
  36: pure('CODE_POINTS_TO_TEXT', 1, ([list], machine) => {
    const text = codePointsOf(as.list(list));
    return textOf(machine, text);
  }),
  37: texts('TEXT_TO_CODE_POINTS', (text) =>
    listOf(Array.from(text, (point) => BigInt(point.codePointAt(0) ?? 0))),
  ),
  67: hashed('KECCAK256_TEXT', crypto.keccak256Hex),
  68: signatures('SECP256K1_BOOL', crypto.isSignedBytes),
  69: hashed('HEX_TO_TEXT', crypto.hexToText),
  70: hashed('TEXT_TO_HEX', crypto.textToHex),
  71: hashed('SHA256_HEX', crypto.sha256Hex),
  72: signatures('SECP256K1_WITH_ECDSA_BOOL', crypto.isSignedHash),
  73: texts('SECP256K1_VALIDATE_KEY', crypto.isValidKey),
};
