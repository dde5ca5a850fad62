declare const row: unique symbol;

/**
 * One SQL text. Under a name each connection keeps it prepared, parsed and planned once; without one it is planned with
 * every use. `Row` is what it answers: a test has PostgreSQL describe every text, and the compiler compare. Parameters
 * are checked by PostgreSQL alone, so a statement stands next to the one function that fills them in.
 */
export interface Statement<Row> {
  readonly name: string | null;
  readonly text: string;
  readonly [row]?: Row;
}

/** Gets a member `name` in `test/integration/statements.test.ts`: the names of the statements that answer such rows. */
export interface Described<Row> {
  readonly row: Row;
}

type NameOf<Row> =
  Described<Row> extends { readonly name: infer Name extends string } ? Name : string;

const declared = new Map<string, string>();

/** The texts of all statements of the modules that have been loaded, by name. */
export const declaredStatements = (): ReadonlyMap<string, string> => declared;

function declare(name: string, text: string): void {
  if (declared.has(name)) throw new Error(`two statements are called ${name}`);
  declared.set(name, text);
}

/**
 * Declares a statement, once, where its module is loaded.
 *
 * @example
 * type Found = Pick<Row<'change'>, 'id' | 'state'>;
 * const CHANGE = statement<Found>('change-by-id', 'select id, state from change where id = $1');
 * const changeById = async (session: Session, id: ChangeId) => (await session.run(CHANGE, [id]))[0];
 *
 * @param name unique in the process: the driver refuses two texts under one name
 */
export function statement<Row>(name: NameOf<Row>, text: string): Statement<Row> {
  declare(name, text);
  return { name: `tenure-${name}`, text };
}

/** The same, but planned with its values at each use: for what is seldom asked, and where the plan depends on them. */
export function plannedAnew<Row>(name: NameOf<Row>, text: string): Statement<Row> {
  declare(name, text);
  return { name: null, text };
}

/** `c.id, c.state, …`: the columns of a list, of the table that goes by this letter in the statement. */
export const columnsOf = (table: string, columns: readonly string[]): string =>
  columns.map((column) => `${table}.${column}`).join(', ');
