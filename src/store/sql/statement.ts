declare const row: unique symbol;

/**
 * One SQL text. With a name, each connection prepares and plans it once; without a name, it is planned at every use.
 * `Row` is the type of its rows: in a test, PostgreSQL describes the rows of every text, and the compiler compares
 * both. Parameters are checked only by PostgreSQL, so a statement stands next to the one function that fills them in.
 */
export interface Statement<Row> {
  readonly name: string | null;
  readonly text: string;
  readonly [row]?: Row;
}

/** `test/integration/statements.test.ts` adds the member `name`: the names of the statements with such rows. */
export interface Described<Row> {
  readonly row: Row;
}

type NameOf<Row> =
  Described<Row> extends { readonly name: infer Name extends string } ? Name : string;

const declared = new Map<string, string>();

/** Returns the texts of all statements in the loaded modules, by name. */
export const declaredStatements = (): ReadonlyMap<string, string> => declared;

function declare(name: string, text: string): void {
  if (declared.has(name)) throw new Error(`two statements are called ${name}`);
  declared.set(name, text);
}

/**
 * Declares a statement. Call it once for each statement, when its module is loaded.
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

/**
 * Like `statement`, but planned with its values at each use. For statements that are rare, and for those whose best
 * plan depends on the values.
 */
export function plannedAnew<Row>(name: NameOf<Row>, text: string): Statement<Row> {
  declare(name, text);
  return { name: null, text };
}

/**
 * Returns `c."id" as "id", c."created_at" as "createdAt", …`: the listed columns of the table with this alias, under
 * the names that the domain uses. Rows then have the type that the statement declares, and need no other mapping.
 */
export const membersOf = (table: string, columns: readonly string[]): string =>
  columns
    .map((column) => {
      const member = column.replaceAll(/_([a-z])/gu, (_, letter: string) => letter.toUpperCase());
      return `${table}."${column}" as "${member}"`;
    })
    .join(', ');

/** Returns `c.id, c.state, …`: the listed columns of the table with this alias. */
export const columnsOf = (table: string, columns: readonly string[]): string =>
  columns.map((column) => `${table}.${column}`).join(', ');
