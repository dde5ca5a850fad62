import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { Column } from '../../../cli/api/description.ts';
import { LICENSES } from '../../../cli/api/licenses.ts';
import { ageOf, asJson, readExactly, render, renderRows } from '../../../cli/api/render.ts';
import type { Screen } from '../../../cli/api/render.ts';

const nowMs = Date.parse('2030-01-31T12:00:00Z');
const screen = (width = Infinity, isColoured = false): Screen => ({ width, isColoured, nowMs });

const COLUMNS: readonly Column[] = [
  ['id', 'id', 'whole'],
  ['state', 'state', 'state'],
  ['age', 'acceptedAt', 'age'],
  ['waits for', 'waitingFor.kind'],
  ['command', 'commandId'],
];
const ROWS = [
  {
    id: '0197a3f2-5b6c',
    state: 'failed',
    acceptedAt: '2030-01-31T11:15:00Z',
    waitingFor: { kind: 'ledger', detail: 'an answer' },
    commandId: 'renew-the-licence-of-somebody-17',
  },
  { id: '0197a3f2-5b6d', state: 'queued', acceptedAt: '2030-01-28T12:00:00Z', commandId: 'short' },
];

describe('a list', () => {
  test('is a table, without what nobody has', () => {
    expect(renderRows(ROWS, [...COLUMNS, ['empty', 'nothing']], screen())).toBe(
      [
        'id             state   age  waits for  command',
        '0197a3f2-5b6c  failed  45m  ledger     renew-the-licence-of-somebody-17',
        '0197a3f2-5b6d  queued  3d              short',
      ].join('\n'),
    );
  });

  test.each([120, 80, 64, 50, 40, 30, 20])(
    'is no wider than %d columns, and keeps IDs whole',
    (width) => {
      const lines = renderRows(ROWS, COLUMNS, screen(width)).split('\n');
      const drawn = lines.filter((line) => !line.startsWith('('));
      expect(Math.max(...drawn.map((line) => line.length))).toBeLessThanOrEqual(width);
      expect(drawn[1]).toContain('0197a3f2-5b6c');
    },
  );

  test('says what there was no room for', () => {
    expect(renderRows(ROWS, COLUMNS, screen(30)).split('\n').at(-1)).toBe(
      '(columns left out for space: waits for, command; --json has them)',
    );
    expect(renderRows(ROWS, COLUMNS, screen(50))).toContain('renew-th…');
  });

  test('has colours where they are wanted, and the same text', () => {
    const coloured = renderRows(ROWS, COLUMNS, screen(80, true));
    expect(coloured).toContain('\u001B[31mfailed\u001B[39m');
    expect(stripVTControlCharacters(coloured)).toBe(renderRows(ROWS, COLUMNS, screen(80)));
  });

  test('lets nobody write on the terminal', () => {
    const row = { id: '1', reason: 'a\u001B[2J\u001B]0;x\u0007b\r\nc\u202Ed\u009B31m' };
    const shown = renderRows(
      [row],
      [
        ['id', 'id'],
        ['reason', 'reason'],
      ],
      screen(),
    );
    const lines = shown.split('\n');
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });
});

test('the history of a licence tells which policy asked for what, why, and what came of it', () => {
  const columns = LICENSES.commands.find(({ usage }) => usage === 'history <contractId>')?.columns;
  const asked = { operation: 'expire-license', subject: 'tenure' };
  const entry = { at: '2030-01-31T11:15:00.123Z', state: 'active' };
  const entries = [
    { ...entry, kind: 'ledger.licenseRenewed', offset: 41, contractId: '00ab', detail: {} },
    {
      ...entry,
      kind: 'license.expire',
      by: 'provider::1220',
      commandId: 'tenure:expire:1',
      detail: { ...asked, policy: 'expiry', reason: 'it lapsed an hour ago' },
    },
    { ...entry, kind: 'command.refused', detail: { ...asked, code: 'LEDGER_UNAVAILABLE' } },
  ];
  const lines = renderRows(entries, columns, screen()).split('\n');
  expect(lines[0]).toMatch(
    /^at +what +state +policy +code +reason +offset +command +by +identity +contract$/u,
  );
  expect(lines[2]).toMatch(/ license\.expire +active +expiry +it lapsed an hour ago +tenure:/u);
  expect(lines[3]).toMatch(/ command\.refused +active +LEDGER_UNAVAILABLE +tenure$/u);
});

test('one thing is told line by line, its lists as tables', () => {
  const body = {
    id: '7',
    state: 'in-doubt',
    waitingFor: { kind: 'person', detail: 'a decision' },
    none: null,
    names: ['a', 'b'],
    attempts: [
      { n: 1, answer: 'unknown', more: { deep: true } },
      { n: 2, answer: 'refused', ledgerCode: 'ABORTED' },
    ],
  };
  expect(render(body, undefined, screen())).toBe(
    [
      'id                 7',
      'state              in-doubt',
      'waitingFor.kind    person',
      'waitingFor.detail  a decision',
      'names              a, b',
      '',
      'attempts:',
      'n  answer   ledgerCode',
      '1  unknown',
      '2  refused  ABORTED',
    ].join('\n'),
  );
});

test('every digit that was sent is shown', () => {
  const text = '{"amount":100.0000000000,"big":12345678901234567890.5,"n":[1]}';
  expect(readExactly(text)).toMatchObject({ amount: '100.0000000000' });
  expect(render(readExactly(text), undefined, screen())).toContain('12345678901234567890.5');
  expect(asJson([text])).toContain('"amount": 100.0000000000,\n  "big": 12345678901234567890.5');
});

test('a document on a terminal is escaped, and means the same', () => {
  const name = 'a\u001B[2J\u009B31m\u007F\u202Eb\u2028\u{E0001}';
  const text = asJson([JSON.stringify({ name, [name]: 1 })]);
  expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  expect(JSON.parse(text)).toEqual({ name, [name]: 1 });
});

test('pages are one document', () => {
  expect(JSON.parse(asJson(['[{"a":1}]', '[]', '[{"a":2},{"a":3}]']))).toEqual([
    { a: 1 },
    { a: 2 },
    { a: 3 },
  ]);
  expect(asJson(['[]'])).toBe('[]');
});

test.each([
  ['2030-01-31T11:59:18Z', '42s'],
  ['2030-01-31T09:00:00Z', '3h'],
  ['2030-01-31T12:05:00Z', 'in 5m'],
  ['never', 'never'],
])('the age of %s is %s', (instant, age) => {
  expect(ageOf(instant, nowMs)).toBe(age);
});
