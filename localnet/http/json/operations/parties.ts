import { invalidArgument } from '../../../ledger/submission-checks.ts';
import { PAGE_QUERY, pageOf, unary } from '../operation.ts';
import type { Operation } from '../operation.ts';
import {
  allocatePartyAnswer,
  allocatePartyRequest,
  getPartiesAnswer,
  listPartiesAnswer,
  participantIdAnswer,
  updatePartyAnswer,
  updatePartyRequest,
} from '../shapes/administration.ts';
import {
  allocateExternalPartyAnswer,
  allocateExternalPartyRequest,
  generateTopologyAnswer,
  generateTopologyRequest,
} from '../shapes/interactive.ts';

const PATH = '/v2/parties';

export const partyOperations: readonly Operation[] = [
  unary({
    method: 'GET',
    path: PATH,
    calls: 'PartyManagementService/ListKnownParties',
    query: [
      { name: 'identity-provider-id', kind: 'text' },
      { name: 'filter-party', kind: 'text' },
      ...PAGE_QUERY,
    ],
    answer: listPartiesAnswer,
    run: ({ parties }, { query }, call) =>
      parties.listKnownParties(
        {
          ...pageOf(query),
          identityProviderId: query.text('identity-provider-id'),
          filterParty: query.text('filter-party'),
        },
        call,
      ),
  }),
  unary({
    method: 'POST',
    path: PATH,
    calls: 'PartyManagementService/AllocateParty',
    body: allocatePartyRequest,
    answer: allocatePartyAnswer,
    run: ({ parties }, { body }, call) => parties.allocateParty(body, call),
  }),
  unary({
    method: 'POST',
    path: `${PATH}/external/allocate`,
    calls: 'PartyManagementService/AllocateExternalParty',
    body: allocateExternalPartyRequest,
    answer: allocateExternalPartyAnswer,
    run: ({ parties }, { body }, call) => parties.allocateExternalParty(body, call),
  }),
  unary({
    method: 'POST',
    path: `${PATH}/external/generate-topology`,
    calls: 'PartyManagementService/GenerateExternalPartyTopology',
    body: generateTopologyRequest,
    answer: generateTopologyAnswer,
    run: ({ parties }, { body }, call) => parties.generateExternalPartyTopology(body, call),
  }),
  unary({
    method: 'GET',
    path: `${PATH}/participant-id`,
    calls: 'PartyManagementService/GetParticipantId',
    answer: participantIdAnswer,
    run: ({ parties }, _given, call) => parties.getParticipantId({}, call),
  }),
  unary({
    method: 'GET',
    path: `${PATH}/{party}`,
    calls: 'PartyManagementService/GetParties',
    query: [
      { name: 'identity-provider-id', kind: 'text' },
      { name: 'parties', kind: 'text', isMany: true },
    ],
    answer: getPartiesAnswer,
    // The path names one party, and the query may name more. Unknown parties are omitted.
    run: ({ parties }, { path, query }, call) =>
      parties.getParties(
        {
          parties: [path['party'] ?? '', ...query.all('parties')],
          identityProviderId: query.text('identity-provider-id'),
        },
        call,
      ),
  }),
  unary({
    method: 'PATCH',
    path: `${PATH}/{party}`,
    calls: 'PartyManagementService/UpdatePartyDetails',
    body: updatePartyRequest,
    answer: updatePartyAnswer,
    run: async ({ parties }, { path, body }, call) => {
      const [inPath = '', inBody = ''] = [path['party'], body.partyDetails?.party];
      if (inPath !== inBody) {
        throw invalidArgument(
          `${inPath.slice(0, 255)} does not match party in body ${inBody.slice(0, 255)}`,
        );
      }
      return parties.updatePartyDetails(body, call);
    },
  }),
];
