import type { ContractId } from '../../domain/ids.ts';
import { isJsonRecord, textAt } from '../../domain/json.ts';
import { templateFqn } from '../../domain/ledger.ts';
import { LICENSE, LICENSE_RENEWAL_REQUEST } from '../../domain/licensing.ts';
import { isoToMs } from '../../domain/time.ts';
import type { ChangeEvidence, ContractRow, Evidence } from './evidence.ts';
import type { Trace } from './traces.ts';
import { effectsOf, tracesByChange, tracesOf } from './traces.ts';
import type { Violation } from './violation.ts';

const LICENSE_FQN = templateFqn(LICENSE);
const REQUEST_FQN = templateFqn(LICENSE_RENEWAL_REQUEST);
const COMPLETION = 'LicenseRenewalRequest_CompleteRenewal';

const KEEP =
  'Keep both updates as evidence. A ledger effect cannot be undone: agree with the user on the surplus renewal, and report a defect of Tenure or of the participant.';

const subjectsOf = ({ change }: ChangeEvidence) => ({
  changeId: change.id,
  commandId: change.commandId,
  ...(change.lifecycleId === null ? {} : { lifecycleId: change.lifecycleId }),
});

interface CompletedRenewal {
  readonly trace: Trace;
  readonly contractId: string;
  readonly allocationCid: string | null;
  readonly licenseCid: string | null;
}

const completionsOf = (trace: Trace): CompletedRenewal[] =>
  trace.exercised
    .filter(({ choice, templateFqn: of }) => choice === COMPLETION && of === REQUEST_FQN)
    .map(({ contractId, argument }) => ({
      trace,
      contractId,
      allocationCid: isJsonRecord(argument) ? (textAt(argument, 'allocationCid') ?? null) : null,
      licenseCid: isJsonRecord(argument) ? (textAt(argument, 'licenseCid') ?? null) : null,
    }));

/** Finds violations of I1: renewals completed by Tenure that took effect twice, or renewed two licences. */
export function renewedTwice(evidence: Evidence): Violation[] {
  const traces = tracesByChange(evidence);
  const found: Violation[] = [];
  for (const entry of evidence.changes) {
    if (entry.change.operation !== 'complete-renewal') continue;
    const own = traces.get(entry.change.id) ?? [];
    const effects = effectsOf(entry, own);
    if (effects.length > 1) {
      found.push({
        invariant: 'I1',
        what: `the completion ${entry.change.commandId} renewed its licence ${effects.length} times, by updates ${effects.join(' and ')}`,
        subjects: subjectsOf(entry),
        todo: KEEP,
      });
    }
    for (const trace of own) {
      const licenses = trace.created.filter(({ templateFqn: of }) => of === LICENSE_FQN);
      if (licenses.length <= 1) continue;
      found.push({
        invariant: 'I1',
        what: `the completion ${entry.change.commandId} created ${licenses.length} licences in update ${trace.updateId}`,
        subjects: { ...subjectsOf(entry), updateId: trace.updateId, offset: trace.offset },
        todo: KEEP,
      });
    }
  }
  return found;
}

/** Finds a request or an allocation that two completions have used: the same fee was taken twice. */
function* settledTwice(
  completions: readonly CompletedRenewal[],
  word: string,
  key: (completion: CompletedRenewal) => string | null,
): Generator<Violation> {
  for (const [id, found] of Map.groupBy(completions, key)) {
    if (id === null || found.length < 2) continue;
    const updates = found.map(({ trace }) => trace.updateId).join(' and ');
    yield {
      invariant: 'I2',
      what: `${word} ${id} was settled ${found.length} times, by updates ${updates}`,
      subjects: { contractId: id },
      todo: KEEP,
    };
  }
}

/** An accepted `renew-license` with the renewal request that it created. */
interface Asked {
  readonly entry: ChangeEvidence;
  readonly trace: Trace;
  readonly contract: ContractRow;
}

function askedFor(
  entry: ChangeEvidence,
  traces: readonly Trace[],
  contracts: ReadonlyMap<string, ContractRow>,
): Asked[] {
  return traces.flatMap((trace) =>
    trace.created.flatMap(({ contractId, templateFqn: of }) => {
      const contract = of === REQUEST_FQN ? contracts.get(contractId) : undefined;
      return contract === undefined ? [] : [{ entry, trace, contract }];
    }),
  );
}

