import { quoted } from './copy.tsx';

/* Converts filters of a page's address to flags of the command line. Lists are separated by commas. */

/** Filters that may have several values. */
export const SEVERAL: ReadonlySet<string> = new Set(['state', 'class', 'operation']);

export const listed = (value: string | undefined): readonly string[] =>
  value === undefined ? [] : value.split(',').filter((part) => part !== '');

const flag = (name: string): string =>
  `--${name.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}`;

/** Returns a filter as flags of the command line. */
export const cliFlags = (filter: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(filter)
    .flatMap(([name, value]) =>
      value === undefined
        ? []
        : [` ${flag(name)} ${(SEVERAL.has(name) ? listed(value) : [value]).map(quoted).join(' ')}`],
    )
    .join('');
