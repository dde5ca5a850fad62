import type { JsonRecord } from '../../src/domain/json.ts';

/*
 * Most commands ask one thing of the API and show the answer. Each is a description, which one caller and one renderer
 * understand: options and arguments have the API's own names, so what a command takes is what its route takes.
 */

/**
 * How a value is written in a table.
 *
 * - `whole`: as it is, and never cut, because people copy it.
 * - `age`: how long ago an instant was. - `time`: an instant without fractions of a second.
 * - `state`: as it is, in a colour where there are any.
 */
type Shape = 'whole' | 'age' | 'time' | 'state';

/** A column: its heading, where its value is in a row (`a.b`), and how it is written; else as text that may be cut. */
export type Column = readonly [head: string, at: string, shape?: Shape];

/** An option that the API knows as a query parameter, or, of a `POST`, as a member of the body. */
export interface Option {
  /** As commander has it: `--time-zone <zone>`; the API's name is `timeZone`. */
  readonly flags: string;
  readonly about: string;
  readonly choices?: readonly string[];
  readonly isRequired?: boolean;
  /** `90s`, `15m`, `2h` and `3d` are understood besides what the API does. */
  readonly isAge?: boolean;
  /** The API's name, where it is another. */
  readonly name?: string;
  /** The old name of another option, which the help does not list. */
  readonly isOld?: true;
  /**
   * The type of the value in the body; a text by default. Pairs are written `name=value`. In `values`, which are pairs
   * too, numbers, `true` and `false` are no texts, and `none` alone is null.
   */
  readonly as?: 'number' | 'boolean' | 'pairs' | 'values';
}

export interface ApiCommand {
  /** Name and arguments, as commander has them. Arguments that the path does not name go where options go. */
  readonly usage: string;
  readonly about: string;
  /** Choices of arguments, by name. */
  readonly choices?: Readonly<Record<string, readonly string[]>>;
  /** `GET` unless said. */
  readonly method?: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With `{name}` for arguments; `/{name}` of one that may be left out goes with it. */
  readonly path: string;
  /** It cannot be taken back: what it does is shown by this path first, and done once its count is confirmed. */
  readonly preview?: string;
  readonly options?: readonly Option[];
  /** Members of the body that go without saying. */
  readonly fixed?: JsonRecord;
  /** Its answer is an array that comes in pages. */
  readonly isPaged?: boolean;
  /** Its answer is also a CSV file, of all rows unless `--limit` says how many. */
  readonly hasCsv?: boolean;
  /** The columns of an answer that is an array. */
  readonly columns?: readonly Column[];
  /** Its answer has a secret, which goes into a file that is made for it and nowhere else. */
  readonly hasSecret?: boolean;
  /** Said instead of an empty table. */
  readonly none?: string;
  /** The rest of the command lines in its help, after `tenure`. */
  readonly examples: readonly string[];
}

/** Commands that share their first word. */
export interface ApiGroup {
  readonly name: string;
  readonly about: string;
  readonly commands: readonly ApiCommand[];
}
