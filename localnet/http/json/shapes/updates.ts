import type {
  Reassignment,
  ReassignmentEvent,
  UnassignedEvent,
  AssignedEvent,
} from '../../../../proto/gen/com/daml/ledger/api/v2/reassignment.ts';
import type {
  ParticipantAuthorizationAdded,
  ParticipantAuthorizationRevoked,
  TopologyEvent,
  TopologyTransaction,
} from '../../../../proto/gen/com/daml/ledger/api/v2/topology_transaction.ts';
import type { Transaction } from '../../../../proto/gen/com/daml/ledger/api/v2/transaction.ts';
import type {
  GetUpdateByIdRequest,
  GetUpdateByOffsetRequest,
  GetUpdateResponse,
  GetUpdatesPageRequest,
  GetUpdatesPageResponse,
  GetUpdatesResponse,
} from '../../../../proto/gen/com/daml/ledger/api/v2/update_service.ts';
import type {
  TransactionFormat,
  UpdateFormat,
} from '../../../../proto/gen/com/daml/ledger/api/v2/transaction_filter.ts';
import {
  bare,
  bytes,
  defaulted,
  flag,
  int,
  list,
  long,
  map,
  message,
  oneOf,
  optional,
  record,
  text,
  writtenAs,
} from '../shape.ts';
import type { Shape } from '../shape.ts';
import {
  hexBytes,
  identifier,
  instant,
  offsetCheckpoint,
  participantPermission,
  traceContext,
} from './well-known.ts';
import { createdEvent, event, treeEvent } from './events.ts';
import type { TreeEvent } from './events.ts';
import { legacyFilter, transactionFormat, updateFormat } from './formats.ts';
import type { LegacyFilter } from './formats.ts';

/** An instant. The JSON always contains it, although it may be absent in protobuf. */
const moment = instant as Shape<ReturnType<typeof instant.read> | undefined>;

const transaction: Shape<Transaction> = record<Transaction, 'transactionHash'>('JsTransaction', {
  updateId: text,
  commandId: defaulted(text),
  workflowId: defaulted(text),
  effectiveAt: moment,
  events: list(event),
  offset: long,
  synchronizerId: text,
  traceContext: optional(traceContext),
  recordTime: moment,
  externalTransactionHash: optional(hexBytes),
  paidTrafficCost: optional(long),
});

/** The transaction format of older clients: events by node. */
type TransactionTree = Omit<
  Transaction,
  'events' | 'externalTransactionHash' | 'paidTrafficCost' | 'transactionHash'
> & { eventsById: Record<string, TreeEvent | undefined> };

const jsTransactionTree = record<TransactionTree>('JsTransactionTree', {
  updateId: text,
  commandId: defaulted(text),
  workflowId: defaulted(text),
  effectiveAt: moment,
  offset: long,
  eventsById: map(treeEvent),
  synchronizerId: text,
  traceContext: optional(traceContext),
  recordTime: moment,
});

function treeOf(of: Transaction): TransactionTree {
  const nodes = of.events
    .map(({ event: found }) => found)
    .filter((found): found is TreeEvent => found !== undefined && found.$case !== 'archived');
  return { ...of, eventsById: Object.fromEntries(nodes.map((node) => [node.value.nodeId, node])) };
}

const transactionTree: Shape<Transaction> = writtenAs(jsTransactionTree, treeOf);

export const transactionAnswer = record<{ transaction: Transaction }>('JsGetTransactionResponse', {
  transaction,
});
export const transactionTreeAnswer = record<{ transaction: Transaction }>(
  'JsGetTransactionTreeResponse',
  { transaction: transactionTree },
);
export const submittedTransactionAnswer = record<{ transaction: Transaction | undefined }>(
  'JsSubmitAndWaitForTransactionResponse',
  { transaction },
);
export const executedTransactionAnswer = record<{ transaction: Transaction | undefined }>(
  'JsExecuteSubmissionAndWaitForTransactionResponse',
  { transaction },
);
export const submittedTreeAnswer = record<{ transactionTree: Transaction | undefined }>(
  'JsSubmitAndWaitForTransactionTreeResponse',
  { transactionTree },
);

export const unassignedEvent = message<UnassignedEvent>('UnassignedEvent', {
  reassignmentId: text,
  contractId: text,
  templateId: optional(identifier),
  source: text,
  target: text,
  submitter: text,
  reassignmentCounter: long,
  assignmentExclusivity: optional(instant),
  witnessParties: list(text),
  packageName: text,
  offset: long,
  nodeId: int,
});

const assignedFields = {
  source: text,
  target: text,
  reassignmentId: text,
  submitter: text,
  reassignmentCounter: long,
  createdEvent: createdEvent as Shape<AssignedEvent['createdEvent']>,
};
export const assignedEvent = record<AssignedEvent>('JsAssignedEvent', assignedFields);
const assignmentEvent = record<AssignedEvent>('JsAssignmentEvent', assignedFields);

