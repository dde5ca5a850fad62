import { queueSuite } from '../../kit/queue-suite.ts';
import type { QueueUnderTest } from '../../kit/queue-under-test.ts';
import { createMemoryQueue } from './queue.ts';
import { realAfter, realHooks } from './real-hooks.ts';

queueSuite(async (): Promise<QueueUnderTest> => {
  const queue = createMemoryQueue({ after: realAfter });
  const connection = queue.connect('test', realHooks());
  return {
    queue: connection.queue,
    worker: async (processor, choices = {}) =>
      connection.startWorker({ processor, drainMs: 500, ...choices }),
    wipe: async () => queue.wipe(),
    [Symbol.asyncDispose]: async () => connection.kill(),
  };
});
