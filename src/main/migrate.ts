import { migrate } from '../store/sql/migrate.ts';
import { ConfigError, databaseUrl, processEnvironment, readEnvironment } from './config.ts';
import { createLog } from './log.ts';

/*
 * Entry point of a container that brings the database to the schema of its image and ends, with code 0, or with one
 * line and code 1. It needs no setting but the database's. Every process of a role does the same at its start: this is
 * for those who want it done, or refused, before they replace any.
 */

const stopping = new AbortController();
process.once('SIGTERM', () => stopping.abort());
process.once('SIGINT', () => stopping.abort());

try {
  const env = readEnvironment(processEnvironment());
  const url = databaseUrl(env);
  if (url === undefined) {
    throw new ConfigError(['DATABASE_URL is missing: the PostgreSQL server of the store']);
  }
  const applied = await migrate({ url, signal: stopping.signal });
  createLog(env.TENURE_LOG_LEVEL).info({ applied }, 'the database has the schema of this version');
} catch (error) {
  const lines = error instanceof ConfigError ? error.mistakes : [String(error)];
  for (const line of lines) process.stderr.write(`tenure: ${line}\n`);
  process.exitCode = 1;
}
