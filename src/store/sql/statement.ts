declare const row: unique symbol;

/**
 * One SQL text. Under a name each connection keeps it prepared, parsed and planned once; without one it is planned with
 * every use. `Row` is what it answers. Parameters are checked by PostgreSQL alone, so a statement stands next to the
 * one function that fills them in.
 */
export interface Statement<Row> {
  readonly name: string | null;
  readonly text: string;
  readonly [row]?: Row;
}

/** @param name unique in the process: the driver refuses two texts under one name */
export const statement = <Row>(name: string, text: string): Statement<Row> => ({
  name: `tenure-${name}`,
  text,
});

/** `c.id, c.state, …`: the columns of a list, of the table that goes by this letter in the statement. */
export const columnsOf = (table: string, columns: readonly string[]): string =>
  columns.map((column) => `${table}.${column}`).join(', ');
