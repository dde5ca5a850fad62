/** What operations that are counted together have in common. */
export const GROUPINGS = ['state', 'class', 'code', 'operation', 'party', 'by', 'failure'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** Steps of time, by UTC, in which they were accepted. */
export const TIME_GROUPINGS = ['hour', 'day'] as const;
export type TimeGrouping = (typeof TIME_GROUPINGS)[number];

/** All that operations are counted by. */
export const COUNT_GROUPINGS = [...GROUPINGS, ...TIME_GROUPINGS] as const;
