import { readFileSync } from 'node:fs';
import { sourceFiles } from './files.ts';

/*
 * Checks the language of the comments in this project: words that only this project uses, and beginnings of sentences
 * that make a reader stop.
 */

/** Words and beginnings that are to disappear: see docs/GLOSSARY.md for the standard terms. */
export const WORN = {
  whoever: /\bwhoever\b/giu,
  'somebody, nobody, anybody': /\b(?:some|no|any)body\b/giu,
  'a comment that begins with "Of"': /(?:\/\*\*|\/\/|^\s*\*)\s+Of\s/gmu,
} as const;
export type Worn = keyof typeof WORN;

const COMMENT = /\/\*[\s\S]*?\*\/|(?<![:'"`\\])\/\/[^\n]*/gu;

/** Returns the comments of a source. */
export const commentsOf = (source: string): string => (source.match(COMMENT) ?? []).join('\n');

/** Returns how often each of {@link WORN} occurs in a text. */
export const countWorn = (text: string): Readonly<Record<Worn, number>> =>
  Object.fromEntries(
    Object.entries(WORN).map(([name, pattern]) => [name, (text.match(pattern) ?? []).length]),
  ) as Record<Worn, number>;

/**
 * Returns the folder with which a file is counted: in `src`, `test` and `cli` the first two folders, otherwise the
 * first one.
 */
export function areaOf(file: string): string {
  const [first = '', second = ''] = file.split('/');
  return ['src', 'test'].includes(first) ? `${first}/${second}` : first;
}

/** Returns the counts in comments for each folder that has any. */
export function wornByArea(): Readonly<Record<string, Readonly<Record<Worn, number>>>> {
  const comments = new Map<string, string>();
  for (const file of sourceFiles()) {
    const area = areaOf(file);
    const text = commentsOf(readFileSync(file, 'utf8'));
    comments.set(area, `${comments.get(area) ?? ''}\n${text}`);
  }
  const counted = [...comments].map(([area, text]) => [area, countWorn(text)] as const);
  return Object.fromEntries(
    counted
      .filter(([, counts]) => Object.values(counts).some((count) => count > 0))
      .toSorted(([a], [b]) => a.localeCompare(b)),
  );
}

const isFence = (line: string): boolean => /^\s*(?:```|~~~)/u.test(line);

/**
 * Returns the lines of prose in a Markdown text that are wider than `columns`. Tables, code, links and words that
 * cannot be broken are ignored.
 */
export function tooWide(markdown: string, columns: number): readonly string[] {
  let isCode = false;
  return markdown.split('\n').filter((line) => {
    if (isFence(line)) isCode = !isCode;
    if (isCode || isFence(line) || line.length <= columns) return false;
    const isTable = /^\s*\|/u.test(line);
    const words = line
      .replaceAll(/`[^`]*`/gu, (code) => code.replaceAll(' ', '_'))
      .replace(/^[\s>*#-]+|\d+\.\s+/u, '');
    const isOneWord = !/\S\s+\S/u.test(words.slice(0, columns));
    return !isTable && !isOneWord;
  });
}

/**
 * Returns the lines of comments in a source that, with their indentation, are wider than `columns`. Links are ignored.
 */
export const tooWideComments = (source: string, columns: number): readonly string[] =>
  source
    .split('\n')
    .filter(
      (line) => line.length > columns && /^\s*(?:\/\/|\/?\*)/u.test(line) && !line.includes('://'),
    );
