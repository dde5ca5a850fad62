import { readMask } from './admin-requests.ts';
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

/** A new party as described in a request. Omitted fields are empty. */
export interface PartyAllocation {
  readonly partyIdHint: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly resourceVersion: string;
  readonly identityProviderId: string;
  readonly synchronizerId: string;
  /** A user that gets the right to act as the party. */
  readonly userId: string;
}

interface PartyUpdate {
  readonly party: string;
  /** Whether the party is hosted here. This field cannot be changed: a request may only repeat its present value. */
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

/** Checks a prefix that selects parties. An empty prefix selects all parties. */
function checkFilter(text: string): void {
  if (text === '') return;
  checkField('filterString', text, partyDefect);
  if (text.length <= FILTER_CHARS_MAX) return;
  throw invalidField('filterString', `longer than ${FILTER_CHARS_MAX} characters`);
}

const FILTER_CHARS_MAX = 185;

/** Administration of parties, which the gRPC service and the JSON API share. */
export class PartyAdministration {
  readonly #participant: ParticipantApi;

  constructor(participant: ParticipantApi) {
    this.#participant = participant;
  }

  /** The participant's ID. Reading it needs no right. */
  get participantId(): string {
    return this.#participant.participantId;
  }

  /** Returns those of the given parties that the participant knows. */
  get(
    access: Access,
    parties: readonly string[],
    identityProviderId: string,
  ): readonly PartyDetails[] {
    access.requireOperateAs(parties);
    const provider = this.#participant.identityProviders.scopeOf(access, identityProviderId);
    return this.#participant.parties.get(partySet(parties), provider);
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
    access.requireAdministrator(page.identityProviderId);
    const provider = this.#participant.identityProviders.scopeOf(access, page.identityProviderId);
    const { pageSize, pageToken, filterParty } = page;
    if (pageSize < 0) throw invalidArgument('Page size must be non-negative');
    if (pageSize > PARTIES_PAGE_SIZE_MAX) {
      throw invalidArgument(
        `Page size must not exceed the server's maximum of ${PARTIES_PAGE_SIZE_MAX}`,
      );
    }
    checkFilter(filterParty);
    const size = pageSize === 0 ? PARTIES_PAGE_SIZE_MAX : pageSize;
    return this.#participant.parties.list(size, pageToken, filterParty, provider);
  }

  allocate(access: Access, asked: PartyAllocation): PartyDetails {
    access.requireAdministrator(asked.identityProviderId);
    const { parties, users, synchronizerId, identityProviders } = this.#participant;
    if (asked.partyIdHint !== '') checkArgument(asked.partyIdHint, partyDefect);
    if (asked.resourceVersion !== '') {
      throw invalidArgument('field local_metadata.resource_version must be not set');
    }
    checkAnnotations(asked.annotations, 'local_metadata.annotations', 'not empty');
    if (asked.synchronizerId !== '') {
      checkField('synchronizer_id', asked.synchronizerId, uniqueIdentifierDefect);
    }
    if (asked.userId !== '') checkField('user_id', asked.userId, userIdDefect);
    const provider = identityProviders.scopeOf(access, asked.identityProviderId);
    checkSynchronizer(asked.synchronizerId, synchronizerId);
    if (asked.userId !== '') {
      users.get(asked.userId);
      users.requireOf(provider, asked.userId);
    }
    const details = parties.allocate(asked.partyIdHint, asked.annotations);
    if (provider !== '') parties.move(details.party, '', provider);
    if (asked.userId !== '') {
      users.grant(asked.userId, [{ kind: 'canActAs', party: details.party }]);
    }
    return { ...details, identityProviderId: provider };
  }

  update(
    access: Access,
    details: PartyUpdate | undefined,
    mask: readonly string[] | undefined,
  ): PartyDetails {
    access.requireAdministrator(details?.identityProviderId ?? '');
    if (details === undefined) throw missingField('party_details');
    const { party, isLocal, annotations, resourceVersion } = details;
    checkArgument(party, partyDefect);
    checkResourceVersion(resourceVersion, 'party_details.local_metadata');
    checkAnnotations(annotations, 'party_details.local_metadata.annotations', 'may be empty');
    if (mask === undefined) throw missingField('update_mask');
    const { parties, identityProviders } = this.#participant;
    parties.requireOf(identityProviders.scopeOf(access, details.identityProviderId), party);
    const isNamed = readMask(mask, FIELDS, invalidUpdate(party));
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

  /** Moves a party to another identity provider. Only administrators of the participant may do this. */
  move(
    access: Access,
    {
      party,
      source,
      target,
    }: { readonly party: string; readonly source: string; readonly target: string },
  ): void {
    access.requireAdmin();
    checkArgument(party, partyDefect);
    const { parties, identityProviders } = this.#participant;
    identityProviders.requireKnown(source);
    identityProviders.requireKnown(target);
    parties.move(party, source, target);
  }
}
