import { checkIdentityProvider, checkMask } from './admin-requests.ts';
import type { Page, ParticipantApi, PartyDetails } from './participant.ts';
import type { Access } from './rights.ts';
import { checkSynchronizer } from './routing.ts';
import { invalidArgument, missingField, partySet } from './submission-checks.ts';

/** A party to be, as a caller describes it; what a caller leaves out is empty. */
export interface PartyAllocation {
  readonly partyIdHint: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly resourceVersion: string;
  readonly identityProviderId: string;
  readonly synchronizerId: string;
  /** A user that may act as the party from then on. */
  readonly userId: string;
}

interface PartyUpdate {
  readonly party: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly resourceVersion: string;
  readonly identityProviderId: string;
}

/** Parties, to those who may administer them: what the gRPC service and the JSON API have in common. */
export class PartyAdministration {
  readonly #participant: ParticipantApi;

  constructor(participant: ParticipantApi) {
    this.#participant = participant;
  }

  participantId(access: Access): string {
    access.requireAdmin();
    return this.#participant.participantId;
  }

  /** Those that are known; the others are left out. */
  get(
    access: Access,
    parties: readonly string[],
    identityProviderId: string,
  ): readonly PartyDetails[] {
    access.requireAdmin();
    checkIdentityProvider(identityProviderId);
    return this.#participant.parties.get(partySet('parties', parties));
  }

  list(
    access: Access,
    page: {
      readonly pageSize: number;
      readonly pageToken: string;
      readonly filterParty: string;
      readonly identityProviderId: string;
    },
  ): Page<PartyDetails> {
    access.requireAdmin();
    checkIdentityProvider(page.identityProviderId);
    return this.#participant.parties.list(page.pageSize, page.pageToken, page.filterParty);
  }

  allocate(access: Access, asked: PartyAllocation): PartyDetails {
    access.requireAdmin();
    const { parties, users, synchronizerId } = this.#participant;
    checkIdentityProvider(asked.identityProviderId);
    checkSynchronizer(asked.synchronizerId, synchronizerId);
    if (asked.resourceVersion !== '') {
      throw invalidArgument('local_metadata.resource_version must be empty for a new party');
    }
    if (asked.userId !== '') users.get(asked.userId);
    const details = parties.allocate(asked.partyIdHint, asked.annotations);
    if (asked.userId !== '') {
      users.grant(asked.userId, [{ kind: 'canActAs', party: details.party }]);
    }
    return details;
  }

  update(
    access: Access,
    details: PartyUpdate | undefined,
    mask: readonly string[] | undefined,
  ): PartyDetails {
    access.requireAdmin();
    if (details === undefined) throw missingField('party_details');
    checkIdentityProvider(details.identityProviderId);
    const { party, annotations, resourceVersion } = details;
    if (party === '') throw missingField('party_details.party');
    checkMask(mask, ['local_metadata', 'local_metadata.annotations']);
    return this.#participant.parties.updateAnnotations(party, annotations, resourceVersion);
  }
}
