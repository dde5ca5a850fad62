import { ParticipantPermission } from '../../../proto/gen/com/daml/ledger/api/v2/state_service.ts';
import type {
  GetActiveContractsPageRequest,
  GetActiveContractsPageResponse,
  GetActiveContractsRequest,
  GetActiveContractsResponse,
  StateServiceImplementation,
} from '../../../proto/gen/com/daml/ledger/api/v2/state_service.ts';
import { stakeholdersOf } from '../../ledger/contract.ts';
import type { EventFormat } from '../../ledger/event-format.ts';
import type { ParticipantNode } from '../../ledger/participant-node.ts';
import type { KnownContract } from '../../ledger/known-contracts.ts';

import { partyDefect, uniqueIdentifierDefect } from '../../ledger/identifiers.ts';
import { checkField, negativeOffset } from '../../ledger/submission-checks.ts';
import type { Call } from '../call.ts';
import type { Encoder } from '../encode.ts';
import { readEventFormat, requireFormatRights } from '../formats.ts';
import {
  ACS_PAGE_SIZES,
  TOKEN_RULES,
  decodeToken,
  encodeToken,
  fingerprintOf,
  pageSizeOf,
} from '../page-token.ts';
import type { PagePosition } from '../page-token.ts';
import { requireNotAfterEnd, requireNotPruned, Turns } from '../tail.ts';
import type { StreamSettings } from './update.ts';

/** The alias of the synchronizer on participants of the reference application. */
const SYNCHRONIZER_ALIAS = 'global';

const isAfter = ({ created }: KnownContract, position: PagePosition | undefined): boolean =>
  position === undefined ||
  created.offset > position.offset ||
  (created.offset === position.offset && created.event.nodeId > position.nodeId);

/** Reads the active contract set of one participant, for readers with the necessary rights. */
class ActiveContractReads {
  readonly #participant: ParticipantNode;
  readonly #encoder: Encoder;

  constructor(participant: ParticipantNode, encoder: Encoder) {
    this.#participant = participant;
    this.#encoder = encoder;
  }

  #checkOffset(offset: bigint): void {
    const { state } = this.#participant;
    if (offset < 0n) throw negativeOffset('active_at_offset', offset);
    requireNotAfterEnd('active_at_offset', offset, state);
    requireNotPruned(offset, state);
  }

  #entry(
    known: KnownContract,
    format: EventFormat,
    token: Uint8Array,
  ): GetActiveContractsResponse | undefined {
    const { contract, created } = known;
    const { hosted } = this.#participant.state;
    const selection = format.select(contract, stakeholdersOf(contract), hosted);
    if (selection === undefined) return undefined;
    const how = { verbose: format.verbose, acsDelta: true };
    const createdEvent = this.#encoder.created(created.event, created.offset, selection, how);
    const { synchronizerId } = this.#participant;
    return {
      workflowId: created.workflowId,
      contractEntry: {
        $case: 'activeContract',
        value: { createdEvent, synchronizerId, reassignmentCounter: 0n },
      },
      streamContinuationToken: token,
    };
  }

  async *stream(
    request: GetActiveContractsRequest,
  ): AsyncGenerator<GetActiveContractsResponse, void, undefined> {
    const { state, registry } = this.#participant;
    const { activeAtOffset, eventFormat, streamContinuationToken } = request;
    const format = readEventFormat(eventFormat, registry);
    const fingerprint = fingerprintOf([activeAtOffset, eventFormat]);
    const from =
      streamContinuationToken === undefined
        ? undefined
        : decodeToken(streamContinuationToken, fingerprint, TOKEN_RULES.GetActiveContracts);
    this.#checkOffset(activeAtOffset);
    const turns = new Turns(state);
    for (const known of state.contracts.activeAt(activeAtOffset, from?.offset ?? 0n)) {
      if (turns.isOver()) await turns.next();
      if (!isAfter(known, from)) continue;
      const entry = this.#entry(
        known,
        format,
        encodeToken(placeOf(known, activeAtOffset), fingerprint),
      );
      if (entry !== undefined) yield entry;
    }
  }

  async page(request: GetActiveContractsPageRequest): Promise<GetActiveContractsPageResponse> {
    const { state, registry } = this.#participant;
    const { eventFormat, maxPageSize, pageToken } = request;
    const format = readEventFormat(eventFormat, registry);
    const size = pageSizeOf(maxPageSize, ACS_PAGE_SIZES);
    const fingerprint = fingerprintOf([request.activeAtOffset ?? '', eventFormat]);
    const from =
      pageToken === undefined
        ? undefined
        : decodeToken(pageToken, fingerprint, TOKEN_RULES.GetActiveContractsPage);
    const activeAtOffset = from?.bound ?? request.activeAtOffset ?? state.ledgerEnd;
    this.#checkOffset(activeAtOffset);
    const activeContracts: GetActiveContractsResponse[] = [];
    let last: KnownContract | undefined;
    const turns = new Turns(state);
    for (const known of state.contracts.activeAt(activeAtOffset, from?.offset ?? 0n)) {
      if (turns.isOver()) await turns.next();
      if (!isAfter(known, from)) continue;
      const entry = this.#entry(known, format, new Uint8Array());
      if (entry === undefined) continue;
      if (activeContracts.length === size && last !== undefined) {
        const nextPageToken = encodeToken(placeOf(last, activeAtOffset), fingerprint);
        return { activeContracts, activeAtOffset, nextPageToken };
      }
      activeContracts.push(entry);
      last = known;
    }
    return { activeContracts, activeAtOffset };
  }
}

