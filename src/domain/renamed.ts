/*
 * Names of the API that other names have replaced. Both are accepted until the sunset: docs/VERSIONING.md states the
 * policy. The API's routes, its document and the options of the command line follow from these tables.
 */

/** The release that deprecates the names, and the time after which a major version may remove them. */
export const DEPRECATED_AT = '2026-12-01T00:00:00Z';
export const SUNSET_AT = '2027-07-01T00:00:00Z';

/** A query parameter, or a member of `filter` in a body. */
export interface RenamedParameter {
  readonly was: string;
  readonly is: string;
  /** The new values by the old ones, if the values have changed as well. */
  readonly values?: Readonly<Record<string, string>>;
  /** The addresses of the routes that have the parameter. */
  readonly on: readonly string[];
}

const SEARCH = ['/ops/operations', '/ops/operations/counts', '/ops/operations/preview'];
const LIFECYCLES = ['/ops/lifecycles', '/ops/lifecycles/counts'];
const FIGURES = ['/stats/licenses', '/stats/revenue'];

export const RENAMED_PARAMETERS: readonly RenamedParameter[] = [
  { was: 'newerThan', is: 'since', on: SEARCH },
  { was: 'olderThan', is: 'until', on: [...SEARCH, ...LIFECYCLES] },
  { was: 'by', is: 'subject', on: [...SEARCH, '/ops/audit'] },
  { was: 'by', is: 'groupBy', on: FIGURES },
  { was: 'from', is: 'since', on: [...FIGURES, '/payments', '/payments/sums', '/ops/costs'] },
  {
    was: 'order',
    is: 'sort',
    values: { newest: '-acceptedAt', oldest: 'acceptedAt' },
    on: ['/ops/operations'],
  },
];

/** Returns the old names of a route's parameters. */
export const renamedOn = (path: string): readonly RenamedParameter[] =>
  RENAMED_PARAMETERS.filter(({ on }) => on.includes(path));

/** The beginnings of addresses, and the words of operation IDs. */
export const RENAMED_PATHS = [
  { was: '/ops/commands', is: '/ops/operations', names: ['OpsCommand', 'OpsOperation'] },
] as const;
