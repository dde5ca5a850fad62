import * as t from '../texts/parts.tsx';

/** The names and values that a person enters as metadata. They are written to the ledger with a contract. */
export type MetadataRows = readonly (readonly [name: string, value: string])[];

export const ENTRIES_MAX = 64;
const CHARS_MAX = 4_096;

/** Returns the metadata for a body, or a text that says what is wrong. Rows without a value are left out. */
export function metadataOf(rows: MetadataRows): { readonly data: object } | string {
  const filled = rows.filter(([, value]) => value !== '');
  const names = filled.map(([name]) => name.trim());
  if (names.includes('')) return t.aValueHasNoName;
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) return t.isThereTwice(twice);
  const long = filled.find(([name, value]) => Math.max(name.length, value.length) > CHARS_MAX);
  if (long !== undefined) return t.hasMoreThan4096Characters(long[0].slice(0, 40));
  return { data: Object.fromEntries(filled.map(([, value], at) => [names[at] ?? '', value])) };
}

/**
 * Returns the metadata that the parties wrote. The plan and its terms, which Tenure adds, are left out because pages
 * show them elsewhere.
 */
export const ownMetadata = (
  data: Readonly<Record<string, string>>,
): readonly (readonly [string, string])[] =>
  Object.entries(data).filter(([name]) => !name.startsWith('tenure/'));

/** Returns metadata as one line, for lists. */
export const metadataLine = (data: Readonly<Record<string, string>>): string =>
  ownMetadata(data)
    .map(([name, value]) => `${name}: ${value}`)
    .join(' · ');
