import type {
  AllocateExternalPartyRequest,
  GenerateExternalPartyTopologyRequest,
  GenerateExternalPartyTopologyResponse,
} from '../../proto/gen/com/daml/ledger/api/v2/admin/party_management_service.ts';
import { CryptoKeyFormat as ApiKeyFormat } from '../../proto/gen/com/daml/ledger/api/v2/crypto.ts';
import type { SigningPublicKey as ApiKey } from '../../proto/gen/com/daml/ledger/api/v2/crypto.ts';
import {
  CryptoKeyFormat,
  SigningKeyScheme,
  SigningKeyUsage,
} from '../../proto/gen/com/digitalasset/canton/crypto/v30/crypto.ts';
import { Enums_ParticipantPermission as Permission } from '../../proto/gen/com/digitalasset/canton/protocol/v30/topology.ts';
import { isUniqueIdentifier } from '../ledger/identifiers.ts';
import type { ParticipantNode } from '../ledger/participant-node.ts';
import type { Access } from '../ledger/rights.ts';
import { invalidArgument, invalidField } from '../ledger/submission-checks.ts';
import { multiTransactionHash } from './canton-hash.ts';
import { MalformedKey, checkSignature, readKey, writeKey } from './keys.ts';
import type { SigningKey } from './keys.ts';
import { readOnboarding } from './onboarding.ts';
import type { HandedIn, Onboarding } from './onboarding.ts';
import { logicalIdOf } from './synchronizer.ts';
import { MalformedTransaction, deserialize, serialize } from './transactions.ts';

const HINT = /^[A-Za-z0-9\-_ ]{1,185}$/;

const FORMATS: Readonly<Record<number, CryptoKeyFormat | undefined>> = {
  [ApiKeyFormat.UNSPECIFIED]: CryptoKeyFormat.UNSPECIFIED,
  [ApiKeyFormat.DER]: CryptoKeyFormat.DER,
  [ApiKeyFormat.RAW]: CryptoKeyFormat.RAW,
  [ApiKeyFormat.DER_X509_SUBJECT_PUBLIC_KEY_INFO]: CryptoKeyFormat.DER_X509_SUBJECT_PUBLIC_KEY_INFO,
};

/** Creates external parties on one participant. */
export class ExternalParties {
  readonly #participant: ParticipantNode;

  constructor(participant: ParticipantNode) {
    this.#participant = participant;
  }

