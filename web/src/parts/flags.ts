import { quoted } from './copy.tsx';

/* A filter of an address, as the command line has it. Lists are separated by commas. */

/** Filters that may have several values. */
export const SEVERAL: ReadonlySet<string> = new Set(['state', 'class', 'operation']);

export const listed = (value: string | undefined): readonly string[] =>
  value === undefined ? [] : value.split(',').filter((part) => part !== '');

const flag = (name: string): string =>
  `--${name.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}`;

/** As flags of the command line. */
export const cliFlags = (filter: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(filter)
    .flatMap(([name, value]) =>
      value === undefined
        ? []
        : [` ${flag(name)} ${(SEVERAL.has(name) ? listed(value) : [value]).map(quoted).join(' ')}`],
    )
    .join('');
