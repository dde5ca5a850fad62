import { dirname, join } from 'node:path/posix';
import { specifiersOf } from '../tidy/imports.ts';
import { Session } from './session.ts';
import type { Tree } from './tree.ts';
import { sourceOf } from './tree.ts';

const SETUP = 'test/kit/postgres-setup.ts';

/** Returns a module and everything that it imports, as paths in the repository. */
function closureOf(file: string, known = new Set<string>()): ReadonlySet<string> {
  if (known.has(file)) return known;
  known.add(file);
  for (const specifier of specifiersOf(file, sourceOf(file))) {
    if (specifier.startsWith('.')) closureOf(join(dirname(file), specifier), known);
  }
  return known;
}

const setup = closureOf(SETUP);

/** Returns whether the file is used to create the database that tests copy. This happens once in each session. */
const isOfSetup = (file: string): boolean => file.startsWith('migrations/') || setup.has(file);

/**
 * The session for a copy of the sources. There is one at a time, which is kept as long as the next mutation can use it.
 */
export class Sessions implements AsyncDisposable {
  readonly #tree: Tree;
  #current: Session | null = null;
  #isSpoilt = false;

  constructor(tree: Tree) {
    this.#tree = tree;
  }

  /** Returns a session that has not loaded any other mistake. */
  async for(project: string, mutated: string): Promise<Session> {
    const isNeededAnew = this.#isSpoilt || isOfSetup(mutated);
    this.#isSpoilt = isOfSetup(mutated);
    if (!isNeededAnew && this.#current?.project === project && this.#current.isUp) {
      return this.#current;
    }
    await this[Symbol.asyncDispose]();
    this.#current = new Session(this.#tree, project, 1);
    return this.#current;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#current?.[Symbol.asyncDispose]();
    this.#current = null;
  }
}
