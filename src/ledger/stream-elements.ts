import type { ContractId, ParticipantName, Party, SubmissionId, UpdateId } from '../domain/ids.ts';
import { trusted } from '../domain/ids.ts';
import type {
  ActiveContract,
  CompletionElement,
  CreatedEvent,
  ExercisedEvent,
  InterfaceView,
  LedgerEvent,
  LedgerPosition,
  LedgerTransaction,
  LedgerUpdate,
  SynchronizerTimes,
  TemplateName,
} from '../domain/ledger.ts';
import { isoToMs } from '../domain/time.ts';
import { unreachable } from '../domain/unreachable.ts';
import type { Timestamp } from '../../proto/gen/google/protobuf/timestamp.ts';
import type { CompletionStreamResponse } from '../../proto/gen/com/daml/ledger/api/v2/command_completion_service.ts';
import type { Completion } from '../../proto/gen/com/daml/ledger/api/v2/completion.ts';
import type {
  CreatedEvent as WireCreated,
  Event as WireEvent,
  ExercisedEvent as WireExercised,
  InterfaceView as WireView,
} from '../../proto/gen/com/daml/ledger/api/v2/event.ts';
import type { OffsetCheckpoint } from '../../proto/gen/com/daml/ledger/api/v2/offset_checkpoint.ts';
import type { Reassignment } from '../../proto/gen/com/daml/ledger/api/v2/reassignment.ts';
import type { GetActiveContractsResponse } from '../../proto/gen/com/daml/ledger/api/v2/state_service.ts';
import type { Transaction } from '../../proto/gen/com/daml/ledger/api/v2/transaction.ts';
import type { GetUpdatesResponse } from '../../proto/gen/com/daml/ledger/api/v2/update_service.ts';
import type { Identifier } from '../../proto/gen/com/daml/ledger/api/v2/value.ts';
import { DecodeError, decodeAt, decodeRecord, decodeValue } from './decode.ts';
import { microsToIso, timestampToMicros } from './instants.ts';
import { classifyStatus } from './outcome.ts';

/*
 * Decodes stream elements. Pure. An element that cannot be decoded throws: an element of a kind that is newer than this
 * code may concern our contracts, and skipping it would lead to a wrong state.
 */

/** @throws DecodeError */
export function readUpdate(
  { update }: GetUpdatesResponse,
  interfaces: readonly TemplateName[],
): LedgerUpdate {
  switch (update?.$case) {
    case undefined:
      throw new DecodeError('an update of a kind that is not known here');
    case 'transaction':
      return decodeAt(`update ${update.value.updateId} at offset ${update.value.offset}`, () =>
        readTransaction(update.value, interfaces),
      );
    case 'reassignment':
      return decodeAt(`update ${update.value.updateId} at offset ${update.value.offset}`, () =>
        readReassignment(update.value, interfaces),
      );
    case 'topologyTransaction':
      // The hosting of parties is read elsewhere, so topology updates have no content here.
      return {
        kind: 'position',
        offset: update.value.offset,
        recordTime: isoOrNull(update.value.recordTime),
        times: timesOf([update.value]),
      };
    case 'offsetCheckpoint':
      return {
        kind: 'position',
        offset: update.value.offset,
        ...checkpointTimes(update.value),
      };
    default:
      return unreachable(update);
  }
}

/** @throws DecodeError */
export function readCompletionElement(
  participant: ParticipantName,
  { completionResponse: response }: CompletionStreamResponse,
): CompletionElement {
  switch (response?.$case) {
    case undefined:
      throw new DecodeError('a completion of a kind that is not known here');
    case 'completion':
      return readCompletion(participant, response.value);
    case 'offsetCheckpoint':
      return {
        kind: 'position',
        participant,
        offset: response.value.offset,
        times: timesOf(response.value.synchronizerTimes),
      };
    default:
      return unreachable(response);
  }
}

/**
 * Reads an active contract. A contract in transit between two synchronizers is as active as any other. @throws
 * DecodeError
 */
