import type { Client } from 'pg';

/*
 * Settings that statements of this code depend on, and that a role or database may change. A session inherits them, so
 * each connection sets them once, when it opens. `default_transaction_read_only` is inherited on purpose: operators and
 * hosting providers lock a database with it.
 */

/** Settings for the text form of values. */
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

/** Settings of transactions. Deadlines are those of this process, so no other timeout ends its statements. */
const TRANSACTIONS = {
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  lock_timeout: '0',
  // Listeners and leases keep idle connections.
  idle_session_timeout: '0',
  // Exists since PostgreSQL 17.
  transaction_timeout: '0',
  // The cancelled wait for a standby is reported by a notice of level WARNING.
  client_min_messages: 'notice',
} as const;

/** `current_setting` of a setting that the server does not have is null. */
const SET = `
  select set_config(s.name, s.value, false) from unnest($1::text[], $2::text[]) as s(name, value)
  where current_setting(s.name, true) is not null`;

/**
 * Replaces a search path of the role or database by the default if it leads to no schema, or past the tables of Tenure.
 * A path that leads to the tables is kept, because the deployment may have its own schema; so is a path that the
 * connection itself sets.
 */
const LEAD_TO_TABLES = `
  select set_config('search_path', 'public', false) from pg_settings s
  where s.name = 'search_path' and s.source in ('database', 'user', 'database user')
    and (current_schema() is null
      or (to_regclass('migration') is null and to_regclass('public.migration') is not null))`;

/**
 * How the statements of a connection are planned.
 *
 * - `by-key`: statements find few rows by key, in tables that grow faster than PostgreSQL's statistics, so their plans
 *   are made once and must use indexes. Otherwise a plan made while a table was small could later read all of it, for
 *   as long as it is kept.
 * - `freely`: as the role or database has it.
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

/** Scripts that change the planning of a connection, until another one does. */
export const PLANNINGS: Readonly<Record<Planning, string>> = {
  'by-key': each((name, value) => `set ${name} = ${value}`),
  freely: each((name) => `reset ${name}`),
};

/** Changes the planning within a transaction, until its end. */
export const PLAN_FREELY_HERE = each((name) => `set local ${name} = default`);

/** The present planning of each connection; a new one plans freely. */
export const planningOf = new WeakMap<object, Planning>();

export interface Timeouts {
  /** `undefined` or 0: no timeout, because streams of a listener run for ever. */
  readonly statementMs: number | undefined;
  readonly idleInTransactionMs: number | undefined;
}

/** Sets the values that a new connection would otherwise inherit. */
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
