import type { Change } from '../../../domain/change.ts';
import { originOf } from '../../../domain/automatic.ts';
import type { ContractId, LaneId, UpdateId } from '../../../domain/ids.ts';
import { changeOfWorkflow, trusted } from '../../../domain/ids.ts';
import type { JsonRecord } from '../../../domain/json.ts';
import type { CreatedEvent, LedgerTransaction } from '../../../domain/ledger.ts';
import type {
  HistoryEntry,
  Lifecycle,
  LifecycleColumns,
  LifecycleKind,
} from '../../../domain/lifecycle.ts';
import { NO_COLUMNS } from '../../../domain/lifecycle.ts';
import { begin, step } from '../../../../machines/stepping.ts';
import type { MachineEvent } from '../../../../machines/machine-kit.ts';
import type { ContractModel } from '../../contract/model.ts';
import type { Reading } from '../../contract/template.ts';
import { payloadOf } from '../../contract/template.ts';
import type { Done, Fact } from './facts.ts';
import { lifecycleIdOf } from './facts.ts';
import type { WorkingSet } from './working-set.ts';

/** The update that a fact comes from, with the columns that history stores. */
export interface Origin extends Pick<LedgerTransaction, 'offset' | 'effectiveAt'> {
  /** `null` for a contract read from the active contract set. */
  readonly updateId: UpdateId | null;
  readonly workflowId?: string;
}

/** Returns all columns that a row takes from its contract, so that no value of an earlier contract remains. */
const columnsOf = ({ columns }: Reading): LifecycleColumns => ({ ...NO_COLUMNS, ...columns });

/** Reads a created contract as a lifecycle of a kind. */
const readingOf = (model: ContractModel, kind: LifecycleKind, created: CreatedEvent): Reading =>
  model.lifecycle(kind).read(payloadOf(created));

function factEntry(
  lifecycle: Lifecycle,
  kind: string,
  origin: Origin,
  detail: JsonRecord = {},
): HistoryEntry {
  return {
    lifecycleId: lifecycle.id,
    seq: lifecycle.version,
    at: origin.effectiveAt,
    kind,
    state: lifecycle.state,
    by: null,
    commandId: null,
    offset: origin.offset,
    updateId: origin.updateId,
    contractId: lifecycle.contractId,
    detail,
  };
}

/** Returns a history detail that names the lifecycle whose step created the contract, if that lifecycle is known. */
function throughDetail(ws: WorkingSet, through: ContractId | null): JsonRecord {
  const id = through === null ? undefined : ws.lifecycleIdOfContract(through);
  return id === undefined ? {} : { through: id };
}

/**
 * Returns the lifecycle that owns a new lifecycle of this kind, which a step on contract `through` began; `null` if the
 * owner is unknown.
 */
function ownerOf(ws: WorkingSet, kind: LifecycleKind, through: ContractId | null) {
  const found = through === null ? undefined : ws.lifecycleOfContract(through);
  return found !== undefined && found.kind === ws.model.lifecycle(kind).origin ? found : null;
}

/**
 * Begins a lifecycle for a contract that continues no existing one. Does nothing if the contract is known.
 *
 * @param through contract of another lifecycle whose choice created this contract
 */
export function bear(
  ws: WorkingSet,
  kind: LifecycleKind,
  created: CreatedEvent,
  origin: Origin,
  through: ContractId | null = null,
): void {
  if (ws.lifecycleIdOfContract(created.contractId) !== undefined) return;
  const id = lifecycleIdOf(kind, created.contractId);
  const reading = readingOf(ws.model, kind, created);
  const snapshot = begin(ws.model.lifecycle(kind).description, reading.input);
  const owner = ownerOf(ws, kind, through);
  const lifecycle: Lifecycle = {
    id,
    kind,
    ...snapshot,
    lane: owner?.lane ?? trusted<LaneId>(id),
    originId: owner?.id ?? null,
    provider: reading.provider,
    appUser: reading.appUser,
    contractId: created.contractId,
    ...columnsOf(reading),
    version: 1,
    createdAt: origin.effectiveAt,
    endedAt: null,
  };
  ws.putLifecycle(lifecycle);
  ws.record(factEntry(lifecycle, 'ledger.created', origin, throughDetail(ws, through)));
}

/** Returns whether a lifecycle's values are those of its active contract. */
export function agrees(model: ContractModel, lifecycle: Lifecycle, created: CreatedEvent): boolean {
  const reading = readingOf(model, lifecycle.kind, created);
  const { context } = begin(model.lifecycle(lifecycle.kind).description, reading.input);
  const columns: Partial<Lifecycle> = columnsOf(reading);
  return (
    lifecycle.endedAt === null &&
    lifecycle.contractId === created.contractId &&
    (Object.keys(columns) as (keyof Lifecycle)[]).every(
      (name) => lifecycle[name] === columns[name],
    ) &&
    Object.entries(context).every(([name, value]) => lifecycle.context[name] === value)
  );
}

