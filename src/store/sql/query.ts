import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  expressionBuilder,
  sql,
} from 'kysely';
import type { Database } from '../../../migrations/schema.ts';

/**
 * Builds the queries whose shape depends on the request; every other query is a `statement`. It runs none:
 * `Session.ask` does.
 */
export const build = new Kysely<Database>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/** Conditions on `change c`, for any query with that table. */
export const ofChange = expressionBuilder<Database & { readonly c: Database['change'] }, 'c'>();

/** Matches any of the values, which are one parameter and may be empty. */
export const anyOf = <T extends string>(values: readonly T[]) => sql<T>`any(${values}::text[])`;

/** The order of a list, the newest first by default. */
interface Ordered {
  readonly order?: 'newest' | 'oldest';
}

export const wayOf = ({ order }: Ordered) => (order === 'oldest' ? 'asc' : 'desc');

/** The comparison of a row with the position after which a page begins. */
export const beyond = ({ order }: Ordered) => sql.raw(order === 'oldest' ? '>' : '<');
