import { parseTimestamp } from '../../ledger/lf-values.ts';
import { Unreadable } from './unreadable.ts';
import type { Query, QueryParameter } from './operation.ts';

type Kind = QueryParameter['kind'];

const isLong = (text: string): boolean =>
  /^-?\d{1,19}$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);

const IS: Readonly<Record<Kind, (text: string) => boolean>> = {
  text: () => true,
  int: (text) => isLong(text) && Math.abs(Number(text)) < 2 ** 31,
  long: isLong,
  flag: (text) => text === 'true' || text === 'false',
  instant: (text) => parseTimestamp(text) !== undefined,
};

/** Returns a 64-bit number from the path. Throws Unreadable for any other text. */
export function longOfPath(path: Readonly<Record<string, string>>, name: string): bigint {
  const text = path[name] ?? '';
  if (!isLong(text)) throw new Unreadable(undefined, `path parameter ${name}`);
  return BigInt(text);
}

/** Reads a request's query. Throws Unreadable for an invalid parameter. */
export function queryOf(url: string, parameters: readonly QueryParameter[]): Query {
  const given = new URL(url, 'http://localnet').searchParams;
  for (const { name, kind, isMany, isRequired } of parameters) {
    const values = given.getAll(name);
    const where = `query parameter ${name}`;
    if (values.length === 0 && isRequired === true) throw new Unreadable('missing', where);
    if (values.length > 1 && isMany !== true) throw new Unreadable('multiple values', where);
    if (!values.every(IS[kind])) throw new Unreadable(undefined, where);
  }
  return {
    text: (name) => given.get(name) ?? '',
    all: (name) => given.getAll(name),
    integer: (name) => (given.has(name) ? Number(given.get(name)) : undefined),
    flag: (name) => (given.has(name) ? given.get(name) === 'true' : undefined),
  };
}
