import type { Change } from '../../domain/change.ts';
import { originOf } from '../../domain/automatic.ts';
import type { ContractId, LaneId, UpdateId } from '../../domain/ids.ts';
import { changeOfWorkflow, trusted } from '../../domain/ids.ts';
import type { JsonRecord } from '../../domain/json.ts';
import type { CreatedEvent, LedgerTransaction } from '../../domain/ledger.ts';
import type {
  HistoryEntry,
  Lifecycle,
  LifecycleColumns,
  LifecycleKind,
} from '../../domain/lifecycle.ts';
import { NO_COLUMNS } from '../../domain/lifecycle.ts';
import { begin, step } from '../../../machines/stepping.ts';
import type { MachineEvent } from '../../../machines/machine-kit.ts';
import type { ContractModel } from '../contract/model.ts';
import type { Reading } from '../contract/template.ts';
import { payloadOf } from '../contract/template.ts';
import type { Done, Fact } from './facts.ts';
import { lifecycleIdOf } from './facts.ts';
import type { WorkingSet } from './working-set.ts';

/** Where a fact comes from: the columns that history keeps of it. */
export interface Origin extends Pick<LedgerTransaction, 'offset' | 'effectiveAt'> {
  /** `null` for a contract read from the active contract set. */
  readonly updateId: UpdateId | null;
  readonly workflowId?: string;
}

/** The columns that a row copies from its contract: all of them, so that none keeps what an earlier contract said. */
const columnsOf = ({ columns }: Reading): LifecycleColumns => ({ ...NO_COLUMNS, ...columns });

/** What a created contract says of the kind of lifecycle that it stands for. */
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

/** The lifecycle by whose step it came about, where one is known. */
function throughDetail(ws: WorkingSet, through: ContractId | null): JsonRecord {
  const id = through === null ? undefined : ws.lifecycleIdOfContract(through);
  return id === undefined ? {} : { through: id };
}

/** The lifecycle to which one of this kind belongs that began by a step of `through`; `null` where none is known. */
function ownerOf(ws: WorkingSet, kind: LifecycleKind, through: ContractId | null) {
  const found = through === null ? undefined : ws.lifecycleOfContract(through);
  return found !== undefined && found.kind === ws.model.lifecycle(kind).origin ? found : null;
}

/**
 * Begins a lifecycle for a contract that continues none. A repetition changes nothing.
 *
 * @param through the contract of another lifecycle whose choice created it
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

/** Whether a lifecycle says what the active contract that it leads to says. */
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

/** Makes a lifecycle say what the ledger says of its contract: what led elsewhere was not seen, or was wrong. */
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
    // What is on its way stays on its way.
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

/** The lifecycle after a step of its machine, or `null` when the machine does not take the event. */
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
 * Who ended it, and why: as our change says where the update is its effect, else as the choice on the ledger does. Of a
 * policy's change its reason comes first.
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

/** Applies one fact of the ledger. A lifecycle that has ended, or a fact about none of ours, is skipped. */
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
 * Steps the lifecycle of a change with what the caller asked or with what came of it. One that happens beside its
 * lifecycle is only judged by it.
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
