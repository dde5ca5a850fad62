import { readFileSync } from 'node:fs';
import { sourceFiles } from './files.ts';

/*
 * The language of the project's comments: words that only this project uses, and openings that make a reader
 * stop.
 */

/** Words and openings that are to disappear: see docs/GLOSSARY.md for standard terms. */
export const WORN = {
  whoever: /\bwhoever\b/giu,
  'somebody, nobody, anybody': /\b(?:some|no|any)body\b/giu,
  'a comment that begins with "Of"': /(?:\/\*\*|\/\/|^\s*\*)\s+Of\s/gmu,
} as const;
export type Worn = keyof typeof WORN;

const COMMENT = /\/\*[\s\S]*?\*\/|(?<![:'"`\\])\/\/[^\n]*/gu;

/** The comments of a source. */
export const commentsOf = (source: string): string => (source.match(COMMENT) ?? []).join('\n');

/** The number of times that each of {@link WORN} occurs in a text. */
export const countWorn = (text: string): Readonly<Record<Worn, number>> =>
  Object.fromEntries(
    Object.entries(WORN).map(([name, pattern]) => [name, (text.match(pattern) ?? []).length]),
  ) as Record<Worn, number>;

/** The folder that a file is counted with: the first two of `src`, `test` and `cli`, otherwise the first. */
export function areaOf(file: string): string {
  const [first = '', second = ''] = file.split('/');
  return ['src', 'test'].includes(first) ? `${first}/${second}` : first;
}

/** The counts in comments per folder, without folders that have none. */
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
 * Lines of Markdown prose wider than `columns`. Tables, code, links and words that cannot be broken are
 * ignored.
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

/** Lines of a source's comments wider than `columns`, with their indentation. Links are ignored. */
export const tooWideComments = (source: string, columns: number): readonly string[] =>
  source
    .split('\n')
    .filter(
      (line) => line.length > columns && /^\s*(?:\/\/|\/?\*)/u.test(line) && !line.includes('://'),
    );
