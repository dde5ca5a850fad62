import type {
  CompletionStreamRequest,
  CompletionStreamResponse,
  GetCompletionsRequest,
} from '../../../../proto/gen/com/daml/ledger/api/v2/command_completion_service.ts';
import type { Completion } from '../../../../proto/gen/com/daml/ledger/api/v2/completion.ts';
import type {
  GetContractRequest,
  GetContractResponse,
} from '../../../../proto/gen/com/daml/ledger/api/v2/contract_service.ts';
import type { CreatedEvent } from '../../../../proto/gen/com/daml/ledger/api/v2/event.ts';
import type {
  Archived,
  Created,
  GetEventsByContractIdRequest,
  GetEventsByContractIdResponse,
} from '../../../../proto/gen/com/daml/ledger/api/v2/event_query_service.ts';
import type {
  ActiveContract,
  GetActiveContractsPageRequest,
  GetActiveContractsPageResponse,
  GetActiveContractsResponse,
  GetConnectedSynchronizersResponse,
  GetConnectedSynchronizersResponse_ConnectedSynchronizer as ConnectedSynchronizer,
  GetLatestPrunedOffsetsResponse,
  GetLedgerEndResponse,
  IncompleteAssigned,
  IncompleteUnassigned,
} from '../../../../proto/gen/com/daml/ledger/api/v2/state_service.ts';
import type { EventFormat } from '../../../../proto/gen/com/daml/ledger/api/v2/transaction_filter.ts';
import {
  bare,
  bytes,
  defaulted,
  flag,
  int,
  list,
  long,
  message,
  oneOf,
  optional,
  record,
  text,
} from '../shape.ts';
import type { Shape } from '../shape.ts';
import {
  duration,
  offsetCheckpoint,
  participantPermission,
  status,
  synchronizerTime,
  traceContext,
} from './well-known.ts';
import { archivedEvent, createdEvent } from './events.ts';
import { eventFormat, legacyFilter } from './formats.ts';
import type { LegacyFilter } from './formats.ts';
import { assignedEvent, unassignedEvent } from './updates.ts';

export const ledgerEndAnswer = message<GetLedgerEndResponse, 'synchronizerTimes'>(
  'GetLedgerEndResponse',
  { offset: long },
);

export const prunedOffsetsAnswer = message<GetLatestPrunedOffsetsResponse>(
  'GetLatestPrunedOffsetsResponse',
  { participantPrunedUpToInclusive: long, allDivulgedContractsPrunedUpToInclusive: long },
);

export const connectedSynchronizersAnswer = message<GetConnectedSynchronizersResponse>(
  'GetConnectedSynchronizersResponse',
  {
    connectedSynchronizers: list(
      message<ConnectedSynchronizer>('ConnectedSynchronizer', {
        synchronizerAlias: text,
        synchronizerId: text,
        permission: participantPermission,
      }),
    ),
  },
);

/** A request for active contracts, in the current form or in that of older clients. */
export interface ActiveContractsRequest {
  filter: LegacyFilter | undefined;
  verbose: boolean;
  activeAtOffset: bigint;
  eventFormat: EventFormat | undefined;
  streamContinuationToken: Uint8Array | undefined;
}

export const activeContractsRequest = message<ActiveContractsRequest>('GetActiveContractsRequest', {
  filter: optional(legacyFilter),
  verbose: flag,
  activeAtOffset: long,
  eventFormat: optional(eventFormat),
  streamContinuationToken: optional(bytes),
});

export const activeContractsPageRequest = message<GetActiveContractsPageRequest>(
  'GetActiveContractsPageRequest',
  {
    activeAtOffset: optional(long),
    eventFormat: optional(eventFormat),
    maxPageSize: optional(int),
    pageToken: optional(bytes),
  },
);

/** A created event. The JSON always contains it, although it may be absent in protobuf. */
const created = createdEvent as Shape<CreatedEvent | undefined>;

const contractEntry = oneOf<NonNullable<GetActiveContractsResponse['contractEntry']>>(
  {
    activeContract: bare(
      'JsActiveContract',
      record<ActiveContract>('JsActiveContract', {
        createdEvent: created,
        synchronizerId: text,
        reassignmentCounter: long,
      }),
    ),
    incompleteUnassigned: bare(
      'JsIncompleteUnassigned',
      record<IncompleteUnassigned>('JsIncompleteUnassigned', {
        createdEvent: created,
        unassignedEvent,
      }),
    ),
    incompleteAssigned: bare(
      'JsIncompleteAssigned',
      record<IncompleteAssigned>('JsIncompleteAssigned', {
        assignedEvent,
      }),
    ),
  },
  { empty: 'JsEmpty' },
);

export const activeContractsAnswer = record<GetActiveContractsResponse>(
  'JsGetActiveContractsResponse',
  {
    workflowId: defaulted(text),
    contractEntry: defaulted(contractEntry),
    streamContinuationToken: defaulted(bytes),
  },
);

export const activeContractsPageAnswer = record<GetActiveContractsPageResponse>(
  'JsGetActiveContractsPageResponse',
  {
    activeContracts: list(activeContractsAnswer),
    activeAtOffset: long,
    nextPageToken: optional(bytes),
  },
);

export const completionStreamRequest = message<CompletionStreamRequest>('CompletionStreamRequest', {
  userId: text,
  parties: list(text),
  beginExclusive: long,
});

export const completionsRequest = message<GetCompletionsRequest>('GetCompletionsRequest', {
  parties: list(text),
  beginExclusive: long,
});

const completion = message<Completion, 'transactionHash'>('Completion', {
  commandId: text,
  status: optional(status),
  updateId: text,
  userId: text,
  actAs: list(text),
  submissionId: text,
  deduplicationPeriod: oneOf<NonNullable<Completion['deduplicationPeriod']>>({
    deduplicationDuration: duration,
    deduplicationOffset: long,
  }),
  traceContext: optional(traceContext),
  offset: long,
  synchronizerTime: optional(synchronizerTime),
  paidTrafficCost: long,
});

export const completionAnswer = message<CompletionStreamResponse>('CompletionStreamResponse', {
  completionResponse: oneOf<NonNullable<CompletionStreamResponse['completionResponse']>>({
    completion,
    offsetCheckpoint,
  }),
});

export const eventsByContractIdRequest = message<GetEventsByContractIdRequest>(
  'GetEventsByContractIdRequest',
  { contractId: text, eventFormat: optional(eventFormat) },
);

export const eventsByContractIdAnswer = record<GetEventsByContractIdResponse>(
  'JsGetEventsByContractIdResponse',
  {
    created: optional(
      record<Created>('JsCreated', { createdEvent: created, synchronizerId: text }),
    ),
    archived: optional(
      record<Archived>('JsArchived', {
        archivedEvent,
        synchronizerId: text,
      }),
    ),
  },
);

export const contractRequest = message<GetContractRequest>('GetContractRequest', {
  contractId: text,
  queryingParties: list(text),
});

export const contractAnswer = record<GetContractResponse>('GetContractResponse', {
  createdEvent: created,
});
