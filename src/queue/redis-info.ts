import { errorText } from '../domain/error-text.ts';

/** Returns one field of Redis' `INFO`; `null` if it is missing. */
export const infoField = (info: string, field: string): string | null =>
  new RegExp(`^${field}:(.*?)\r?$`, 'm').exec(info)?.[1] ?? null;

/**
 * A script that does nothing. A server refuses it whenever it would refuse a write. Redis before version 7 does not
 * support it.
 */
export const WRITE_PROBE = '#!lua\nreturn 1';

/** The codes with which a server refuses all writes. */
const REFUSALS = /^(?:OOM|MISCONF|READONLY|NOREPLICAS)\b/u;

/**
 * Returns why a server would refuse a write, from its answer to `WRITE_PROBE`; `null` if it would accept the write, or
 * gave no reason.
 */
export function whyRefused(error: unknown): string | null {
  const words = errorText(error);
  return REFUSALS.test(words) ? `Redis refuses writes: ${words}` : null;
}

/**
 * Returns in words why a server that answers accepts no writes; `null` if it accepts them. Reads only `INFO` and writes
 * nothing.
 */
export function whyNoWrites(info: string): string | null {
  const is = (field: string, value: string): boolean => infoField(info, field) === value;
  if (is('role', 'slave')) return 'Redis is a replica and accepts no writes';
  const maxBytes = Number(infoField(info, 'maxmemory') ?? 0);
  const usedBytes = Number(infoField(info, 'used_memory') ?? 0);
  if (maxBytes > 0 && usedBytes >= maxBytes && is('maxmemory_policy', 'noeviction')) {
    return `the memory of Redis is full: ${usedBytes} of ${maxBytes} bytes`;
  }
  if (is('aof_last_write_status', 'err')) return 'Redis cannot write its append-only file';
  if (is('rdb_last_bgsave_status', 'err')) return 'Redis cannot write its snapshot';
  if (is('min_slaves_good_slaves', '0'))
    return 'Redis requires connected replicas (min-replicas-to-write), but none is connected';
  return null;
}
