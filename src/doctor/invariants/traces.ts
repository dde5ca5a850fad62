import type { ChangeId, ContractId, UpdateId } from '../../domain/ids.ts';
import { changeOfWorkflow } from '../../domain/ids.ts';
import type { Json, JsonRecord } from '../../domain/json.ts';
import { templateFqn } from '../../domain/ledger.ts';
import type { ChangeEvidence, Evidence } from './evidence.ts';

/** The effects of one update, in a form for the checks, whichever side reported it. */
export interface Trace {
  readonly updateId: UpdateId;
  readonly offset: bigint;
  readonly effectiveAt: string;
  readonly commandId: string;
  /** The change that its workflow ID names. */
  readonly changeId: ChangeId | null;
  readonly created: readonly {
    readonly contractId: ContractId;
    readonly templateFqn: string;
    readonly payload: JsonRecord;
  }[];
  readonly exercised: readonly {
    readonly contractId: ContractId;
    readonly templateFqn: string;
    readonly choice: string;
    readonly argument: Json;
    readonly consuming: boolean;
  }[];
}

function tracesOfLedger({ ledger }: Evidence): Trace[] {
  return (ledger?.transactions ?? []).map((transaction) => ({
    ...transaction,
    changeId: changeOfWorkflow(transaction.workflowId),
    created: transaction.events.flatMap((event) =>
      event.kind === 'created' && event.payload !== null
        ? [
            {
              contractId: event.contractId,
              templateFqn: templateFqn(event.template),
              payload: event.payload,
            },
          ]
        : [],
    ),
    exercised: transaction.events.flatMap((event) =>
      event.kind === 'exercised' ? [{ ...event, templateFqn: templateFqn(event.template) }] : [],
    ),
  }));
}

function tracesOfRows({ updates, contracts, exercises }: Evidence): Trace[] {
  const created = Map.groupBy(contracts, ({ createdAtOffset }) => createdAtOffset);
  const exercised = Map.groupBy(exercises, ({ offset }) => offset);
  return updates.map((update) => ({
    ...update,
    changeId: changeOfWorkflow(update.workflowId),
    created: created.get(update.offset) ?? [],
    exercised: exercised.get(update.offset) ?? [],
  }));
}

/** Every update that either side reports, once, in ledger order; from the ledger if both have it. */
export function tracesOf(evidence: Evidence): readonly Trace[] {
  const known = cached.get(evidence);
  if (known !== undefined) return known;
  const traces = new Map(
    [...tracesOfRows(evidence), ...tracesOfLedger(evidence)].map((trace) => [
      trace.updateId,
      trace,
    ]),
  );
  const sorted = [...traces.values()].toSorted((a, b) => Number(a.offset - b.offset));
  cached.set(evidence, sorted);
  return sorted;
}

/** Several checks need the result, and evidence does not change. */
const cached = new WeakMap<Evidence, readonly Trace[]>();

/** The changes of the evidence by id. */
export const changesById = ({ changes }: Evidence): ReadonlyMap<ChangeId, ChangeEvidence> =>
  new Map(changes.map((entry) => [entry.change.id, entry]));

/** The updates that name a change, by that change. */
export function tracesByChange(evidence: Evidence): ReadonlyMap<ChangeId, readonly Trace[]> {
  const ours = tracesOf(evidence).flatMap((trace) =>
    trace.changeId === null ? [] : [{ changeId: trace.changeId, trace }],
  );
  return new Map(
    [...Map.groupBy(ours, ({ changeId }) => changeId)].map(([changeId, found]) => [
      changeId,
      found.map(({ trace }) => trace),
    ]),
  );
}

/**
 * The updates that took effect for a change: those that carry its workflow ID, and the one of its acceptance. An update
 * that was only read back and belongs to another client does not count.
 */
export function effectsOf(
  { change, updates }: ChangeEvidence,
  traces: readonly Trace[],
): readonly UpdateId[] {
  const { acceptance } = change;
  const isOwn = acceptance !== null && (!acceptance.readBack || change.state === 'succeeded');
  const carrying = updates.filter(({ workflowId }) => changeOfWorkflow(workflowId) === change.id);
  return [
    ...new Set([
      ...(isOwn ? [acceptance.updateId] : []),
      ...[...carrying, ...traces].map(({ updateId }) => updateId),
    ]),
  ];
}