const placeOf = ({ created }: KnownContract, bound: bigint): PagePosition => ({
  offset: created.offset,
  nodeId: created.event.nodeId,
  bound,
});

export function stateService(
  participant: ParticipantNode,
  encoder: Encoder,
  { participantIdOf }: Pick<StreamSettings, 'participantIdOf'>,
): StateServiceImplementation<Call> {
  const reads = new ActiveContractReads(participant, encoder);
  const { state } = participant;
  return {
    async getLedgerEnd() {
      // Participants return synchronizer times only from version 3.6 on.
      return { offset: state.ledgerEnd, synchronizerTimes: [] };
    },

    async *getActiveContracts(request, call) {
      requireFormatRights(call.access, request.eventFormat);
      for await (const entry of reads.stream(request)) {
        if (call.stop.aborted) throw call.endOfStream();
        yield entry;
      }
    },

    async getActiveContractsPage(request, call) {
      requireFormatRights(call.access, request.eventFormat);
      return reads.page(request);
    },

    async getConnectedSynchronizers({ party, participantId }, { access }) {
      const { synchronizerId } = participant;
      const connected = (permission: ParticipantPermission) => ({
        connectedSynchronizers: [
          { synchronizerAlias: SYNCHRONIZER_ALIAS, synchronizerId, permission },
        ],
      });
      // Every caller may read the connected synchronizers. Only the permissions of a party need rights.
      if (party !== '') {
        access.requireOperateAs([party]);
        checkField('party', party, partyDefect);
      }
      if (participantId !== '') {
        checkField('participant_id', participantId, uniqueIdentifierDefect);
      }
      if (party === '') return connected(ParticipantPermission.UNSPECIFIED);
      const about = participantId === '' ? participant.participantId : participantId;
      const hosts = [...(state.hosts.get(party) ?? [])].map(participantIdOf);
      return hosts.includes(about)
        ? connected(ParticipantPermission.SUBMISSION)
        : { connectedSynchronizers: [] };
    },

    async getLatestPrunedOffsets() {
      return {
        participantPrunedUpToInclusive: state.prunedUpTo,
        allDivulgedContractsPrunedUpToInclusive: state.prunedUpTo,
      };
    },
  };
}
