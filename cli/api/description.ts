import type { JsonRecord } from '../../src/domain/json.ts';

/*
 * Most commands make one call of the API and show the answer. A description defines each of them, and `run.ts` and
 * `render.ts` interpret all descriptions. Options and arguments have the API's own names, so a command accepts what its
 * route accepts.
 */

/**
 * How a table shows a value.
 *
 * - `whole`: unchanged and never cut, because people copy it.
 * - `age`: how long ago an instant was.
 * - `time`: an instant without fractions of a second.
 * - `state`: unchanged, in a colour if the terminal has colours.
 */
type Shape = 'whole' | 'age' | 'time' | 'state';

/**
 * A column: its heading, the place of its value in a row (`a.b`), and how the value is shown. By default it is text
 * that may be cut.
 */
export type Column = readonly [head: string, at: string, shape?: Shape];

/** An option that is a query parameter of the API or, for a `POST`, a member of the body. */
export interface Option {
  /** The option in commander's syntax: `--time-zone <zone>`. The API's name is `timeZone`. */
  readonly flags: string;
  readonly about: string;
  readonly choices?: readonly string[];
  readonly isRequired?: boolean;
  /** Whether `90s`, `15m`, `2h` and `3d` are accepted in addition to the API's own values. */
  readonly isAge?: boolean;
  /** The API's name, if it does not follow from `flags`. */
  readonly name?: string;
  /** Whether the option is the old name of another option. The help does not list it. */
  readonly isOld?: true;
  /**
   * The type of the value in the body; the default is text. Pairs are written `name=value`. `values` are pairs whose
   * numbers, `true` and `false` are not sent as texts, and `none` alone is null.
   */
  readonly as?: 'number' | 'boolean' | 'pairs' | 'values';
}

export interface ApiCommand {
  /** The name and arguments in commander's syntax. Arguments that are not in the path are sent like options. */
  readonly usage: string;
  readonly about: string;
  /** The allowed values of arguments, by argument. */
  readonly choices?: Readonly<Record<string, readonly string[]>>;
  /** The HTTP method. @default GET */
  readonly method?: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path, with `{name}` for arguments. If an optional argument is absent, its `/{name}` is omitted. */
  readonly path: string;
  /**
   * The path of a preview, for a command that cannot be undone. The preview is shown first, and the command is carried
   * out once its count is confirmed.
   */
  readonly preview?: string;
  readonly options?: readonly Option[];
  /** Whether the call records an operation, which needs a command ID. A command line without one gets a new ID. */
  readonly isOperation?: boolean;
  /** Members of the body that are always sent. */
  readonly fixed?: JsonRecord;
  /** Whether the answer is an array that is read page by page. */
  readonly isPaged?: boolean;
  /** Whether the answer also has a CSV form, with all rows unless `--limit` is given. */
  readonly hasCsv?: boolean;
  /** The columns of an answer that is an array. */
  readonly columns?: readonly Column[];
  /** Whether the answer contains a secret, which is written only to a new file. */
  readonly hasSecret?: boolean;
  /** The text that replaces an empty table. */
  readonly none?: string;
  /** Examples for the help, without the leading `tenure`. */
  readonly examples: readonly string[];
}

/** Commands that share their first word. */
export interface ApiGroup {
  readonly name: string;
  readonly about: string;
  readonly commands: readonly ApiCommand[];
}
