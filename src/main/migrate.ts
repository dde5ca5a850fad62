import { readDatabaseUrl } from '../store/sql/database-url.ts';
import { migrate } from '../store/sql/migrate.ts';
import { grantRetention, grantRunTime } from '../store/sql/run-time-role.ts';
import { ConfigError, databaseUrl, processEnvironment, readEnvironment } from './config.ts';
import { connectToDatabase } from './database.ts';
import { createLog } from './log.ts';
import { migrationRefusals } from './production-gate.ts';

/*
 * Entry point of a container that migrates the database to the schema of its image and then ends: with code 0, or with
 * one line and code 1. It reads only the database's settings; production refuses insecure ones here as it does for
 * other processes. With DATABASE_MIGRATION_URL it migrates as the owner of the tables, and grants the roles of
 * DATABASE_URL and DATABASE_RETENTION_URL their rights. Without it, every process migrates at its own start, and this
 * program only does so earlier.
 */

const roleIn = (url: string | undefined): string => readDatabaseUrl(url ?? '')?.user ?? '';

/** Grants a role the use of the tables, unless it is the role that migrates. */
async function grantTo(url: string, role: string, grant: typeof grantRunTime): Promise<void> {
  if (role === '' || role === roleIn(url)) return;
  const client = await connectToDatabase({
    connectionString: url,
    application_name: 'tenure migrate',
  });
  try {
    await grant(client, role);
  } finally {
    await client.end();
  }
}

const stopping = new AbortController();
process.once('SIGTERM', () => stopping.abort());
process.once('SIGINT', () => stopping.abort());

try {
  const env = readEnvironment(processEnvironment());
  const refusals = migrationRefusals(env);
  if (refusals.length > 0) throw new ConfigError(refusals);
  const runTimeUrl = databaseUrl(env);
  const url = env.DATABASE_MIGRATION_URL ?? runTimeUrl;
  if (url === undefined) {
    throw new ConfigError([
      'DATABASE_URL is missing: set it to the address of the PostgreSQL server',
    ]);
  }
  const applied = await migrate({ url, signal: stopping.signal });
  const runTimeRole = roleIn(runTimeUrl);
  const retentionRole = roleIn(env.DATABASE_RETENTION_URL);
  await grantTo(url, runTimeRole, grantRunTime);
  // With the rights of retention, the run-time role could delete audit rows.
  if (retentionRole !== runTimeRole) await grantTo(url, retentionRole, grantRetention);
  createLog(env.TENURE_LOG_LEVEL).info(
    { applied },
    applied.length === 0
      ? 'the database already has the schema of this version'
      : 'the database now has the schema of this version',
  );
} catch (error) {
  const lines = error instanceof ConfigError ? error.mistakes : [String(error)];
  for (const line of lines) process.stderr.write(`tenure: ${line}\n`);
  process.exitCode = 1;
}
