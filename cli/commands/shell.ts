import { spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline/promises';
import type { Client } from 'pg';
import { processEnvironment, readEnvironment } from '../../src/main/config.ts';
import { connectToDatabase, passwordApart } from '../../src/main/database.ts';
import { readRunState } from '../../src/main/run-state.ts';
import { harmless, lineOf } from '../output.ts';
import { table } from '../table.ts';

const HELP = `Query store. Try:
  select contract_id, payload from active('License');
  select * from exercises('AppInstall:AppInstall_CreateLicense');
  select latest_offset();
Statements end with a semicolon; \\q leaves.`;

async function databaseUrl(): Promise<string> {
  const environment = readEnvironment(processEnvironment());
  if (environment.DATABASE_URL !== undefined) return environment.DATABASE_URL;
  const state = await readRunState(environment.TENURE_DATA_DIR);
  if (state === null) throw new Error('not running. Start it with `make start`.');
  return state.databaseUrl;
}

const cell = (value: unknown): string =>
  value === null ? '' : harmless(typeof value === 'string' ? value : JSON.stringify(value));

async function execute(client: Client, sql: string): Promise<void> {
  try {
    const { fields, rows, rowCount, command } = await client.query({ text: sql, rowMode: 'array' });
    if (fields.length === 0) return console.log(`${command} ${rowCount ?? ''}`.trim());
    const names = fields.map(({ name }) => name);
    console.log(
      table(
        names,
        (rows as unknown[][]).map((row) => row.map(cell)),
      ),
    );
    console.log(`(${rows.length} ${rows.length === 1 ? 'row' : 'rows'})`);
  } catch (error) {
    console.error(harmless(lineOf(error)));
    process.exitCode = 1;
  }
  return undefined;
}

/** Reads statements from the terminal or a pipe until the input ends. */
async function interact(client: Client): Promise<void> {
  const lines = createInterface({
    input: process.stdin,
    output: process.stdout,
    terminal: process.stdin.isTTY,
  });
  const prompt = (text: string): void => {
    // No prompt for a pipe, which is read to its end long before its statements have run.
    if (!process.stdin.isTTY) return;
    lines.setPrompt(text);
    lines.prompt();
  };
  if (process.stdin.isTTY) console.log(HELP);
  prompt('tenure=> ');
  let statement = '';
  for await (const line of lines) {
    if (line.trim() === '\\q') break;
    statement += `${line}\n`;
    if (line.trimEnd().endsWith(';')) {
      await execute(client, statement);
      statement = '';
    }
    prompt(statement === '' ? 'tenure=> ' : 'tenure-> ');
  }
  lines.close();
}

/** Runs `psql` in the schema of the connection. @returns false if `psql` is not installed */
async function runPsql(client: Client, url: string): Promise<boolean> {
  const { rows } = await client.query<{ path: string }>(
    `select current_setting('search_path') as path`,
  );
  const { password, url: rest } = passwordApart(url);
  const path = (rows[0]?.path ?? '').replaceAll(/[\\ ]/gu, String.raw`\$&`);
  const psql = spawnSync('psql', [rest], {
    stdio: 'inherit',
    // Passed in the environment, because the list of processes shows arguments but not the environment.
    env: {
      ...process.env,
      PGOPTIONS: `${process.env['PGOPTIONS'] ?? ''} -c search_path=${path}`,
      ...(password === '' ? {} : { PGPASSWORD: password }),
    },
  });
  if (psql.error !== undefined) return false;
  process.exitCode = psql.status ?? 1;
  return true;
}

/** Opens `psql` on the database or, if `psql` is not installed, a small shell of Tenure's own. */
export async function shell(options: {
  readonly command?: string;
  readonly builtIn?: boolean;
}): Promise<void> {
  const url = await databaseUrl();
  const client = await connectToDatabase({
    connectionString: url,
    application_name: 'tenure-shell',
  });
  try {
    if (options.command !== undefined) await execute(client, options.command);
    else if (options.builtIn === true || !(await runPsql(client, url))) await interact(client);
  } finally {
    await client.end();
  }
}
