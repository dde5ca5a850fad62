import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  expressionBuilder,
  sql,
} from 'kysely';
import type { Database } from './schema.ts';

/**
 * Builds the queries whose shape depends on what is asked; every other is a `statement`. It runs none: a session does,
 * see `Session.ask`.
 */
export const build = new Kysely<Database>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/** Conditions on `change c`, for whatever query has it. */
export const ofChange = expressionBuilder<Database & { readonly c: Database['change'] }, 'c'>();

/** What is one of these, as one parameter: there may be none. */
export const anyOf = <T extends string>(values: readonly T[]) => sql<T>`any(${values}::text[])`;
