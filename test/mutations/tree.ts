import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Mutation } from './mutation.ts';

const ROOT = new URL('../..', import.meta.url).pathname;

/** Returns the tracked files, and the new files that are not ignored. */
const filesOf = (root: string): string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
    .split('\0')
    .filter((file) => file !== '');

/** Thrown if a mutation cannot be made, because the code has changed. */
export class StaleMutation extends Error {}

/** @throws StaleMutation */
export function mutated(source: string, { name, file, find, put }: Mutation): string {
  const places = source.split(find).length - 1;
  if (places !== 1) throw new StaleMutation(`${name}: ${file} has it ${places} times: ${find}`);
  // `replace` is not used, because a dollar sign in the new text would have a special meaning.
  return source.split(find).join(put);
}

/** A copy of the sources, in which one mistake at a time is made. */
export class Tree implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'tenure-mutations-'));

  constructor() {
    for (const file of filesOf(ROOT)) {
      const to = join(this.path, file);
      mkdirSync(dirname(to), { recursive: true });
      cpSync(join(ROOT, file), to);
    }
    symlinkSync(join(ROOT, 'node_modules'), join(this.path, 'node_modules'));
  }

  /** Makes the mistake, runs `work`, and undoes the mistake. @throws StaleMutation */
  async within<T>(mutation: Mutation, work: () => Promise<T>): Promise<T> {
    const path = join(this.path, mutation.file);
    const before = readFileSync(path, 'utf8');
    writeFileSync(path, mutated(before, mutation));
    try {
      return await work();
    } finally {
      writeFileSync(path, before);
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** Returns the source in the working tree. */
export const sourceOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
