import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { sleep } from '../app/ports/wakeup.ts';
import type { JsonRecord } from '../domain/json.ts';
import { ServerClient } from '../store/sql/server-client.ts';
import { MAIN_LIMITS } from './limits.ts';

export interface RebuildAsk {
  readonly databaseUrl: string;
  readonly isDryRun: boolean;
  /** The person who asks, for the stored request. */
  readonly by: string;
  /** The maximum time that the projector may take to answer. */
  readonly waitMs: number;
}

/**
 * Asks the process with the projector's lease to rebuild the projection from the ledger, and waits for the result.
 *
 * @throws Error with one line for the person who asked; if no process has taken the request, the request is withdrawn
 */
export async function askForRebuild(ask: RebuildAsk): Promise<JsonRecord> {
  const client = new ServerClient({
    connectionString: ask.databaseUrl,
    application_name: 'tenure-rebuild',
    pinsSchema: true,
  });
  await client.connect();
  try {
    const id = randomUUID();
    const { rowCount } = await client.query(
      `insert into rebuild (id, asked_by, is_dry_run) values ($1, $2, $3) on conflict do nothing`,
      [id, ask.by, ask.isDryRun],
    );
    if (rowCount === 0)
      throw new Error('another rebuild is already requested and not answered yet: try again later');
    return await answerTo(client, id, ask.waitMs);
  } finally {
    await client.end();
  }
}

async function answerTo(client: Client, id: string, waitMs: number): Promise<JsonRecord> {
  const over = AbortSignal.timeout(waitMs);
  for (;;) {
    const { rows } = await client.query<{ report: JsonRecord | null; error: string | null }>(
      'select report, error from rebuild where id = $1 and answered_at is not null',
      [id],
    );
    const [answer] = rows;
    if (answer?.report !== undefined && answer.report !== null) return answer.report;
    if (answer !== undefined) throw new Error(`the projector refused: ${answer.error ?? ''}`);
    if (over.aborted) break;
    await sleep(MAIN_LIMITS.rebuildLookMs, over);
  }
  await client.query('delete from rebuild where id = $1 and answered_at is null', [id]);
  throw new Error(
    'no projector has answered: does one run, and what does /readyz say? The request is withdrawn.',
  );
}