const reassignmentEvent: Shape<ReassignmentEvent> = writtenAs(
  oneOf<NonNullable<ReassignmentEvent['event']>>(
    {
      assigned: bare('JsAssignmentEvent', assignmentEvent),
      unassigned: { key: 'JsUnassignedEvent', shape: unassignedEvent },
    },
    { empty: null },
  ),
  (given: ReassignmentEvent) => given.event,
);

export const reassignment = record<Reassignment>('JsReassignment', {
  updateId: text,
  commandId: defaulted(text),
  workflowId: defaulted(text),
  offset: long,
  events: list(reassignmentEvent),
  traceContext: optional(traceContext),
  recordTime: moment,
  synchronizerId: text,
  paidTrafficCost: optional(long),
});

const authorization = (name: string) =>
  message<ParticipantAuthorizationAdded>(name, {
    partyId: text,
    participantId: text,
    participantPermission,
  });

const topologyTransaction = message<TopologyTransaction>('JsTopologyTransaction', {
  updateId: text,
  offset: long,
  synchronizerId: text,
  recordTime: optional(instant),
  events: list(
    message<TopologyEvent>('TopologyEvent', {
      event: oneOf<NonNullable<TopologyEvent['event']>>({
        participantAuthorizationAdded: authorization('ParticipantAuthorizationAdded'),
        participantAuthorizationChanged: authorization('ParticipantAuthorizationChanged'),
        participantAuthorizationOnboarding: authorization('ParticipantAuthorizationOnboarding'),
        participantAuthorizationRevoked: message<ParticipantAuthorizationRevoked>(
          'ParticipantAuthorizationRevoked',
          { partyId: text, participantId: text },
        ),
      }),
    }),
  ),
  traceContext: optional(traceContext),
});

const update = oneOf<NonNullable<GetUpdatesResponse['update']>>(
  { offsetCheckpoint, reassignment, topologyTransaction, transaction },
  { empty: null },
);

export const updatesAnswer = record<GetUpdatesResponse>('JsGetUpdatesResponse', { update });
export const updateAnswer = record<GetUpdateResponse>('JsGetUpdateResponse', {
  update: update as Shape<GetUpdateResponse['update']>,
});

type TreeUpdate = Exclude<
  NonNullable<GetUpdatesResponse['update']>,
  { $case: 'topologyTransaction' }
>;

export const updateTreesAnswer = record<{ update: TreeUpdate | undefined }>(
  'JsGetUpdateTreesResponse',
  {
    update: oneOf<TreeUpdate>(
      {
        offsetCheckpoint,
        reassignment,
        transaction: { key: 'TransactionTree', shape: transactionTree },
      },
      { empty: null },
    ),
  },
) as Shape<GetUpdatesResponse>;

export const updatesPageAnswer = record<GetUpdatesPageResponse>('JsGetUpdatesPageResponse', {
  updates: defaulted(list(updateAnswer)),
  lowestPageOffsetExclusive: long,
  highestPageOffsetInclusive: long,
  nextPageToken: optional(bytes),
});

export const updatesPageRequest = message<GetUpdatesPageRequest>('GetUpdatesPageRequest', {
  beginOffsetExclusive: optional(long),
  endOffsetInclusive: optional(long),
  maxPageSize: optional(int),
  updateFormat: optional(updateFormat),
  descendingOrder: flag,
  pageToken: optional(bytes),
});

export const updateByOffsetRequest = message<GetUpdateByOffsetRequest>('GetUpdateByOffsetRequest', {
  offset: long,
  updateFormat: optional(updateFormat),
});

export const updateByIdRequest = message<GetUpdateByIdRequest>('GetUpdateByIdRequest', {
  updateId: text,
  updateFormat: optional(updateFormat),
});

/** A request for updates, in the current form or in that of older clients. */
export interface UpdatesRequest {
  beginExclusive: bigint;
  endInclusive: bigint | undefined;
  filter: LegacyFilter | undefined;
  verbose: boolean;
  updateFormat: UpdateFormat | undefined;
  descendingOrder: boolean;
}

export const updatesRequest = message<UpdatesRequest>('GetUpdatesRequest', {
  beginExclusive: long,
  endInclusive: optional(long),
  filter: optional(legacyFilter),
  verbose: flag,
  updateFormat: optional(updateFormat),
  descendingOrder: flag,
});

/** A request for one transaction, which states either the requesting parties or a format. */
export interface PointwiseQuery {
  requestingParties: string[];
  transactionFormat: TransactionFormat | undefined;
}

const pointwise = { requestingParties: list(text), transactionFormat: optional(transactionFormat) };

export const transactionByIdRequest = message<PointwiseQuery & { updateId: string }>(
  'GetTransactionByIdRequest',
  { updateId: text, ...pointwise },
);

export const transactionByOffsetRequest = message<PointwiseQuery & { offset: bigint }>(
  'GetTransactionByOffsetRequest',
  { offset: long, ...pointwise },
);
