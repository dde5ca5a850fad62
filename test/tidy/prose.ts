import { readFileSync } from 'node:fs';
import { Visitor, parseSync } from 'oxc-parser';
import { sourceFiles, textFiles } from './files.ts';

/*
 * Checks the language of comments, documents and messages: expressions that only this project uses, and beginnings of
 * sentences that make a reader stop.
 */

/** Expressions that are to disappear: see docs/GLOSSARY.md for the standard terms. */
export const PATTERNS = {
  'a headless clause':
    /(?:^|[.:;] )(?:What|Who|Whose|Whoever|Whatever) (?!if\b)[a-z][^?]*?(?:[.;]|$)/u,
  'a bare preposition': /(?:^|\. )(?:Of|By|From|Toward|Beside|Among|Against) [a-z]/u,
  'no noun': /(?:^|\. )(?:The same\b|Those\b|That (?:of|which)\b|Nor\b)/u,
  somebody: /\b(?:whoever|somebody|nobody|anybody)\b/iu,
  'of it': /\b(?:of|for|by) (?:it|them|another)[.;,]/u,
  'told of': /\b(?:told|tells?|hears?|heard|learns?) of\b/u,
  'comes of': /\b(?:comes?|came|becomes?|became) of\b/u,
  'so many': /\bso (?:many|long|often)\b(?! as| that)/u,
  'all the same': /\b(?:all the same|anew|meanwhile)\b/u,
  'goes on': /\b(?:goes?|going) on\b|\bgone about\b|\blets? (?:it |them )?go\b/u,
} as const;
export type Pattern = keyof typeof PATTERNS;

const KINDS = ['comments', 'documents', 'messages'] as const;
type Kind = (typeof KINDS)[number];

/** The folders whose strings people read. In the other folders, strings are titles and data of tests. */
const WITH_MESSAGES = ['src', 'cli', 'embedded', 'machines', 'workers', 'web', 'client', 'kit'];

const isOneLine = (text: string): boolean => /^\s*$/u.test(text) && text.split('\n').length === 2;

/** Returns a comment's text on one line, without the asterisks. */
const plainText = (comment: string): string =>
  comment
    .replaceAll(/^\s*\*+/gmu, '')
    .replaceAll(/\s+/gu, ' ')
    .trim();

/** Returns the comments and the strings of a source. Line comments without a gap between them are one comment. */
export function proseOf(
  file: string,
  source: string,
): Readonly<Record<'comments' | 'messages', string[]>> {
  const { comments, program } = parseSync(file, source);
  const grouped: { text: string; end: number; isLine: boolean }[] = [];
  for (const { type, value, start, end } of comments) {
    const last = grouped.at(-1);
    if (last?.isLine === true && type === 'Line' && isOneLine(source.slice(last.end, start))) {
      grouped[grouped.length - 1] = { text: `${last.text} ${value}`, end, isLine: true };
    } else grouped.push({ text: value, end, isLine: type === 'Line' });
  }
  const messages: string[] = [];
  const add = (text: string): void => {
    if (/[a-z]{2,} [a-z]/u.test(text)) messages.push(plainText(text));
  };
  new Visitor({
    Literal: ({ value }) => {
      if (typeof value === 'string') add(value);
    },
    JSXText: ({ value }) => add(value),
    TemplateLiteral: ({ quasis }) => add(quasis.map(({ value }) => value.cooked ?? '').join('…')),
  }).visit(program);
  return { comments: grouped.map(({ text }) => plainText(text)), messages };
}

/** Returns the paragraphs of a Markdown text that are outside of code. */
function paragraphsOf(markdown: string): readonly string[] {
  const withoutCode = markdown.replaceAll(/^\s*(?:```|~~~)[\s\S]*?^\s*(?:```|~~~)$/gmu, '');
  return withoutCode.split(/\n\s*\n/u).map(plainText);
}

/** Returns the patterns that occur in a text. */
export const patternsIn = (text: string): readonly Pattern[] =>
  (Object.keys(PATTERNS) as Pattern[]).filter((name) => PATTERNS[name].test(text));

/**
 * Returns the folder with which a file is counted: in `src`, `test` and `docs` the first two folders, otherwise the
 * first one.
 */
export function areaOf(file: string): string {
  const [first = '', second = '', ...rest] = file.split('/');
  if (second === '') return '.';
  return ['src', 'test', 'docs'].includes(first) && rest.length > 0 ? `${first}/${second}` : first;
}

/** Returns the number of texts with a pattern, for each folder and kind of prose that has any. */
export function unplainByArea(): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  const count = (file: string, kind: Kind, texts: readonly string[]): void => {
    const found = texts.filter((text) => patternsIn(text).length > 0).length;
    const key = `${areaOf(file)} ${kind}`;
    if (found > 0) counts.set(key, (counts.get(key) ?? 0) + found);
  };
  for (const file of sourceFiles()) {
    if (file.startsWith('proto/gen/')) continue;
    const { comments, messages } = proseOf(file, readFileSync(file, 'utf8'));
    count(file, 'comments', comments);
    if (WITH_MESSAGES.includes(file.split('/')[0] ?? '')) count(file, 'messages', messages);
  }
  for (const file of textFiles()) {
    if (file.endsWith('.md')) count(file, 'documents', paragraphsOf(readFileSync(file, 'utf8')));
  }
  return Object.fromEntries([...counts].toSorted(([a], [b]) => a.localeCompare(b)));
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
