import {
  DatabaseUnreachableError,
  asUnreachable,
  assertDatabaseUrl,
  targetOf,
} from './database-unreachable.ts';
import { ServerClient } from './server-client.ts';
import { STORE_LIMITS } from '../limits.ts';

/*
 * Refuses poolers in transaction mode, because such a pooler lends a server session only for one transaction. Tenure
 * needs a session of its own to listen, to hold the locks that show that a process is alive, and to use prepared
 * statements. A pooler in session mode is accepted: it lends a session for as long as the connection lasts.
 */

const PID = 'select pg_backend_pid() as pid';

const WORDS =
  'DATABASE_URL leads to a connection pooler in transaction mode: Tenure uses LISTEN and session locks, ' +
  'so it needs the PostgreSQL server itself, or a pooler in session mode';

async function pidOf(client: ServerClient): Promise<number | null> {
  const { rows } = await client.query<{ pid: number }>(PID);
  return rows[0]?.pid ?? null;
}

/**
 * Returns whether two connections get the same server session. While the second connection is within a transaction, the
 * first one is asked which session it has now.
 */
async function isLent(first: ServerClient, second: ServerClient): Promise<boolean> {
  const before = await pidOf(first);
  await second.query('begin');
  const taken = await pidOf(second);
  return taken === before || (await pidOf(first)) !== before;
}

/**
 * @throws DatabaseUnreachableError if the connection goes through a pooler in transaction mode, or if no server answers
 */
export async function refusePooler(url: string): Promise<void> {
  assertDatabaseUrl(url);
  const client = () =>
    new ServerClient({
      connectionString: url,
      application_name: 'tenure-servers',
      connectionTimeoutMillis: STORE_LIMITS.connectMs,
      query_timeout: STORE_LIMITS.connectMs,
    });
  const [first, second] = [client(), client()];
  try {
    await first.connect();
    if (!first.isPooled) return;
    await second.connect();
    if (!(await isLent(first, second))) return;
  } catch (error) {
    throw asUnreachable(error, url) ?? error;
  } finally {
    await Promise.allSettled([first.end(), second.end()]);
  }
  const target = targetOf(url) ?? { where: '', host: '', port: 0 };
  throw new DatabaseUnreachableError('pooler', target, WORDS);
}
