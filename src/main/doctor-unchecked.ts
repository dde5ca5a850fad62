import type { Finding } from '../doctor/findings.ts';
import { unseen, wrong } from '../doctor/findings.ts';
import { DatabaseOutageError } from '../store/sql/database-outage.ts';

/** Reports that the invariants could not be checked. If the database is locked or unusable, names that as the cause. */
export function findUnchecked(error: unknown, why: string): readonly Finding[] {
  if (error instanceof DatabaseOutageError) {
    return [
      wrong('database', error.words, error.todo),
      unseen('invariants', `not seen, because ${error.words}`),
    ];
  }
  const todo = 'See what can be read of the database and of the ledger, and look again.';
  return [wrong('invariants', `they could not be checked: ${why}`, todo)];
}
