/*
 * A worker process for tests that kill one: `node queue-worker.fixture.ts <postgres|redis> <address>`. It prints
 * `ready`, then `start <effect id> <dispatch number>` for each job, and it never finishes a job.
 */
import { postgresBackend } from '../../src/queue/postgres-backend.ts';
import { redisBackend } from '../../src/queue/redis-backend.ts';
import { startWorker } from '../../src/queue/worker.ts';
import { silent } from '../kit/queue-under-test.ts';

const [kind, address] = process.argv.slice(2);
if (address === undefined)
  throw new Error('usage: queue-worker.fixture.ts <postgres|redis> <address>');
const backend =
  kind === 'postgres'
    ? await postgresBackend({ databaseUrl: address }, silent)
    : await redisBackend({ url: address }, silent);
await startWorker({
  backend,
  log: silent,
  processor: ({ effectId, dispatchNo }) => {
    process.stdout.write(`start ${effectId} ${dispatchNo}\n`);
    return new Promise(() => {});
  },
});
process.stdout.write('ready\n');
