import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startLocalnet } from '../../localnet/localnet.ts';
import { licensingBuild, withCode } from '../kit/licensing-build.ts';
import { darOf, makePackage } from './kit/dar.ts';
import { Control } from './kit/faults.ts';
import { USER_ADMIN } from './kit/identities.ts';
import { openNetwork } from './kit/network.ts';
import { newRequest } from './kit/steps.ts';

/* A LocalNet that starts with the DARs of a folder. */

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenure-dars-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function folderOf(name: string, dars: Readonly<Record<string, Uint8Array>>) {
  const path = join(folder, name);
  await mkdir(path);
  for (const [file, dar] of Object.entries(dars)) await writeFile(join(path, file), dar);
  return path;
}

interface Listed {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly runs: string;
  readonly participants: readonly string[];
}

test('all DARs of the folder are there before anything listens, and again after a reset', async () => {
  const made = (version: string) => darOf([makePackage({ name: 'made', version })]);
  const build = licensingBuild(withCode);
  const darFolder = await folderOf('several', {
    'made-1.10.0.dar': made('1.10.0'),
    'made-1.9.0.dar': made('1.9.0'),
    'quickstart-licensing.dar': darOf(build),
    'notes.txt': Buffer.from('no DAR'),
  });
  const lines: Readonly<Record<string, unknown>>[] = [];
  const log = (line: Readonly<Record<string, unknown>>) => void lines.push(line);
  await using network = await openNetwork({ darFolder, log });
  const control = new Control(network);
  const listed = async () => {
    const { json } = await control.ask('/packages');
    const names = new Set(['made', 'quickstart-licensing']);
    return (json as Listed[])
      .filter(({ name }) => names.has(name))
      .map(({ name, version, runs, participants }) => [name, version, runs, participants.length]);
  };
  const all = [
    ['made', '1.9.0', 'engine', 3],
    ['made', '1.10.0', 'engine', 3],
    ['quickstart-licensing', '0.0.1', 'engine', 3],
  ];
  const sorted = (rows: unknown) => (rows as unknown[][]).map(String).toSorted();
  expect(sorted(await listed())).toEqual(sorted(all));
  const dars = lines.filter(({ surface }) => surface === 'dars');
  expect(dars.map((line) => [line['file'], line['package'], line['runs']])).toEqual([
    ['made-1.9.0.dar', 'made 1.9.0', 'engine'],
    ['made-1.10.0.dar', 'made 1.10.0', 'engine'],
    ['quickstart-licensing.dar', 'quickstart-licensing 0.0.1', 'engine'],
  ]);
  const created = await newRequest(network.as(USER_ADMIN), await network.sides());
  expect(created.templateId?.packageId).toBe(build[0]!.id);

  const { networkId } = (await control.ask('/ledger')).json as { readonly networkId: string };
  expect((await control.ask('/reset', { body: { networkId } })).status).toBe(200);
  expect(sorted(await listed())).toEqual(sorted(all));
});

test('a ledger that has them already continues with them', async () => {
  const build = licensingBuild(withCode);
  const darFolder = await folderOf('kept', { 'licensing.dar': darOf(build) });
  const dataDir = join(folder, 'ledger');
  const createdIn = async () => {
    await using network = await openNetwork({ darFolder, dataDir });
    const { templateId } = await newRequest(network.as(USER_ADMIN), await network.sides());
    return templateId?.packageId;
  };
  expect([await createdIn(), await createdIn()]).toEqual([build[0]!.id, build[0]!.id]);
});

test('the start fails with the name of a DAR that is refused, and of a folder without any', async () => {
  const none = await folderOf('none', {});
  await expect(startLocalnet({ ports: 'free', darFolder: none })).rejects.toThrow(
    `the folder ${none} has no file with the ending .dar`,
  );
  const broken = await folderOf('broken', { 'a.dar': Buffer.from('no zip file') });
  await expect(startLocalnet({ ports: 'free', darFolder: broken })).rejects.toThrow(
    /broken\/a\.dar: app-\w+: INVALID_DAR/u,
  );
});
