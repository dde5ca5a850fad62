import { execFile } from 'node:child_process';
import { request } from 'node:http';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, describe, expect, test } from 'vitest';
import { forFile } from '../kit/for-file.ts';
import { change } from './kit/commands.ts';
import { Control } from './kit/faults.ts';
import { USER_ADMIN } from './kit/identities.ts';
import { createRequest } from './kit/licensing.ts';
import { openNetwork } from './kit/network.ts';
import type { Network } from './kit/network.ts';
import { LedgerRefusal } from './kit/refusal.ts';

/* The control route itself: the requests that it accepts and refuses, its answers, and who may call it. */

const network = await forFile(openNetwork());
const control = new Control(network);
afterEach(() => control.clear());

interface Description {
  readonly $defs: Readonly<Record<string, object>>;
  readonly operations: readonly { readonly method: string; readonly path: string }[];
}

/** Returns a function that checks data against a part of the schema that the network serves. */
async function checkOf(name: string) {
  const description = (await control.ask('')).json as Description;
  const ajv = new Ajv2020({ strict: false });
  const { $defs } = description;
  return ajv.compile({ $ref: `#/$defs/${name}`, $defs });
}

const EXAMPLES = [
  { kind: 'drop-before', how: 'silence', where: { participant: 'app-user' }, times: 1 },
  { kind: 'drop-after', code: 'REQUEST_TIME_OUT', skip: 3 },
  { kind: 'delay', ms: 20, msMax: 30, at: 'after', chance: 0.5, seed: 'x' },
  { kind: 'repeat', where: { commandId: 'a*b' } },
  { kind: 'error', code: ['SERVICE_NOT_RUNNING', 'CONTRACT_NOT_FOUND'] },
  { kind: 'reject', code: 'INCONSISTENT', seconds: 60 },
  { kind: 'lose', where: { commandId: 'nobody-*' }, times: 2 },
  { kind: 'withhold', where: { party: 'p*' } },
  { kind: 'duplicate' },
  { kind: 'reorder', by: 3 },
  { kind: 'slow-stream', ms: 5 },
  { kind: 'cut', how: 'reset', everySeconds: 5 },
  { kind: 'cut-at', code: 'ACCESS_TOKEN_EXPIRED', afterElements: 3 },
  { kind: 'silence', where: { method: 'CompletionStream', user: '*' } },
  { kind: 'hold', where: { method: 'UpdateService/*' } },
  { kind: 'expire-tokens', which: 'all', where: { participant: 'sv', user: 'u' } },
  { kind: 'restart', downMs: 0, everySeconds: 60, chance: 0, where: { participant: 'sv' } },
  { kind: 'prune', where: { participant: 'sv' } },
  { kind: 'deduplication-window', ms: 30_000 },
  { kind: 'skew', bySeconds: -1.5, where: { participant: 'sv' } },
  { kind: 'slow-ledger', ms: 5, msMax: 9, seconds: 9 },
  { kind: 'behind', sends: false, where: { participant: 'sv' } },
  { kind: 'stopped', where: { participant: 'sv' }, seconds: 60 },
  { kind: 'down', where: { participant: 'sv' } },
  { kind: 'away', surface: 'registry', how: 'silence' },
];

describe('the schema', () => {
  test('names every route, and what it takes and gives is what it says', async () => {
    const { operations } = (await control.ask('')).json as Description;
    for (const [method, path] of [
      ['GET', '/control/faults'],
      ['POST', '/control/faults'],
      ['DELETE', '/control/faults'],
      ['GET', '/control/faults/{id}'],
      ['DELETE', '/control/faults/{id}'],
      ['GET', '/control/ledger'],
      ['POST', '/control/reset'],
    ]) {
      expect(operations).toContainEqual(expect.objectContaining({ method, path }));
    }
    const [newFault, fault, faults] = await Promise.all(
      ['newFault', 'fault', 'faults'].map(checkOf),
    );
    for (const example of EXAMPLES) {
      expect([newFault!(example), newFault!.errors]).toEqual([true, null]);
      const told = await control.fault(example);
      expect(told).toMatchObject({ ...example, id: expect.stringMatching(/^f\d+$/) });
      expect(fault!(told)).toBe(true);
    }
    const all = await control.all();
    expect(faults!(all)).toBe(true);
    expect(all.faults).toHaveLength(EXAMPLES.length);
    const { $defs } = (await control.ask('')).json as Description;
    const { kind } = ($defs['fault'] as { properties: { kind: { enum: string[] } } }).properties;
    expect(EXAMPLES.map((example) => example.kind)).toEqual(kind.enum);
  });

  test('says the same of a script', async () => {
    const script = { seed: 7, rates: { 'drop-before': 0.5, cut: 0.1 }, seconds: 60 };
    const [asked, scripted] = await Promise.all(['script', 'scripted'].map(checkOf));
    expect(asked!(script)).toBe(true);
    expect(scripted!(await control.script(script))).toBe(true);
  });
});

