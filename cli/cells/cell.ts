import type { Client } from 'pg';
import { ServerClient } from '../../src/store/sql/server-client.ts';
import { MAIN_LIMITS } from '../../src/main/limits.ts';

/**
 * Thrown if the cell is not in the state that the step needs, or cannot be reached. `message` is one line for a person.
 */
export class CellError extends Error {
  override readonly name = 'CellError';
}

/** Runs `work` on a new connection, without a time limit for statements. */
export async function onCell<T>(
  databaseUrl: string,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new ServerClient({
    connectionString: databaseUrl,
    application_name: 'tenure-cell',
    pinsSchema: true,
    connectionTimeoutMillis: MAIN_LIMITS.startCallMs,
  });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
