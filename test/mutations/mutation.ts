/** What must notice a mutation. */
export type Finder =
  /** Histories with faults, within so many: see `HISTORIES_MAX`. */
  | {
      readonly by: 'sim';
      /** Only these faults, where the seed is not to choose. */
      readonly faults?: readonly string[];
      /** The first seed that found it, where that was not among the first ones. It is tried before all others. */
      readonly seed?: number;
    }
  /** A test file by its project, and the test in it, where one is meant. */
  | {
      readonly by: 'test';
      readonly project: string;
      readonly file: string;
      readonly name?: string;
    };

/** A mistake of one line that somebody could make, and that must not get through. */
export interface Mutation {
  readonly name: string;
  readonly file: string;
  /** Is in the file exactly once. */
  readonly find: string;
  readonly put: string;
  /** What is wrong then, in words. */
  readonly breaks: string;
  readonly found: Finder;
}

/** A history takes half a second; a mutation that so many do not find, they do not find. */
export const HISTORIES_MAX = 300;

export const test = (project: string, file: string, name?: string): Finder => ({
  by: 'test',
  project,
  file: `test/${file}.test.ts`,
  ...(name === undefined ? {} : { name }),
});

export const sim = (...faults: readonly string[]): Extract<Finder, { by: 'sim' }> =>
  faults.length === 0 ? { by: 'sim' } : { by: 'sim', faults };
