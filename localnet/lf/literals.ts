import { parseError, shown } from './errors.ts';
import type { NumberKind } from './schema.ts';

/* Checks of numbers and texts in expressions whose range is restricted. */

const UNIT_FALSE_TRUE = 3;
const CATEGORIES = 2;
/** The permitted dates, from 0001-01-01 to 9999-12-31, in days since 1970 and in microseconds. */
const DAYS = { first: -719_162, last: 2_932_896 } as const;
const MICROS = { first: -62_135_596_800_000_000n, last: 253_402_300_799_999_999n } as const;
const NUMERIC = /^-?(?:0|[1-9](\d{0,37}))\.(\d{0,37})$/u;
const NUMERIC_DIGITS = 38;

/** Builtin functions have all numbers up to this maximum, except those in the next list. */
const FUNCTIONS_MAX = 72;
const NO_FUNCTIONS: ReadonlySet<number> = new Set([24, 46, 47, 48, 49, 50, 51]);
const DEV = Infinity;
/** Builtin functions of later versions, with the minor version that introduced each. */
const LATER_FUNCTIONS: ReadonlyMap<number, readonly [name: string, since: number]> = new Map([
  [73, ['SECP256K1_VALIDATE_KEY', 3]],
  [2001, ['SCALE_BIGNUMERIC', DEV]],
  [2002, ['PRECISION_BIGNUMERIC', DEV]],
  [2003, ['ADD_BIGNUMERIC', DEV]],
  [2004, ['SUB_BIGNUMERIC', DEV]],
  [2005, ['MUL_BIGNUMERIC', DEV]],
  [2006, ['DIV_BIGNUMERIC', DEV]],
  [2007, ['SHIFT_RIGHT_BIGNUMERIC', DEV]],
  [2008, ['BIGNUMERIC_TO_NUMERIC', DEV]],
  [2009, ['NUMERIC_TO_BIGNUMERIC', DEV]],
  [2010, ['BIGNUMERIC_TO_TEXT', DEV]],
  [3011, ['TYPE_REP_TYCON_NAME', DEV]],
]);

const IMMEDIATE: Readonly<Record<string, string>> = {
  'daml_lf_2.Type': 'Interned type',
  'daml_lf_2.Kind': 'InternedKind',
  'daml_lf_2.Expr': 'InternedExpr',
};

/**
 * @param of the name of the message that contains the number
 * @throws LedgerError DAR_PARSE_ERROR
 */
export function checkNumber(kind: NumberKind, value: number, of: string, minor: number): void {
  switch (kind) {
    case 'function':
      checkFunction(value, minor);
      return;
    case 'con':
      if (value >= UNIT_FALSE_TRUE) throw parseError('BuiltinCon.UNRECOGNIZED');
      return;
    case 'category':
      if (value >= CATEGORIES) throw parseError('BuiltinLitFailureCategory.UNRECOGNIZED');
      return;
    case 'date': {
      const days = value | 0;
      if (days >= DAYS.first && days <= DAYS.last) return;
      throw parseError(`error decoding date: out of bound Date ${days}`);
    }
    case 'immediate':
      throw parseError(
        `Immediate ${IMMEDIATE[of] ?? of} in interning table (needs concrete constructor)`,
      );
    default:
      kind satisfies never;
  }
}

function checkFunction(value: number, minor: number): void {
  if (value <= FUNCTIONS_MAX && !NO_FUNCTIONS.has(value)) return;
  const [name, since = 0] = LATER_FUNCTIONS.get(value) ?? [];
  if (name === undefined) {
    throw parseError('BuiltinFunction.UNRECOGNIZED, value looked up was UNRECOGNIZED');
  }
  if (since > minor) throw parseError(`daml_lf_2.${name} is not supported by Daml-LF 2.${minor}`);
}

/** @throws LedgerError DAR_PARSE_ERROR */
export function checkTimestamp(bytes: Uint8Array, at: number): void {
  const micros = new DataView(bytes.buffer, bytes.byteOffset + at).getBigInt64(0, true);
  if (micros >= MICROS.first && micros <= MICROS.last) return;
  throw parseError(`error decoding timestamp: cannot convert long ${micros} into Timestamp`);
}

/** @throws LedgerError DAR_PARSE_ERROR */
export function checkNumeric(text: string): void {
  const [, whole, decimals = ''] = NUMERIC.exec(text) ?? [];
  const digits = (whole === undefined ? 0 : whole.length + 1) + decimals.length;
  if (NUMERIC.test(text) && digits <= NUMERIC_DIGITS) return;
  throw parseError(`Could not read Numeric string "${shown(text)}"`);
}
