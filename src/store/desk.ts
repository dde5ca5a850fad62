import type { Pool } from 'pg';
import type { Desk } from '../app/desk.ts';
import { createChangeSearch } from './change-search.ts';

/** @param pool stays the caller's */
export const createDesk = (pool: Pool): Desk => ({ changes: createChangeSearch(pool) });