describe('bad input', () => {
  test.each<[string, unknown, RegExp]>([
    ['no kind', {}, /kind must be one of drop-before, /],
    ['nothing', undefined, /kind must be one of/],
    ['a list', [], /kind must be one of/],
    ['an unknown kind', { kind: 'explode' }, /kind must be one of/],
    ['a name that every object has', { kind: 'toString' }, /kind must be one of/],
    ['an unknown field', { kind: 'withhold', howOften: 3 }, /howOften is no field here/],
    [
      'an unknown place',
      { kind: 'withhold', where: { partie: 'x' } },
      /where.partie is no field here/,
    ],
    ['an unknown participant', { kind: 'withhold', where: { participant: 'x' } }, /participant/],
    ['a negative count', { kind: 'withhold', times: -1 }, /times/],
    ['half a time', { kind: 'withhold', times: 1.5 }, /times/],
    ['a number in a text', { kind: 'withhold', times: '1' }, /times/],
    ['a chance above 1', { kind: 'withhold', chance: 2 }, /chance/],
    ['no time at all', { kind: 'withhold', seconds: 0 }, /seconds/],
    ['a pattern without end', { kind: 'withhold', where: { party: 'x'.repeat(301) } }, /party/],
    ['a delay without its length', { kind: 'delay' }, /ms/],
    ['a delay for years', { kind: 'delay', ms: 1e12 }, /ms/],
    ['a range that is none', { kind: 'delay', ms: 5, msMax: 4 }, /msMax/],
    ['an unknown code', { kind: 'error', code: 'NO_SUCH_CODE' }, /NO_SUCH_CODE is no code/],
    ['no code', { kind: 'error', code: [] }, /code/],
    ['a code of completions at the door', { kind: 'error', code: 'INCONSISTENT' }, /completion/],
    ['a code of the door as completion', { kind: 'reject', code: 'CONTRACT_NOT_FOUND' }, /submis/],
    ['a code of calls on a stream', { kind: 'cut', code: 'UNKNOWN_SUBMITTERS' }, /stream/],
    ['one among good ones', { kind: 'reject', code: ['INCONSISTENT', 'UNAUTHENTICATED'] }, /call/],
    [
      'a code that is definite after the effect',
      { kind: 'drop-after', code: 'SERVICE_NOT_RUNNING' },
      /answer/,
    ],
    [
      'what would be untrue of the past',
      { kind: 'error', code: 'OFFSET_AFTER_LEDGER_END' },
      /is no code/,
    ],
    ['how and code', { kind: 'cut', how: 'reset', code: 'ACCESS_TOKEN_EXPIRED' }, /not both/],
    [
      'a method where none is known',
      { kind: 'reject', code: 'INCONSISTENT', where: { method: 'Submit' } },
      /method/,
    ],
    ['chance where there is none', { kind: 'skew', bySeconds: 1, chance: 0.5 }, /chance is no/],
    ['a skew for years', { kind: 'skew', bySeconds: 1e9 }, /bySeconds/],
    [
      'a user whose clock is wrong',
      { kind: 'skew', bySeconds: 1, where: { user: 'u' } },
      /where.user/,
    ],
    ['an unknown surface', { kind: 'away', surface: 'moon' }, /surface/],
    ['a script without an end', { seed: 1 }, /seconds/],
    ['a script of an unknown kind', { seed: 1, seconds: 1, rates: { explode: 1 } }, /explode/],
    ['a rate above 1', { seed: 1, seconds: 1, rates: { cut: 2 } }, /cut/],
  ])('is refused with a reason: %s', async (_what, body, reason) => {
    const { status, json } = await control.ask('/faults', { method: 'POST', body });
    expect([status, json]).toEqual([400, { error: expect.stringMatching(reason) }]);
    expect((await control.all()).faults).toEqual([]);
  });

  test('that is no JSON, too long, or of another type is refused as well', async () => {
    const send = (body: string, type = 'application/json') =>
      control.ask('/faults', { method: 'POST', body, headers: { 'content-type': type } });
    expect((await send('{')).status).toBe(400);
    expect((await send(`{"kind":"${'x'.repeat(300_000)}"}`)).status).toBe(413);
    expect((await send('kind=cut', 'application/x-www-form-urlencoded')).status).toBe(415);
  });

  test('a fault that is not there is 404', async () => {
    expect((await control.ask('/faults/f999999')).status).toBe(404);
    expect((await control.ask('/faults/f999999', { method: 'DELETE' })).status).toBe(404);
  });
});

