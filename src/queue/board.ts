import type { Queue } from 'bullmq';
import Fastify from 'fastify';
import type { FastifyInstance } from 'fastify';
import type { QueueBackend } from './backend.ts';
import { openRawQueue } from './backend.ts';
import type { ShardCount } from './shard-workers.ts';
import type { QueueLog } from './queue-log.ts';

/** The board's answer to a request for a page, a script or figures. */
export interface BoardAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: Buffer;
}

/** The dashboard of the queue (Bull Board), read-only. */
export interface QueueBoard {
  /**
   * @param url relative to the board, including its query; `/` is the page
   * @throws QueueStartError while the queue is unreachable
   */
  get(url: string): Promise<BoardAnswer>;
  close(): Promise<void>;
}

/**
 * The path that the board's page assumes for itself. A server that serves the board elsewhere replaces the path in the
 * page.
 */
export const BOARD_PATH = '/ops/queue';

interface OpenBoard {
  readonly page: FastifyInstance;
  close(): Promise<void>;
}

/** Opened for the first visitor, so that a process without visitors holds no pages and no connections. */
async function openBoard(backend: QueueBackend, shards: number, log: QueueLog): Promise<OpenBoard> {
  const [{ createBullBoard }, { BullMQAdapter }, { FastifyAdapter }] = await Promise.all([
    import('@bull-board/api'),
    import('@bull-board/api/bullMQAdapter'),
    import('@bull-board/fastify'),
  ]);
  const raws: Awaited<ReturnType<typeof openRawQueue>>[] = [];
  const closeAll = () => Promise.all(raws.map((raw) => raw.close()));
  const page = Fastify({ logger: false });
  try {
    for (let shard = 0; shard < shards; shard += 1) {
      raws.push(await openRawQueue(backend, log, shard));
    }
    const serverAdapter = new FastifyAdapter().setBasePath(BOARD_PATH);
    createBullBoard({
      // The adapter's type allows only queues on Redis, but the adapter also works with queues on PostgreSQL.
      queues: raws.map(
        ({ queue }) =>
          new BullMQAdapter(queue as unknown as Queue, { readOnlyMode: true, allowRetries: false }),
      ),
      serverAdapter,
      options: {
        uiConfig: {
          boardTitle: 'Tenure: the raw queue',
          // The default icon would be loaded from another site.
          favIcon: { default: 'static/images/logo.svg', alternative: 'static/favicon-32x32.png' },
        },
      },
    });
    await page.register(serverAdapter.registerPlugin());
    await page.ready();
  } catch (error) {
    await closeAll();
    throw error;
  }
  return {
    page,
    async close() {
      await page.close();
      await closeAll();
    },
  };
}

/**
 * @param backend opens the queue's store, or returns it if it is already open
 * @param count number of queues; queues that were in use earlier are also shown
 */
export function createQueueBoard(
  backend: () => Promise<QueueBackend>,
  log: QueueLog,
  count: () => Promise<ShardCount> = async () => ({ shards: 1, most: 1 }),
): QueueBoard {
  let opening: Promise<OpenBoard> | null = null;
  const open = (): Promise<OpenBoard> => {
    opening ??= Promise.all([backend(), count()])
      .then(([opened, { most }]) => openBoard(opened, most, log))
      .catch((error: unknown) => {
        // The next request tries again.
        opening = null;
        throw error;
      });
    return opening;
  };
  return {
    async get(url) {
      const { page } = await open();
      const { statusCode, headers, rawPayload } = await page.inject({ method: 'GET', url });
      const type = headers['content-type'] ?? 'application/octet-stream';
      return { status: statusCode, type, body: rawPayload };
    },
    async close() {
      const opened = await opening?.catch(() => null);
      await opened?.close();
    },
  };
}
