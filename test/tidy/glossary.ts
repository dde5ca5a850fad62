import { parseSync } from 'oxc-parser';

/* Checks that names in the code contain no word from the column "Not" in docs/GLOSSARY.md. */

export interface Entry {
  readonly words: readonly string[];
  readonly not: readonly string[];
}

const listed = (cell: string): readonly string[] =>
  cell
    .split(/[,;]/u)
    .map((word) => word.trim().toLowerCase())
    .filter((word) => word !== '');

/** Returns the rows of the table "Ours" in the glossary. */
export const entriesOf = (markdown: string): readonly Entry[] =>
  markdown
    .split('\n')
    .map((line) => /^\| ([^|]+) \| [^|]+ \| ?([^|]*)\|$/u.exec(line))
    .filter((row) => row !== null && row[1] !== 'Word' && row[1] !== '---')
    .map((row) => ({ words: listed(row?.[1] ?? ''), not: listed(row?.[2] ?? '') }));

/** Returns the words in the column "Not", without those that the glossary itself defines. */
export function unsaid(entries: readonly Entry[]): readonly string[] {
  const said = new Set(entries.flatMap(({ words }) => words));
  return [...new Set(entries.flatMap(({ not }) => not))].filter((word) => !said.has(word));
}

/** Divides a name into words: `renewalRequestsOf` becomes ` renewal requests of `. */
const spelt = (name: string): string =>
  ` ${name.replaceAll(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_/gu, ' ').toLowerCase()} `;

/** Returns those words that a name contains, as singular or plural. */
export const wordsIn = (name: string, words: readonly string[]): readonly string[] =>
  words.filter((word) =>
    [word, `${word}s`].some((form) => spelt(name).includes(` ${form.replaceAll('-', ' ')} `)),
  );

/** For each word, returns the exported names that contain it, in the form `file: name`. */
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