/**
 * Whether the first renewal request was still open when the second renewal was judged. A lane judges renewals one after
 * the other, so this is the case if the first request's window closes after the second took effect, and the first
 * request had not ended before that.
 */
const stoodWhenJudged = (first: Asked, second: Asked): boolean => {
  const settleBefore = textAt(first.contract.payload, 'settleBefore');
  const { archived } = first.contract;
  return (
    settleBefore !== undefined &&
    isoToMs(settleBefore) > isoToMs(second.trace.effectiveAt) &&
    (archived === null || archived.offset > second.trace.offset)
  );
};

function* openedTwice(evidence: Evidence): Generator<Violation> {
  const traces = tracesByChange(evidence);
  const contracts = new Map(
    evidence.contracts
      .filter(({ templateFqn: of }) => of === REQUEST_FQN)
      .map((contract) => [contract.contractId, contract]),
  );
  const renewals = evidence.changes.filter(({ change }) => change.operation === 'renew-license');
  for (const entry of renewals) {
    const own = traces.get(entry.change.id) ?? [];
    const effects = effectsOf(entry, own);
    if (effects.length < 2) continue;
    yield {
      invariant: 'I2',
      what: `the renewal ${entry.change.commandId} requested its fee ${effects.length} times, by updates ${effects.join(' and ')}`,
      subjects: subjectsOf(entry),
      todo: 'Withdraw the surplus renewal request before the user pays, and report a defect of Tenure or of the participant.',
    };
  }
  const byLicense = Map.groupBy(renewals, ({ change }) => change.lifecycleId);
  for (const ofOne of byLicense.values()) {
    const asked = ofOne
      .toSorted((a, b) => a.change.mailboxNo - b.change.mailboxNo)
      .flatMap((entry) => askedFor(entry, traces.get(entry.change.id) ?? [], contracts));
    for (const [i, second] of asked.entries()) {
      if (second.entry.change.body['allowConcurrent'] === true) continue;
      const first = asked
        .slice(0, i)
        .find((other) => other.entry !== second.entry && stoodWhenJudged(other, second));
      if (first === undefined) continue;
      yield {
        invariant: 'I2',
        what: `the renewal ${second.entry.change.commandId} opened a second request while ${first.contract.contractId} of ${first.entry.change.commandId} was open, although the caller did not allow a second request`,
        subjects: { ...subjectsOf(second.entry), contractId: second.contract.contractId },
        todo: 'Withdraw one of the two renewal requests before the user pays both, and report a defect of Tenure.',
      };
    }
  }
}

/** Finds violations of I2: fees that were taken twice, or requested twice by one renewal. */
export function paidTwice(evidence: Evidence): Violation[] {
  const completions = tracesOf(evidence).flatMap(completionsOf);
  return [
    ...settledTwice(completions, 'renewal request', ({ contractId }) => contractId),
    ...settledTwice(completions, 'allocation', ({ allocationCid }) => allocationCid),
    ...openedTwice(evidence),
  ];
}

/** Finds violations of I16: payments by any client that extended a licence other than the requested one. */
export function extendedAnother(evidence: Evidence): Violation[] {
  const origins = new Map(
    evidence.lifecycles.map(({ lifecycle }) => [lifecycle.id, lifecycle.originId]),
  );
  return tracesOf(evidence)
    .flatMap(completionsOf)
    .flatMap(({ trace, contractId, licenseCid }) => {
      const renewal = evidence.lineage.get(contractId as ContractId);
      const extended = evidence.lineage.get((licenseCid ?? '') as ContractId);
      const asked = renewal === undefined ? null : (origins.get(renewal) ?? null);
      if (asked === null || extended === undefined || asked === extended) return [];
      return {
        invariant: 'I16' as const,
        what: `renewal request ${contractId} belongs to ${asked}, but its payment extended ${extended} in update ${trace.updateId}`,
        subjects: {
          contractId,
          updateId: trace.updateId,
          offset: trace.offset,
          ...(renewal === undefined ? {} : { lifecycleId: renewal }),
        },
        todo: 'A ledger effect cannot be undone: agree with the user on an extension of the paid licence, or on the fee.',
      };
    });
}
