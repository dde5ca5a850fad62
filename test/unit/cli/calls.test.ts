import { Command, CommanderError } from 'commander';
import { describe, expect, test } from 'vitest';
import type { ApiCommand } from '../../../cli/api/description.ts';
import { LICENSES } from '../../../cli/api/licenses.ts';
import { OPS } from '../../../cli/api/ops.ts';
import { registerApiCommands, wholeNumber } from '../../../cli/api/register.ts';
import { callOf, isoAge } from '../../../cli/api/run.ts';
import { placesOf } from '../../../cli/commands/history.ts';
import { membersOf } from '../../../cli/commands/policy-set.ts';
import { program } from '../../../cli/program.ts';

const commandOf = (name: string): ApiCommand =>
  [...OPS.commands, ...LICENSES.commands].find(({ usage }) => usage.split(' ')[0] === name)!;

describe('a command line becomes one call', () => {
  test('options are parameters, several values of one are repeated, ages are durations', () => {
    const flags = {
      state: ['failed', 'in-doubt'],
      until: '15m',
      since: '2030-01-01T00:00:00Z',
      json: true,
    };
    const { method, path, query } = callOf(commandOf('search'), [], flags);
    expect(`${method} ${path}?${query?.toString()}`).toBe(
      'GET /ops/operations?state=failed&state=in-doubt&until=PT15M&since=2030-01-01T00%3A00%3A00Z',
    );
  });

  test('arguments are in the path, encoded, or in the body', () => {
    expect(callOf(commandOf('show'), ['a/../b c'], {}).path).toBe('/ops/operations/a%2F..%2Fb%20c');
    const given = { reason: 'seen', updateId: '1220' };
    expect(callOf(commandOf('decide'), ['7', 'took-effect'], given)).toEqual({
      method: 'POST',
      path: '/ops/operations/7/decide',
      body: { decision: 'took-effect', reason: 'seen', updateId: '1220' },
    });
    expect(callOf(commandOf('drain'), ['operation', 'renew-license'], { reason: 'x' })).toEqual({
      method: 'POST',
      path: '/ops/pauses',
      body: { mode: 'drain', scope: 'operation', name: 'renew-license', reason: 'x' },
    });
  });

  test('an argument that may be left out takes its slash with it', () => {
    expect(callOf(commandOf('acts'), [undefined], {}).path).toBe('/ops/acts');
    expect(callOf(commandOf('acts'), ['7'], {}).path).toBe('/ops/acts/7');
  });
});

test.each([
  ['90s', 'PT90S'],
  ['15m', 'PT15M'],
  ['2h', 'PT2H'],
  ['3d', 'P3D'],
  ['PT1H', 'PT1H'],
  ['1w', '1w'],
])('%s is %s', (given, iso) => expect(isoAge(given)).toBe(iso));

describe('policies', () => {
  test('members as the API has them', () => {
    const flags = {
      mode: 'on',
      grace: '3d',
      paused: 'false',
      maxInFlight: '5',
      quietHours: ['22:00-06:00@Europe/Zurich'],
    };
    expect(membersOf('expiry', flags)).toEqual({
      mode: 'on',
      grace: 'P3D',
      paused: false,
      maxInFlight: 5,
      quietHours: [{ from: '22:00', to: '06:00', timeZone: 'Europe/Zurich' }],
    });
    expect(membersOf('expiry', { quietHours: ['none'] })).toEqual({ quietHours: [] });
  });

  test.each([
    ['renewal', { mode: 'on' }, '--mode is not an option of the renewal policy'],
    ['expiry', { quietHours: ['at night'] }, 'not at night'],
    ['expiry', { maxInFlight: '1e3' }, 'not 1e3'],
  ] as const)('%s: %o is refused before anything is asked', (kind, flags, message) => {
    expect(() => membersOf(kind, flags)).toThrow(message);
  });
});

test.each([
  ['license-a1b2', ['licenses']],
  ['install-a1b2', ['app-installs']],
  ['install-request-a1b2', ['app-install-requests']],
  ['renewal-a1b2', ['license-renewal-requests']],
  ['renew-17', []],
  ['license-to-kill', []],
])('%s is looked for in %o', (id, places) => expect(placesOf(id)).toEqual(places));

test('a contract is looked for everywhere', () => expect(placesOf('00ab12')).toHaveLength(4));

describe('the command line', () => {
  const parsed = (...args: readonly string[]) => {
    const program = new Command('tenure')
      .exitOverride()
      .configureOutput({ writeErr: () => {}, writeOut: () => {} });
    registerApiCommands(program);
    return program.parseAsync(args, { from: 'user' });
  };

  test.each([
    [['ops', 'frobnicate']],
    [['ops', 'retry', '7']],
    [['ops', 'pause', 'everything', 'x', '--reason', 'y']],
    [['ops', 'search', '--state', 'broken']],
    [['ops', 'search', '--limit', 'many']],
    [['ops', 'show']],
    [['ops', 'show', '1', '2']],
    [['policy', 'set', 'expiry', '--paused', 'perhaps']],
    [['licenses', 'list', '--frob']],
  ])('%o is refused before anything is asked', async (args) => {
    await expect(parsed(...args)).rejects.toThrow(CommanderError);
  });

  test('every command has help with examples of its own', () => {
    const leavesOf = (command: Command, path: string): (readonly [string, Command])[] =>
      command.commands.length === 0
        ? [[path, command]]
        : command.commands.flatMap((one) => leavesOf(one, `${path} ${one.name()}`));
    const leaves = leavesOf(program, 'tenure');
    expect(leaves.length).toBeGreaterThan(60);
    const api = new Command();
    registerApiCommands(api);
    // The output of `mcp` is its protocol.
    const groups = api.commands.map((one) => one.name()).filter((name) => name !== 'mcp');
    for (const [path, leaf] of leaves) {
      let help = '';
      leaf.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
      const [, examples] = help.split('Examples:\n');
      expect(examples, path).toBeDefined();
      for (const example of examples?.trimEnd().split('\n') ?? [])
        expect(`${example} `, path).toContain(`  ${path} `);
      if (groups.includes(path.split(' ')[1] ?? '')) expect(help, path).toContain('--json');
    }
  });

  test('numbers', () => {
    expect(wholeNumber('12')).toBe(12);
    for (const text of ['-1', '1.5', '', '1e3', '99999999'])
      expect(() => wholeNumber(text)).toThrow();
  });
});
