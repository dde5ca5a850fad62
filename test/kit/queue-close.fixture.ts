import { once } from 'node:events';
import { openQueue } from '../../src/queue/backend.ts';
import { redisBackend } from '../../src/queue/redis-backend.ts';
import { startWorker } from '../../src/queue/worker.ts';
import { silent } from './queue-under-test.ts';

/*
 * Two shards of a queue with their workers, closed when a message asks for it. This file does not end the process
 * explicitly, so the process ends only if nothing keeps it running.
 */

const backend = await redisBackend({ url: process.argv[2] ?? '' }, silent);
const parts: (() => Promise<void>)[] = [];
for (const shard of [0, 1]) {
  const queue = await openQueue(backend, silent, shard);
  const processor = async () => undefined;
  const worker = await startWorker({ processor, backend, log: silent, shard, drainMs: 500 });
  parts.push(
    () => queue.close(),
    () => worker.stop(),
  );
}
process.send?.('open');
await once(process, 'message');
await Promise.all(parts.map((close) => close()));
process.disconnect();
