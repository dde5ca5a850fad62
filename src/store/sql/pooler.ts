import {
  DatabaseUnreachableError,
  asUnreachable,
  assertDatabaseUrl,
  targetOf,
} from './database-unreachable.ts';
import { ServerClient } from './server-client.ts';
import { STORE_LIMITS } from '../limits.ts';

/*
 * A pooler in transaction mode lends a server session for one transaction. Listening, the locks that show that a
 * process lives, and prepared statements need a session of their own, so Tenure does not work behind such a pooler. A
 * pooler in session mode lends a session as long as the connection lasts, which is enough.
 */

const PID = 'select pg_backend_pid() as pid';

const WORDS =
  'a connection pooler in transaction mode is in between: Tenure listens and holds locks of sessions, ' +
  'so it needs the server itself, or a pooler in session mode';

async function pidOf(client: ServerClient): Promise<number | null> {
  const { rows } = await client.query<{ pid: number }>(PID);
  return rows[0]?.pid ?? null;
}

/**
 * Returns whether the session of one connection is lent to another. While the second is within a transaction, the first
 * is asked which session it has.
 */
async function isLent(first: ServerClient, second: ServerClient): Promise<boolean> {
  const before = await pidOf(first);
  await second.query('begin');
  const taken = await pidOf(second);
  return taken === before || (await pidOf(first)) !== before;
}

/** @throws DatabaseUnreachableError if a pooler in transaction mode is in between, or no server answers */
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
