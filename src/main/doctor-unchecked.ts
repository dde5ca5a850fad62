import type { Finding } from '../doctor/findings.ts';
import { unseen, wrong } from '../doctor/findings.ts';
import { DatabaseOutageError } from '../store/sql/database-outage.ts';

/** Reports that the invariants could not be checked. If the database is locked or unusable, names that as the cause. */
export function findUnchecked(error: unknown, why: string): readonly Finding[] {
  if (error instanceof DatabaseOutageError) {
    return [
      wrong('database', error.words, error.todo),
      unseen('invariants', `the invariants were not checked, because ${error.words}`),
    ];
  }
  const todo =
    'Check that the database and the ledger are reachable, and run `tenure doctor` again.';
  return [wrong('invariants', `the invariants could not be checked: ${why}`, todo)];
}
