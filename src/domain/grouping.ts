/** The properties by which operations are grouped and counted. */
export const GROUPINGS = ['state', 'class', 'code', 'operation', 'party', 'by', 'failure'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** The UTC periods by which operations are counted, by the time of acceptance. */
export const TIME_GROUPINGS = ['hour', 'day'] as const;
export type TimeGrouping = (typeof TIME_GROUPINGS)[number];

/** All properties and periods by which operations can be counted. */
export const COUNT_GROUPINGS = [...GROUPINGS, ...TIME_GROUPINGS] as const;
