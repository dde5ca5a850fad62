import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sourceFiles } from './files.ts';
import { twoStrings, unbounded, withoutUnit } from './signatures.ts';

const found = (
  covers: RegExp,
  check: (file: string, source: string) => readonly string[],
): readonly string[] =>
  sourceFiles()
    .filter((file) => covers.test(file))
    .flatMap((file) => check(file, readFileSync(file, 'utf8')))
    .toSorted();

/**
 * This list may only become shorter. The string parameters of a new function must have distinct types, or be members of
 * one object.
 */
const TAKE_TWO_TEXTS = [
  'src/app/licensing/arguments.ts: invalid',
  'src/doctor/findings.ts: wrong',
  'src/domain/webhook-signature.ts: signedHeaders',
  'src/http/kit/address.ts: actionRoute',
  'src/http/kit/address.ts: collectionRoute',
  'src/http/kit/filter-query.ts: text',
  'src/http/kit/invalid.ts: invalid',
  'src/http/kit/responses.ts: doneAsText',
  'src/main/log.ts: createLog',
  'src/queue/redis-info.ts: infoField',
  'src/store/engine/audit.ts: sendCall',
  'src/store/engine/circuits.ts: closedBy',
  'src/store/engine/pauses.ts: isForeign',
  'src/store/engine/pauses.ts: isStopped',
  'src/store/engine/proofs.ts: sendGivenUp',
];

test('no exported function takes two texts in a row, but those of the list', () => {
  expect(found(/^(src|machines|workers)\//u, twoStrings)).toEqual(TAKE_TWO_TEXTS);
});

test('a time that is a number says its unit', () => {
  const ours = /^(src|machines|workers|cli|embedded|localnet|chaos)\//u;
  expect(found(ours, withoutUnit)).toEqual([]);
});

test('every call of a port that waits has its bounds', () => {
  expect(found(/^src\/app\/ports\//u, unbounded)).toEqual([]);
});

test.each([
  'export function a(from: string, to: string) {}',
  'export const a = (n: number, from: string, to: string) => n;',
  `export async function a(from: string, to: string = 'x') {}`,
])('two texts in a row are seen: %s', (source) => {
  expect(twoStrings('src/a.ts', source)).toEqual(['src/a.ts: a']);
});

test.each([
  'export function a(from: string, n: number, to: string) {}',
  'export const a = (from: Party, to: string) => to;',
  'function a(from: string, to: string) {}',
])('others are left alone: %s', (source) => {
  expect(twoStrings('src/a.ts', source)).toEqual([]);
});

test.each([
  'interface A { readonly timeout: number }',
  'class A { timeout: number = 1; }',
  'const a = (timeout: number) => 1;',
  'const timeout = 5_000;',
])('a time without a unit is seen: %s', (source) => {
  expect(withoutUnit('src/a.ts', source)).toEqual(['src/a.ts: timeout']);
});

test.each(['interface A { timeoutMs: number }', 'call({ timeout: 5 });', 'let ttl: Ttl;'])(
  'one with a unit, or of a library, is left alone: %s',
  (source) => {
    expect(withoutUnit('src/a.ts', source)).toEqual([]);
  },
);

test.each([
  'export interface A { read(id: string): Promise<void> }',
  'export interface A { readonly read: (id: string) => AsyncIterable<string> }',
  'export interface A { read(id: string, signal: AbortSignal): Promise<void> }',
])('a call without bounds is seen: %s', (source) => {
  expect(unbounded('src/a.ts', source)).toEqual(['src/a.ts: A.read']);
});

test.each([
  'export interface A { read(id: string, io: Io): Promise<void> }',
  'export interface A { readonly read: (signal: AbortSignal) => AsyncIterable<string> }',
  'export interface ATx { read(id: string): Promise<void> }',
  'export interface A { now(): number }',
])('a call with bounds is left alone: %s', (source) => {
  expect(unbounded('src/a.ts', source)).toEqual([]);
});
