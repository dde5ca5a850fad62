import type { ContractId } from '../../domain/ids.ts';
import type { Lifecycle } from '../../domain/lifecycle.ts';
import type { Evidence } from './evidence.ts';
import type { Violation } from './violation.ts';

/**
 * Yields the contracts that are active, first according to the store's rows and then according to the participant, each
 * with the name of that source.
 */
function* activeIn({ contracts, ledger }: Evidence): Generator<readonly [ContractId, string]> {
  for (const { contractId, archived } of contracts) {
    if (archived === null) yield [contractId, 'in the query store'];
  }
  for (const { created } of ledger?.active ?? []) yield [created.contractId, 'on the ledger'];
}

/**
 * Finds violations of I13: lifecycles that have ended although one of their contracts is active. No operation could end
 * that contract any more.
 */
export function endedAndActive(evidence: Evidence): Violation[] {
  const ended = new Map<string, Lifecycle>(
    evidence.lifecycles.flatMap(({ lifecycle }) =>
      lifecycle.endedAt === null ? [] : [[lifecycle.id, lifecycle]],
    ),
  );
  return [...activeIn(evidence)].flatMap(([contractId, where]): Violation[] => {
    const lifecycle = ended.get(evidence.lineage.get(contractId) ?? '');
    if (lifecycle === undefined) return [];
    return [
      {
        invariant: 'I13',
        what: `lifecycle ${lifecycle.id} ended as ${lifecycle.state}, but its contract ${contractId} is active ${where}`,
        subjects: { lifecycleId: lifecycle.id, contractId },
        todo: 'Keep a copy of the database for analysis, then run `tenure projection rebuild`. The rebuild sets the lifecycle to the state of its contract.',
      },
    ];
  });
}
