import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Localnet } from '../../localnet/localnet.ts';
import { startLocalnet } from '../../localnet/localnet.ts';
import { darOf, makePackage } from '../contract/kit/dar.ts';
import { runCommand } from './kit/tenure-command.ts';

/* `cli/tenure localnet …`, on a running LocalNet. */

let localnet: Localnet;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenure-localnet-'));
  localnet = await startLocalnet({ ports: 'free' });
});
afterAll(async () => {
  await localnet[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const command = (...args: string[]) =>
  runCommand(folder, ['localnet', ...args, '--url', `http://127.0.0.1:${localnet.ports.network}`]);

/** Returns the cells of a participant's row. */
const rowOf = (out: string, participant: string): readonly string[] =>
  out
    .split('\n')
    .find((line) => line.startsWith(participant))
    ?.trim()
    .split(/\s{2,}/u) ?? [];

test('traffic is set, topped up and shown', async () => {
  const empty = await command('traffic', 'app-user', '--balance', '0');
  expect(rowOf(empty.out, 'app-user').at(-1), empty.err).toBe('0');
  await command('traffic', 'app-user', '--top-up', '500');
  const shown = await command('participants');
  expect(rowOf(shown.out, 'app-user').at(-1)).toBe('500');
  expect(rowOf(shown.out, 'app-provider').at(-1)).toBe('unlimited');
  const wrong = await command('traffic', 'app-user', '--balance', 'much');
  expect([wrong.code, wrong.err]).toEqual([
    1,
    expect.stringContaining('much is not an amount of traffic'),
  ]);
});

test('a participant that is behind shows as that, until the fault is gone', async () => {
  const fault = JSON.stringify({ kind: 'behind', where: { participant: 'app-user' } });
  const added = await command('faults', 'add', fault);
  expect(rowOf((await command('participants')).out, 'app-user')).toContain('behind');
  expect((await command('faults', 'list')).out).toContain(added.out.trim());
  expect((await command('faults', 'clear')).out).toBe('1 removed\n');
  expect(rowOf((await command('participants')).out, 'app-user')).toContain('follows');
});

test('time is told to a participant that asks', async () => {
  const before = rowOf((await command('participants')).out, 'app-user');
  const after = rowOf((await command('tick', 'app-user')).out, 'app-user');
  expect(BigInt(after[1] ?? 0)).toBeGreaterThan(BigInt(before[1] ?? 0));
});

test('a party is hosted on a further participant', async () => {
  const party = localnet.parties.appUser;
  const hosted = await command('host', party, 'app-provider');
  expect(hosted.out, hosted.err).toBe(`${party} is hosted on app-user, app-provider\n`);
  const again = await command('host', party, 'app-provider');
  expect(again.code).toBe(1);
});

test('packages are listed, and shown with what is in them', async () => {
  const dar = darOf([makePackage({ name: 'made', version: '1.0.0' })]);
  await fetch(`${localnet.urls.participants['app-user'].admin}/v2/packages`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: dar,
  });
  const listed = await command('packages');
  expect(rowOf(listed.out, 'made').slice(0, 4), listed.err).toEqual([
    'made',
    '1.0.0',
    'engine',
    'app-user',
  ]);
  expect(rowOf(listed.out, 'quickstart-licensing')[2]).toBe('native');
  expect(listed.out).toMatch(/^1 run by the engine, as they were built; \d+ natively, by /mu);
  const made = await command('packages', 'made');
  expect(made.out).toContain('made 1.0.0, Daml-LF 2.1');
  expect(made.out).toContain(
    '  template Thing\n    owner : Party\n    title : Text\n    choice Touch : Main:Touch -> Unit',
  );
  expect((await command('packages', 'quickstart-licensing')).out).toContain('template License');
  const none = await command('packages', 'no-such-package');
  expect([none.code, none.err]).toEqual([1, expect.stringContaining('no package no-such-package')]);
});

test('DARs are uploaded to all participants, and a refusal says of which', async () => {
  const [first, other] = [join(folder, 'first.dar'), join(folder, 'other.dar')];
  const made = { name: 'uploaded', version: '1.0.0' };
  await writeFile(first, darOf([makePackage({ ...made, content: 'one' })]));
  await writeFile(other, darOf([makePackage({ ...made, content: 'two' })]));
  const uploaded = await command('upload', first);
  expect([uploaded.code, uploaded.out]).toEqual([
    0,
    expect.stringMatching(/first\.dar: uploaded uploaded 1\.0\.0, [0-9a-f]{64}; runs as built\n$/u),
  ]);
  const row = (await command('packages')).out
    .split('\n')
    .find((line) => line.startsWith('uploaded'));
  expect(row).toMatch(/engine +app-user, app-provider, sv/u);
  const refused = await command('upload', other);
  expect([refused.code, refused.err]).toEqual([
    1,
    expect.stringMatching(/other\.dar: LocalNet answered 400: .*Tried to vet two packages/u),
  ]);
});

test('LocalNet does not start without the DARs that it is to begin with', async () => {
  const dars = await mkdtemp(join(folder, 'dars-'));
  const started = await runCommand(folder, ['localnet', '--dars', dars], {
    LOCALNET_PORTS: 'free',
  });
  expect([started.code, started.err]).toEqual([
    1,
    expect.stringContaining(`${dars} has no file with the ending .dar`),
  ]);
});
