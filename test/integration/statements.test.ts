import { readFile } from 'node:fs/promises';
import { Client, type Connection, type FieldDef } from 'pg';
import { glob } from 'tinyglobby';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OF_SQL } from '../../scripts/schema-types.ts';
import { declaredStatements, statement } from '../../src/store/sql/statement.ts';
import { ROOT, compile } from '../kit/compiler.ts';
import { testDatabase, type TestDatabase } from '../kit/postgres.ts';

/*
 * PostgreSQL prepares every statement on a migrated database, and reports the columns of its result. The compiler then
 * compares these columns with the statement's declared type, and rejects a statement if they differ.
 */

/** The result of a statement: the TypeScript type of each column. */
type Columns = Readonly<Record<string, string>>;

/**
 * Types that no column of a table has. The contents of JSON are unknown, and no statement reads a column of type
 * `void`.
 */
const OF_EXPRESSIONS: Readonly<Record<string, string>> = {
  ...OF_SQL,
  json: 'unknown',
  jsonb: 'unknown',
  'timestamp with time zone': 'string',
  void: 'unknown',
};

/** Makes the server parse one statement and describe it, without values. */
class Description {
  readonly name: string;
  readonly text: string;
  readonly fields: Promise<readonly FieldDef[]>;
  readonly #answer = Promise.withResolvers<readonly FieldDef[]>();
  #fields: readonly FieldDef[] = [];

  constructor(name: string, text: string) {
    this.name = name;
    this.text = text;
    this.fields = this.#answer.promise;
  }

  submit(connection: Connection): void {
    connection.parse({ name: this.name, text: this.text, types: [] }, true);
    connection.describe({ type: 'S', name: this.name }, true);
    connection.sync();
  }

  handleRowDescription({ fields }: { readonly fields: readonly FieldDef[] }): void {
    this.#fields = fields;
  }

  handleError(error: Error): void {
    this.#answer.reject(new Error(`${this.name}: ${error.message}`, { cause: error }));
  }

  handleReadyForQuery(): void {
    this.#answer.resolve(this.#fields);
  }
}

let database: TestDatabase;
let client: Client;
/** TypeScript types such as `Row<'change'>['state']`, by the numbers of the table and of the column. */
let columnsOfTables: ReadonlyMap<string, string>;
/** The files that define statements. */
let sources: readonly string[];

beforeAll(async () => {
  database = await testDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<{ at: string; type: string }>(
    `select a.attrelid || ' ' || a.attnum as at, format('Row<''%s''>[''%s'']', c.relname, a.attname) as type
     from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v') and a.attnum > 0`,
  );
  columnsOfTables = new Map(rows.map(({ at, type }) => [at, type]));
  const files = await glob(['src/**/*.ts'], { cwd: ROOT, absolute: true });
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  sources = files.filter((_, i) => texts[i]?.includes('/statement.ts'));
  for (const file of sources) await import(file);
});

afterAll(async () => {
  await client.end();
  await database[Symbol.asyncDispose]();
});

/**
 * @throws Error with the statement's name, if PostgreSQL cannot prepare it, or if two of its columns have the same
 *   name
 */
async function columnsOf(name: string, text: string): Promise<Columns> {
  const fields = await client.query(new Description(name, text)).fields;
  const types = fields.map((field) => field.dataTypeID);
  const { rows } = await client.query<{ type: string }>(
    `select format_type(t.oid, null) as type from unnest($1::oid[]) with ordinality t(oid, n) order by n`,
    [types],
  );
  const columns = fields.map(({ name: column, tableID, columnID }, i): [string, string] => {
    const type = rows[i]?.type ?? '';
    const known = columnsOfTables.get(`${tableID} ${columnID}`) ?? OF_EXPRESSIONS[type];
    if (known === undefined) throw new Error(`${name}: of what type is ${column}, ${type}?`);
    return [column, known];
  });
  const alike = new Map(columns);
  if (alike.size < columns.length) throw new Error(`${name}: two columns have one name`);
  return Object.fromEntries(alike);
}

const textOf = (columns: Columns): string =>
  `{ ${Object.entries(columns)
    .map(([column, type]) => `'${column}': ${type}`)
    .join('; ')} }`;

/**
 * Source text that compares the declared types with the columns. A declared type may be narrower if the rows have a
 * property of which the database knows nothing, and wider if fewer columns are needed. A row of type `never` may not be
 * read; a row of type `object` is only counted.
 */