  /** Returns the topology transactions that a new party's key has to sign. Throws INVALID_ARGUMENT. */
  generate(request: GenerateExternalPartyTopologyRequest): GenerateExternalPartyTopologyResponse {
    const key = readPublicKey(request.publicKey);
    const { synchronizer, partyHint, localParticipantObservationOnly: observesOnly } = request;
    this.#requireConnected(synchronizer);
    if (partyHint === '') throw invalidArgument('Party hint is empty');
    if (!HINT.test(partyHint)) {
      throw invalidArgument(`party_hint: Invalid characters in \`${partyHint.slice(0, 200)}\``);
    }
    const { confirming, observing } = this.#readHosts(request);
    const confirmers = (observesOnly ? 0 : 1) + confirming.length;
    if (request.confirmationThreshold > confirmers) {
      throw invalidArgument('Confirmation threshold exceeds number of confirming participants');
    }
    const threshold =
      request.confirmationThreshold === 0 ? confirmers : request.confirmationThreshold;
    if (threshold === 0) throw invalidArgument('No participant confirms for the party');
    const party = `${partyHint}::${key.fingerprint}`;
    const local = observesOnly ? Permission.OBSERVATION : Permission.CONFIRMATION;
    const transaction = serialize({
      $case: 'partyToParticipant',
      value: {
        party,
        threshold,
        participants: [
          hostedBy(this.#participant.participantId, local),
          ...confirming.map((uid) => hostedBy(uid, Permission.CONFIRMATION)),
          ...observing.map((uid) => hostedBy(uid, Permission.OBSERVATION)),
        ],
        partySigningKeys: { keys: [writeKey(key)], threshold: 1 },
      },
    });
    return {
      partyId: party,
      publicKeyFingerprint: key.fingerprint,
      topologyTransactions: [transaction.bytes],
      multiHash: multiTransactionHash([transaction.hash]),
    };
  }

  /**
   * Records this participant's consent to host a party. The caller needs the right to administer parties. Throws
   * INVALID_FIELD, INVALID_ARGUMENT, USER_NOT_FOUND. Returns the party, which exists at once unless other participants
   * have to agree as well.
   */
  allocate(access: Access, request: AllocateExternalPartyRequest): string {
    const { userId, identityProviderId } = request;
    access.requireAdministrator(identityProviderId);
    const { party, keys, threshold, ...onboarding } = this.#read(request);
    const { users, parties, identityProviders } = this.#participant;
    const provider = identityProviders.scopeOf(access, identityProviderId);
    if (userId !== '') {
      users.get(userId);
      users.requireOf(provider, userId);
    }
    parties.requireOf(provider, party);
    const external = {
      keys: keys.map((key) => ({ ...key, spki: key.spki.toString('base64') })),
      threshold,
    };
    parties.allocateExternal({ ...onboarding, party, external });
    if (provider !== '') parties.claim(party, provider);
    if (userId !== '') users.grant(userId, [{ kind: 'canActAs', party }]);
    return party;
  }

  /** Reads a request to allocate a party. Throws INVALID_FIELD, INVALID_ARGUMENT. */
  #read(request: AllocateExternalPartyRequest): Onboarding {
    const { synchronizer, onboardingTransactions, multiHashSignatures } = request;
    const logical = logicalIdOf(synchronizer);
    if (logical === undefined) {
      throw invalidField(
        'synchronizer',
        `Unable to parse \`${synchronizer.slice(0, 300)}\` as physical synchronizer id`,
      );
    }
    if (logical !== this.#participant.synchronizerId) {
      throw invalidArgument(`This node is not connected to the requested synchronizer ${logical}.`);
    }
    const all = onboardingTransactions.map(({ transaction, signatures }): HandedIn => {
      const read = { transaction: readTransaction(transaction), signatures };
      for (const each of signatures) checkSignature(each, 'onboarding_transaction.signatures');
      return read;
    });
    if (all.length === 0) {
      throw invalidField('onboarding_transactions.transactions', 'Transactions field is empty');
    }
    for (const each of multiHashSignatures) {
      checkSignature(each, 'multi_hash_signatures.signatures');
    }
    return readOnboarding(all, multiHashSignatures, this.#participant.participantId);
  }

  #requireConnected(synchronizer: string): void {
    if (!isUniqueIdentifier(synchronizer)) {
      throw invalidArgument(`Invalid unique identifier \`${synchronizer.slice(0, 300)}\``);
    }
    if (synchronizer === this.#participant.synchronizerId) return;
    throw invalidArgument(`Unknown or not connected synchronizer ${synchronizer}`);
  }

  #readHosts({
    otherConfirmingParticipantUids: confirming,
    observingParticipantUids: observing,
  }: GenerateExternalPartyTopologyRequest) {
    const { participantId } = this.#participant;
    for (const uid of [...confirming, ...observing]) {
      if (!isUniqueIdentifier(uid)) {
        throw invalidArgument(`Invalid unique identifier \`${uid.slice(0, 300)}\``);
      }
    }
    const fields = {
      otherConfirmingParticipantUids: confirming,
      observingParticipantUids: observing,
    };
    for (const [name, uids] of Object.entries(fields)) {
      if (!uids.includes(participantId)) continue;
      throw invalidArgument(
        `This participant node (${participantId}) is also listed in '${name}'. By sending the request to this node, it is de facto a hosting node and must not be listed in '${name}'.`,
      );
    }
    const all = [...confirming, ...observing];
    const seen = new Set<string>();
    const repeated = new Set(all.filter((uid) => seen.size === seen.add(uid).size));
    if (repeated.size > 0) {
      throw invalidArgument(
        `The following participant IDs are referenced multiple times in the request: ${[...repeated].join(', ')}. Please ensure all IDs are referenced only once across 'otherConfirmingParticipantUids' and 'observingParticipantUids' fields.`,
      );
    }
    return { confirming, observing };
  }
}

const hostedBy = (participantUid: string, permission: Permission) => ({
  participantUid,
  permission,
  onboarding: undefined,
});

function readPublicKey(key: ApiKey | undefined): SigningKey {
  if (key === undefined) throw invalidArgument('Field `public_key` is not set');
  try {
    return readKey({
      format: FORMATS[key.format] ?? CryptoKeyFormat.UNSPECIFIED,
      publicKey: key.keyData,
      scheme: SigningKeyScheme.UNSPECIFIED,
      usage: [
        SigningKeyUsage.NAMESPACE,
        SigningKeyUsage.PROOF_OF_OWNERSHIP,
        SigningKeyUsage.PROTOCOL,
      ],
      keySpec: key.keySpec,
    });
  } catch (error) {
    if (error instanceof MalformedKey) throw invalidArgument(error.message);
    throw error;
  }
}

function readTransaction(bytes: Uint8Array) {
  try {
    return deserialize(bytes);
  } catch (error) {
    if (!(error instanceof MalformedTransaction)) throw error;
    throw invalidField(`onboarding_transactions.transaction${error.field}`, error.message);
  }
}
