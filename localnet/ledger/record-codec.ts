import type { PackageRegistry } from './package-registry.ts';
import type { LedgerRecord } from './records.ts';
import { TRANSACTION_PREFIX, decodeTransaction, encodeTransaction } from './transaction-codec.ts';
import type { ContractLookup } from './transaction-codec.ts';

/*
 * Each record is one line of JSON. Transactions make up nearly all of a journal and have a compact format of their own.
 * Other records are written as plain JSON; values of types `bigint` and `Map` have tags, so that they can be read
 * without a schema.
 */

function replacer(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return { $n: value.toString() };
  if (value instanceof Map) return { $m: [...(value as Map<unknown, unknown>)] };
  return value;
}

function reviver(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const tagged = value as { readonly $n?: string; readonly $m?: [unknown, unknown][] };
  if (typeof tagged.$n === 'string') return BigInt(tagged.$n);
  if (Array.isArray(tagged.$m)) return new Map(tagged.$m);
  return value;
}

const FREE = { paidTrafficCost: 0n };

/** Returns the line of a record, without the line feed. */
export function encodeRecord(record: LedgerRecord): string {
  return record.kind === 'transaction'
    ? encodeTransaction(record)
    : JSON.stringify(record, replacer);
}

/**
 * Reads a line. Throws an error with the reason if the line is invalid, because the file is damaged or because of a
 * bug.
 */
export function decodeRecord(
  line: string,
  registry: PackageRegistry,
  lookUp: ContractLookup,
): LedgerRecord {
  return line.startsWith(TRANSACTION_PREFIX)
    ? decodeTransaction(line, registry, lookUp)
    : completed(JSON.parse(line, reviver) as LedgerRecord);
}

/** Adds the traffic cost to records of earlier builds, which charged nothing and wrote no cost. */
function completed(record: LedgerRecord): LedgerRecord {
  if (record.kind !== 'rejection') return record;
  return { ...record, completion: { ...FREE, ...record.completion } };
}
