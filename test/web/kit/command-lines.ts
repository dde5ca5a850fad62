import { execFileSync } from 'node:child_process';
import type { Command } from 'commander';
import type { Page } from 'playwright-core';
import { program } from '../../../cli/program.ts';

/* Command lines that pages offer to copy. They are checked by parsing them with the command line's own parser. */

/** Returns the command lines of the page and of its open dialogs. */
export const commandLinesOf = (page: Page): Promise<readonly string[]> =>
  page.evaluate<string[]>(`
    [...document.querySelectorAll('[aria-label="Copy as"] dl > div')]
      .filter((one) => one.querySelector('dt')?.textContent.endsWith('Command line'))
      .map((one) => one.querySelector('code')?.textContent ?? '')`);

/** Returns the words of a command line, divided as a shell does it. */
const wordsOf = (line: string): readonly string[] =>
  execFileSync('sh', ['-c', `set -- ${line}; printf '%s\\0' "$@"`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);

/** @returns the error that `tenure` reports for the command line, or null */
export function misread(line: string): string | null {
  const [name, ...words] = wordsOf(line);
  if (name !== 'tenure') return `${line}: is not ours`;
  let command: Command = program;
  for (;;) {
    const next = command.commands.find((one) => one.name() === words[0]);
    if (next === undefined) break;
    command = next;
    words.shift();
  }
  if (command === program) return `${line}: there is no such command`;
  try {
    const { operands, unknown } = command.parseOptions(words);
    const { registeredArguments: known } = command;
    const needed = known.filter(({ required }) => required).length;
    const isRight =
      unknown.length === 0 && operands.length >= needed && operands.length <= known.length;
    return isRight ? null : `${line}: ${JSON.stringify({ operands, unknown })}`;
  } catch (error) {
    return `${line}: ${String(error)}`;
  }
}
