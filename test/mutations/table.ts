import type { Mutation } from './mutation.ts';
import { CELLS } from './table/cells.ts';
import { DESK } from './table/desk.ts';
import { ORIGINS } from './table/origins.ts';
import { OUTCOMES } from './table/outcomes.ts';
import { PERSONS } from './table/persons.ts';
import { ROWS } from './table/rows.ts';
import { TIME } from './table/time.ts';
import { VERSIONS } from './table/versions.ts';

/** All of them, in the order in which they are shown. */
export const MUTATIONS: readonly Mutation[] = [
  ...OUTCOMES,
  ...ROWS,
  ...TIME,
  ...ORIGINS,
  ...PERSONS,
  ...DESK,
  ...VERSIONS,
  ...CELLS,
];
