import { checkIdentityProvider, readMask } from './admin-requests.ts';
import { checkAnnotations, checkResourceVersion } from './annotations.ts';
import { partyDefect, uniqueIdentifierDefect, userIdDefect } from './identifiers.ts';
import { LedgerError } from './ledger-error.ts';
import type { Page, ParticipantApi, PartyDetails } from './participant.ts';
import { PARTIES_PAGE_SIZE_MAX } from './parties.ts';
import type { Access } from './rights.ts';
import { checkSynchronizer } from './routing.ts';
import {
  checkArgument,
  checkField,
  invalidArgument,
  invalidField,
  missingField,
  partySet,
} from './submission-checks.ts';

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
  /** Cannot be changed, and may be repeated. */
  readonly isLocal: boolean;
  readonly annotations: Readonly<Record<string, string>>;
  readonly resourceVersion: string;
  readonly identityProviderId: string;
}

const FIELDS = [
  'party',
  'is_local',
  'local_metadata.annotations',
  'local_metadata.resource_version',
  'identity_provider_id',
] as const;

const invalidUpdate = (party: string) => (reason: string) =>
  new LedgerError(
    'INVALID_PARTY_DETAILS_UPDATE_REQUEST',
    `Update operation for party '${party}' failed due to: ${reason}`,
    { resources: [{ type: 'PARTY', name: party }] },
  );

/** The beginning of the parties that are asked for; empty: all. */
function checkFilter(text: string): void {
  if (text === '') return;
  checkField('filterString', text, partyDefect);
  if (text.length <= FILTER_CHARS_MAX) return;
  throw invalidField('filterString', `longer than ${FILTER_CHARS_MAX} characters`);
}

const FILTER_CHARS_MAX = 185;

/** Parties, to those who may administer them: what the gRPC service and the JSON API have in common. */
export class PartyAdministration {
  readonly #participant: ParticipantApi;

  constructor(participant: ParticipantApi) {
    this.#participant = participant;
  }

  /** Anybody may know. */
  get participantId(): string {
    return this.#participant.participantId;
  }

  /** Those that are known; the others are left out. */
  get(
    access: Access,
    parties: readonly string[],
    identityProviderId: string,
  ): readonly PartyDetails[] {
    access.requireOperateAs(parties);
    checkIdentityProvider(identityProviderId);
    return this.#participant.parties.get(partySet(parties));
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
    const { pageSize, pageToken, filterParty } = page;
    if (pageSize < 0) throw invalidArgument('Page size must be non-negative');
    if (pageSize > PARTIES_PAGE_SIZE_MAX) {
      throw invalidArgument(
        `Page size must not exceed the server's maximum of ${PARTIES_PAGE_SIZE_MAX}`,
      );
    }
    checkFilter(filterParty);
    const size = pageSize === 0 ? PARTIES_PAGE_SIZE_MAX : pageSize;
    return this.#participant.parties.list(size, pageToken, filterParty);
  }

  allocate(access: Access, asked: PartyAllocation): PartyDetails {
    access.requireAdmin();
    const { parties, users, synchronizerId } = this.#participant;
    if (asked.partyIdHint !== '') checkArgument(asked.partyIdHint, partyDefect);
    if (asked.resourceVersion !== '') {
      throw invalidArgument('field local_metadata.resource_version must be not set');
    }
    checkAnnotations(asked.annotations, 'local_metadata.annotations', 'not empty');
    if (asked.synchronizerId !== '') {
      checkField('synchronizer_id', asked.synchronizerId, uniqueIdentifierDefect);
    }
    if (asked.userId !== '') checkField('user_id', asked.userId, userIdDefect);
    checkIdentityProvider(asked.identityProviderId);
    checkSynchronizer(asked.synchronizerId, synchronizerId);
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
    const { party, isLocal, annotations, resourceVersion } = details;
    checkArgument(party, partyDefect);
    checkResourceVersion(resourceVersion, 'party_details.local_metadata');
    checkAnnotations(annotations, 'party_details.local_metadata.annotations', 'may be empty');
    if (mask === undefined) throw missingField('update_mask');
    checkIdentityProvider(details.identityProviderId);
    const isNamed = readMask(mask, FIELDS, invalidUpdate(party));
    const { parties } = this.#participant;
    const [known] = parties.get([party]);
    if (known !== undefined && isNamed('is_local', !isLocal) && isLocal !== known.isLocal) {
      throw invalidUpdate(party)(
        "Update request attempted to modify not-modifiable 'is_local' attribute",
      );
    }
    const isEmpty = Object.keys(annotations).length === 0;
    const change = isNamed('local_metadata.annotations', isEmpty) ? annotations : {};
    return parties.updateAnnotations(party, change, resourceVersion);
  }
}
