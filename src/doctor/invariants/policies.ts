import { firingOf, originOf } from '../../domain/automatic.ts';
import type { Change } from '../../domain/change.ts';
import { textAt } from '../../domain/json.ts';
import { templateFqn } from '../../domain/ledger.ts';
import { LICENSE } from '../../domain/licensing.ts';
import { isoAfter, isoToMs } from '../../domain/time.ts';
import type { Evidence } from './evidence.ts';
import type { Trace } from './traces.ts';
import { tracesByChange } from './traces.ts';
import type { Violation } from './violation.ts';

const LICENSE_FQN = templateFqn(LICENSE);
const EXPIRE = 'License_Expire';

/** The values on which a policy based its decision to end a licence. */
interface Decided {
  readonly lapsesAt: string | null;
  readonly graceMs: number;
}

/**
 * Returns the values of a policy's decision; `null` if a caller requested the change. Changes of earlier versions have
 * the lapse time only in their command ID.
 */
function decidedOf(change: Change): Decided | null {
  const origin = originOf(change);
  const firing = firingOf(change.commandId);
  if (change.operation !== 'expire-license' || (origin === null && firing === null)) return null;
  return {
    lapsesAt: origin?.lapsesAt ?? firing?.lapsesAt ?? null,
    graceMs: origin?.graceMs ?? 0,
  };
}

function* wrongEffect(
  change: Change,
  { lapsesAt, graceMs }: Decided,
  trace: Trace,
  expiresAt: string,
): Generator<Violation> {
  const { updateId, offset, effectiveAt } = trace;
  const violation = (what: string): Violation => ({
    invariant: 'I12',
    what: `${change.operation} ${change.commandId}, requested by a policy, ${what}`,
    subjects: {
      changeId: change.id,
      commandId: change.commandId,
      ...(change.lifecycleId === null ? {} : { lifecycleId: change.lifecycleId }),
      updateId,
      offset,
    },
    todo: 'Create the licence again for its user, compare the clocks, and report this as a defect.',
  });
  if (lapsesAt === null) {
    yield violation(`ended a licence but records no expiry time`);
    return;
  }
  if (isoToMs(lapsesAt) !== isoToMs(expiresAt)) {
    yield violation(
      `was decided for the expiry time ${lapsesAt}, but ended a contract with the expiry time ${expiresAt}`,
    );
    return;
  }
  const graceUntilMs = isoToMs(lapsesAt) + graceMs;
  // The policy waited until the ledger's time had certainly passed the grace period, including the allowed clock
  // difference. So the check needs no tolerance.
  if (isoToMs(effectiveAt) >= graceUntilMs) return;
  yield violation(
    `ended its licence at ${effectiveAt}, within the grace period, which ends at ${isoAfter(graceUntilMs)}`,
  );
}

/**
 * Finds violations of I12: expiries by a policy that ended another contract than the policy decided on, or ended it
 * within the grace period.
 */
export function endedOutsidePolicy(evidence: Evidence): Violation[] {
  const traces = tracesByChange(evidence);
  const lapses = new Map(
    evidence.contracts
      .filter(({ templateFqn: of }) => of === LICENSE_FQN)
      .map(({ contractId, payload }) => [contractId, textAt(payload, 'expiresAt')]),
  );
  return evidence.changes.flatMap(({ change }) => {
    const decided = decidedOf(change);
    if (decided === null) return [];
    return (traces.get(change.id) ?? []).flatMap((trace) =>
      trace.exercised.flatMap(({ contractId, choice, templateFqn: of }) => {
        const expiresAt = lapses.get(contractId);
        if (choice !== EXPIRE || of !== LICENSE_FQN || expiresAt === undefined) return [];
        return [...wrongEffect(change, decided, trace, expiresAt)];
      }),
    );
  });
}