const compared = (described: ReadonlyMap<string, Columns>): string => `
  import type { Row } from '${ROOT}/migrations/schema.ts';
  interface Columns {
    ${[...described].map(([name, columns]) => `'${name}': ${textOf(columns)};`).join('\n    ')}
  }
  type Other<Of, As> = {
    [Key in keyof Of]: Key extends keyof As
      ? [Of[Key]] extends [As[Key] | null] ? never : [As[Key]] extends [Of[Key]] ? never : Key
      : Key;
  }[keyof Of];
  type Is<Of, As> = [keyof As] extends [keyof Of] ? ([Other<Of, As>] extends [never] ? true : false) : false;
  declare module '${ROOT}/src/store/sql/statement.ts' {
    interface Described<Row> {
      readonly name: [Row] extends [never]
        ? keyof Columns
        : object extends Row
          ? keyof Columns
          : { [Name in keyof Columns]: Is<Row, Columns[Name]> extends true ? Name : never }[keyof Columns];
    }
  }
`;

const REFUSED = /^Argument of type '"(?<name>[^"]+)"'/u;

/** Statements whose columns differ from their types: by name, the columns that PostgreSQL would report. */
const PLANTED = new Map<string, Columns>([
  ['test-more', { lane: 'string', extra: 'string' }],
  ['test-fewer', {}],
  ['test-other', { lane: 'number' }],
]);
const planted = `
  import { statement } from '${ROOT}/src/store/sql/statement.ts';
  ${[...PLANTED.keys()].map((name) => `statement<{ lane: string }>('${name}', 'select');`).join('\n')}
`;

/** Returns the compiler's errors about declared types, with the names of the statements. */
async function refusals(described: ReadonlyMap<string, Columns>): Promise<string[]> {
  const written = { 'columns.mts': compared(described), 'planted.mts': planted };
  const said = await compile(written, sources);
  return said.map(({ file, line, code, text }) => {
    const { name } = (code === 'TS2345' ? REFUSED.exec(text)?.groups : undefined) ?? {};
    if (name === undefined) return `${file}:${line}: ${code} ${text}`;
    return `${name} of ${file} answers ${textOf(described.get(name) ?? {})}`;
  });
}

/**
 * Test files that run in one worker share modules. Other tests declare statements too, with names that begin with
 * `test-`.
 */
const ofProduct = (): [string, string][] =>
  [...declaredStatements()].filter(([name]) => !name.startsWith('test-'));

/** Returns the columns of all statements, by name. */
async function all(): Promise<Map<string, Columns>> {
  await client.query('deallocate all');
  const described = new Map<string, Columns>();
  for (const [name, text] of ofProduct()) described.set(name, await columnsOf(name, text));
  return described;
}

test('every statement is prepared, and returns what its type says; one that does not is named', async () => {
  const described = await all();
  expect(described.size).toBeGreaterThan(200);
  expect((await refusals(new Map([...described, ...PLANTED]))).toSorted()).toEqual([
    expect.stringMatching(/^test-fewer of planted\.mts answers /u),
    expect.stringMatching(/^test-more of planted\.mts answers /u),
    expect.stringMatching(/^test-other of planted\.mts answers /u),
  ]);
});

test('every parameter that a statement takes is named in it, and every one that is named is taken', async () => {
  await all();
  const { rows } = await client.query<{ name: string; parameters: number }>(
    'select name, cardinality(parameter_types) as parameters from pg_prepared_statements',
  );
  const taken = new Map(rows.map(({ name, parameters }) => [name, parameters]));
  for (const [name, text] of ofProduct()) {
    const named = [...text.matchAll(/\$(\d+)/gu)].map(([, n]) => Number(n));
    expect(taken.get(name), name).toBe(Math.max(0, ...named));
  }
});

test('a statement that PostgreSQL cannot prepare is told by its name', async () => {
  await expect(columnsOf('broken', 'select id from chnage')).rejects.toThrow(
    'broken: relation "chnage" does not exist',
  );
  await expect(columnsOf('twice', 'select 1 as a, 2 as a')).rejects.toThrow('twice: two columns');
});

test('two statements of one name are refused', () => {
  const [name] = [...declaredStatements().keys()];
  expect(() => statement<never>(name ?? '', 'select 1')).toThrow('two statements are called');
});
