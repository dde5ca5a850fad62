import type { Client } from 'pg';

/*
 * Settings on which the statements of this code depend, and which a role or a database may change. Sessions inherit
 * such changes, so each connection sets these values once, when it opens. `default_transaction_read_only` is inherited
 * on purpose: operators and hosting providers use it to lock a database.
 */

/** Settings of the text form of values. */
const TEXT = {
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  extra_float_digits: '1',
  bytea_output: 'hex',
  standard_conforming_strings: 'on',
  quote_all_identifiers: 'off',
  array_nulls: 'on',
  transform_null_equals: 'off',
} as const;

/** Settings of transactions. This process sets all deadlines, so no other timeout may end its statements. */
const TRANSACTIONS = {
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  lock_timeout: '0',
  // Listeners and leases keep idle connections.
  idle_session_timeout: '0',
  // This setting exists since PostgreSQL 17.
  transaction_timeout: '0',
  // The server reports the cancelled wait for a standby by a notice of level WARNING.
  client_min_messages: 'notice',
} as const;

/** Sets the values. A setting that the server does not have is skipped, because its `current_setting` is null. */
const SET = `
  select set_config(s.name, s.value, false) from unnest($1::text[], $2::text[]) as s(name, value)
  where current_setting(s.name, true) is not null`;

/**
 * Replaces a search path that comes from the role or the database by `public`, if the path leads to no schema or not to
 * Tenure's tables. A path that leads to the tables is kept, because a deployment may use its own schema. A path that
 * the connection itself sets is kept, too.
 */
const LEAD_TO_TABLES = `
  select set_config('search_path', 'public', false) from pg_settings s
  where s.name = 'search_path' and s.source in ('database', 'user', 'database user')
    and (current_schema() is null
      or (to_regclass('migration') is null and to_regclass('public.migration') is not null))`;

/**
 * How the statements of a connection are planned.
 *
 * - `by-key`: statements find few rows by key, in tables that grow faster than PostgreSQL's statistics. Their plans are
 *   made once and must use indexes. Otherwise a plan made while a table was small would later read all of that table,
 *   for as long as the plan is kept.
 * - `freely`: as configured for the role or the database.
 */
export type Planning = 'by-key' | 'freely';

const BY_KEY = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
} as const;

const each = (words: (name: string, value: string) => string): string =>
  Object.entries(BY_KEY)
    .map(([name, value]) => words(name, value))
    .join('; ');

/** Scripts that switch the planning of a connection, until it is switched again. */
export const PLANNINGS: Readonly<Record<Planning, string>> = {
  'by-key': each((name, value) => `set ${name} = ${value}`),
  freely: each((name) => `reset ${name}`),
};

/** Switches to free planning until the end of the transaction. */
export const PLAN_FREELY_HERE = each((name) => `set local ${name} = default`);

/** The present planning of each connection. A connection that is missing here plans freely. */
export const planningOf = new WeakMap<object, Planning>();

export interface Timeouts {
  /** `undefined` or 0 means no timeout, because a listener's streams never end. */
  readonly statementMs: number | undefined;
  readonly idleInTransactionMs: number | undefined;
}

/** Sets the values that a new connection would otherwise inherit from its role or database. */
export async function setSession(client: Client, timeouts: Timeouts): Promise<void> {
  const settings = {
    ...TEXT,
    ...TRANSACTIONS,
    statement_timeout: String(timeouts.statementMs ?? 0),
    idle_in_transaction_session_timeout: String(timeouts.idleInTransactionMs ?? 0),
  };
  await client.query(SET, [Object.keys(settings), Object.values(settings)]);
  await client.query(LEAD_TO_TABLES);
}
