import {
  isContractId,
  isDottedName,
  isLedgerString,
  isName,
  isPackageId,
  isPackageName,
  isParty,
  isUserId,
} from './lf-values.ts';

/*
 * Why a text is not a valid identifier, in the words of a participant's error message; `undefined` if the text is
 * valid.
 */

type Defect = string | undefined;

const characterText = (text: string, at: number): string =>
  `0x${(text.codePointAt(at) ?? 0).toString(16)}`;

/** Returns a check for identifiers of one kind, with its allowed characters and maximum length. */
const defectIn =
  (what: string, isGood: (text: string) => boolean, forbidden: RegExp, charsMax: number) =>
  (text: string): Defect => {
    if (isGood(text)) return undefined;
    if (text === '') return `${what} is empty`;
    if (text.length > charsMax) return `${what} is too long (max: ${charsMax})`;
    const at = text.search(forbidden);
    return `non expected character ${characterText(text, at)} in ${what} "${text}"`;
  };

export const partyDefect = defectIn('Daml-LF Party', isParty, /[^A-Za-z0-9:\-_ ]/, 255);
export const ledgerStringDefect = defectIn(
  'Daml-LF Ledger String',
  isLedgerString,
  /[^A-Za-z0-9._:\-#/ ]/,
  255,
);
export const packageIdDefect = defectIn('Daml-LF Package ID', isPackageId, /[^A-Za-z0-9\-_ ]/, 64);
const packageNameDefect = defectIn('Daml-LF Package Name', isPackageName, /[^A-Za-z0-9\-_]/, 255);

/** Checks a package reference: `#` and a package name, or a package ID. */
export const packageReferenceDefect = (text: string): Defect =>
  text.startsWith('#') ? packageNameDefect(text.slice(1)) : packageIdDefect(text);

const NAME_CHARS_MAX = 1000;

/** Checks a name of a choice, a field or a constructor. */
export function nameDefect(text: string): Defect {
  if (isName(text)) return undefined;
  if (text === '') return 'Daml-LF Name is empty';
  if (text.length > NAME_CHARS_MAX) return `Name is too long (max: ${NAME_CHARS_MAX})`;
  if (!/^[A-Za-z$_]/.test(text)) {
    return `non expected first character ${characterText(text, 0)} in Daml-LF Name "${text}"`;
  }
  const at = text.search(/[^\w$]/);
  return `non expected non first character ${characterText(text, at)} in Daml-LF Name "${text}"`;
}

/** Checks a name of a module or a type. */
export function dottedNameDefect(text: string): Defect {
  if (isDottedName(text)) return undefined;
  if (text === '') return 'Expected a non-empty string';
  for (const segment of text.split('.')) {
    const defect = nameDefect(segment);
    if (defect !== undefined) return defect;
  }
  return `DottedName is too long (max: ${NAME_CHARS_MAX})`;
}

export const userIdDefect = (text: string): Defect =>
  isUserId(text)
    ? undefined
    : `User ID "${text}" does not match regex "[a-zA-Z0-9@^$.!\`\\-#+'~_|:\\(\\)]{1,128}"`;

export const contractIdDefect = (text: string): Defect =>
  isContractId(text) ? undefined : `cannot parse ContractId "${text}"`;

const FINGERPRINT = /^[A-Za-z0-9\-_ ]{1,68}$/;
const IDENTIFIER_CHARS_MAX = 185;

const UNIQUE = /^[A-Za-z0-9\-_ ]{1,185}::[A-Za-z0-9\-_ ]{1,68}$/;

/** Returns whether a text has the form `name::fingerprint`, as IDs of synchronizers, participants and parties have. */
export const isUniqueIdentifier = (text: string): boolean => UNIQUE.test(text);

/** Returns why a text is not a unique identifier. */
export function uniqueIdentifierDefect(text: string): Defect {
  const at = text.indexOf('::');
  if (text === '') return 'Empty string is not a valid unique identifier.';
  if (at === 0) return `Invalid unique identifier \`${text}\` with empty identifier.`;
  if (at < 0) return `Invalid unique identifier \`${text}\` with missing namespace.`;
  const defect = freeNameDefect(text.slice(0, at));
  if (defect !== undefined) {
    return `Identifier decoding of \`${text.slice(0, 200)}\` failed with: ${defect}`;
  }
  if (FINGERPRINT.test(text.slice(at + 2))) return undefined;
  return `Fingerprint decoding of \`${text.slice(0, 200)}\` failed with: not a fingerprint`;
}

/** Checks the freely chosen part of a unique identifier, such as the hint of a party. */
export function freeNameDefect(text: string): Defect {
  const defect = partyDefect(text);
  if (defect !== undefined) return defect;
  if (text.includes('::')) return 'String contains reserved delimiter `::`.';
  if (text.length <= IDENTIFIER_CHARS_MAX) return undefined;
  return `The given string has a maximum length of ${IDENTIFIER_CHARS_MAX} but a string of length ${text.length} ('${text.slice(0, 50)}...') was given`;
}
