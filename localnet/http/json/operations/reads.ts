import { stream, unary } from '../operation.ts';
import type { Operation } from '../operation.ts';
import {
  activeContractsAnswer,
  activeContractsPageAnswer,
  activeContractsPageRequest,
  activeContractsRequest,
  connectedSynchronizersAnswer,
  contractAnswer,
  contractRequest,
  eventsByContractIdAnswer,
  eventsByContractIdRequest,
  ledgerEndAnswer,
  prunedOffsetsAnswer,
} from '../shapes/state.ts';
import { activeContractsOf } from '../transcoding.ts';

const PATH = '/v2/state';

const activeContractsPage = (method: 'GET' | 'POST') =>
  unary({
    method,
    path: `${PATH}/active-contracts-page`,
    calls: 'StateService/GetActiveContractsPage',
    isDeprecated: method === 'GET',
    body: activeContractsPageRequest,
    answer: activeContractsPageAnswer,
    run: ({ state }, { body }, call) => state.getActiveContractsPage(body, call),
  });

export const readOperations: readonly Operation[] = [
  stream({
    path: `${PATH}/active-contracts`,
    calls: 'StateService/GetActiveContracts',
    body: activeContractsRequest,
    answer: activeContractsAnswer,
    isOpenEnded: () => false,
    run: ({ state }, body, call) => state.getActiveContracts(activeContractsOf(body), call),
  }),
  activeContractsPage('GET'),
  activeContractsPage('POST'),
  unary({
    method: 'GET',
    path: `${PATH}/connected-synchronizers`,
    calls: 'StateService/GetConnectedSynchronizers',
    query: [
      { name: 'party', kind: 'text' },
      { name: 'participantId', kind: 'text' },
      { name: 'identityProviderId', kind: 'text' },
    ],
    answer: connectedSynchronizersAnswer,
    run: ({ state }, { query }, call) =>
      state.getConnectedSynchronizers(
        {
          party: query.text('party'),
          participantId: query.text('participantId'),
          identityProviderId: query.text('identityProviderId'),
        },
        call,
      ),
  }),
  unary({
    method: 'GET',
    path: `${PATH}/ledger-end`,
    calls: 'StateService/GetLedgerEnd',
    answer: ledgerEndAnswer,
    run: ({ state }, _given, call) => state.getLedgerEnd({}, call),
  }),
  unary({
    method: 'GET',
    path: `${PATH}/latest-pruned-offsets`,
    calls: 'StateService/GetLatestPrunedOffsets',
    answer: prunedOffsetsAnswer,
    run: ({ state }, _given, call) => state.getLatestPrunedOffsets({}, call),
  }),
  unary({
    method: 'POST',
    path: '/v2/events/events-by-contract-id',
    calls: 'EventQueryService/GetEventsByContractId',
    body: eventsByContractIdRequest,
    answer: eventsByContractIdAnswer,
    run: ({ events }, { body }, call) => events.getEventsByContractId(body, call),
  }),
  unary({
    method: 'POST',
    path: '/v2/contracts/contract-by-id',
    calls: 'ContractService/GetContract',
    body: contractRequest,
    answer: contractAnswer,
    run: ({ contracts }, { body }, call) => contracts.getContract(body, call),
  }),
];
