/*
 * Checks the form of docs/decisions: one index, and short files, each with a rule, a reason and rejected alternatives.
 */

export const FOLDER = 'docs/decisions';

/** The maximum number of lines in a file. */
const LINES_MAX = 45;

/** The maximum number of characters in a title, because the index has one line for each file. */
const TITLE_MAX = 90;

const HEAD = /^\*(\d{4}-\d\d-\d\d)\.(?: Replaces decisions? ([\d, and]+)\.)?\*$/mu;

export interface Decision {
  readonly name: string;
  readonly title: string;
  readonly date: string;
  readonly oldNumbers: readonly number[];
}

const numbersIn = (text: string): number[] => (text.match(/\d+/gu) ?? []).map(Number);

/** Reads the title, the date and the former numbers of a file. Parts that are missing are empty. */
export function decisionOf(name: string, text: string): Decision {
  const [, title = ''] = /^# (.+)$/mu.exec(text) ?? [];
  const [, date = '', numbers = ''] = HEAD.exec(text) ?? [];
  return { name, title, date, oldNumbers: numbersIn(numbers) };
}

/** Returns the rows of the index in the form of decisions. */
export const rowsOf = (index: string): Decision[] =>
  [...index.matchAll(/^\| \[(.+)\]\(([\w-]+\.md)\) \| ([\d-]+) \| ?([\d, ]*) ?\|$/gmu)].map(
    ([, title = '', name = '', date = '', numbers = '']) => ({
      name,
      title,
      date,
      oldNumbers: numbersIn(numbers),
    }),
  );

/** @returns the required parts that are missing in the text of a decision */
export function faultsOf(text: string): string[] {
  const { title, date } = decisionOf('', text);
  const sections = text.split(/^## /mu).slice(1);
  const headings = sections.map((section) => section.split('\n', 1)[0]);
  const [rule = '', why = '', notTaken = ''] = sections.map((section) =>
    section.slice(section.indexOf('\n')).trim(),
  );
  const faults: readonly (readonly [string, boolean])[] = [
    ['a title', title !== '' && text.startsWith('# ') && title.length <= TITLE_MAX],
    ['a date', date !== ''],
    ['Rule, Why, Not taken', headings.join() === 'Rule,Why,Not taken'],
    ['a rule in bullet points', rule.startsWith('- ')],
    ['a reason', why !== ''],
    ['alternatives in bullet points', notTaken.startsWith('- ')],
    [`${LINES_MAX} lines`, text.trimEnd().split('\n').length <= LINES_MAX],
  ];
  return faults.filter(([, isKept]) => !isKept).map(([what]) => what);
}

/** Returns the numbers in `decision 12`, `decisions 12 and 14` and `DECISIONS 12, 14`. */
export const numbersNamedIn = (text: string): number[] =>
  [...text.matchAll(/\bdecisions? (\d+(?:(?:,| and| to) \d+)*)/giu)].flatMap(([, list = '']) =>
    numbersIn(list),
  );

/** Returns the files of decisions whose paths a text contains. */
export const filesNamedIn = (text: string): string[] =>
  [...text.matchAll(/\bdecisions\/([\w-]+\.md)\b/gu)].map(([, name = '']) => name);