test('there is room for so many faults, and those that are over make way', async () => {
  const spent = await control.fault({ kind: 'cut' });
  expect(spent).toMatchObject({ state: 'spent' });
  const fill = async (count: number) => {
    for (let i = 0; i < count; i += 1) await control.fault({ kind: 'withhold' });
  };
  await fill(200);
  expect((await control.ask(`/faults/${spent.id}`)).status).toBe(404);
  const { status, json } = await control.ask('/faults', { body: { kind: 'withhold' } });
  expect([status, json]).toEqual([409, { error: expect.stringContaining('200') }]);
  expect((await control.ask('/faults', { method: 'DELETE' })).json).toEqual({ removed: 200 });
});

describe('what is left to chance', () => {
  /** Makes this number of calls. Returns their outcomes, one letter for each. */
  async function fates(net: Network, count: number): Promise<string> {
    const ledger = net.as(USER_ADMIN);
    let seen = '';
    for (let i = 0; i < count; i += 1) {
      const fate = await ledger.state.getLedgerEnd({}).then(
        () => '.',
        (error: unknown) => (error instanceof LedgerRefusal ? (error.reason ?? 'lost') : 'other'),
      );
      seen += fate.slice(0, 1);
    }
    return seen;
  }
  const STORM = { kind: 'error', code: ['SERVICE_NOT_RUNNING', 'HEAP_MEMORY_OVER_LIMIT'] };

  test('is the same again with the same seed, and another with another', async () => {
    const seen: string[] = [];
    for (const seed of ['a', 'a', 'b']) {
      const { id } = await control.fault({ ...STORM, chance: 0.4, seed });
      seen.push(await fates(network, 60));
      await control.remove(id);
    }
    expect(seen[1]).toBe(seen[0]);
    expect(seen[2]).not.toBe(seen[0]);
    expect(new Set(seen[0])).toEqual(new Set(['.', 'S', 'H']));
  });

  test('is the same on another network, for a whole script', async () => {
    await using other = await openNetwork();
    const seen: string[] = [];
    for (const net of [network, other]) {
      const { id, faults } = await new Control(net).script({
        seed: 42,
        rates: { 'drop-before': 0.2, error: 0.3, 'drop-after': 0.1, reject: 1 },
        seconds: 60,
        where: { method: 'GetLedgerEnd' },
      });
      expect(new Set(faults.map(({ script }) => script))).toEqual(new Set([id]));
      // Silent calls are left out, because each would take a whole deadline. This does not change the other faults,
      // because each kind has its own random sequence.
      for (const fault of faults) {
        if ('how' in fault && fault.how === 'silence') await new Control(net).remove(fault.id);
      }
      seen.push(await fates(net, 60));
    }
    expect(seen[1]).toBe(seen[0]);
    expect(new Set(seen[0])).toContain('l');
  });

  test('is counted by kind, also when the faults are gone', async () => {
    const { totals: before } = await control.all();
    const { id } = await control.script({ seed: 1, rates: { reject: 1 }, seconds: 60 });
    const user = await network.party('user', USER_ADMIN);
    const create = createRequest({ user, provider: user });
    const commands = change(create, { actAs: [user] });
    await expect(
      network.as(USER_ADMIN).commands.submitAndWait({ commands }),
    ).rejects.toBeInstanceOf(LedgerRefusal);
    await control.remove(id);
    const { faults, totals } = await control.all();
    expect(faults).toEqual([]);
    expect(totals['reject']! - (before['reject'] ?? 0)).toBe(1);
  });
});

test('the command line lists, adds and clears', async () => {
  const tenure = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)(resolve(import.meta.dirname, '../../cli/tenure'), [
      'localnet',
      'faults',
      ...args,
      '--url',
      network.localnet.urls.network,
    ]);
    return stdout.trim();
  };
  const id = await tenure('add', '{"kind": "withhold", "times": 2}');
  expect(await control.told(id)).toMatchObject({ kind: 'withhold' });
  expect(await tenure('list')).toMatch(new RegExp(`^ID .*\n${id} +withhold +active +0 of 0`));
  await expect(tenure('add', '{"kind": "explode"}')).rejects.toMatchObject({
    stderr: expect.stringMatching(/^tenure: LocalNet answered 400: .*kind must be one of/),
  });
  expect(await tenure('clear', id)).toBe('1 removed');
  expect(await tenure('clear')).toBe('0 removed');
});

test.each(['GET', 'POST', 'DELETE'])(
  'nobody who calls this machine by another name may %s',
  async (method) => {
    const { hostname, port } = new URL(network.localnet.urls.network);
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { host: 'rebound.example', 'content-type': 'application/json' };
      const sent = request({ hostname, port, method, path: '/control/faults', headers });
      sent.on('response', (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      sent.on('error', reject);
      sent.end(method === 'POST' ? JSON.stringify({ kind: 'cut' }) : undefined);
    });
    expect(status).toBe(403);
    expect((await control.all()).faults).toEqual([]);
  },
);
