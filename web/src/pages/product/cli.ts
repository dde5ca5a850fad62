import { quoted } from '../../parts/copy.tsx';

type Value = string | number | null | readonly string[] | Readonly<Record<string, string>>;

/** The members of a body that is sent to `/customers` or `/plans`. */
export type Members = Readonly<Record<string, Value>>;

const wordsOf = (value: Value): readonly string[] => {
  if (value === null || value === '') return [];
  if (typeof value === 'string' || typeof value === 'number') return [String(value)];
  return Array.isArray(value)
    ? (value as readonly string[])
    : Object.entries(value).map(([name, text]) => `${name}=${text}`);
};

const flag = (name: string): string =>
  `--${name.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}`;

/**
 * Returns a command line with these members as flags; undefined if a change empties a member, which the command line
 * cannot do.
 */
export function cliOf(command: string, members: Members, isChange = false): string | undefined {
  const all = Object.entries(members).map(([name, value]) => [name, wordsOf(value)] as const);
  if (isChange && all.some(([, words]) => words.length === 0)) return undefined;
  const flags = all
    .filter(([, words]) => words.length > 0)
    .map(([name, words]) => ` ${flag(name)} ${words.map(quoted).join(' ')}`);
  return `${command}${flags.join('')}`;
}

/** Returns the members whose values have changed. */
export const changedOf = (before: Members, after: Members): Members =>
  Object.fromEntries(
    Object.entries(after).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
    ),
  );
