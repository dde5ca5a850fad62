import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sourceFiles } from './files.ts';

/*
 * Rules for the safety of the web application that can be tested without a browser. Those that need a browser are in
 * test/web.
 */

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

test('the client’s types are those of docs/openapi.json, as the generator wrote them', () => {
  const [head = '', ...rest] = readFileSync('client/schema.ts', 'utf8').split('\n');
  const [, document, types] = /document (\w+) types (\w+)$/u.exec(head) ?? [];
  // To renew this after a change of the OpenAPI document, run: make web-client
  expect(document).toBe(digest(readFileSync('docs/openapi.json', 'utf8')));
  expect(types).toBe(digest(rest.join('\n')));
});

const sources = sourceFiles()
  .filter((file) => file.startsWith('web/src/'))
  .map((file) => [file, readFileSync(file, 'utf8')] as const);

/** APIs of browsers that no page may use. For each of them, the only file that may use it. */
const FORBIDDEN: readonly (readonly [what: string, pattern: RegExp, only: readonly string[]])[] = [
  ['HTML from a text', /innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser/u, []],
  ['code from a text', /\beval\(|new Function\(/u, []],
  ['a call past the client', /\bfetch\(|XMLHttpRequest|sendBeacon/u, ['web/src/api/client.ts']],
  ['a stream of its own', /new EventSource\(|new WebSocket\(/u, ['web/src/live/shared-events.ts']],
  ['cookies', /document\.cookie/u, ['web/src/api/client.ts']],
  ['another origin', /https?:\/\/(?!www\.w3\.org\/)[a-z]/u, []],
  ['a link without protection', /target="_blank"(?![^>]*rel="noopener)/u, []],
];

test.each(FORBIDDEN)('%s: nowhere, or in one file', (_what, pattern, only) => {
  const found = sources.filter(([, text]) => pattern.test(text)).map(([file]) => file);
  expect(found.filter((file) => !only.includes(file))).toEqual([]);
  for (const file of only) expect(found).toContain(file);
});

test('pages name addresses by PATHS alone', () => {
  const literal = /\bto="\/|\bto=\{['"`]\/|navigate\(\{\s*to:\s*['"`]/u;
  expect(sources.filter(([, text]) => literal.test(text)).map(([file]) => file)).toEqual([]);
});
