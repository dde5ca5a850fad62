import { failureOf } from '../../app/desk/failures.ts';
import type { Change } from '../../domain/change.ts';
import type { Json } from '../../domain/json.ts';

/**
 * Returns the failure with which a change has ended and the parties concerned; an empty array for a change without a
 * failure.
 */
export function failureToJson(change: Change): readonly Record<string, Json>[] {
  const failure = failureOf(change);
  if (failure === null) return [];
  const { ledgerCode, ...rest } = failure;
  return [
    {
      ...rest,
      ledger_code: ledgerCode,
      provider: change.provider,
      caller_party: change.callerParty,
      finished_at: change.finishedAt,
    },
  ];
}
