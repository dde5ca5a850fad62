import type { Mutation } from './mutation.ts';
import { PERSONS } from './table/persons.ts';
import { ROWS } from './table/rows.ts';
import { TIME } from './table/time.ts';

/** All of them, in the order in which they are shown. */
export const MUTATIONS: readonly Mutation[] = [...ROWS, ...TIME, ...PERSONS];
