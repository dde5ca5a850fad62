import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/** Written by `make setup`, read by every command that is called in its folder; git ignores it. */
export const ENVIRONMENT_FILE = '.env.local';

/** Folder of everything embedded, unless a setting says otherwise. */
export const DATA_DIR = '.tenure';

export interface EnvironmentFile {
  readonly settings: Readonly<Record<string, string>>;
  /** Lines that are neither a setting nor empty nor a comment. */
  readonly mistakes: readonly string[];
}

const LINE = /^\s*(?:#.*|(?:export\s+)?[A-Za-z_]\w*\s*=.*)?$/u;

/** Reads a file of `NAME=value` lines; one that is not there has none. */
export function readEnvironmentFile(path: string): EnvironmentFile {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      return { settings: {}, mistakes: [] };
    }
    throw error;
  }
  const mistakes = text
    .split(/\r?\n/u)
    .flatMap((line, index) => (LINE.test(line) ? [] : [`line ${index + 1} is no setting`]));
  return { settings: parseEnv(text) as Record<string, string>, mistakes };
}

/**
 * Some settings as they are given, in the environment of this process or below it in {@link ENVIRONMENT_FILE}, and
 * unchecked: for commands that need a few and shall begin at once. Empty means absent.
 */
export function givenSettings<Name extends string>(
  names: readonly Name[],
): Readonly<Partial<Record<Name, string>>> {
  const { settings } = readEnvironmentFile(ENVIRONMENT_FILE);
  const given = names.flatMap((name) => {
    const value = process.env[name] ?? settings[name] ?? '';
    return value === '' ? [] : [[name, value]];
  });
  return Object.fromEntries(given) as Partial<Record<Name, string>>;
}
