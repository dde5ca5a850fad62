import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

/*
 * The size of what a browser downloads before and after the first page. It is in bytes after compression with gzip,
 * which is the larger of the two encodings.
 */

const ASSETS = 'web/dist/assets';
const KB = 1_024;

const sizeOf = (file: string): number => gzipSync(readFileSync(`${ASSETS}/${file}`)).length / KB;
const assets = readdirSync(ASSETS).filter((file) => /\.(?:js|css)$/u.test(file));
const html = readFileSync('web/dist/index.html', 'utf8');
const isFirst = (file: string): boolean => html.includes(file);

const sum = (files: readonly string[]): number =>
  files.reduce((total, file) => total + sizeOf(file), 0);

test('the first load has at most 150 kB of script and 20 kB of style', () => {
  const first = assets.filter(isFirst);
  expect(first.length).toBeGreaterThanOrEqual(2);
  expect(sum(first.filter((file) => file.endsWith('.js')))).toBeLessThan(150);
  expect(sum(first.filter((file) => file.endsWith('.css')))).toBeLessThan(20);
});

test('no part that is loaded later has more than 40 kB', () => {
  const later = assets.filter((file) => !isFirst(file));
  expect(later.filter((file) => file.endsWith('.js')).length).toBeGreaterThanOrEqual(4);
  expect(later.filter((file) => sizeOf(file) > 40)).toEqual([]);
});

test('the styles of all parts together have at most 20 kB', () => {
  expect(sum(assets.filter((file) => file.endsWith('.css')))).toBeLessThan(20);
});

test('the page itself has no script and no style in it, and nothing of another origin', () => {
  expect(html).not.toMatch(/<style|style=|<script(?![^>]*\ssrc=)/u);
  expect(html).not.toMatch(/(?:src|href)="(?!\/ui\/)/u);
});