export function readActiveContract(
  { contractEntry: entry }: GetActiveContractsResponse,
  interfaces: readonly TemplateName[],
): ActiveContract {
  switch (entry?.$case) {
    case undefined:
      throw new DecodeError('an active contract of a kind that is not known here');
    case 'activeContract':
      return activeContract(entry.value.createdEvent, entry.value.synchronizerId, interfaces);
    case 'incompleteUnassigned':
      return activeContract(
        entry.value.createdEvent,
        entry.value.unassignedEvent?.source ?? '',
        interfaces,
      );
    case 'incompleteAssigned': {
      const { assignedEvent } = entry.value;
      return activeContract(assignedEvent?.createdEvent, assignedEvent?.target ?? '', interfaces);
    }
    default:
      return unreachable(entry);
  }
}

function readTransaction(
  transaction: Transaction,
  interfaces: readonly TemplateName[],
): LedgerTransaction {
  return {
    kind: 'transaction',
    offset: transaction.offset,
    updateId: trusted<UpdateId>(plain(transaction.updateId)),
    commandId: transaction.commandId,
    workflowId: transaction.workflowId,
    effectiveAt: iso(transaction.effectiveAt),
    recordTime: iso(transaction.recordTime),
    synchronizerId: transaction.synchronizerId,
    events: transaction.events.map((event) => readEvent(event, interfaces)),
  };
}

/**
 * Reads a reassignment. A contract that arrived from another synchronizer may be new here: it is reported as created,
 * which changes nothing if it is known. A contract that left is still active: it keeps its ID and its payload, and only
 * the submitter of a command needs to know its synchronizer.
 */
function readReassignment(
  reassignment: Reassignment,
  interfaces: readonly TemplateName[],
): LedgerTransaction {
  const recordTime = iso(reassignment.recordTime);
  const created = reassignment.events.flatMap(({ event }) =>
    event?.$case === 'assigned' && event.value.createdEvent !== undefined
      ? [readCreatedAt(event.value.createdEvent, interfaces)]
      : [],
  );
  return {
    kind: 'transaction',
    offset: reassignment.offset,
    updateId: trusted<UpdateId>(plain(reassignment.updateId)),
    commandId: reassignment.commandId,
    workflowId: reassignment.workflowId,
    effectiveAt: recordTime,
    recordTime,
    synchronizerId: reassignment.synchronizerId,
    events: created,
  };
}

/** @throws DecodeError that names the contract */
const readCreatedAt = (event: WireCreated, interfaces: readonly TemplateName[]): CreatedEvent =>
  decodeAt(`${event.templateId?.entityName ?? 'contract'} ${event.contractId}`, () =>
    readCreated(event, interfaces),
  );

function readEvent({ event }: WireEvent, interfaces: readonly TemplateName[]): LedgerEvent {
  switch (event?.$case) {
    case 'created':
      return readCreatedAt(event.value, interfaces);
    case 'exercised':
      return decodeAt(`${event.value.choice} on ${event.value.contractId}`, () =>
        readExercised(event.value),
      );
    case 'archived':
    case undefined:
      throw new DecodeError(`an event of kind ${event?.$case ?? 'unknown'}, not asked for`);
    default:
      return unreachable(event);
  }
}

const readCreated = (event: WireCreated, interfaces: readonly TemplateName[]): CreatedEvent => ({
  kind: 'created',
  nodeId: event.nodeId,
  contractId: trusted<ContractId>(plain(event.contractId)),
  template: templateOf(event.packageName, event.templateId),
  packageId: event.templateId?.packageId ?? '',
  payload: event.createArguments === undefined ? null : decodeRecord(event.createArguments),
  views: event.interfaceViews.flatMap((view) => readView(view, interfaces)),
  signatories: event.signatories.map(trusted<Party>),
  observers: event.observers.map(trusted<Party>),
  witnesses: event.witnessParties.map(trusted<Party>),
});

/**
 * Reads an interface view. A view that the contract's code could not compute is omitted: the contract is still reported
 * through its template.
 */
