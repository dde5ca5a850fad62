/** What operations that are counted together have in common. */
export const GROUPINGS = ['state', 'class', 'code', 'operation', 'party', 'by', 'failure'] as const;
export type Grouping = (typeof GROUPINGS)[number];
