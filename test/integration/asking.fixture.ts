import { getHeapSpaceStatistics } from 'node:v8';
import { Client } from 'pg';
import { ServerClient } from '../../src/store/sql/server-client.ts';

/*
 * Prints by how many bytes the size of V8's old space varies while many rows are read, first with Tenure's client and
 * then with the driver's own. The measurement needs a process of its own, and must begin with Tenure's client: V8
 * learns which code allocates long-lived objects, and then allocates them in old space directly. After queries through
 * the driver, it did this for Tenure's rows too in 2 of 15 tries.
 */

const MANY_ROWS = `select g as a, repeat('x', 200) || g as b from generate_series(1, 500) g`;
const QUERIES = 200;

const oldBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')?.space_used_size ??
  0;

async function keptBytes(client: Client): Promise<number> {
  await client.connect();
  for (let n = 0; n < QUERIES; n += 1) await client.query(MANY_ROWS);
  // A collection may happen at any query, so the first size may be the largest one.
  const sizes = [];
  for (let n = 0; n < QUERIES; n += 1) {
    await client.query(MANY_ROWS);
    sizes.push(oldBytes());
  }
  await client.end();
  return Math.max(...sizes) - Math.min(...sizes);
}

const config = { connectionString: process.argv[2] ?? '', query_timeout: 60_000 };
const ofOwn = await keptBytes(new ServerClient(config));
const ofDriver = await keptBytes(new Client(config));
console.log(JSON.stringify({ ofOwn, ofDriver }));
