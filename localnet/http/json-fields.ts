import type { Json } from '../ledger/lf-json.ts';

/**
 * A part of the request does not have its shape. The JSON API says so in plain text, not in its error shape:
 * `Invalid value for: body (…)`.
 */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
  constructor(detail: string, part = 'body') {
    super(`Invalid value for: ${part} (${detail})`);
  }
}

export type JsonObject = Readonly<Record<string, Json>>;

export function required(fields: JsonObject, key: string): Json {
  const value = Object.hasOwn(fields, key) ? fields[key] : undefined;
  if (value === undefined) throw new Unreadable(`Missing required field at '${key}'`);
  return value;
}

/** Left out and `null` are the same. */
export function optional<T>(
  fields: JsonObject,
  key: string,
  read: (json: Json, path: string) => T,
): T | undefined {
  const value = Object.hasOwn(fields, key) ? fields[key] : undefined;
  return value === undefined || value === null ? undefined : read(value, key);
}

export function objectOf(json: Json | undefined, path: string): JsonObject {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new Unreadable(`Expected an object at '${path}'`);
  }
  return json as JsonObject;
}

export function listOf(json: Json, path: string): readonly Json[] {
  if (!Array.isArray(json)) throw new Unreadable(`Expected an array at '${path}'`);
  return json as readonly Json[];
}

export function stringOf(json: Json, path: string): string {
  if (typeof json !== 'string') throw new Unreadable(`Expected a string at '${path}'`);
  return json;
}

export const textsOf = (json: Json, path: string): readonly string[] =>
  listOf(json, path).map((item, index) => stringOf(item, `${path}[${index}]`));

/** A 64-bit integer as a number or, for those that a number cannot hold, as a string. */
export function integerOf(json: Json, path: string): bigint {
  const isInteger =
    Number.isSafeInteger(json) || (typeof json === 'string' && /^-?\d{1,19}$/.test(json));
  if (!isInteger) throw new Unreadable(`Expected an integer at '${path}'`);
  return BigInt(json as number | string);
}

/** The same object without the keys that have no value: an absent field and an undefined one are not the same type. */
export function withoutUndefined<T extends object>(fields: {
  readonly [K in keyof T]: T[K] | undefined;
}): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

/** A text that may be left out, which is the same as an empty one. */
export const textOf = (fields: JsonObject, key: string): string =>
  optional(fields, key, stringOf) ?? '';

/** A flag that may be left out, which is the same as a false one. */
export const flagOf = (fields: JsonObject, key: string): boolean =>
  optional(fields, key, booleanOf) ?? false;

function booleanOf(json: Json, path: string): boolean {
  if (typeof json !== 'boolean') throw new Unreadable(`Expected a boolean at '${path}'`);
  return json;
}

/** The query of a request. A key may be given more than once. */
export const queryOf = ({ url }: { readonly url: string }): URLSearchParams =>
  new URL(url, 'http://localnet').searchParams;

/** `pageSize` and `pageToken` of a list; a size of `0` leaves it to the participant. */
export function pageOf(request: { readonly url: string }): {
  readonly pageSize: number;
  readonly pageToken: string;
} {
  const query = queryOf(request);
  const size = query.get('pageSize') ?? '0';
  if (!/^\d{1,9}$/.test(size)) {
    throw new Unreadable('expected an integer', 'query parameter pageSize');
  }
  return { pageSize: Number(size), pageToken: query.get('pageToken') ?? '' };
}

/** Both of an object's metadata, as `ObjectMeta` has them; what is left out is empty. */
export function readMeta(
  fields: JsonObject,
  key: string,
): {
  readonly annotations: Readonly<Record<string, string>>;
  readonly resourceVersion: string;
} {
  const meta = optional(fields, key, objectOf) ?? {};
  const annotations = Object.entries(optional(meta, 'annotations', objectOf) ?? {});
  return {
    annotations: Object.fromEntries(
      annotations.map(([name, value]) => [name, stringOf(value, `${key}.annotations.${name}`)]),
    ),
    resourceVersion: textOf(meta, 'resourceVersion'),
  };
}

/** Paths of an update mask `{paths: […]}`, `undefined` when there is none. */
export function readMask(fields: JsonObject): readonly string[] | undefined {
  const mask = optional(fields, 'updateMask', objectOf);
  return mask === undefined ? undefined : (optional(mask, 'paths', textsOf) ?? []);
}
