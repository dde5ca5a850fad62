import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/** `make setup` writes this file, and every command in the same folder reads it. Git ignores it. */
export const ENVIRONMENT_FILE = '.env.local';

/** The default folder for the data of all embedded parts. */
export const DATA_DIR = '.tenure';

export interface EnvironmentFile {
  readonly settings: Readonly<Record<string, string>>;
  /** The lines that are neither a setting, nor empty, nor a comment. */
  readonly mistakes: readonly string[];
}

const LINE = /^\s*(?:#.*|(?:export\s+)?[A-Za-z_]\w*\s*=.*)?$/u;

/** Reads a file with lines of the form `NAME=value`; a missing file counts as empty. */
export function readEnvironmentFile(path: string): EnvironmentFile {
  let text: string;
  try {
    // Editors on Windows put a byte order mark before the first line.
    text = readFileSync(path, 'utf8').replace(/^\uFEFF/u, '');
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
 * Returns some settings without checking them: from the environment of this process or, if absent there, from {@link
 * ENVIRONMENT_FILE}. For commands that need only a few settings and must start fast. An empty value means that the
 * setting is absent.
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
