import { mkdtemp, open, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { DatabaseUnreachableError, adviceOf } from '../../../src/store/sql/database-unreachable.ts';
import { readDatabaseUrl } from '../../../src/store/sql/database-url.ts';
import type { HostAnswer, ServerFacts } from '../../../src/store/sql/servers.ts';
import { primaryOf } from '../../../src/store/sql/servers.ts';
import { TIMELINES, Timelines } from '../../../src/store/sql/timelines.ts';

const address = readDatabaseUrl('postgresql://a:1,b:2/db')!;
const answer = (index: number, facts: Partial<ServerFacts> | null): HostAnswer => ({
  host: address.hosts[index]!,
  facts:
    facts === null
      ? null
      : { pid: 1, isStandby: false, isReadOnly: false, system: null, timeline: 1, ...facts },
  error: facts === null ? Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) : null,
});
const chosen = (...answers: HostAnswer[]): number => {
  for (const { facts } of answers) if (facts !== null) TIMELINES.see(facts);
  return primaryOf(answers, address).port;
};

test('the one that takes writes is the primary, wherever it stands', () => {
  expect(chosen(answer(0, { isStandby: true }), answer(1, {}))).toBe(2);
  expect(chosen(answer(0, {}), answer(1, { isStandby: true }))).toBe(1);
  expect(chosen(answer(0, null), answer(1, {}))).toBe(2);
});

test('of two that take writes the one on the newest timeline is', () => {
  const system = 'two-primaries';
  expect(chosen(answer(0, { system }), answer(1, { system, timeline: 2 }))).toBe(2);
});

test('one is refused when a standby has seen a newer timeline', () => {
  const system = 'told-by-standby';
  const standby = answer(1, { system, timeline: 3, isStandby: true });
  expect(() => chosen(answer(0, { system, timeline: 2 }), standby)).toThrow(
    /a:1 is on timeline 2, but Tenure has seen timeline 3.*b:2 is a standby/u,
  );
});

test('none is, where each says why, and where they belong to different clusters', () => {
  expect(() => chosen(answer(0, null), answer(1, { isReadOnly: true }))).toThrow(
    'cannot reach PostgreSQL at a:1,b:2: none of its servers accepts writes: a:1: no server listens at this address; b:2 is read-only',
  );
  expect(() => chosen(answer(0, { system: 'one' }), answer(1, { system: 'other' }))).toThrow(
    'a:1 and b:2 are servers of different clusters',
  );
});

test('of several servers that accept writes, none is chosen if one does not report promotions', () => {
  const telling = answer(1, { system: 'telling', timeline: 2 });
  expect(() => chosen(answer(0, {}), telling)).toThrow(
    /: a:1 and b:2 accept writes, and a:1 does not report promotions: stop the server.*grant execute/u,
  );
  expect(() => chosen(answer(0, {}), answer(1, {}))).toThrow(/a:1 and b:2 do not report/u);
  expect(chosen(answer(0, { isStandby: true }), telling)).toBe(2);
});

test('what follows an older timeline is ended when a newer one is seen, and nothing else', () => {
  const timelines = new Timelines();
  const ended: string[] = [];
  const follow = (name: string, system: string, timeline: number) =>
    timelines.follow({ standing: { system, timeline }, giveUp: () => ended.push(name) });
  follow('old', 's', 2);
  follow('new', 's', 3);
  follow('other', 't', 1);
  timelines.see({ system: 's', timeline: 3 });
  timelines.see({ system: 's', timeline: 2 });
  expect(ended).toEqual(['old']);
});

test('a file that cannot be understood is told, and not taken for an empty one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tenure-timelines-'));
  const file = join(folder, 'timelines.json');
  await writeFile(file, '{"s": "two"}');
  const kept = new Timelines().keepIn(file, () => undefined);
  await expect(kept).rejects.toThrow(/is not a valid timelines file/u);
  await rm(folder, { recursive: true });
});

test('what was seen is on the disk before it takes its name, and the name after', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tenure-timelines-'));
  const file = join(folder, 'timelines.json');
  const handle = await open(folder, 'r');
  const type = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const synced: { readonly inode: number; readonly size: number; readonly names: string[] }[] = [];
  const spy = vi.spyOn(type, 'sync').mockImplementation(async function (this: FileHandle) {
    const { ino: inode, size } = await this.stat();
    synced.push({ inode, size, names: await readdir(folder) });
    await this.datasync();
  });
  try {
    const timelines = new Timelines();
    const failed = vi.fn();
    await timelines.keepIn(file, failed);
    timelines.see({ system: 's', timeline: 2 });
    await vi.waitFor(() => expect(synced).toHaveLength(2));
    expect(failed).not.toHaveBeenCalled();
    const text = await readFile(file, 'utf8');
    const [content, name] = synced;
    expect(JSON.parse(text)).toEqual({ s: 2 });
    expect(content).toMatchObject({ inode: (await stat(file)).ino, size: text.length });
    expect(content?.names).not.toContain('timelines.json');
    expect(name).toMatchObject({ inode: (await stat(folder)).ino, names: ['timelines.json'] });
  } finally {
    spy.mockRestore();
    await rm(folder, { recursive: true });
  }
});

test('the advice for a server that was left behind names what a restore on purpose needs', () => {
  const target = { where: 'a:1', host: 'a', port: 1 };
  const error = new DatabaseUnreachableError('older-timeline', target, 'was left behind');
  expect(adviceOf(error)).toMatch(/pg_rewind.*restored.*delete database-timelines\.json/u);
});
