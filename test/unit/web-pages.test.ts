import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { blocksOf, inlineOf } from '../../web/src/pages/errors/markdown.ts';
import { catalogueOf, codesWith } from '../../web/src/pages/errors/catalogue.ts';
import { phaseOf } from '../../web/src/parts/renewal-phase.ts';
import { durationMs } from '../../web/src/parts/duration.ts';
import { metadataOf } from '../../web/src/parts/metadata.ts';
import { webAddress } from '../../web/src/parts/web-address.ts';
import { amount, refusalWords } from '../../web/src/parts/words.ts';

const { codes: CODES } = catalogueOf(readFileSync('docs/ERRORS.md', 'utf8'));

/* Functions of the pages for users and providers that need no browser. */

test('every code that the API answers with has its place on the errors page', () => {
  const document = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
  const codes: readonly string[] = document.components.schemas.ErrorResponse.properties.code.enum;
  expect(codes.length).toBeGreaterThan(50);
  const shown = new Set(CODES.map(({ code }) => code));
  expect(codes.filter((code) => !shown.has(code))).toEqual([]);
});

test('a search of the errors finds codes by their words, their status and what they mean', () => {
  expect(codesWith(CODES, 'tenant conflict').map(({ code }) => code)).toEqual(['TENANT_CONFLICT']);
  expect(codesWith(CODES, '412').map(({ code }) => code)).toContain('PRECONDITION_FAILED');
  expect(codesWith(CODES, 'no such words at all')).toEqual([]);
  expect(codesWith(CODES, '')).toHaveLength(CODES.length);
});

test('Markdown is read as blocks', () => {
  const text =
    '# One\n\nTwo\nlines\n\n- a\n  b\n- c\n\n```json\n| no table |\n```\n| H | I |\n| --- | --- |\n| x \\| y | z |\n';
  expect(blocksOf(text)).toEqual([
    { kind: 'heading', level: 1, text: 'One' },
    { kind: 'paragraph', text: 'Two lines' },
    { kind: 'list', items: ['a b', 'c'] },
    { kind: 'code', text: '| no table |' },
    { kind: 'table', head: ['H', 'I'], rows: [['x | y', 'z']] },
  ]);
});

test('a line of Markdown keeps what is no mark', () => {
  expect(inlineOf('see `a * b`, **now**, [there](X.md#y) or <b>')).toEqual([
    { kind: 'text', text: 'see ' },
    { kind: 'code', text: 'a * b' },
    { kind: 'text', text: ', ' },
    { kind: 'strong', text: 'now' },
    { kind: 'text', text: ', ' },
    { kind: 'link', text: 'there', href: 'X.md#y' },
    { kind: 'text', text: ' or <b>' },
  ]);
});

test.each([
  ['P3D', 3 * 86_400_000],
  ['PT90M', 90 * 60_000],
  ['P1DT2H3M4.5S', 86_400_000 + 2 * 3_600_000 + 3 * 60_000 + 4_500],
  ['PT0S', 0],
  ['P', null],
  ['PT', null],
  ['PD', null],
  ['P1M', null],
  ['3 days', null],
])('%s lasts %s ms', (iso, ms) => {
  expect(durationMs(iso)).toBe(ms);
});

test('metadata has each name once, and nothing without a value', () => {
  const rows = [
    [' plan ', 'Team'],
    ['note', ''],
  ] as const;
  expect(metadataOf(rows)).toEqual({ data: { plan: 'Team' } });
  expect(metadataOf([['', 'x']])).toBe('A value has no name.');
  expect(metadataOf([...rows, ['plan', 'Other']])).toBe('“plan” is there twice.');
});

test('only addresses of the web are linked', () => {
  expect(webAddress('http://wallet.localhost:2000')).toBe('http://wallet.localhost:2000/');
  for (const text of ['javascript:alert(1)', 'data:text/html,x', '/relative', '', null, undefined])
    expect(webAddress(text)).toBeNull();
});

const RENEWAL = {
  state: 'requested',
  allocationCid: null,
  allocationMatches: null,
  prepareDeadlinePassed: false,
  settleDeadlinePassed: false,
};

test.each([
  ['requested', {}],
  ['late', { prepareDeadlinePassed: true }],
  ['allocated', { allocationMatches: true, prepareDeadlinePassed: true }],
  ['differs', { allocationMatches: false }],
  ['lapsed', { allocationMatches: true, settleDeadlinePassed: true }],
  ['moving', { state: 'completing', allocationMatches: true }],
  ['settled', { state: 'renewed', settleDeadlinePassed: true }],
  ['over', { state: 'withdrawn' }],
])('a renewal is %s', (phase, over) => {
  expect(phaseOf({ ...RENEWAL, ...over } as never)).toBe(phase);
});

test.each([
  ['not possible in state renewing', 'not possible while a renewal is being offered'],
  ['not possible in state creatingLicense', 'not possible while a licence is being created'],
  ['not possible in state requested', 'not possible while it is requested'],
  ['only the provider may do this', 'only the provider may do this'],
])('“%s” is read as “%s”', (reason, words) => {
  expect(refusalWords(reason)).toBe(words);
});

test('every state in which an operation is under way has words for what it refuses', () => {
  const charts = JSON.parse(readFileSync('machines/charts.json', 'utf8')) as readonly {
    readonly states: readonly { readonly id: string; readonly waits: boolean }[];
  }[];
  const waiting = charts.flatMap(({ states }) => states.filter(({ waits }) => waits));
  expect(waiting.length).toBeGreaterThan(0);
  for (const { id } of waiting) {
    expect(refusalWords(`not possible in state ${id}`)).toMatch(/ (?:is|it is) being \w+$/u);
  }
});

test.each([
  [100, 'Amulet', '100\u00A0Amulet'],
  [
    '12345678901234567890.0123456789',
    'dso::12:Amulet',
    '12,345,678,901,234,567,890.0123456789\u00A0Amulet',
  ],
  [0.5, undefined, '0.5'],
])('the amount %s of %s is read with all its digits', (value, instrument, words) => {
  expect(amount(value, instrument)).toBe(words);
});
