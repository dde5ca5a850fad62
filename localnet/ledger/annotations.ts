import type { LedgerError } from './ledger-error.ts';
import { invalidArgument, invalidField } from './submission-checks.ts';

/** All keys and values of one object together, as participants limit them. */
const ANNOTATIONS_BYTES_MAX = 256 * 1024;
/** An annotation key: an optional DNS prefix, a slash, and a name of at most 63 characters. */
const KEY =
  /^(?:[a-z0-9](?:[a-z0-9\-.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9](?:[A-Za-z0-9\-_.]{0,61}[A-Za-z0-9])?$/;

export type Annotations = Readonly<Record<string, string>>;

export function checkAnnotations(annotations: Annotations): Annotations {
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations)) {
    if (!KEY.test(key)) throw invalidField('annotations', `invalid key '${key.slice(0, 100)}'`);
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (bytes > ANNOTATIONS_BYTES_MAX) {
    throw invalidArgument(`annotations exceed the maximum size of ${ANNOTATIONS_BYTES_MAX} bytes`);
  }
  return annotations;
}

/** What is stored when `change` is written over `current`: an empty value removes its key. */
export function changedAnnotations(
  current: Annotations,
  change: Annotations,
  mode: 'merge' | 'replace',
): Annotations {
  checkAnnotations(change);
  const base = mode === 'replace' ? change : { ...current, ...change };
  return Object.fromEntries(Object.entries(base).filter(([, value]) => value !== ''));
}

/** The version after `current`; refuses an update that was made from another one. */
export function nextResourceVersion(
  current: string,
  expected: string | undefined,
  conflict: () => LedgerError,
): string {
  if (expected !== undefined && expected !== '' && expected !== current) throw conflict();
  return (BigInt(current) + 1n).toString();
}

/** Page tokens are the last item's key, so that items added meanwhile neither repeat nor hide others. */
export function pageOf<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  pageSize: number,
  pageToken: string,
  pageSizeMax: number,
): { readonly items: readonly T[]; readonly nextPageToken: string } {
  if (pageSize < 0) throw invalidArgument(`page_size: ${pageSize} is negative`);
  const after = pageToken === '' ? undefined : Buffer.from(pageToken, 'base64url').toString('utf8');
  if (after !== undefined && Buffer.from(after).toString('base64url') !== pageToken) {
    throw invalidArgument('page_token is malformed');
  }
  const size = pageSize === 0 ? pageSizeMax : Math.min(pageSize, pageSizeMax);
  const rest = items
    .filter((item) => after === undefined || keyOf(item) > after)
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const page = rest.slice(0, size);
  const last = page.at(-1);
  const nextPageToken =
    rest.length > size && last !== undefined ? Buffer.from(keyOf(last)).toString('base64url') : '';
  return { items: page, nextPageToken };
}