function readView(view: WireView, interfaces: readonly TemplateName[]): InterfaceView[] {
  if (view.viewValue === undefined || (view.viewStatus?.code ?? 0) !== 0) return [];
  if (view.interfaceId === undefined) throw new DecodeError('a view without its interface');
  const { packageId, moduleName, entityName } = view.interfaceId;
  const known = interfaces.find(
    (name) => name.moduleName === moduleName && name.entityName === entityName,
  );
  // The participant names an interface by package ID, but sends only requested interfaces.
  if (known === undefined) return [];
  return [{ interface: known, packageId, value: decodeRecord(view.viewValue) }];
}

const readExercised = (event: WireExercised): ExercisedEvent => ({
  kind: 'exercised',
  nodeId: event.nodeId,
  lastDescendantNodeId: event.lastDescendantNodeId,
  contractId: trusted<ContractId>(plain(event.contractId)),
  template: templateOf(event.packageName, event.templateId),
  packageId: event.templateId?.packageId ?? '',
  choice: event.choice,
  argument: decodeValue(event.choiceArgument),
  result: decodeValue(event.exerciseResult),
  consuming: event.consuming,
  actingParties: event.actingParties.map(trusted<Party>),
  witnesses: event.witnessParties.map(trusted<Party>),
});

function templateOf(packageName: string, id: Identifier | undefined): TemplateName {
  if (id === undefined) throw new DecodeError('an event without its template');
  return { packageName, moduleName: plain(id.moduleName), entityName: plain(id.entityName) };
}

/**
 * Checks an ID or name of the ledger, which must be printable ASCII. Any other text was damaged in transit, and would
 * seem to name something nonexistent.
 */
function plain(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  throw new DecodeError(`${JSON.stringify(text)} is no name of a ledger`);
}

function activeContract(
  event: WireCreated | undefined,
  synchronizerId: string,
  interfaces: readonly TemplateName[],
): ActiveContract {
  if (event === undefined) throw new DecodeError('an active contract without its created event');
  return {
    created: readCreatedAt(event, interfaces),
    createdAtOffset: event.offset,
    createdAt: iso(event.createdAt),
    synchronizerId,
  };
}

function readCompletion(participant: ParticipantName, completion: Completion): CompletionElement {
  const { status } = completion;
  const isAccepted = status === undefined || status.code === 0;
  return {
    kind: 'completion',
    participant,
    offset: completion.offset,
    commandId: completion.commandId,
    submissionId: trusted<SubmissionId>(completion.submissionId),
    ledgerUser: completion.userId,
    actAs: completion.actAs.map(trusted<Party>),
    updateId: isAccepted ? trusted<UpdateId>(completion.updateId) : null,
    answer: isAccepted ? null : classifyStatus(status),
    // The value is 0 for participants before 3.4, which do not have the field, and for submissions that were never
    // sequenced, which cost nothing.
    ...(completion.paidTrafficCost > 0n ? { cost: completion.paidTrafficCost } : {}),
    times: timesOf(completion.synchronizerTime === undefined ? [] : [completion.synchronizerTime]),
  };
}

/** Ignores entries without a synchronizer or a time. */
const timesOf = (
  times: readonly {
    readonly synchronizerId: string;
    readonly recordTime?: Timestamp | undefined;
  }[],
): SynchronizerTimes =>
  new Map(
    times.flatMap(({ synchronizerId, recordTime }) =>
      synchronizerId === '' || recordTime === undefined ? [] : [[synchronizerId, iso(recordTime)]],
    ),
  );

/**
 * Returns the times of a checkpoint, with the time of the synchronizer that is furthest behind: all synchronizers have
 * passed it.
 */
function checkpointTimes({
  synchronizerTimes,
}: OffsetCheckpoint): Pick<LedgerPosition, 'recordTime' | 'times'> {
  const times = timesOf(synchronizerTimes);
  const [earliest = null] = [...times.values()].toSorted((a, b) => isoToMs(a) - isoToMs(b));
  return { recordTime: earliest, times };
}

function iso(at: Timestamp | undefined): string {
  if (at === undefined) throw new DecodeError('without a time');
  return microsToIso(timestampToMicros(at));
}

const isoOrNull = (at: Timestamp | undefined): string | null => (at === undefined ? null : iso(at));
