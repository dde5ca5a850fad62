import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Io } from '../app/ports/io.ts';
import { errorLine } from '../domain/error-text.ts';
import { LIMITS } from '../domain/limits.ts';
import { createMoves } from '../store/cells/moved.ts';
import { CELL_CHANNEL } from '../store/sql/channels.ts';
import type { Listener } from '../store/sql/listen.ts';

interface MoveParts {
  readonly pool: Pool;
  readonly log: Logger;
  readonly listener: Listener;
}

/**
 * Watches whether the provider of this cell has moved away. If the notification arrives late, there is no harm, because
 * the database then already refuses all writes for the provider.
 *
 * @returns an object whose `movedTo` is updated: it says in words for callers where the provider has moved
 */
export async function watchMove(
  { pool, log, listener }: MoveParts,
  stack: AsyncDisposableStack,
): Promise<{ readonly movedTo: string | null }> {
  const moves = createMoves(pool);
  const over = new AbortController();
  const io = (): Io => ({ signal: over.signal, deadlineMs: LIMITS.databaseStatementMs });
  const provider = { movedTo: await moves.movedTo(io()) };
  const look = async (): Promise<void> => {
    try {
      provider.movedTo = await moves.movedTo(io());
    } catch (error) {
      if (over.signal.aborted) return;
      // Not retried: when the connection is back, the listener reports a gap, and `look` runs again.
      log.warn({ error: errorLine(error) }, 'whether the provider has moved is not known');
    }
  };
  stack.defer(
    listener.on(CELL_CHANNEL, { onMessage: () => void look(), onGap: () => void look() }),
  );
  stack.defer(() => over.abort());
  return provider;
}
