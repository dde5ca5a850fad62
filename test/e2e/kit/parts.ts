import type { Embedded } from '../../../embedded/embedded.ts';
import { startEmbedded } from '../../../embedded/embedded.ts';
import { newSealingKey } from '../../../src/domain/sealing.ts';
import { readEnvironment } from '../../../src/main/config.ts';
import { createLog } from '../../../src/main/log.ts';
import { emptyRedis, givenRedis } from '../../kit/given-servers.ts';
import { testDatabase } from '../../kit/postgres.ts';
import { queryOnce } from '../../kit/postgres-query.ts';

/** The servers that a Tenure of a test needs, and the settings with which Tenure reaches them. */
export interface Servers extends AsyncDisposable {
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Creates a migrated database on the server of the test run: a separate server would cost each file more processor time
 * than most of its tests. `e2e/commands` tests the embedded server.
 */
export async function databaseOfRun(): Promise<Servers> {
  const database = await testDatabase('pristine');
  // The server of the tests loses its last transactions when it crashes, because it does not wait for the disk. The
  // doctor would report this, so commits of this database wait.
  await queryOnce(database.url, `alter database ${database.name} set synchronous_commit = on`);
  return {
    environment: { DATABASE_URL: database.url, TENURE_SECRET_KEYS: newSealingKey() },
    [Symbol.asyncDispose]: () => database.drop(),
  };
}

/** Creates the database of {@link databaseOfRun}. If the test run was given a Redis, empties it and uses it too. */
export async function serversOfRun(): Promise<Servers> {
  await using stack = new AsyncDisposableStack();
  const redis = givenRedis();
  if (redis !== null) {
    await emptyRedis(redis);
    stack.defer(() => emptyRedis(redis));
  }
  const database = stack.use(await databaseOfRun());
  const opened = stack.move();
  return {
    environment: { ...(redis === null ? {} : { REDIS_URL: redis }), ...database.environment },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/**
 * Starts the servers that a Tenure of a test needs: a database and a LocalNet.
 *
 * @param settings settings of Tenure or LocalNet, such as `TENURE_DATA_DIR`; a `DATABASE_URL` among them replaces the
 *   database
 */
export async function startParts(
  settings: Readonly<Record<string, string | undefined>>,
): Promise<Embedded> {
  await using stack = new AsyncDisposableStack();
  const own = settings['DATABASE_URL'] === undefined ? stack.use(await databaseOfRun()) : null;
  const given = { ...own?.environment, ...settings };
  const embedded = stack.use(
    await startEmbedded({
      environment: readEnvironment(given),
      passOn: { PATH: process.env['PATH'], ...settings },
      ports: 'free',
      signal: AbortSignal.timeout(120_000),
      log: createLog('error'),
    }),
  );
  const opened = stack.move();
  return {
    ...embedded,
    environment: { ...own?.environment, ...embedded.environment },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
