import { createHash } from 'node:crypto';
import { SUBMIT_QUEUE } from './job.ts';

/*
 * The submit queue may be split into shards, because one queue is kept by one node of a cluster. All effects of a lane
 * go to one shard.
 */

/** Returns the shard of a lane: the same in every process of any version. */
export function shardOf(lane: string, shards: number): number {
  if (shards <= 1) return 0;
  return createHash('sha256').update(lane).digest().readUInt32BE(0) % shards;
}

/** The first shard has the name of the former single queue, so that versions that know only that queue share it. */
export const queueNameOf = (shard: number): string =>
  shard === 0 ? SUBMIT_QUEUE : `${SUBMIT_QUEUE}-${shard}`;

/**
 * Returns the prefix of a shard's keys. The text in braces decides which node of a cluster holds the keys, so each
 * shard has different braces.
 */
export function shardPrefix(prefix: string, shard: number): string {
  if (shard === 0) return prefix;
  return prefix.endsWith('}') ? `${prefix.slice(0, -1)}:${shard}}` : `${prefix}:${shard}`;
}
