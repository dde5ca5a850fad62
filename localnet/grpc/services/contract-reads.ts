import type { ContractServiceImplementation } from '../../../proto/gen/com/daml/ledger/api/v2/contract_service.ts';
import type { EventQueryServiceImplementation } from '../../../proto/gen/com/daml/ledger/api/v2/event_query_service.ts';
import { stakeholdersOf } from '../../ledger/contract.ts';
import { LedgerError } from '../../ledger/ledger-error.ts';
import type { ParticipantNode } from '../../ledger/participant-node.ts';
import { partySet, requireContractId } from '../../ledger/submission-checks.ts';
import type { Call } from '../call.ts';
import type { Encoder } from '../encode.ts';
import { readEventFormat, requireFormatRights } from '../formats.ts';

const resources = (contractId: string) => [{ type: 'CONTRACT_ID', name: contractId }];

export const eventQueryService = (
  participant: ParticipantNode,
  encoder: Encoder,
): EventQueryServiceImplementation<Call> => ({
  async getEventsByContractId({ contractId, eventFormat }, { access }) {
    requireFormatRights(access, eventFormat);
    requireContractId(contractId);
    const format = readEventFormat(eventFormat, participant.registry);
    const { contracts, hosted } = participant.state;
    const known = contracts.get(contractId);
    const selection =
      known === undefined
        ? undefined
        : format.select(known.contract, stakeholdersOf(known.contract), hosted);
    if (known === undefined || selection === undefined) {
      throw new LedgerError(
        'CONTRACT_EVENTS_NOT_FOUND',
        'Contract events not found, or not visible.',
        {
          resources: resources(contractId),
        },
      );
    }
    const { created, archived } = known;
    const { synchronizerId } = participant;
    const how = { verbose: format.verbose, acsDelta: !created.event.isTransient };
    const createdEvent = encoder.created(created.event, created.offset, selection, how);
    const archivedEvent =
      archived === undefined
        ? undefined
        : encoder.archived(archived.event, archived.offset, selection);
    return {
      created: { createdEvent, synchronizerId },
      ...(archivedEvent === undefined ? {} : { archived: { archivedEvent, synchronizerId } }),
    };
  },
});

export const contractService = (
  participant: ParticipantNode,
  encoder: Encoder,
): ContractServiceImplementation<Call> => ({
  async getContract({ contractId, queryingParties }, { access }) {
    if (queryingParties.length === 0) access.requireReadAsAnyParty();
    access.requireReadAs(queryingParties);
    requireContractId(contractId);
    const asked = partySet(queryingParties);
    const known = participant.state.contracts.get(contractId);
    const witnesses =
      known === undefined
        ? []
        : stakeholdersOf(known.contract).filter(
            (party) => asked.length === 0 || asked.includes(party),
          );
    if (known === undefined || witnesses.length === 0) {
      throw new LedgerError(
        'CONTRACT_PAYLOAD_NOT_FOUND',
        'Contract payload not found, or not visible.',
        {
          resources: resources(contractId),
        },
      );
    }
    const selection = { witnesses, includeBlob: true, views: [] };
    // The contract store of a participant does not know the node of the creation, so the answer does not contain it.
    const event = { ...known.created.event, nodeId: 0 };
    const how = { verbose: false, acsDelta: false };
    return { createdEvent: encoder.created(event, 1n, selection, how) };
  },
});
