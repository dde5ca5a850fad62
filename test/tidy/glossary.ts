import { parseSync } from 'oxc-parser';

/* The words of docs/GLOSSARY.md in the names of the code: words of its column "Not" are not used. */

export interface Entry {
  readonly words: readonly string[];
  readonly not: readonly string[];
}

const listed = (cell: string): readonly string[] =>
  cell
    .split(/[,;]/u)
    .map((word) => word.trim().toLowerCase())
    .filter((word) => word !== '');

/** The rows of the table "Ours". */
export const entriesOf = (markdown: string): readonly Entry[] =>
  markdown
    .split('\n')
    .map((line) => /^\| ([^|]+) \| [^|]+ \| ?([^|]*)\|$/u.exec(line))
    .filter((row) => row !== null && row[1] !== 'Word' && row[1] !== '---')
    .map((row) => ({ words: listed(row?.[1] ?? ''), not: listed(row?.[2] ?? '') }));

/** The words of the column "Not", without those that the glossary gives another meaning. */
export function unsaid(entries: readonly Entry[]): readonly string[] {
  const said = new Set(entries.flatMap(({ words }) => words));
  return [...new Set(entries.flatMap(({ not }) => not))].filter((word) => !said.has(word));
}

/** `renewalRequestsOf` is ` renewal requests of `. */
const spelt = (name: string): string =>
  ` ${name.replaceAll(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_/gu, ' ').toLowerCase()} `;

/** The words that are in the name, alone or as a plural. */
export const wordsIn = (name: string, words: readonly string[]): readonly string[] =>
  words.filter((word) =>
    [word, `${word}s`].some((form) => spelt(name).includes(` ${form.replaceAll('-', ' ')} `)),
  );

/** Per word, the exported names that contain it, as `file: name`. */
export function saidIn(
  files: ReadonlyMap<string, string>,
  words: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const [file, source] of files) {
    const entries = parseSync(file, source).module.staticExports.flatMap((each) => each.entries);
    for (const { exportName } of entries) {
      const name = exportName.name ?? '';
      for (const word of wordsIn(name, words)) {
        found.set(word, [...(found.get(word) ?? []), `${file}: ${name}`]);
      }
    }
  }
  return found;
}
