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
import type { Order } from '../../app/ports/views.ts';

/**
 * Builds the queries whose shape depends on the request; every other query is a `statement`. It does not run them:
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

/** Builds conditions on `change c`, for any query that has this table. */
export const ofChange = expressionBuilder<Database & { readonly c: Database['change'] }, 'c'>();

/** Builds an `any` of the values. They are passed as one parameter, and there may be none. */
export const anyOf = <T extends string>(values: readonly T[]) => sql<T>`any(${values}::text[])`;

/** A list; its order is descending by default, so that the newest entries come first. */
interface Ordered {
  readonly order?: Order;
}

export const wayOf = ({ order }: Ordered) => (order === 'ascending' ? 'asc' : 'desc');

/** Returns the operator that compares a row with the position after which a page begins. */
export const beyond = ({ order }: Ordered) => sql.raw(order === 'ascending' ? '>' : '<');
