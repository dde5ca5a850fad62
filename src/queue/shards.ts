import { createHash } from 'node:crypto';
import { SUBMIT_QUEUE } from './job.ts';

/*
 * The submit queue may be several: a queue is kept by one node of a cluster, and so each shard may have another. What
 * is of one lane goes to one shard.
 */

/** The shard of a lane: the same in every process, whatever its version. */
export function shardOf(lane: string, shards: number): number {
  if (shards <= 1) return 0;
  return createHash('sha256').update(lane).digest().readUInt32BE(0) % shards;
}

/** The first keeps the name that the queue had when there was one: versions that know only that one share it. */
export const queueNameOf = (shard: number): string =>
  shard === 0 ? SUBMIT_QUEUE : `${SUBMIT_QUEUE}-${shard}`;

/**
 * What is before the keys of a shard. What is in braces decides which node of a cluster has them, so each shard has
 * braces of its own.
 */
export function shardPrefix(prefix: string, shard: number): string {
  if (shard === 0) return prefix;
  return prefix.endsWith('}') ? `${prefix.slice(0, -1)}:${shard}}` : `${prefix}:${shard}`;
}
