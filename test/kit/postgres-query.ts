import { Client, type QueryResultRow } from 'pg';
import { columnTypes } from '../../src/store/sql/column-types.ts';

/** Returns the URL of another database on the same server. */
export function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}

/** Executes one statement (or several without parameters) on a connection of its own. */
export async function queryOnce<Row extends QueryResultRow = Record<string, unknown>>(
  url: string,
  sql: string,
  values?: readonly unknown[],
): Promise<Row[]> {
  const client = new Client({ connectionString: url, types: columnTypes });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<Row>(sql, values === undefined ? undefined : [...values]);
    return rows;
  } finally {
    await client.end();
  }
}
