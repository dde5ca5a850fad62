import { QUEUE_LIMITS } from './limits.ts';
import type { RedisClient } from './redis-address.ts';
import { primariesOf } from './redis-address.ts';
import type { Anew } from '../app/ports/queue-probe.ts';

/* BullMQ's keys with Tenure's prefix: their types, a check, and their deletion. */

/** The type of each of the queue's keys, by the last part of its name. Missing keys are created when needed. */
const TYPES: Readonly<Record<string, string>> = {
  id: 'string',
  meta: 'hash',
  wait: 'list',
  paused: 'list',
  active: 'list',
  prioritized: 'zset',
  delayed: 'zset',
  completed: 'zset',
  failed: 'zset',
  'waiting-children': 'zset',
  stalled: 'set',
  'stalled-check': 'string',
  repeat: 'zset',
  limiter: 'string',
  events: 'stream',
  pc: 'string',
  marker: 'zset',
};
/** The types of a job's further keys, by the last part of their names, which follows the job's ID. */
const TYPES_OF_JOB: Readonly<Record<string, string>> = { lock: 'string', logs: 'list' };

/**
 * The key with the time and the reason of the last deletion. It does not belong to the queue, so that it is not deleted
 * with it.
 */
const ANEW = 'made-anew';

/** The keys of one queue: their prefix and the queue's name. */
export interface RedisPlace {
  readonly prefix: string;
  readonly name: string;
}

const prefixOf = ({ prefix, name }: RedisPlace): string => `${prefix}:${name}:`;

/** Returns the required type of a key; `null` for an unknown key, which may have any type. */
function typeOf(name: string): string | null {
  const known = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
  if (known !== undefined) return known;
  const [id = '', part, ...more] = name.split(':');
  // Keys of schedulers, deduplication and metrics, which Tenure does not use, may have any type.
  if (more.length > 0 || Object.hasOwn(TYPES, id)) return null;
  return part === undefined ? 'hash' : (TYPES_OF_JOB[part] ?? null);
}

async function* keysOf(client: RedisClient, place: RedisPlace): AsyncGenerator<string[]> {
  const pattern = `${prefixOf(place).replaceAll(/[\\*?[\]]/g, String.raw`\$&`)}*`;
  for (const node of primariesOf(client)) {
    for (let cursor = '0', isFirst = true; isFirst || cursor !== '0'; isFirst = false) {
      const [next, keys] = await node.scan(
        cursor,
        'MATCH',
        pattern,
        'COUNT',
        QUEUE_LIMITS.scanCount,
      );
      if (keys.length > 0) yield keys;
      cursor = next;
    }
  }
}

async function wrongAmong(
  client: RedisClient,
  place: RedisPlace,
  keys: readonly string[],
): Promise<string | null> {
  const types = await Promise.all(keys.map((key) => client.type(key)));
  for (const [index, key] of keys.entries()) {
    const name = key.slice(prefixOf(place).length);
    const [is, must] = [types[index], typeOf(name)];
    if (is !== 'none' && must !== null && is !== must) {
      return `its key ${name} had type ${is} instead of ${must}`;
    }
  }
  return null;
}

/** Returns what is wrong with the keys of the queue, or `null`; `all` includes the keys of its jobs. */
export async function lookAtKeys(
  client: RedisClient,
  place: RedisPlace,
  extent: 'queue' | 'all',
): Promise<string | null> {
  const own = Object.keys(TYPES).map((name) => `${prefixOf(place)}${name}`);
  const found = await wrongAmong(client, place, own);
  if (found !== null || extent === 'queue') return found;
  for await (const keys of keysOf(client, place)) {
    const wrong = await wrongAmong(client, place, keys);
    if (wrong !== null) return wrong;
  }
  return null;
}

/** Deletes all keys of the queue, and stores the reason. */
export async function deleteKeys(
  client: RedisClient,
  place: RedisPlace,
  because: string,
): Promise<void> {
  for await (const keys of keysOf(client, place)) await client.unlink(...keys);
  const anew: Anew = { at: new Date().toISOString(), because };
  await client.set(`${place.prefix}:${ANEW}`, JSON.stringify(anew), 'EX', QUEUE_LIMITS.anewKeptS);
}

/** Returns when and why the queue was last created again, if this is still stored. */
export async function readAnew(client: RedisClient, { prefix }: RedisPlace): Promise<Anew | null> {
  try {
    const read: unknown = JSON.parse((await client.get(`${prefix}:${ANEW}`)) ?? 'null');
    return typeof read === 'object' && read !== null && 'because' in read ? (read as Anew) : null;
  } catch {
    return null; // The key was written by another program.
  }
}
