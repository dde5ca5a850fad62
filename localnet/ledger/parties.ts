import { randomUUID } from 'node:crypto';
import type { ParticipantName } from '../ports.ts';
import { changedAnnotations, nextResourceVersion, pageOf } from './annotations.ts';
import type { Annotations } from './annotations.ts';
import type { LedgerClock } from './clock.ts';
import { newTraceparent, newUpdateId } from './entropy.ts';
import { freeNameDefect } from './identifiers.ts';
import { LedgerError } from './ledger-error.ts';
import type { LedgerStore } from './ledger-store.ts';
import type { Page, Parties, PartyDetails } from './participant.ts';
import type { ParticipantState } from './participant-state.ts';
import type { ExternalPartyProposal, ImportedContracts } from './records.ts';
import { invalidArgument } from './submission-checks.ts';
import { addTimeOuts } from './time-outs.ts';

export const PARTIES_PAGE_SIZE_MAX = 10_000;

const tooLarge = (party: string) =>
  new LedgerError(
    'MAX_PARTY_DETAILS_ANNOTATIONS_SIZE_EXCEEDED',
    `Maximum annotations size for party '${party}' has been exceeded`,
    { resources: [{ type: 'PARTY', name: party }] },
  );

/** The parties that one participant knows: all parties of the network, with the participant's own annotations. */
export class ParticipantParties implements Parties {
  readonly #store: LedgerStore;
  readonly #state: ParticipantState;
  readonly #clock: LedgerClock;

  constructor(store: LedgerStore, state: ParticipantState, clock: LedgerClock) {
    this.#store = store;
    this.#state = state;
    this.#clock = clock;
  }

