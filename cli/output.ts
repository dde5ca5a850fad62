import { stripVTControlCharacters } from 'node:util';
import { errorLine } from '../src/domain/error-text.ts';

/** Makes text from others safe for a terminal: it can neither move the cursor nor look like another line. */
export const harmless = (text: string): string =>
  stripVTControlCharacters(text).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');

/** Returns JSON text in which characters that control a terminal, or that are invisible, are escaped. */
export const escaped = (json: string): string =>
  json.replaceAll(/[\u007F-\u009F\p{Cf}\p{Zl}\p{Zp}]/gu, (text) =>
    Array.from({ length: text.length }, (_, n) => text.charCodeAt(n))
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join(''),
  );

/** Returns a JSON document for people and programs. Nothing is lost in it. */
export const jsonText = (
  value: unknown,
  replacer?: (name: string, value: unknown) => unknown,
): string => escaped(JSON.stringify(value, replacer, 2));

/** Prints one line on standard error, and sets the exit code with which the process will end. The code is not 0. */
export function complain(message: string, exitCode = 1): void {
  console.error(`tenure: ${harmless(message)}`);
  process.exitCode = exitCode;
}

const PORT_TAKEN = /EADDRINUSE\b.*?:(\d+)$/u;

/** Explanations of system errors about files and folders. */
const FILE_TROUBLE: Readonly<Record<string, string>> = {
  EACCES: 'this user does not have the permission',
  EPERM: 'this user does not have the permission',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENOTDIR: 'a part of the path is a file',
};

function fileTroubleOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('path' in error)) return undefined;
  const why = FILE_TROUBLE[String(error.code)];
  return why === undefined ? undefined : `${String(error.path)} cannot be used: ${why}`;
}

/** Returns an error as one line. */
export function lineOf(error: unknown): string {
  const trouble = fileTroubleOf(error);
  if (trouble !== undefined) return trouble;
  const line = errorLine(error);
  const port = PORT_TAKEN.exec(line)?.[1];
  if (port === undefined) return line;
  return `another program uses port ${port}: end that program, or use \`cli/tenure start --free-ports\``;
}
