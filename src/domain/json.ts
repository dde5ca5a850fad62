/** A JSON value. Numbers of the ledger are encoded as strings: see `store` payload encoding in docs/ARCHITECTURE.md. */
export type Json = null | boolean | number | string | readonly Json[] | JsonRecord;
export interface JsonRecord {
  readonly [key: string]: Json;
}

export const isJsonRecord = (value: Json | undefined): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Serialises a JSON value canonically: object keys sorted, no white space. Bodies that differ only in the order of keys
 * have the same canonical text.
 */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (isJsonRecord(value)) {
    const members = Object.keys(value)
      .sort()
      .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`);
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value);
}

/** Returns a text member of a record, or `undefined` if it is absent or of another type. */
export function textAt(record: JsonRecord, key: string): string | undefined {
  const value = record[key];
  return typeof value === 'string' ? value : undefined;
}

/** Returns a member that is a record, or an empty record. */
export function recordAt(record: JsonRecord, key: string): JsonRecord {
  const value = record[key];
  return isJsonRecord(value) ? value : {};
}

declare global {
  /** Source: the ECMAScript proposal "JSON.parse source text access", which Node 24 implements. */
  interface JSON {
    rawJSON(text: string): object;
  }
}

const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/u;

/**
 * Returns a decimal as a JSON number with exactly its digits, such as `100.0000000000`, which a double cannot hold. For
 * `JSON.stringify` only.
 *
 * @throws TypeError if the text is not a decimal
 */
export function jsonDecimal(text: string): Json {
  if (!DECIMAL.test(text)) throw new TypeError(`not a decimal: ${text.slice(0, 80)}`);
  return JSON.rawJSON(text) as unknown as Json;
}
