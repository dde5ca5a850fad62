/** The test or simulation that must detect a mutation. */
export type Finder =
  /** Histories with faults, up to `HISTORIES_MAX`. */
  | {
      readonly by: 'sim';
      /** The only faults that may happen; by default the seed selects them. */
      readonly faults?: readonly string[];
      /**
       * The first seed that detects the mutation, if it is not among the first seeds. It is tried before all others.
       */
      readonly seed?: number;
    }
  /** A test file of a project, and the name of one test if only that test must detect the mutation. */
  | {
      readonly by: 'test';
      readonly project: string;
      readonly file: string;
      readonly name?: string;
    };

/** A plausible mistake of one line that the tests must detect. */
export interface Mutation {
  readonly name: string;
  readonly file: string;
  /** The text to replace; it occurs in the file exactly once. */
  readonly find: string;
  readonly put: string;
  /** The consequence of the mistake, as a phrase. */
  readonly breaks: string;
  readonly found: Finder;
}

/** A history takes half a second. A mutation that survives this many histories counts as not found. */
export const HISTORIES_MAX = 300;

export const test = (project: string, file: string, name?: string): Finder => ({
  by: 'test',
  project,
  file: `test/${file}.test.ts`,
  ...(name === undefined ? {} : { name }),
});

export const sim = (...faults: readonly string[]): Extract<Finder, { by: 'sim' }> =>
  faults.length === 0 ? { by: 'sim' } : { by: 'sim', faults };
