/*
 * Finds the tests that repeat cases of the participant's own test suites. Such a test's title begins with the suite's
 * class and the case's name. Both may be in constants and in tables of the same file.
 */

const TITLE = /\btest\(\s*(['`])((?:(?!\1)[^\\]|\\.)*)\1/g;
const TABLE =
  /\btest\.each[^(]*\(\[\n([\s\S]*?)\n\s*\](?: as const)?\)\(\s*(['`])((?:(?!\2)[^\\]|\\.)*)\2/g;
const ROW = /^\s*\[\s*'((?:[^'\\]|\\.)*)'/gm;

const SUITE = /^(\w+IT|\w+Spec|\w+Tests?|Test[A-Z]\w+)$/;

/**
 * Returns the suites for which a name stands: that of its constant or, if it is the parameter of a table, all suites in
 * the table.
 */
function suitesOf(source: string, name: string): string[] {
  const constant = new RegExp(`const ${name} = '(\\w+IT)'`).exec(source)?.[1];
  if (constant !== undefined) return [constant];
  return [...source.matchAll(/\[\s*'(\w+IT)',/g)].flatMap(([, suite]) => suite ?? []);
}

/**
 * Returns the IDs for which an expression stands: those in the table before it, or the values of all properties with
 * its name.
 */
function idsOf(source: string, at: number, expression: string): string[] {
  const property = /\.(\w+)\}$/.exec(expression)?.[1];
  if (property !== undefined) {
    const values = source.matchAll(new RegExp(`\\b${property}: '(\\w+)'`, 'g'));
    return [...values].flatMap(([, id]) => id ?? []);
  }
  const before = source.slice(0, at);
  const table = before.slice(before.lastIndexOf('for (const ['));
  return [...table.matchAll(/\[\s*'([A-Z]\w+)',/g)].flatMap(([, id]) => id ?? []);
}

/** Yields all titles in a file: those of single tests, and one for each row of a table. */
function* titlesOf(source: string): Generator<readonly [title: string, at: number]> {
  for (const match of source.matchAll(TITLE)) yield [match[2] ?? '', match.index];
  for (const match of source.matchAll(TABLE)) {
    const [, table = '', , title = ''] = match;
    for (const [, first = ''] of table.matchAll(ROW)) {
      yield [title.replace('%s', () => first), match.index];
    }
  }
}

/** Returns the names of cases in a title: single words if the suite's name ends in `IT`, otherwise the whole text. */
const namesOf = (suite: string, text: string): readonly string[] =>
  suite.endsWith('IT')
    ? text.split(', ').flatMap((part) => /^\w+/.exec(part)?.[0] ?? [])
    : [text.replace(/\\(.)/g, '$1')];

/** Returns `Suite Case` for every case that the tests in a file repeat. */
export function transcribedCases(source: string): Set<string> {
  const cases = new Set<string>();
  for (const [title, at] of titlesOf(source)) {
    const [, first = '', text = ''] = /^(\$\{\w+\}|\w+) (\$\{[^}]+\}|[^:]+)/.exec(title) ?? [];
    const isNamed = first.startsWith('$');
    const suites = isNamed ? suitesOf(source, first.slice(2, -1)) : [first];
    for (const suite of suites.filter((name) => SUITE.test(name))) {
      const names = text.startsWith('$') ? idsOf(source, at, text) : namesOf(suite, text);
      for (const name of names) cases.add(`${suite} ${name}`);
    }
  }
  return cases;
}
