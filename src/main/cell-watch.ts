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
 * Watches whether the provider of this cell has moved away. Late news does no harm: by then nothing of the provider can
 * be written here.
 *
 * @returns an object that is updated: where the provider has moved to, in words for callers
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
      // Changes missed by a lost connection are reported as a gap.
      log.warn({ error: errorLine(error) }, 'whether the provider has moved is not known');
    }
  };
  stack.defer(
    listener.on(CELL_CHANNEL, { onMessage: () => void look(), onGap: () => void look() }),
  );
  stack.defer(() => over.abort());
  return provider;
}
