/** The test or simulation that must detect a mutation. */
export type Finder =
  /** Histories with faults, up to `HISTORIES_MAX` of them. */
  | {
      readonly by: 'sim';
      /** The faults that may happen. @default the seed selects them */
      readonly faults?: readonly string[];
      /**
       * The first seed that detects the mutation, if it is not one of the first seeds. It is tried before all others.
       */
      readonly seed?: number;
    }
  /**
   * A test file of a project. If only one test in it must detect the mutation, the name of this test is given as well.
   */
  | {
      readonly by: 'test';
      readonly project: string;
      readonly file: string;
      readonly name?: string;
    };

/** A plausible mistake in one line of code, which the tests must detect. */
export interface Mutation {
  readonly name: string;
  readonly file: string;
  /** The text that is replaced. It must occur in the file exactly once. */
  readonly find: string;
  readonly put: string;
  /** The consequence of the mistake, as a phrase. */
  readonly breaks: string;
  readonly found: Finder;
}

/**
 * The maximum number of histories for a mutation. A mutation that survives this number counts as not found. A history
 * takes half a second.
 */
export const HISTORIES_MAX = 300;

export const test = (project: string, file: string, name?: string): Finder => ({
  by: 'test',
  project,
  file: `test/${file}.test.ts`,
  ...(name === undefined ? {} : { name }),
});

export const sim = (...faults: readonly string[]): Extract<Finder, { by: 'sim' }> =>
  faults.length === 0 ? { by: 'sim' } : { by: 'sim', faults };
