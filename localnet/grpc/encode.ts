import type { Completion as CompletionMessage } from '../../proto/gen/com/daml/ledger/api/v2/completion.ts';
import type {
  ArchivedEvent as ArchivedMessage,
  CreatedEvent as CreatedMessage,
  Event as EventMessage,
  ExercisedEvent as ExercisedMessage,
  InterfaceView,
} from '../../proto/gen/com/daml/ledger/api/v2/event.ts';
import type {
  OffsetCheckpoint,
  SynchronizerTime,
} from '../../proto/gen/com/daml/ledger/api/v2/offset_checkpoint.ts';
import { ParticipantPermission } from '../../proto/gen/com/daml/ledger/api/v2/state_service.ts';
import type { TopologyTransaction } from '../../proto/gen/com/daml/ledger/api/v2/topology_transaction.ts';
import type { Transaction } from '../../proto/gen/com/daml/ledger/api/v2/transaction.ts';
import type { Identifier } from '../../proto/gen/com/daml/ledger/api/v2/value.ts';
import { encodeBlob } from '../ledger/created-event-blob.ts';
import { entropy } from '../ledger/entropy.ts';
import { Meter, VIEW_BOUNDS } from '../ledger/engine/bounds.ts';
import type { Selection } from '../ledger/event-format.ts';
import { LedgerError } from '../ledger/ledger-error.ts';
import type { InterfaceDefinition } from '../ledger/package-definition.ts';
import type { ParticipantNode } from '../ledger/participant-node.ts';
import type { Reached } from '../ledger/participant-state.ts';
import { projectEvents, visibleCommandId, visibleCost } from '../ledger/projection.ts';
import type { ProjectedEvent, Reader } from '../ledger/projection.ts';
import type {
  Completion,
  CreatedEvent,
  ExercisedEvent,
  LedgerTransaction,
  PartyAdded,
} from '../ledger/update.ts';
import { viewOf } from '../ledger/writable.ts';
import { wireStatus } from './errors.ts';
import type { TransactionFormat } from './formats.ts';
import { timestampOf } from '../messages/times.ts';
import { encodeRecord, encodeValue, identifier } from '../messages/values.ts';
import type { ValueEncoding } from '../messages/values.ts';

const NO_BYTES = new Uint8Array();
const PERMISSIONS = {
  submission: ParticipantPermission.SUBMISSION,
  confirmation: ParticipantPermission.CONFIRMATION,
  observation: ParticipantPermission.OBSERVATION,
} as const;

/** Converts a participant's data to protobuf messages. */
export class Encoder {
  readonly #participant: ParticipantNode;

  constructor(participant: ParticipantNode) {
    this.#participant = participant;
  }

  #valueEncoding(verbose: boolean): ValueEncoding {
    return { verbose, packageIdOf: (name) => this.#participant.registry.idOf(name) };
  }

  #interfaceId({ name }: InterfaceDefinition): Identifier {
    return identifier(this.#participant.registry.idOf(name.packageName), name);
  }

  created(
    event: CreatedEvent,
    offset: bigint,
    selection: Selection,
    { verbose, acsDelta }: { readonly verbose: boolean; readonly acsDelta: boolean },
    meter = new Meter(VIEW_BOUNDS),
  ): CreatedMessage {
    const { contract } = event;
    const { template } = contract;
    return {
      offset,
      nodeId: event.nodeId,
      contractId: contract.contractId,
      templateId: identifier(contract.packageId, template.name),
      contractKey: undefined,
      contractKeyHash: NO_BYTES,
      createArguments: encodeRecord(
        template.payload,
        contract.payload,
        this.#valueEncoding(verbose),
      ),
      createdEventBlob: selection.includeBlob ? encodeBlob(contract) : NO_BYTES,
      interfaceViews: selection.views.map((iface) => this.#view(event, iface, verbose, meter)),
      witnessParties: [...selection.witnesses],
      signatories: [...contract.signatories],
      observers: [...contract.observers],
      createdAt: timestampOf(contract.createdAt),
      packageName: template.name.packageName,
      acsDelta,
      representativePackageId: contract.packageId,
    };
  }

  /** If the computation of a view fails, the view contains the error, and the rest of the event is as usual. */
  #view(
    { contract }: CreatedEvent,
    iface: InterfaceDefinition,
    verbose: boolean,
    meter: Meter,
  ): InterfaceView {
    const interfaceId = this.#interfaceId(iface);
    const { packageId: implementationPackageId } = contract;
    try {
      const { sum } = encodeValue(
        iface.view,
        viewOf(contract, iface, meter),
        this.#valueEncoding(verbose),
      );
      return {
        interfaceId,
        viewStatus: { code: 0, message: '', details: [] },
        viewValue: sum?.$case === 'record' ? sum.value : undefined,
        implementationPackageId,
      };
    } catch (error) {
      if (!(error instanceof LedgerError)) throw error;
      const viewStatus = wireStatus(error, { traceId: entropy(16).toString('hex') });
      return { interfaceId, viewStatus, viewValue: undefined, implementationPackageId };
    }
  }

