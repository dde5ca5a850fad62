import type {
  PartyDetails as PartyDetailsMessage,
  PartyManagementServiceImplementation,
} from '../../../proto/gen/com/daml/ledger/api/v2/admin/party_management_service.ts';
import type { PartyDetails } from '../../ledger/participant.ts';
import type { ParticipantNode } from '../../ledger/participant-node.ts';
import { PartyAdministration } from '../../ledger/party-administration.ts';
import { ExternalParties } from '../../topology/external-parties.ts';
import type { Call } from '../call.ts';

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

const NO_METADATA = { annotations: {}, resourceVersion: '' } as const;

export function partyManagementService(
  participant: ParticipantNode,
): PartyManagementServiceImplementation<Call> {
  const parties = new PartyAdministration(participant);
  const external = new ExternalParties(participant);
  return {
    async getParticipantId() {
      return { participantId: parties.participantId };
    },

    async getParties({ parties: asked, identityProviderId }, { access }) {
      return { partyDetails: parties.get(access, asked, identityProviderId).map(encode) };
    },

    async listKnownParties(request, { access }) {
      const { items, nextPageToken } = parties.list(access, request);
      return { partyDetails: items.map(encode), nextPageToken };
    },

    async allocateParty({ localMetadata, ...request }, { access }) {
      const asked = { ...request, ...(localMetadata ?? NO_METADATA) };
      return { partyDetails: encode(parties.allocate(access, asked)) };
    },

    async allocateExternalParty(request, { access }) {
      return { partyId: external.allocate(access, request) };
    },

    async generateExternalPartyTopology(request) {
      return external.generate(request);
    },

    async updatePartyIdentityProviderId(request, { access }) {
      const { party, sourceIdentityProviderId, targetIdentityProviderId } = request;
      const source = sourceIdentityProviderId;
      parties.move(access, { party, source, target: targetIdentityProviderId });
      return {};
    },

    async updatePartyDetails({ partyDetails, updateMask }, { access }) {
      const details =
        partyDetails === undefined
          ? undefined
          : { ...partyDetails, ...(partyDetails.localMetadata ?? NO_METADATA) };
      return { partyDetails: encode(parties.update(access, details, updateMask)) };
    },
  };
}
