import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import type { Command } from 'commander';
import { program } from '../../cli/program.ts';

type Read = (file: string) => string;

const withoutBlocks = (text: string): string => text.replaceAll(/^```[\s\S]*?^```/gmu, '');

/** Returns the fragment with which repository hosts link to a heading. */
const fragmentOf = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, '$1')
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/gu, '-');

const fragmentsIn = (text: string): ReadonlySet<string> =>
  new Set(
    [...withoutBlocks(text).matchAll(/^#{1,6} (.+)$/gmu)].map(([, heading = '']) =>
      fragmentOf(heading),
    ),
  );

/**
 * Returns the links in a document, including pictures, whose target does not exist in the repository. Web addresses are
 * not checked.
 */
export function deadLinks(file: string, read: Read): string[] {
  const links = withoutBlocks(read(file)).matchAll(/(?:\]\(|src(?:set)?=")([^)\s"]+)/gu);
  return [...links]
    .map(([, link = '']) => link)
    .filter((link) => {
      if (/^[a-z]+:/u.test(link)) return false;
      const [path = '', fragment] = link.split('#');
      const target = path === '' ? file : join(dirname(file), path);
      const isDocument = target.endsWith('.md');
      if (!isDocument || fragment === undefined) return path !== '' && !isThere(target, read);
      return !isThere(target, read) || !fragmentsIn(read(target)).has(fragment);
    });
}

/** Returns whether a target exists. A text that `read` can return counts as a file. */
function isThere(target: string, read: Read): boolean {
  if (existsSync(target)) return true;
  try {
    return read(target) !== '';
  } catch {
    return false;
  }
}

const flagsOf = (command: Command): string[] => [
  '--help',
  '-h',
  ...command.options.flatMap(({ long, short }) => [long ?? '', short ?? '']),
];

/** A command that a library adds to the program when it starts: see cli/main.ts. */
const COMPLETION = /^completion (bash|zsh|fish|<)/u;

/**
 * Returns the commands `tenure …` in the code of a text that have an unknown subcommand or option. The word `tenure` is
 * left out.
 */
export function missingCommands(text: string): string[] {
  const calls = text.matchAll(/(?:`|^|\(|\| )(?:cli\/)?tenure ((?:[a-z][a-z-]*)[^`\n|#)]*)/gmu);
  return [...calls].flatMap(([, call = '']) => {
    if (COMPLETION.test(call)) return [];
    let command: Command = program;
    const words = call.trim().split(/\s+/u);
    for (const [index, word] of words.entries()) {
      if (command.commands.length === 0 || !/^[a-z]/u.test(word)) break;
      const next = command.commands.find((each) => each.name() === word);
      if (next === undefined && command.registeredArguments.length > 0) break;
      if (next === undefined) return [words.slice(0, index + 1).join(' ')];
      command = next;
    }
    const known = flagsOf(command);
    const unknown = words.find((word) => /^--?[a-z]/u.test(word) && !known.includes(word));
    return unknown === undefined ? [] : [`${words[0]} ${unknown}`];
  });
}