  archived(event: ExercisedEvent, offset: bigint, selection: Selection): ArchivedMessage {
    const { contract } = event;
    return {
      offset,
      nodeId: event.nodeId,
      contractId: contract.contractId,
      templateId: identifier(contract.packageId, contract.template.name),
      witnessParties: [...selection.witnesses],
      packageName: contract.template.name.packageName,
      implementedInterfaces: selection.views.map((iface) => this.#interfaceId(iface)),
    };
  }

  #exercised(
    event: ExercisedEvent,
    offset: bigint,
    selection: Selection,
    { verbose, acsDelta }: { readonly verbose: boolean; readonly acsDelta: boolean },
  ): ExercisedMessage {
    const { contract, interfaceName } = event;
    const how = this.#valueEncoding(verbose);
    return {
      offset,
      nodeId: event.nodeId,
      contractId: contract.contractId,
      templateId: identifier(contract.packageId, contract.template.name),
      interfaceId:
        interfaceName === undefined
          ? undefined
          : identifier(this.#participant.registry.idOf(interfaceName.packageName), interfaceName),
      choice: event.choice,
      choiceArgument: encodeValue(event.argumentType, event.argument, how),
      actingParties: [...event.actors],
      consuming: event.consuming,
      witnessParties: [...selection.witnesses],
      lastDescendantNodeId: event.lastDescendantNodeId,
      exerciseResult: encodeValue(event.resultType, event.result, how),
      packageName: contract.template.name.packageName,
      implementedInterfaces: selection.views.map((iface) => this.#interfaceId(iface)),
      acsDelta,
    };
  }

  #event(projected: ProjectedEvent, offset: bigint, verbose: boolean, meter: Meter): EventMessage {
    const { selection } = projected;
    switch (projected.kind) {
      case 'created': {
        const how = { verbose, acsDelta: projected.acsDelta };
        const value = this.created(projected.event, offset, selection, how, meter);
        return { event: { $case: 'created', value } };
      }
      case 'archived':
        return {
          event: { $case: 'archived', value: this.archived(projected.event, offset, selection) },
        };
      case 'exercised': {
        const how = { verbose, acsDelta: projected.acsDelta };
        const value = this.#exercised(projected.event, offset, selection, how);
        return { event: { $case: 'exercised', value } };
      }
      default:
        return projected satisfies never;
    }
  }

  reader(format: TransactionFormat['events']): Reader {
    return { format, hosted: this.#participant.state.hosted };
  }

  /** Returns a transaction as a reader sees it. Its `events` may be empty. */
  transaction(
    transaction: LedgerTransaction,
    offset: bigint,
    format: TransactionFormat,
  ): Transaction {
    const reader = this.reader(format.events);
    const events = projectEvents(transaction, format.shape, reader);
    const { verbose } = format.events;
    // The views of a transaction together have the resource limits of one submission.
    const meter = new Meter();
    return {
      updateId: transaction.updateId,
      commandId: visibleCommandId(transaction, this.#participant.name, reader),
      workflowId: transaction.workflowId,
      effectiveAt: timestampOf(transaction.ledgerTime),
      events: events.map((event) => this.#event(event, offset, verbose, meter)),
      offset,
      synchronizerId: this.#participant.synchronizerId,
      traceContext: { ...transaction.traceContext },
      recordTime: timestampOf(transaction.recordTime),
      externalTransactionHash:
        transaction.externalHash === undefined
          ? undefined
          : Buffer.from(transaction.externalHash, 'hex'),
      paidTrafficCost: visibleCost(transaction, this.#participant.name, reader),
    };
  }

  partyAdded(update: PartyAdded, offset: bigint, participantIdOfHost: string): TopologyTransaction {
    return {
      updateId: update.updateId,
      offset,
      synchronizerId: this.#participant.synchronizerId,
      recordTime: timestampOf(update.recordTime),
      traceContext: undefined,
      events: [
        {
          event: {
            $case: 'participantAuthorizationAdded',
            value: {
              partyId: update.party,
              participantId: participantIdOfHost,
              participantPermission: PERMISSIONS[update.permission ?? 'submission'],
            },
          },
        },
      ],
    };
  }

  #synchronizerTime(micros: bigint): SynchronizerTime {
    return {
      synchronizerId: this.#participant.synchronizerId,
      recordTime: timestampOf(micros),
    };
  }

  checkpoint({ offset, recordTime }: Reached): OffsetCheckpoint {
    return { offset, synchronizerTimes: [this.#synchronizerTime(recordTime)] };
  }

  /** Returns the completion, with only those submitting parties that the reader has requested (`isAsked`). */
  completion(completion: Completion, isAsked: (party: string) => boolean): CompletionMessage {
    const { submitter, rejection, traceContext } = completion;
    const traceId = traceContext.traceparent.split('-')[1] ?? '';
    const { submissionId } = submitter;
    return {
      commandId: submitter.commandId,
      status:
        rejection === undefined
          ? { code: 0, message: '', details: [] }
          : wireStatus(rejection, { traceId, submissionId }),
      updateId: completion.updateId,
      userId: submitter.userId,
      actAs: submitter.actAs.filter(isAsked),
      submissionId,
      deduplicationPeriod: { $case: 'deduplicationOffset', value: completion.deduplicationOffset },
      traceContext: { ...traceContext },
      offset: completion.offset,
      synchronizerTime: this.#synchronizerTime(completion.recordTime),
      paidTrafficCost: completion.paidTrafficCost,
    };
  }
}