/** Corrects a lifecycle to the values of its contract on the ledger: an update was missed, or was applied wrongly. */
export function correct(
  ws: WorkingSet,
  lifecycle: Lifecycle,
  created: CreatedEvent,
  origin: Origin,
): void {
  const { kind } = lifecycle;
  const reading = readingOf(ws.model, kind, created);
  const first = begin(ws.model.lifecycle(kind).description, reading.input);
  const corrected: Lifecycle = {
    ...lifecycle,
    machineVersion: first.machineVersion,
    // If a change is in flight, the lifecycle stays in the state of that change.
    state: lifecycle.endedAt === null ? lifecycle.state : first.state,
    context: first.context,
    contractId: created.contractId,
    ...columnsOf(reading),
    version: lifecycle.version + 1,
    endedAt: null,
  };
  ws.putLifecycle(corrected);
  ws.record(factEntry(corrected, 'ledger.corrected', origin));
}

/** Returns the lifecycle after a step of its machine, or `null` if the machine does not accept the event. */
function stepped(
  model: ContractModel,
  lifecycle: Lifecycle,
  event: MachineEvent,
  at: string,
): { lifecycle: Lifecycle; effects: readonly string[] } | null {
  const made = step(model.lifecycle(lifecycle.kind).description, lifecycle, event);
  if (made === null) return null;
  return {
    lifecycle: {
      ...lifecycle,
      ...made.snapshot,
      version: lifecycle.version + 1,
      endedAt: made.isFinal ? at : null,
    },
    effects: made.effects,
  };
}

/**
 * Returns who ended a lifecycle, and why. The source is our change if the update is its effect, otherwise the choice on
 * the ledger. A policy's reason takes precedence.
 */
function endDetail(
  ws: WorkingSet,
  { id, lane }: Lifecycle,
  choice: Done | null,
  { workflowId = '' }: Origin,
): JsonRecord {
  const head = ws.headOf(lane);
  const isOurs = head?.lifecycleId === id && changeOfWorkflow(workflowId) === head.id;
  const policy = isOurs ? originOf(head) : null;
  const actors = isOurs ? [head.callerParty] : (choice?.actors ?? []);
  const reason = policy?.reason ?? choice?.reason ?? null;
  return {
    ...(actors.length === 0 ? {} : { endedBy: actors }),
    ...(policy === null ? {} : { policy: policy.name }),
    ...(reason === null ? {} : { reason }),
  };
}

/**
 * Applies one fact of the ledger. Ignores lifecycles that have ended, and archived contracts that belong to no known
 * lifecycle.
 */
export function applyFact(ws: WorkingSet, fact: Fact, origin: Origin): void {
  if (fact.kind === 'born') {
    return bear(ws, fact.lifecycleKind, fact.created, origin, fact.through);
  }
  const contractId = fact.kind === 'continued' ? fact.from : fact.contractId;
  const before = ws.lifecycleOfContract(contractId);
  if (before === undefined) {
    if (fact.kind === 'continued') {
      bear(ws, fact.lifecycleKind, fact.created, origin, fact.through);
    }
    return undefined;
  }
  const after = stepped(ws.model, before, fact.event, origin.effectiveAt);
  if (after === null) return undefined;
  const lifecycle =
    fact.kind === 'continued'
      ? {
          ...after.lifecycle,
          contractId: fact.created.contractId,
          ...columnsOf(readingOf(ws.model, before.kind, fact.created)),
        }
      : after.lifecycle;
  ws.putLifecycle(lifecycle);
  const detail =
    fact.kind === 'continued'
      ? throughDetail(ws, fact.through)
      : endDetail(ws, before, fact.choice, origin);
  ws.record(factEntry(lifecycle, fact.event.type, origin, detail));
  return undefined;
}

/**
 * Steps the lifecycle's machine with the request or the outcome of a change. For a concurrent change, the machine only
 * judges it and the lifecycle stays as it is.
 */
export function stepForChange(
  ws: WorkingSet,
  change: Change,
  event: MachineEvent,
  at: string,
  detail: JsonRecord = {},
): { readonly taken: boolean; readonly effects: readonly string[] } {
  const before = change.lifecycleId === null ? undefined : ws.lifecycle(change.lifecycleId);
  if (before === undefined) return { taken: false, effects: [] };
  const after = stepped(ws.model, before, event, at);
  if (after === null) return { taken: false, effects: [] };
  if (ws.model.isAside(change.operation)) return { taken: true, effects: after.effects };
  ws.putLifecycle(after.lifecycle);
  ws.record({
    lifecycleId: before.id,
    seq: after.lifecycle.version,
    at,
    kind: event.type,
    state: after.lifecycle.state,
    by: change.callerParty,
    commandId: change.commandId,
    offset: null,
    updateId: null,
    contractId: after.lifecycle.contractId,
    detail: { operation: change.operation, subject: change.callerSubject, ...detail },
  });
  return { taken: true, effects: after.effects };
}
