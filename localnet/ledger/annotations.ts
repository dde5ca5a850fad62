import type { LedgerError } from './ledger-error.ts';
import { invalidArgument, invalidField } from './submission-checks.ts';

/** A participant's maximum size of all annotations of one object, keys and values together. */
const ANNOTATIONS_KIB_MAX = 256;
const PREFIX_CHARS_MAX = 253;
const NAME_CHARS_MAX = 63;
/** The part of a key before its slash: a DNS name. */
const LABEL = '(?:[a-zA-Z0-9]+[a-zA-Z0-9-]*)?[a-zA-Z0-9]+';
const PREFIX = new RegExp(`^(?:${LABEL}[.])*${LABEL}$`);
const NAME = /^(?:[a-zA-Z0-9]+[a-zA-Z0-9.\-_]*)?[a-zA-Z0-9]+$/;

export type Annotations = Readonly<Record<string, string>>;

const shortened = (text: string): string => (text.length > 53 ? `${text.slice(0, 50)}...` : text);

/**
 * Returns whether annotations are within the size limit. A key with an empty value is removed, so it does not count.
 */
const isSmallEnough = (annotations: Annotations): boolean =>
  Object.entries(annotations).reduce(
    (bytes, [key, value]) =>
      value === '' ? bytes : bytes + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  ) <=
  ANNOTATIONS_KIB_MAX * 1024;

function keyDefect(key: string): string | undefined {
  // A slash at the end of a key does not separate a prefix from a name, so it is ignored.
  const segments = key.replace(/\/+$/, '').split('/');
  const [name = '', prefix, ...others] = segments.toReversed();
  if (others.length > 0) {
    return `Key '${shortened(key)}' contains more than one forward slash ('/') character`;
  }
  return (
    (prefix === undefined
      ? undefined
      : segmentDefect('prefix', prefix, PREFIX_CHARS_MAX, PREFIX)) ??
    segmentDefect('name', name, NAME_CHARS_MAX, NAME)
  );
}

function segmentDefect(
  what: string,
  segment: string,
  charsMax: number,
  pattern: RegExp,
): string | undefined {
  const named = `Key ${what} segment '${shortened(segment)}'`;
  if (segment.length > charsMax) return `${named} exceeds maximum length of ${charsMax} characters`;
  return pattern.test(segment) ? undefined : `${named} has invalid syntax`;
}

/**
 * Checks annotations. Throws INVALID_ARGUMENT.
 * @param fieldName the request's field with the annotations
 * @param values whether a value may be empty, which removes its key
 */
export function checkAnnotations(
  annotations: Annotations,
  fieldName: string,
  values: 'may be empty' | 'not empty',
): void {
  if (!isSmallEnough(annotations)) {
    throw invalidArgument(
      `annotations from field '${fieldName}' are larger than the limit of ${ANNOTATIONS_KIB_MAX}kb`,
    );
  }
  for (const key of Object.keys(annotations)) {
    const defect = keyDefect(key);
    if (defect !== undefined) throw invalidArgument(defect);
  }
  if (values === 'may be empty') return;
  const empty = Object.keys(annotations).find((key) => annotations[key] === '');
  if (empty === undefined) return;
  throw invalidArgument(`The value of an annotation is empty for key: '${shortened(empty)}'`);
}

/** Returns `current` with `change` applied. Throws `tooLarge` if the result exceeds the size limit. */
export function changedAnnotations(
  current: Annotations,
  change: Annotations,
  tooLarge: () => LedgerError,
): Annotations {
  const merged = Object.entries({ ...current, ...change });
  const changed = Object.fromEntries(merged.filter(([, value]) => value !== ''));
  if (!isSmallEnough(changed)) throw tooLarge();
  return changed;
}

/** Checks a request's resource version. Throws INVALID_FIELD. */
export function checkResourceVersion(text: string, fieldName: string): void {
  if (text === '' || /^[+-]?\d{1,18}$/.test(text)) return;
  throw invalidField(fieldName, 'Invalid resource version number');
}

/** Returns the version after `current`. Refuses an update that is based on another version. */
export function nextResourceVersion(
  current: string,
  expected: string | undefined,
  conflict: () => LedgerError,
): string {
  if (expected !== undefined && expected !== '' && expected !== current) throw conflict();
  return (BigInt(current) + 1n).toString();
}

const TOKEN_TAG = 0x0a;

/** Returns a page token: the key as the first field of a protobuf message, in base64url. */
const encodeToken = (key: string): string => {
  const bytes = Buffer.from(key);
  return Buffer.concat([lengthPrefix(bytes.length), bytes]).toString('base64url');
};

/** Returns the tag and the length. Keys have at most 255 bytes. */
const lengthPrefix = (length: number): Buffer =>
  length < 128
    ? Buffer.of(TOKEN_TAG, length)
    : Buffer.of(TOKEN_TAG, (length & 0x7f) | 0x80, length >> 7);

function decodeToken(token: string): string {
  const bytes = Buffer.from(token, 'base64url');
  for (const prefixBytes of [2, 3]) {
    const key = bytes.subarray(prefixBytes).toString('utf8');
    if (key !== '' && encodeToken(key) === token) return key;
  }
  throw invalidArgument('Invalid page token');
}

/**
 * Returns one page of items. A page token is the last item's key, so items that are added between the reads of two
 * pages do not make other items appear twice or not at all. A full page has a token, even if it is the last page.
 * Throws INVALID_ARGUMENT for a malformed token.
 */
export function pageOf<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  size: number,
  pageToken: string,
): { readonly items: readonly T[]; readonly nextPageToken: string } {
  const after = pageToken === '' ? undefined : decodeToken(pageToken);
  const page = items
    .filter((item) => after === undefined || keyOf(item) > after)
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    .slice(0, size);
  const last = page.at(-1);
  const nextPageToken = page.length < size || last === undefined ? '' : encodeToken(keyOf(last));
  return { items: page, nextPageToken };
}
