import { Client } from 'pg';

/** Runs a query on a connection of its own. @throws Error with the query if the database is unreachable or too slow */
export async function rowsOf<Row extends object>(
  databaseUrl: string,
  sql: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const client = new Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: 10_000,
    query_timeout: 30_000,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query<Row>(sql, [...values])).rows;
  } catch (error) {
    throw new Error(`${String(error)}: ${sql.trim()}`, { cause: error });
  } finally {
    await client.end();
  }
}
