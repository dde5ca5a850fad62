/*
 * Names in the API that were replaced by other names. Both are accepted until the sunset: docs/VERSIONING.md describes
 * the policy. The API's routes, its OpenAPI document and the options of the command line are derived from these tables.
 */

/** The time of the release that deprecates the names, and the time after which a major version may remove them. */
export const DEPRECATED_AT = '2026-12-01T00:00:00Z';
export const SUNSET_AT = '2027-07-01T00:00:00Z';

/** A renamed query parameter, or a renamed member of `filter` in a body. */
export interface RenamedParameter {
  readonly was: string;
  readonly is: string;
  /** New values keyed by old values, if the values have changed as well. */
  readonly values?: Readonly<Record<string, string>>;
  /** Paths of the routes that have the parameter. */
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

/** Renamed beginnings of paths, with the corresponding words in operation IDs. */
export const RENAMED_PATHS = [
  { was: '/ops/commands', is: '/ops/operations', names: ['OpsCommand', 'OpsOperation'] },
] as const;
