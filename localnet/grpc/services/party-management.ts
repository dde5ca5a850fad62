import type {
  PartyDetails as PartyDetailsMessage,
  PartyManagementServiceImplementation,
} from '../../../proto/gen/com/daml/ledger/api/v2/admin/party_management_service.ts';
import type { PartyDetails } from '../../ledger/participant.ts';
import type { ParticipantNode } from '../../ledger/participant-node.ts';
import { checkSynchronizer } from '../../ledger/routing.ts';
import { invalidArgument, missingField, partySet } from '../../ledger/submission-checks.ts';
import type { Call } from '../call.ts';
import { checkIdentityProvider, checkMask } from './admin-requests.ts';

const encode = ({
  party,
  isLocal,
  metadata,
  identityProviderId,
}: PartyDetails): PartyDetailsMessage => ({
  party,
  isLocal,
  localMetadata: { ...metadata, annotations: { ...metadata.annotations } },
  identityProviderId,
});

export const partyManagementService = (
  participant: ParticipantNode,
): PartyManagementServiceImplementation<Call> => ({
  async getParticipantId(_request, { access }) {
    access.requireAdmin();
    return { participantId: participant.participantId };
  },

  async getParties({ parties, identityProviderId }, { access }) {
    access.requireAdmin();
    checkIdentityProvider(identityProviderId);
    const details = participant.parties.get(partySet('parties', parties));
    return { partyDetails: details.map(encode) };
  },

  async listKnownParties({ identityProviderId, pageSize, pageToken, filterParty }, { access }) {
    access.requireAdmin();
    checkIdentityProvider(identityProviderId);
    const page = participant.parties.list(pageSize, pageToken, filterParty);
    return { partyDetails: page.items.map(encode), nextPageToken: page.nextPageToken };
  },

  async allocateParty(request, { access }) {
    access.requireAdmin();
    const { partyIdHint, localMetadata, identityProviderId, synchronizerId, userId } = request;
    checkIdentityProvider(identityProviderId);
    checkSynchronizer(synchronizerId, participant.synchronizerId);
    if ((localMetadata?.resourceVersion ?? '') !== '') {
      throw invalidArgument('local_metadata.resource_version must be empty for a new party');
    }
    if (userId !== '') participant.users.get(userId);
    const details = participant.parties.allocate(partyIdHint, localMetadata?.annotations ?? {});
    if (userId !== '') {
      participant.users.grant(userId, [{ kind: 'canActAs', party: details.party }]);
    }
    return { partyDetails: encode(details) };
  },

  async updatePartyDetails({ partyDetails, updateMask }, { access }) {
    access.requireAdmin();
    if (partyDetails === undefined) throw missingField('party_details');
    checkIdentityProvider(partyDetails.identityProviderId);
    const { party, localMetadata } = partyDetails;
    if (party === '') throw missingField('party_details.party');
    checkMask(updateMask, ['local_metadata', 'local_metadata.annotations']);
    const { annotations = {}, resourceVersion = '' } = localMetadata ?? {};
    const updated = participant.parties.updateAnnotations(party, annotations, resourceVersion);
    return { partyDetails: encode(updated) };
  },
});
