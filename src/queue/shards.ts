import { createHash } from 'node:crypto';
import { SUBMIT_QUEUE } from './job.ts';

/*
 * The submit queue can be split into shards, because a cluster stores one queue on one node. All effects of a lane go
 * to the same shard.
 */

/** Returns the shard of a lane. The result must be the same in every process and every version. */
export function shardOf(lane: string, shards: number): number {
  if (shards <= 1) return 0;
  return createHash('sha256').update(lane).digest().readUInt32BE(0) % shards;
}

/**
 * Returns the queue name of a shard. The first shard has the name of the former single queue, so that versions that
 * know only that queue share it.
 */
export const queueNameOf = (shard: number): string =>
  shard === 0 ? SUBMIT_QUEUE : `${SUBMIT_QUEUE}-${shard}`;

/**
 * Returns the prefix of a shard's keys. In a cluster, the text in braces determines which node holds the keys, so each
 * shard has a different text in braces.
 */
export function shardPrefix(prefix: string, shard: number): string {
  if (shard === 0) return prefix;
  return prefix.endsWith('}') ? `${prefix.slice(0, -1)}:${shard}}` : `${prefix}:${shard}`;
}
