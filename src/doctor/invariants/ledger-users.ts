import type { Evidence } from './evidence.ts';
import type { Violation } from './violation.ts';

/** Finds violations of I17: attempts that were submitted as another ledger user than their row says. */
export function submittedAsAnother(evidence: Evidence): Violation[] {
  const attempts = new Map(
    evidence.changes.flatMap(({ change, attempts: all }) =>
      all.map((attempt) => [attempt.submissionId, { change, attempt }] as const),
    ),
  );
  const completions = evidence.ledger?.completions.flatMap(({ elements }) => elements) ?? [];
  return completions.flatMap(({ submissionId, ledgerUser, offset }): Violation[] => {
    const found = attempts.get(submissionId);
    if (found === undefined || found.attempt.submitter.ledgerUser === ledgerUser) return [];
    const { change, attempt } = found;
    const { id: changeId, commandId, operation } = change;
    return [
      {
        invariant: 'I17',
        what: `attempt ${attempt.n} of ${operation} ${commandId} names ledger user ${attempt.submitter.ledgerUser}, but the completion at offset ${offset} names ledger user ${ledgerUser}`,
        subjects: { changeId, commandId, submissionId, offset },
        todo: 'The ledger deduplicates the commands of each ledger user separately. Check whether the operation took effect twice, keep a copy of the database, and report a defect of Tenure.',
      },
    ];
  });
}
