import type { ChangeSearch } from './change-search.ts';

/** What the operations desk reads, besides what everybody reads. */
export interface Desk {
  readonly changes: ChangeSearch;
}
