import { templateFqn } from '../../domain/ledger.ts';
import { LICENSE } from '../../domain/licensing.ts';
import { isoToMs } from '../../domain/time.ts';
import type { Evidence } from './evidence.ts';
import { tracesOf } from './traces.ts';
import type { Violation } from './violation.ts';

const LICENSE_FQN = templateFqn(LICENSE);
const EXPIRE = 'License_Expire';

/** Finds violations of I5: licences that were expired before their `expiresAt` in ledger time. */
export function expiredEarly(evidence: Evidence): Violation[] {
  const licenses = new Map<string, string | undefined>();
  const note = (contractId: string, of: string, payload: { readonly [key: string]: unknown }) => {
    const expiresAt = payload['expiresAt'];
    if (of === LICENSE_FQN && typeof expiresAt === 'string') licenses.set(contractId, expiresAt);
  };
  for (const { contractId, templateFqn: of, payload } of evidence.contracts) {
    note(contractId, of, payload);
  }
  for (const { created } of tracesOf(evidence)) {
    for (const { contractId, templateFqn: of, payload } of created) note(contractId, of, payload);
  }
  return tracesOf(evidence).flatMap(({ exercised, updateId, offset, effectiveAt }) =>
    exercised.flatMap(({ contractId, choice, templateFqn: of }): Violation[] => {
      if (choice !== EXPIRE || of !== LICENSE_FQN) return [];
      const expiresAt = licenses.get(contractId);
      if (expiresAt === undefined || isoToMs(expiresAt) <= isoToMs(effectiveAt)) return [];
      return [
        {
          invariant: 'I5',
          what: `licence ${contractId} was ended at ${effectiveAt}, before its expiry time ${expiresAt}`,
          subjects: { contractId, updateId, offset },
          todo: 'Create the licence again for its user, compare the clocks of the participants, and report this as a defect.',
        },
      ];
    }),
  );
}
