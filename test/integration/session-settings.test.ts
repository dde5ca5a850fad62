import { expect, inject, test } from 'vitest';
import { databaseCheck } from '../../src/main/database-check.ts';
import { closePool, openPool } from '../../src/store/sql/pool.ts';
import { IO, PROVIDER, startApi } from '../kit/http-api.ts';
import { asking } from '../kit/http-ask.ts';
import { PATIENCE_MS } from '../kit/patience.ts';
import { testDatabase } from '../kit/postgres.ts';
import { queryOnce } from '../kit/postgres-query.ts';

/*
 * A role or database whose settings differ from those that the code's statements need. Sessions inherit these settings.
 */

/**
 * Public reports: https://github.com/immich-app/static-pages/pull/719 (DateStyle),
 * https://github.com/brianc/node-postgres/issues/2640 (IntervalStyle) and
 * https://github.com/psycopg/psycopg2/issues/1451 (TimeZone). The other settings are similar.
 */
const HOSTILE: Readonly<Record<string, string>> = {
  DateStyle: `'German, DMY'`,
  IntervalStyle: `'sql_standard'`,
  TimeZone: `'Asia/Kolkata'`,
  extra_float_digits: '-15',
  bytea_output: 'escape',
  standard_conforming_strings: 'off',
  quote_all_identifiers: 'on',
  array_nulls: 'off',
  transform_null_equals: 'on',
  default_transaction_isolation: 'serializable',
  default_transaction_deferrable: 'on',
  lock_timeout: '1',
  // This is longer than it takes to open a connection on a busy machine.
  statement_timeout: `'30s'`,
  idle_in_transaction_session_timeout: `'30s'`,
  idle_session_timeout: `'30s'`,
  client_min_messages: 'error',
  search_path: 'nowhere',
};

const admin = (text: string) => queryOnce(inject('postgres').adminUrl, text);

/** Changes the settings of all sessions that are opened later. No other test may use the database. */
async function makeHostile(name: string): Promise<void> {
  for (const [setting, value] of Object.entries(HOSTILE))
    await admin(`alter database ${name} set ${setting} = ${value}`);
  await admin(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
}

/** Returns the value of each setting in a session of the pool. */
async function settingsOf(url: string): Promise<Readonly<Record<string, string>>> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const pool = await openPool({ url, max: 1, applicationName: 'tenure test', signal });
  try {
    const { rows } = await pool.query<{ name: string; value: string }>(
      'select name, current_setting(name) as value from unnest($1::text[]) as s(name)',
      [Object.keys(HOSTILE)],
    );
    return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
  } finally {
    await closePool(pool, PATIENCE_MS);
  }
}

test('a connection has the settings that statements depend on, whatever its database has', async () => {
  await using database = await testDatabase();
  const before = await settingsOf(database.url);
  await makeHostile(database.name);
  const after = await settingsOf(database.url);
  expect(after).toEqual({ ...before, search_path: 'public' });
});

test('the API serves and is ready on such a database', async () => {
  await using api = await startApi();
  await makeHostile(api.database.name);
  const provider = await asking(api, PROVIDER);
  await expect.poll(async () => (await provider.get('/policies/expiry')).statusCode).toBe(200);
  expect((await provider.get('/ops/lifecycles')).statusCode).not.toBe(500);
  await databaseCheck(api.pool).check(IO);
});

test('a database that writes instants otherwise is not ready', async () => {
  await using database = await testDatabase();
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const pool = await openPool({
    url: database.url,
    max: 1,
    applicationName: 'tenure test',
    signal,
  });
  await pool.query(`set DateStyle = 'German, DMY'`);
  await expect(databaseCheck(pool).check(IO)).rejects.toThrow('not an instant');
  await closePool(pool, PATIENCE_MS);
});