  list(
    pageSize: number,
    pageToken: string,
    filterParty = '',
    identityProviderId = '',
  ): Page<PartyDetails> {
    const parties = [...this.#state.hosts.keys()].filter((party) => party.startsWith(filterParty));
    const page = pageOf(parties, (party) => party, pageSize, pageToken);
    return {
      items: page.items.map((party) => this.#shown(party, identityProviderId)),
      nextPageToken: page.nextPageToken,
    };
  }

  get(parties: readonly string[], identityProviderId = ''): readonly PartyDetails[] {
    return [...new Set(parties)]
      .filter((party) => this.#state.hosts.has(party))
      .map((party) => this.#shown(party, identityProviderId));
  }

  requireOf(identityProviderId: string, party: string): void {
    if (!this.#state.hosts.has(party) || this.#providerOf(party) === identityProviderId) return;
    throw new LedgerError(
      'PERMISSION_DENIED',
      `Party ${party} belongs to an identity provider that differs from the one specified in the request`,
    );
  }

  move(party: string, source: string, target: string): void {
    if (!this.#state.hosts.has(party) || this.#providerOf(party) !== source) {
      throw new LedgerError(
        'PARTY_NOT_FOUND',
        `Party: '${party}' was not found when updating party's identity provider`,
        { resources: [{ type: 'PARTY', name: party }] },
      );
    }
    this.claim(party, target);
  }

  /** Assigns a party, which need not exist yet, to an identity provider. */
  claim(party: string, identityProviderId: string): void {
    const participant = this.#state.name;
    this.#store.commit({
      kind: 'partyIdentityProvider',
      participant,
      party,
      identityProviderId,
    });
  }

  #providerOf(party: string): string {
    return this.#state.partyProviders.get(party) ?? '';
  }

  /**
   * Returns a party as users of an identity provider see it. If the party belongs to another provider, they see only
   * that it exists.
   */
  #shown(party: string, identityProviderId: string): PartyDetails {
    const details = this.#details(party);
    if (details.identityProviderId === identityProviderId) return details;
    return {
      ...details,
      isLocal: identityProviderId === '' && details.isLocal,
      metadata: { resourceVersion: '', annotations: {} },
      identityProviderId: '',
    };
  }

  allocate(hint: string, annotations: Annotations = {}): PartyDetails {
    const name = hint === '' ? `party-${randomUUID()}` : hint;
    const defect = freeNameDefect(name);
    if (defect !== undefined) throw invalidArgument(`Invalid party ID: ${defect}`);
    const party = `${name}::${this.#state.namespace}`;
    if (this.#store.state.hosts.has(party)) {
      throw invalidArgument(
        `Party already exists: party ${party} is already allocated on this node`,
      );
    }
    addParty(this.#store, this.#clock, { party, host: this.#state.name, annotations });
    return this.#details(party);
  }

  /**
   * Records this participant's consent to host an external party. The party exists once all its hosts and the party
   * itself have agreed. Throws INVALID_ARGUMENT if the party exists already.
   */
  allocateExternal(proposal: Omit<ExternalPartyProposal, 'participant'>): void {
    const { party, hosting } = proposal;
    const { state } = this.#store;
    if (state.hosts.has(party)) {
      throw invalidArgument(
        `Party already exists: party ${party} is already allocated on this node`,
      );
    }
    const agreed = { ...proposal, participant: this.#state.name };
    const proposals = [...(state.proposals.get(party) ?? []), agreed].filter(
      (one) => one.hosting === hosting,
    );
    const hosts = agreed.hosts.map(({ participantUid, permission }) => {
      const host = state.names.find(
        (name) => state.participants[name].participantId === participantUid,
      );
      const hasAgreed = proposals.some(({ participant }) => participant === host);
      return { host: hasAgreed ? host : undefined, permission };
    });
    const isComplete =
      proposals.some(({ isAuthorized }) => isAuthorized) &&
      hosts.every(({ host }) => host !== undefined);
    if (!isComplete) {
      this.#store.commit({ kind: 'externalPartyProposed', ...agreed });
      return;
    }
    this.#store.add({ kind: 'externalParty', party, ...agreed.external });
    for (const { host, permission } of hosts) {
      if (host === undefined) continue;
      addParty(this.#store, this.#clock, { party, host, annotations: {}, permission });
    }
  }

  updateAnnotations(
    party: string,
    annotations: Annotations,
    expectedVersion?: string,
  ): PartyDetails {
    if (!this.#state.hosts.has(party)) {
      throw new LedgerError(
        'PARTY_NOT_FOUND',
        `Party: '${party}' was not found when updating a party record`,
        {
          resources: [{ type: 'PARTY', name: party }],
        },
      );
    }
    const current = this.#details(party).metadata;
    const resourceVersion = nextResourceVersion(
      current.resourceVersion,
      expectedVersion,
      () =>
        new LedgerError(
          'CONCURRENT_PARTY_DETAILS_UPDATE_DETECTED',
          `Update operation for party '${party}' failed due to a concurrent update to the same party`,
          { resources: [{ type: 'PARTY', name: party }] },
        ),
    );
    this.#store.commit({
      kind: 'partyAnnotations',
      participant: this.#state.name,
      party,
      annotations: changedAnnotations(current.annotations, annotations, () => tooLarge(party)),
      resourceVersion,
    });
    return this.#details(party);
  }

  #details(party: string): PartyDetails {
    return {
      party,
      isLocal: this.#state.hosted.has(party),
      metadata: this.#state.partyMetadata.get(party) ?? { resourceVersion: '', annotations: {} },
      identityProviderId: this.#providerOf(party),
    };
  }
}

/**
 * Hosts a party on its first participant, or on a further one, which then gets the party's contracts. All participants
 * see this update, each at its own offset.
 */
export function addParty(
  store: LedgerStore,
  clock: LedgerClock,
  added: {
    readonly party: string;
    readonly host: ParticipantName;
    readonly annotations: Annotations;
    /** The permission of the host for an external party. */
    readonly permission?: 'confirmation' | 'observation';
  },
): void {
  const { names, participants } = store.state;
  const { party, host, annotations, permission } = added;
  const isFurther = store.state.hosts.has(party);
  const recordTime = recordTimeBetween(store, clock);
  const offsets: Partial<Record<ParticipantName, bigint>> = {};
  for (const name of names) {
    addTimeOuts(store, name, recordTime - 1n);
    offsets[name] = participants[name].nextOffset();
  }
  const updateId = newUpdateId();
  const update = {
    kind: 'partyAdded',
    updateId,
    recordTime,
    party,
    host,
    offsets,
    ...(permission === undefined ? {} : { permission }),
  } as const;
  const imported = isFurther
    ? { imported: importAfter(offsets[host] ?? 0n, participants[host]) }
    : {};
  store.commit({ kind: 'party', update, annotations, ...imported });
}

const importAfter = (offset: bigint, host: ParticipantState): ImportedContracts => ({
  updateId: newUpdateId(),
  offset: host.offsetAfter(offset),
  traceContext: { traceparent: newTraceparent() },
});

/**
 * Returns the record time for an update that is published at once, without sequencing. It does not use the record times
 * of requests that wait for their verdicts.
 */
export function recordTimeBetween({ state }: LedgerStore, clock: LedgerClock): bigint {
  return state.undecided.size === 0 ? clock.nextRecordTime() : state.publishedTime + 1n;
}
