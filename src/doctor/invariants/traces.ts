import type { ChangeId, ContractId, UpdateId } from '../../domain/ids.ts';
import { changeOfWorkflow } from '../../domain/ids.ts';
import type { Json, JsonRecord } from '../../domain/json.ts';
import { templateFqn } from '../../domain/ledger.ts';
import type { ChangeEvidence, Evidence } from './evidence.ts';

/** The effects of one update in a form that the checks share, whether the store or the ledger reported the update. */
export interface Trace {
  readonly updateId: UpdateId;
  readonly offset: bigint;
  readonly effectiveAt: string;
  readonly commandId: string;
  /** The change that the update's workflow ID names. */
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

/** Returns each update of the store or the ledger once, in ledger order; the ledger's version if both have it. */
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

/** The results of `tracesOf`, because several checks need them and evidence does not change. */
const cached = new WeakMap<Evidence, readonly Trace[]>();

/** Returns the changes of the evidence by ID. */
export const changesById = ({ changes }: Evidence): ReadonlyMap<ChangeId, ChangeEvidence> =>
  new Map(changes.map((entry) => [entry.change.id, entry]));

/** Returns the updates that name a change, by the ID of that change. */
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
 * Returns the updates by which a change took effect: those with its workflow ID, and the one that its acceptance names.
 * An update of another client that was only read back does not count.
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
