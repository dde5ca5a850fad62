import type { Change } from '../../domain/change.ts';
import { trusted } from '../../domain/ids.ts';
import type { Party, UpdateId } from '../../domain/ids.ts';
import type { JsonRecord } from '../../domain/json.ts';
import { textAt } from '../../domain/json.ts';
import type { CreatedEvent, LedgerTransaction } from '../../domain/ledger.ts';
import type { HistoryEntry, Lifecycle, LifecycleKind } from '../../domain/lifecycle.ts';
import { unreachable } from '../../domain/unreachable.ts';
import { begin, step } from '../../../machines/registry.ts';
import type { MachineEvent } from '../../../machines/registry.ts';
import type { Fact } from '../licensing/facts.ts';
import { laneOf, lifecycleIdOf, numLicensesCreatedOf, payloadOf } from '../licensing/facts.ts';
import { isAside } from '../licensing/operations.ts';
import type { WorkingSet } from './working-set.ts';

/** Where a fact comes from: the columns that history keeps of it. */
export interface Origin extends Pick<LedgerTransaction, 'offset' | 'effectiveAt'> {
  /** `null` for a contract read from the active contract set. */
  readonly updateId: UpdateId | null;
}

/** What the contract of a licence or renewal says, copied so that lists need no look into the payload. */
const licenseColumns = (kind: LifecycleKind, created: CreatedEvent) => ({
  licenseNum:
    kind === 'license' || kind === 'renewal'
      ? BigInt(textAt(payloadOf(created), 'licenseNum') ?? '0')
      : null,
  expiresAt: kind === 'license' ? (textAt(payloadOf(created), 'expiresAt') ?? null) : null,
});

function machineInput(kind: LifecycleKind, created: CreatedEvent): JsonRecord {
  const time = (field: string): JsonRecord => ({
    [field]: textAt(payloadOf(created), field) ?? '',
  });
  switch (kind) {
    case 'install-request':
      return {};
    case 'install':
      return { numLicensesCreated: numLicensesCreatedOf(created) };
    case 'license':
      return time('expiresAt');
    case 'renewal':
      return time('settleBefore');
    default:
      return unreachable(kind);
  }
}

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

/** Begins a lifecycle for a contract that continues none. A repetition changes nothing. */
export function bear(
  ws: WorkingSet,
  kind: LifecycleKind,
  created: CreatedEvent,
  origin: Origin,
): void {
  if (ws.lifecycleIdOfContract(created.contractId) !== undefined) return;
  const id = lifecycleIdOf(kind, created.contractId);
  const snapshot = begin(kind, machineInput(kind, created));
  const lifecycle: Lifecycle = {
    id,
    kind,
    ...snapshot,
    lane: laneOf(kind, id, created),
    provider: trusted<Party>(textAt(payloadOf(created), 'provider') ?? ''),
    appUser: trusted<Party>(textAt(payloadOf(created), 'user') ?? ''),
    contractId: created.contractId,
    ...licenseColumns(kind, created),
    version: 1,
    createdAt: origin.effectiveAt,
    endedAt: null,
  };
  ws.putLifecycle(lifecycle);
  ws.record(factEntry(lifecycle, 'ledger.created', origin));
}

/** Whether a lifecycle says what the active contract that it leads to says. */
export function agrees(lifecycle: Lifecycle, created: CreatedEvent): boolean {
  const { context } = begin(lifecycle.kind, machineInput(lifecycle.kind, created));
  const { licenseNum, expiresAt } = licenseColumns(lifecycle.kind, created);
  return (
    lifecycle.endedAt === null &&
    lifecycle.contractId === created.contractId &&
    lifecycle.licenseNum === licenseNum &&
    lifecycle.expiresAt === expiresAt &&
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
  const first = begin(kind, machineInput(kind, created));
  const corrected: Lifecycle = {
    ...lifecycle,
    machineVersion: first.machineVersion,
    // What is on its way stays on its way.
    state: lifecycle.endedAt === null ? lifecycle.state : first.state,
    context: first.context,
    contractId: created.contractId,
    ...licenseColumns(kind, created),
    version: lifecycle.version + 1,
    endedAt: null,
  };
  ws.putLifecycle(corrected);
  ws.record(factEntry(corrected, 'ledger.corrected', origin));
}

/** The lifecycle after a step of its machine, or `null` when the machine does not take the event. */
function stepped(
  lifecycle: Lifecycle,
  event: MachineEvent,
  at: string,
): { lifecycle: Lifecycle; effects: readonly string[] } | null {
  const made = step(lifecycle.kind, lifecycle, event);
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

/** Applies one fact of the ledger. A lifecycle that has ended, or a fact about none of ours, is skipped. */
export function applyFact(ws: WorkingSet, fact: Fact, origin: Origin): void {
  if (fact.kind === 'born') return bear(ws, fact.lifecycleKind, fact.created, origin);
  const contractId = fact.kind === 'continued' ? fact.from : fact.contractId;
  const before = ws.lifecycleOfContract(contractId);
  if (before === undefined) {
    if (fact.kind === 'continued') bear(ws, fact.lifecycleKind, fact.created, origin);
    return undefined;
  }
  const after = stepped(before, fact.event, origin.effectiveAt);
  if (after === null) return undefined;
  const lifecycle =
    fact.kind === 'continued'
      ? {
          ...after.lifecycle,
          contractId: fact.created.contractId,
          ...licenseColumns(before.kind, fact.created),
        }
      : after.lifecycle;
  ws.putLifecycle(lifecycle);
  ws.record(factEntry(lifecycle, fact.event.type, origin));
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
  const after = stepped(before, event, at);
  if (after === null) return { taken: false, effects: [] };
  if (isAside(change.operation)) return { taken: true, effects: after.effects };
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
