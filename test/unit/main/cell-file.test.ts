import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CellFileHead, CellFileLine } from '../../../src/main/cells/cell-file.ts';
import { openCellFile, writeCellFile } from '../../../src/main/cells/cell-file.ts';
import { refuseOthers } from '../../../src/main/cells/arrive.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenure-cell-file-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const HEAD: CellFileHead = {
  format: 1,
  version: '1.0.0',
  schema: '48:abc',
  moveId: 'd9428888-122b-11e1-b85c-61cd3cbb3210',
  provider: 'acme::1220ab',
  participants: [{ name: 'app-provider', ledgerUser: 'backend' }],
  clearanceSha256: 'ab',
  receipt: 'cd',
  sequences: { audit_id_seq: '9007199254740993' },
};

const LINES: readonly CellFileLine[] = [
  { kind: 'table', table: 'change' },
  { kind: 'row', text: '(1,"a\nb\u2028c\r\n""d""")' },
  { kind: 'row', text: `(2,${'ü€😀'.repeat(40_000)})` },
  { kind: 'sum', table: 'change', sum: { rows: '2', checksum: '-12' } },
];

async function* given(lines: readonly CellFileLine[]): AsyncGenerator<CellFileLine> {
  yield* lines;
}

async function written(): Promise<string> {
  const path = join(folder, 'provider.cell');
  await writeCellFile(path, HEAD, given(LINES));
  return path;
}

async function read(path: string): Promise<unknown> {
  const { head, lines } = await openCellFile(path);
  const all: CellFileLine[] = [];
  for await (const line of lines) all.push(line);
  return [head, all];
}

test('a file is read as it was written, and by its owner alone', async () => {
  const path = await written();
  expect(await read(path)).toEqual([HEAD, LINES]);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test('what is interrupted leaves the file as it was', async () => {
  const path = await written();
  async function* broken(): AsyncGenerator<CellFileLine> {
    yield* LINES;
    throw new Error('the database is gone');
  }
  await expect(writeCellFile(path, HEAD, broken())).rejects.toThrow('the database is gone');
  expect(await read(path)).toEqual([HEAD, LINES]);
});

test('a file that is cut off or changed anywhere is refused at its end at the latest', async () => {
  const path = await written();
  const packed = await readFile(path);
  const plain = gunzipSync(packed).toString();
  const lines = plain.split('\n');
  const changed: readonly (readonly [string | Buffer, RegExp])[] = [
    [packed.subarray(0, packed.length - 20), /cut off/u],
    [gzipSync(plain.slice(0, plain.length - 10)), /cut off/u],
    [gzipSync(`${lines.slice(0, -2).join('\n')}\n`), /cut off/u],
    [gzipSync(plain.replace('"(1,', '"(3,')), /not as it was written/u],
    [gzipSync(plain.replace('cd', 'ce')), /not as it was written/u],
    [gzipSync(`${plain}"(4)"\n`), /behind its end/u],
    [gzipSync('{"some": "thing"}\n'), /does not begin/u],
    [gzipSync(''), /empty/u],
    ['no file of ours', /damaged/u],
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
