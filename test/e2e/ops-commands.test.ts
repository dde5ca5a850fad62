import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Finished } from './kit/tenure-command.ts';
import { answerCommand, hasTerminals, runCommand, startCommand } from './kit/tenure-command.ts';
import type { World } from './kit/world.ts';
import { PATIENCE_MS } from '../kit/patience.ts';
import { startWorld } from './kit/world.ts';

/* The command line as an operator uses it: every command calls the API with a token. */

let world: World;
let operator: string;

beforeAll(async () => {
  // The rate is low, so that the test can inspect an act while it runs.
  world = await startWorld({ TENURE_BULK_RATE: '1' });
  operator = await world.tokenOf('operator');
});
afterAll(async () => world[Symbol.asyncDispose]());

const there = () => ({ TENURE_API_URL: world.tenure.state.apiUrl, TENURE_TOKEN: operator });

const tenure = (...args: readonly string[]): Promise<Finished> =>
  runCommand(world.dataDir, args, there());

/**
 * Runs a command that must succeed, write nothing to standard error, and write one JSON document to standard output.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- tests state what they expect of it
async function json(...args: readonly string[]): Promise<any> {
  const { code, out, err } = await tenure(...args, '--json');
  expect({ code, err }, args.join(' ')).toEqual({ code: 0, err: '' });
  return JSON.parse(out);
}

const commandId = () => `?commandId=${randomUUID()}`;

async function newInstall(): Promise<string> {
  const request = await world.call('user', 'POST', `/app-install-requests${commandId()}`, {
    body: {},
  });
  const path = `/app-install-requests/${request.body.contractId}:accept${commandId()}`;
  const body = { installMeta: {}, meta: {} };
  return (await world.call('provider', 'POST', path, { body })).body.contractId;
}

describe('operations that a pause holds', () => {
  test('are found, explained, ended, done again and let go on', async () => {
    const install = await newInstall();
    const reason = ['--reason', 'prices have changed'];
    const pause = await json('ops', 'pause', 'operation', 'create-license', ...reason);
    expect(pause).toMatchObject({
      mode: 'pause',
      scope: 'operation',
      reason: 'prices have changed',
    });

    const create = `/app-installs/${install}:create-license?commandId=create-1`;
    const asked = { body: { params: {} }, headers: { prefer: 'respond-async' } };
    const { status, body: held } = await world.call('provider', 'POST', create, asked);
    expect(status).toBe(202);

    const pauses = await tenure('ops', 'pauses');
    expect(pauses).toMatchObject({ code: 0, err: '' });
    expect(pauses.out).toMatch(/^id +scope +mode +since +held +name +reason +by$/mu);
    expect(pauses.out).toMatch(/ operation +pause +\d+s +1 +create-license +prices have changed /u);
    expect(pauses.out).not.toContain('\u001B');

    const shown = await tenure('ops', 'show', held.id);
    expect(shown.out).toMatch(/^commandId +create-1$/mu);
    expect(shown.out).toMatch(/^waitingFor\.kind +pause$/mu);
    const cancelled = await json('ops', 'cancel', held.id, '--reason', 'asked for by mistake');
    expect(cancelled).toMatchObject({ id: held.id, state: 'cancelled' });

    const again = await tenure('ops', 'cancel', held.id, '--reason', 'once more');
    expect(again).toMatchObject({ code: 3, out: '' });
    expect(again.err).toMatch(
      /^tenure: NOT_CANCELLABLE: .+\. Check the current state, .+ \(trace \w+\)\n$/u,
    );

    const retried = await json('ops', 'retry', held.id, '--reason', 'it was none');
    expect(retried).toMatchObject({ operation: 'create-license', retryOf: { id: held.id } });
    const ended = await tenure('ops', 'resume', pause.id, '--reason', 'they are as they were');
    expect(ended).toMatchObject({ code: 0, err: '' });
    await expect
      .poll(async () => (await world.call('operator', 'GET', `/ops/operations/${retried.id}`)).body)
      .toMatchObject({ state: 'succeeded' });
    expect(await tenure('ops', 'pauses')).toEqual({
      code: 0,
      out: '',
      err: 'nothing is paused\n',
    });
    expect(await json('ops', 'in-doubt')).toEqual([]);
    expect(await json('ops', 'alarms')).toEqual([]);
  });

  test('their licence is listed, explained and followed from any of its IDs', async () => {
    const [license] = await json('licenses', 'list');
    expect(license).toMatchObject({ licenseNum: 1, state: 'active', isExpired: true });
    const { contractId, lifecycleId } = license;
    const list = await tenure('licenses', 'list');
    expect(list.out).toMatch(
      /^licence +reference +number +state +expires +expired +user +contract$/mu,
    );
    expect(list.out).toContain(contractId);
    expect(await json('licenses', 'show', lifecycleId)).toEqual({
      ...license,
      acceptedTerms: null,
    });
    const actions = await tenure('licenses', 'actions', lifecycleId);
    expect(actions.out).toMatch(/^expire +true/mu);

    const entries = await json('history', lifecycleId);
    expect(entries.length).toBeGreaterThan(0);
    expect(await json('history', contractId)).toEqual(entries);
    expect(await json('licenses', 'history', contractId)).toEqual(entries);
    expect(await json('history', 'create-1')).toMatchObject({ state: 'cancelled' });
    const other = await tenure('history', 'create-2');
    expect(other).toMatchObject({ code: 4, out: '' });
    expect(other.err).toBe('tenure: no lifecycle, contract or operation has the ID create-2\n');
  });
});

test('machines are listed, outlined and drawn, and a digest says what needs a person', async () => {
  const list = await tenure('machines');
  expect([list.code, list.out]).toEqual([0, expect.stringMatching(/license +3 +true +Licence/u)]);
  const one = await tenure('machines', 'license');
  expect([one.code, one.out]).toEqual([0, expect.stringContaining('  expire → expiring  (')]);
  const drawn = await tenure('machines', 'renewal', '1', '--mermaid');
  expect([drawn.code, drawn.out]).toEqual([0, expect.stringMatching(/^stateDiagram-v2\n/u)]);
  const unknown = await tenure('machines', 'nothing');
  expect([unknown.code, unknown.out]).toEqual([4, '']);
  expect(unknown.err).toContain('the machines are: install-request, install, license, renewal');
  const digest = await tenure('ops', 'attention', '--json');
  expect(JSON.parse(digest.out)).toMatchObject({ inDoubt: { count: 0 }, unavailable: [] });
  expect((await tenure('ops', 'attention')).code).toBe(0);
  const hours = await tenure('ops', 'counts', '--group-by', 'hour', '--since', '2h', '--json');
  const { total, groups } = JSON.parse(hours.out);
  expect(groups.at(-1).states).toBeDefined();
  expect(total.count).toBeGreaterThan(0);
});

test('the desk shows what is alive, who follows the ledger, what failed and what persons did', async () => {
  const alive = await tenure('ops', 'lifecycles', '--kind', 'license');
  expect(alive.out).toMatch(/^id +kind +state +for +age +expires +licence +user +contract$/mu);
  expect(alive.out).toMatch(/^license-\w+ +license +active /mu);
  const streams = await json('ops', 'streams');
  expect(streams).toContainEqual(expect.objectContaining({ stream: 'updates' }));
  const leases = await json('ops', 'leases');
  expect(leases).toContainEqual(expect.objectContaining({ name: 'projector', held: true }));
  const audit = await tenure('ops', 'audit', '--since', '1d');
  expect(audit.out).toMatch(/^at +act +object /mu);
  expect(audit.out).toContain('asked for by mistake');
  expect(Array.isArray(await json('ops', 'failures', '--state', 'all'))).toBe(true);
  const unknown = await tenure('ops', 'resolve', '9f86d081884c7d65', '--reason', 'it is over');
  expect(unknown).toMatchObject({ code: 4, out: '' });
});

describe('what lapses', () => {
  test('is ruled by a policy that changes in parts, and shown before it is', async () => {
    expect(await json('policy', 'show', 'expiry')).toMatchObject({ mode: 'off', maxInFlight: 10 });
    const set = ['policy', 'set', 'expiry', '--mode', 'dry-run', '--grace', '3d'] as const;
    expect(await json(...set)).toMatchObject({ mode: 'dry-run', grace: 'P3D', maxInFlight: 10 });
    const wrong = await tenure('policy', 'set', 'expiry', '--quiet-hours', '22:00-06:00@Atlantis');
    expect(wrong).toMatchObject({ code: 3, out: '' });
    expect(wrong.err).toContain('REQUEST_INVALID: quietHours.0.timeZone');
    const preview = await tenure('policy', 'preview');
    expect(preview.out).toMatch(/^licence +verdict +expires .*why +held by/mu);
    expect(preview.out).toMatch(/^license-\w+ +never .* it was never renewed +dry-run/mu);
    expect(await json('ops', 'timers')).toMatchObject([{ kind: 'expire', state: 'waiting' }]);
  });

  test('ends nothing before its number and a reason are given, and is taken back', async () => {
    const on = ['policy', 'set', 'expiry', '--mode', 'on', '--grace', '0s'] as const;
    const all = [...on, '--include-never-renewed', 'true'] as const;
    const asked = await tenure(...all);
    expect(asked).toMatchObject({ code: 3, out: '' });
    expect(asked.err).toMatch(/^Ends 1 licence, the first at \S+: 1 at once, /mu);
    expect(asked.err).toContain('--confirm 1 --reason');
    const why = ['--reason', 'they are over'] as const;
    expect(await tenure(...all, '--confirm', '2', ...why)).toMatchObject({ code: 3, out: '' });
    expect(await json('policy', 'show', 'expiry')).toMatchObject({ mode: 'dry-run' });
    const done = await tenure(...all, '--confirm', '1', ...why);
    expect(done, done.err).toMatchObject({ code: 0 });
    expect(done.err).toMatch(
      /The policy starts in \d+ s\. To undo it before: tenure policy undo expiry/u,
    );
    expect(await json('policy', 'pending', 'expiry')).toMatchObject({ isPending: true, count: 1 });
    const undone = await json('policy', 'undo', 'expiry', '--reason', 'not those');
    expect(undone).toMatchObject({ mode: 'dry-run', grace: 'P3D' });
    const late = await tenure('policy', 'undo', 'expiry', '--reason', 'again');
    expect(late).toMatchObject({ code: 3, out: '' });
  });
});

describe('what has no command of its own', () => {
  test('is called as the document has it, and once however often it is called', async () => {
    const install = await newInstall();
    const create = `/app-installs/${install}:create-license?commandId=called-once`;
    const call = ['call', 'POST', create, '--data', '{"params": {}}'];
    const made = await json(...call);
    expect(made).toMatchObject({ licenseId: expect.any(String) });
    expect(await json(...call)).toEqual(made);
    expect(await json('call', 'GET', '/app-installs?limit=1')).toHaveLength(1);
    expect(await tenure('call', 'GET', '/licenses/none')).toMatchObject({ code: 4, out: '' });
  });

  test.each([
    [['POST', '/licenses', '--data', '{'], '--data must be JSON'],
    [['GET', 'licenses'], 'must begin with a slash'],
    [['HEAD', '/licenses'], 'Allowed choices are GET'],
  ])('%j is refused before anything is asked', async (args, said) => {
    const refused = await tenure('call', ...args);
    expect(refused).toMatchObject({ code: 2, out: '', err: expect.stringContaining(said) });
  });
});

describe('what cannot be', () => {
  test('not found is 4, a wrong command line 2 with help, both without output', async () => {
    const missing = await tenure('ops', 'show', randomUUID(), '--json');
    expect(missing).toMatchObject({ code: 4, out: '' });
    expect(missing.err).toMatch(/^tenure: OPERATION_NOT_FOUND: /u);
    const wrong = await tenure('ops', 'decide', '7', 'perhaps', '--reason', 'x');
    expect(wrong).toMatchObject({ code: 2, out: '' });
    expect(wrong.err).toContain('Allowed choices are took-effect, no-effect, submit-again');
  });

  test('no API, no token, a token that is none', async () => {
    const at = (env: Readonly<Record<string, string>>) =>
      runCommand(world.dataDir, ['ops', 'alarms'], { TENURE_DATA_DIR: 'nowhere', ...env });
    const { apiUrl } = world.tenure.state;
    const [nowhere, away, anonymous, stranger, wrong] = await Promise.all([
      at({}),
      at({ TENURE_API_URL: 'http://127.0.0.1:9', TENURE_TOKEN: 'x' }),
      at({ TENURE_API_URL: apiUrl }),
      at({ TENURE_API_URL: apiUrl, TENURE_TOKEN: 'x' }),
      at({ TENURE_API_URL: 'http://me:secret@127.0.0.1/', TENURE_TOKEN: 'a secret' }),
    ]);
    expect(nowhere).toMatchObject({
      code: 1,
      err: expect.stringContaining('not running in this folder'),
    });
    expect(away).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^tenure: no answer .*\n$/u),
    });
    expect(anonymous).toMatchObject({ code: 1, err: expect.stringContaining('TENURE_TOKEN') });
    expect(stranger).toMatchObject({ code: 3, err: expect.stringContaining('UNAUTHENTICATED') });
    expect(wrong).toMatchObject({ code: 1, out: '' });
    expect(wrong.err).toMatch(/^tenure: TENURE_TOKEN is not an access token: .*\n$/u);
    expect(wrong.err).not.toContain('secret');
  });
});

test('a shell completes commands, options and their words', async () => {
  const completed = async (...words: readonly string[]) =>
    (await tenure('complete', '--', ...words)).out.split('\n').map((line) => line.split('\t')[0]);
  expect(await completed('ops', 'pau')).toEqual(expect.arrayContaining(['pauses', 'pause']));
  expect(await completed('ops', 'drain', '')).toContain('participant');
  for (const shell of ['bash', 'zsh', 'fish']) {
    expect((await tenure('completion', shell)).out).toContain('complete --');
  }
});

test('webhooks are made, tried, told again, changed and removed; secrets go into files', async () => {
  const arrived: string[] = [];
  const target = createServer((request, response) => {
    arrived.push(String(request.headers['webhook-id']));
    response.writeHead(204).end();
  });
  await new Promise<void>((listening) => target.listen(0, '127.0.0.1', listening));
  await using _target = {
    [Symbol.asyncDispose]: () => new Promise<void>((closed) => target.close(() => closed())),
  };
  const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}/hook`;
  const refused = await tenure(
    'webhooks',
    'add',
    '--url',
    'http://10.0.0.1/',
    '--secret-file',
    'no',
  );
  expect(refused).toMatchObject({ code: 3, out: '' });
  expect(refused.err).toContain('nothing may be sent there');
  const kept = ['--secret-file', 'hook.secret'];
  const made = await json(
    'webhooks',
    'add',
    '--url',
    url,
    '--types',
    'tenure.lifecycle.*',
    ...kept,
  );
  expect(made).toMatchObject({ url, enabled: true });
  expect(made).not.toHaveProperty('secret');
  const secret = await readFile(join(world.dataDir, 'hook.secret'), 'utf8');
  expect(secret).toMatch(/^whsec_\S+\n$/u);
  const { id } = made;

  expect(await json('webhooks', 'test', id)).toMatchObject({ state: 'pending' });
  const sent = () => json('webhooks', 'deliveries', id);
  await expect.poll(sent, { timeout: PATIENCE_MS }).toMatchObject([{ state: 'delivered' }]);
  const [{ id: delivery, messageId }] = await sent();
  await json('webhooks', 'redeliver', id, delivery);
  await expect.poll(() => arrived, { timeout: PATIENCE_MS }).toEqual([messageId, messageId]);

  const rotated = await json('webhooks', 'rotate-secret', id, '--secret-file', 'next.secret');
  expect(rotated).toHaveProperty('previousSecretUntil');
  expect(await readFile(join(world.dataDir, 'next.secret'), 'utf8')).not.toBe(secret);
  expect((await json('webhooks', 'disable', id)).enabled).toBe(false);
  const listed = await tenure('webhooks', 'list');
  expect(listed.out).toMatch(new RegExp(`^${id} +false .*by its party`, 'mu'));
  expect((await tenure('webhooks', 'remove', id)).code).toBe(0);
  expect((await tenure('webhooks', 'show', id)).code).toBe(4);
  const acts = await json('ops', 'audit', '--object', `webhook:${id}`);
  expect(acts.map(({ act }: { act: string }) => act)).toEqual([
    'webhook-deleted',
    'webhook-changed',
    'webhook-secret-rotated',
    'webhook-redelivered',
    'webhook-tested',
    'webhook-created',
  ]);
  // The operator of the user's tenant, with a token of the tenant's own server: these operations belong to other
  // parties.
  const token = await world.tokenOf('user-operator');
  const asTenant = (...args: readonly string[]) =>
    runCommand(world.dataDir, [...args, '--json'], { ...there(), TENURE_TOKEN: token });
  const [audit, streams] = await Promise.all([
    asTenant('ops', 'audit'),
    asTenant('ops', 'streams'),
  ]);
  expect(audit).toMatchObject({ code: 0, out: '[]\n' });
  expect(streams).toMatchObject({ code: 3, out: '' });
});

describe('many operations at once', () => {
  const reason = ['--reason', 'no longer wanted'] as const;
  const cancel = (commandIds: string, ...more: readonly string[]) =>
    ['ops', 'bulk', 'cancel', '--command-id', commandIds, ...reason, ...more] as const;

  async function queue(install: string, prefix: string, count: number): Promise<void> {
    const headers = { prefer: 'respond-async' };
    for (let n = 0; n < count; n += 1) {
      const path = `/app-installs/${install}:create-license?commandId=${prefix}-${n}`;
      const { status } = await world.call('provider', 'POST', path, {
        body: { params: {} },
        headers,
      });
      expect(status).toBe(202);
    }
  }

  test('are acted on once their number is confirmed, go on after Ctrl-C, and can be stopped', async () => {
    await json('ops', 'pause', 'operation', 'create-license', '--reason', 'to see them wait');
    const install = await newInstall();
    await queue(install, 'few', 2);
    await queue(install, 'many', 60);

    const preview = await tenure(...cancel('few-*'));
    expect(preview).toMatchObject({
      code: 0,
      err: 'Nothing was done. To start the action, add --confirm 2\n',
    });
    expect(preview.out).toMatch(/^count +2$/mu);
    expect(preview.out).not.toContain('token');
    const other = await tenure(...cancel('few-*', '--confirm', '3'));
    expect(other.code).toBe(3);
    expect(other.err).toContain('the filter now matches 2 operations, not 3; nothing was done');
    if (hasTerminals) {
      const asked = 'To cancel them, type their number: 2';
      const typed = (answer: string) =>
        answerCommand(world.dataDir, cancel('few-*'), there(), { asked, answer });
      const wrong = await typed('3');
      expect(wrong.out).toContain('Nothing was done');
      const right = await typed('2');
      expect(right.code, right.out).toBe(0);
      expect(stripVTControlCharacters(right.out)).toMatch(/^done +2\r?$/mu);
    } else await json(...cancel('few-*', '--confirm', '2'));
    expect(await json('history', 'few-1')).toMatchObject({ state: 'cancelled' });
    const none = await tenure(...cancel('nobody-*'));
    expect(none).toMatchObject({
      code: 0,
      err: 'No operation matches the filter: nothing was done.\n',
    });

    const many = startCommand(world.dataDir, cancel('many-*', '--confirm', '60'), there());
    const acts = async () => (await world.call('operator', 'GET', '/ops/acts?limit=1')).body;
    await expect.poll(acts, { timeout: 60_000 }).toMatchObject([{ count: 60 }]);
    const [{ id }] = await acts();
    many.interrupt();
    const left = await many.finished;
    expect(left).toMatchObject({ code: 130 });
    expect(left.err).toBe(
      `tenure: the bulk action continues in the background. To follow it: tenure ops acts ${id}; to end it: tenure ops stop ${id} --reason …\n`,
    );
    const stopped = await json('ops', 'stop', id, '--reason', 'enough is enough');
    expect(stopped).toMatchObject({ id, count: 60 });
    expect(stopped.done).toBeLessThan(60);
    const listed = await tenure('ops', 'acts');
    expect(listed.out).toMatch(new RegExp(`^${id} +cancel +stopped +60 `, 'mu'));
  });
});
