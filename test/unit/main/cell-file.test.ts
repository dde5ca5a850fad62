import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CellFileHead } from '../../../cli/cells/cell-file.ts';
import { openCellFile, writeCellFile } from '../../../cli/cells/cell-file.ts';
import { refuseOthers } from '../../../cli/cells/arrive.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenure-cell-file-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const HEAD: Omit<CellFileHead, 'format'> = {
  version: '1.0.0',
  schema: '48:abc',
  moveId: 'd9428888-122b-11e1-b85c-61cd3cbb3210',
  provider: 'acme::1220ab',
  participants: [{ name: 'app-provider', ledgerUser: 'backend' }],
  clearanceSha256: 'ab',
  receipt: 'cd',
  sequences: { audit_id_seq: '9007199254740993' },
  tables: ['alarm', 'change'].map((table) => ({ table, rows: '2', checksum: '-12' })),
};

const ROWS: Readonly<Record<string, readonly string[]>> = {
  alarm: [],
  change: ['1\ta\\nb\u2028c\r\\.\n', `2\t${'ü€😀'.repeat(40_000)}\n`],
};

async function* rowsOf(table: string): AsyncGenerator<Buffer> {
  for (const row of ROWS[table]!) yield Buffer.from(row);
}

async function written(): Promise<string> {
  const path = join(folder, 'provider.cell');
  await writeCellFile(path, HEAD, rowsOf);
  return path;
}

async function read(path: string): Promise<unknown> {
  const { head, nextRows } = await openCellFile(path);
  const rows: Record<string, readonly string[]> = {};
  for (const { table } of head.tables) rows[table] = await Readable.from(nextRows()).toArray();
  return [head, rows];
}

const WHOLE = [{ format: 2, ...HEAD }, ROWS];

test('a file is read as it was written, and by its owner alone', async () => {
  const path = await written();
  expect(await read(path)).toEqual(WHOLE);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test('what is interrupted leaves the file as it was', async () => {
  const path = await written();
  async function* broken(table: string): AsyncGenerator<Buffer> {
    yield* rowsOf(table);
    throw new Error('the database is gone');
  }
  await expect(writeCellFile(path, HEAD, broken)).rejects.toThrow('the database is gone');
  expect(await read(path)).toEqual(WHOLE);
});

const sealed = (packed: Buffer): Buffer =>
  Buffer.concat([packed, Buffer.from(createHash('sha256').update(packed).digest('hex'))]);

test('a file that is cut off or changed anywhere is refused before it is used', async () => {
  const path = await written();
  const whole = await readFile(path);
  const flipped = Buffer.from(whole);
  flipped[whole.length >> 1]! ^= 1;
  const changed: readonly (readonly [string | Buffer, RegExp])[] = [
    [whole.subarray(0, whole.length - 20), /damaged, incomplete/u],
    [whole.subarray(20), /damaged/u],
    [Buffer.concat([whole, Buffer.from('\n')]), /damaged/u],
    [flipped, /damaged/u],
    ['', /damaged, incomplete/u],
    ['no file of ours', /not written by `tenure cell export`/u],
    [sealed(gzipSync('{"format": 1}\n')), /another version/u],
  ];
  for (const [content, words] of changed) {
    await writeFile(path, content);
    await expect(read(path), String(words)).rejects.toThrow(words);
  }
});

test('only who acts as the same users for the same provider may take it', () => {
  const acting = (ledgerUser: string, provider = HEAD.provider) => ({
    provider,
    participants: [
      { name: 'app-provider', ledgerUser },
      { name: 'app-user', ledgerUser: 'other' },
    ],
  });
  expect(() => refuseOthers(HEAD, acting('backend'))).not.toThrow();
  expect(() => refuseOthers(HEAD, acting('another'))).toThrow(/backend on app-provider/u);
  expect(() => refuseOthers(HEAD, acting('backend', 'else::1220'))).toThrow(/acts as else::1220/u);
});
