import type { Signature } from '../../proto/gen/com/daml/ledger/api/v2/crypto.ts';
import { SigningKeyUsage } from '../../proto/gen/com/digitalasset/canton/crypto/v30/crypto.ts';
import type { SigningPublicKey } from '../../proto/gen/com/digitalasset/canton/crypto/v30/crypto.ts';
import { Enums_ParticipantPermission as Permission } from '../../proto/gen/com/digitalasset/canton/protocol/v30/topology.ts';
import type { PartyToParticipant } from '../../proto/gen/com/digitalasset/canton/protocol/v30/topology.ts';
import { isUniqueIdentifier } from '../ledger/identifiers.ts';
import { invalidArgument } from '../ledger/submission-checks.ts';
import { multiTransactionHash } from './canton-hash.ts';
import { MalformedKey, isSignedBy, readKey } from './keys.ts';
import type { SigningKey } from './keys.ts';
import type { Mapping, SerializedTransaction } from './transactions.ts';

/** A submitted topology transaction, and the signatures that cover this transaction only. */
export interface HandedIn {
  readonly transaction: SerializedTransaction;
  readonly signatures: readonly Signature[];
}

/** An external party's hosts, its signing keys, and the consents that have been given so far. */
export interface Onboarding {
  readonly party: string;
  readonly keys: readonly SigningKey[];
  /** The number of keys that must sign a transaction. */
  readonly threshold: number;
  readonly hosts: readonly {
    readonly participantUid: string;
    readonly permission: 'confirmation' | 'observation';
  }[];
  /**
   * The bytes of the mapping that lists the party's hosts, in hex. All hosting participants must submit the same bytes.
   */
  readonly hosting: string;
  /** Whether the party has signed, with its own key or through the owners of its namespace. */
  readonly isAuthorized: boolean;
}

const SUPPORTED: ReadonlySet<Mapping['$case']> = new Set<Mapping['$case']>([
  'namespaceDelegation',
  'decentralizedNamespaceDefinition',
  'partyToParticipant',
  'partyToKeyMapping',
]);
const SUPPORTED_NAMES =
  'NamespaceDelegation, DecentralizedNamespaceDefinition, PartyToParticipant, PartyToKeyMapping';
const OWNERS_MAX = 10;
const KEYS_MAX = 20;

const nameOf = (mapping: Mapping): string =>
  `${mapping.$case.slice(0, 1).toUpperCase()}${mapping.$case.slice(1)}`;

type ValueOf<C extends Mapping['$case']> = Extract<Mapping, { $case: C }>['value'];

/** Returns the only mapping of one kind. Throws if there are several. */
function only<C extends Mapping['$case']>(
  all: readonly HandedIn[],
  kind: C,
): { readonly value: ValueOf<C>; readonly from: HandedIn } | undefined {
  const found = all.filter(({ transaction }) => transaction.mapping.$case === kind);
  const [first] = found;
  if (first === undefined) return undefined;
  if (found.length > 1) {
    const name = nameOf(first.transaction.mapping);
    throw invalidArgument(
      `Only one transaction of type ${name} can be provided, got ${found.length}`,
    );
  }
  return { value: first.transaction.mapping.value as ValueOf<C>, from: first };
}

const keysOf = (keys: readonly SigningPublicKey[]): readonly SigningKey[] => {
  if (keys.length > KEYS_MAX) {
    throw invalidArgument(`At most ${KEYS_MAX} key(s) can be specified, got ${keys.length}.`);
  }
  try {
    return keys.map(readKey);
  } catch (error) {
    if (error instanceof MalformedKey) throw invalidArgument(error.message);
    throw error;
  }
};

const namespaceOf = (uid: string): string => uid.slice(uid.indexOf('::') + 2);

/**
 * Reads and checks an external party's onboarding transactions for the participant `uid`. Throws INVALID_ARGUMENT if
 * the transactions do not belong together, or if signatures of the parties concerned are missing.
 *
 * @param multiSignatures signatures over all transactions together
 */
export function readOnboarding(
  all: readonly HandedIn[],
  multiSignatures: readonly Signature[],
  uid: string,
): Onboarding {
  const unwanted = all.filter(({ transaction }) => !SUPPORTED.has(transaction.mapping.$case));
  if (unwanted.length > 0) {
    const names = [...new Set(unwanted.map(({ transaction }) => nameOf(transaction.mapping)))];
    throw invalidArgument(
      `Unsupported transactions found: ${names.join(', ')}. Supported transactions are: ${SUPPORTED_NAMES}`,
    );
  }
  const hosting = only(all, 'partyToParticipant');
  if (hosting === undefined) {
    throw invalidArgument('One transaction of type PartyToParticipant must be provided, got 0');
  }
  const { party } = hosting.value;
  const namespace = namespaceOf(party);
  const hosts = readHosts(hosting.value, uid);
  const { keys, threshold } = readKeys(all, hosting.value, namespace);
  const signing = new Signing(all, multiSignatures);
  const owners = readNamespace(all, namespace, signing);
  const namespaceKeys = owners?.keys ?? keys.filter((key) => key.fingerprint === namespace);
  const signatures = signing.signersOf(hosting.from, [...namespaceKeys, ...keys]);
  requireNamespaceUsage(keys, namespace);
  const missing = keys.filter(({ fingerprint }) => !signatures.has(fingerprint));
  const isSignedByOwners =
    namespaceKeys.filter(({ fingerprint }) => signatures.has(fingerprint)).length >=
    (owners?.threshold ?? 1);
  return {
    party,
    keys,
    threshold,
    hosts,
    hosting: Buffer.from(hosting.from.transaction.bytes).toString('hex'),
    // The owners of the namespace and every signing key of the party must have signed.
    isAuthorized: isSignedByOwners && missing.length === 0,
  };
}

/** Verifies the signatures of the submitted transactions. */
class Signing {
  readonly #multi: readonly Signature[];
  readonly #multiHash: Buffer;

  constructor(all: readonly HandedIn[], multi: readonly Signature[]) {
    this.#multi = multi;
    const hashes = new Map(
      all.map(({ transaction: { hash } }) => [hash.toString('hex'), hash] as const),
    );
    this.#multiHash = multiTransactionHash([...hashes.values()]);
  }

  /**
   * Returns the fingerprints of those of the given keys that have signed a transaction. Throws INVALID_ARGUMENT for a
   * wrong signature.
   */
  signersOf({ transaction, signatures }: HandedIn, keys: readonly SigningKey[]): Set<string> {
    const signers = new Set<string>();
    const take = (signature: Signature, content: Buffer) => {
      const key = keys.find(({ fingerprint }) => fingerprint === signature.signedBy);
      // One signature of each key is sufficient. Repetitions are skipped.
      if (key === undefined || signers.has(key.fingerprint)) return;
      if (!isSignedBy(key, signature, content)) {
        throw invalidArgument(
          `Invalid signature by ${signature.signedBy} on the onboarding transactions`,
        );
      }
      signers.add(key.fingerprint);
    };
    for (const signature of signatures) take(signature, transaction.hash);
    for (const signature of this.#multi) take(signature, this.#multiHash);
    return signers;
  }
}

function readHosts({ participants, party }: PartyToParticipant, uid: string): Onboarding['hosts'] {
  if (!isUniqueIdentifier(party)) {
    throw invalidArgument(`Invalid unique identifier \`${party.slice(0, 300)}\``);
  }
  const having = (permission: Permission) =>
    participants.filter((one) => one.permission === permission).map((one) => one.participantUid);
  const submitting = having(Permission.SUBMISSION);
  if (submitting.length > 0) {
    throw invalidArgument(
      `The PartyToParticipant transaction must not contain any node with Submission permission. Nodes with submission permission: ${submitting.join(', ')}`,
    );
  }
  const confirming = having(Permission.CONFIRMATION);
  const observing = having(Permission.OBSERVATION);
  const [first, ...others] = participants;
  if (first !== undefined && others.length === 0 && confirming[0] !== uid) {
    throw invalidArgument(
      `The party is to be hosted on a single participant (${first.participantUid}) that is not this participant (${uid}). Submit the allocation request on ${first.participantUid} instead.`,
    );
  }
  if (confirming.length === 0) {
    throw invalidArgument(
      'The PartyToParticipant transaction must contain at least one node with Confirmation permission',
    );
  }
  if (!confirming.includes(uid) && !observing.includes(uid)) {
    throw invalidArgument(
      'This node is not hosting the party either with Confirmation or Observation permission.',
    );
  }
  return [
    ...confirming.map((participantUid) => ({
      participantUid,
      permission: 'confirmation' as const,
    })),
    ...observing.map((participantUid) => ({ participantUid, permission: 'observation' as const })),
  ];
}

/**
 * Returns the party's signing keys. They are in the mapping of its hosts or, in the older form, in a mapping for keys.
 */
function readKeys(
  all: readonly HandedIn[],
  { partySigningKeys }: PartyToParticipant,
  namespace: string,
): Pick<Onboarding, 'keys' | 'threshold'> {
  const mapping = only(all, 'partyToKeyMapping')?.value;
  if (mapping !== undefined && namespaceOf(mapping.party) !== namespace) {
    throw invalidArgument(
      `The PartyToKeyMapping namespace (${namespaceOf(mapping.party)}) does not match the PartyToParticipant namespace (${namespace})`,
    );
  }
  if ((partySigningKeys === undefined) === (mapping === undefined)) {
    throw invalidArgument(
      'Party signing keys must be supplied either in the PartyToParticipant or in a PartyToKeyMapping transaction. Not in both.',
    );
  }
  const keys = keysOf(partySigningKeys?.keys ?? mapping?.signingKeys ?? []);
  const threshold = partySigningKeys?.threshold ?? mapping?.threshold ?? 0;
  if (keys.length === 0 || threshold < 1 || threshold > keys.length) {
    throw invalidArgument(
      `Signing threshold ${threshold} must be positive and must not exceed the number of signing keys (${keys.length})`,
    );
  }
  if (!keys.every(({ usage }) => usage.includes(SigningKeyUsage.PROTOCOL))) {
    throw invalidArgument('Missing Protocol usage on signing keys');
  }
  return { keys, threshold };
}

function requireNamespaceUsage(keys: readonly SigningKey[], namespace: string): void {
  const own = keys.find(({ fingerprint }) => fingerprint === namespace);
  if (own === undefined || own.usage.includes(SigningKeyUsage.NAMESPACE)) return;
  throw invalidArgument('Missing Namespace and Protocol usage on the party namespace key');
}

/** The keys of the owners of the party's namespace, and how many of them must sign. */
interface Owners {
  readonly keys: readonly SigningKey[];
  readonly threshold: number;
}

/** Returns the owners of a namespace; `undefined` if no transaction concerns the namespace. */
function readNamespace(
  all: readonly HandedIn[],
  namespace: string,
  signing: Signing,
): Owners | undefined {
  const decentralized = only(all, 'decentralizedNamespaceDefinition');
  const delegations = all.filter(
    ({ transaction }) => transaction.mapping.$case === 'namespaceDelegation',
  );
  if (decentralized === undefined) {
    const delegation = only(all, 'namespaceDelegation');
    const root = delegation === undefined ? undefined : readRoot(delegation.from, signing);
    if (root === undefined) return undefined;
    requireSame(root.fingerprint, namespace);
    return { keys: [root], threshold: 1 };
  }
  // The number of owners is checked before any signature is verified, to limit the work.
  if (delegations.length > OWNERS_MAX) {
    throw invalidArgument(
      `Decentralized namespaces cannot have more than ${OWNERS_MAX} individual namespace owners, got ${delegations.length}`,
    );
  }
  const { owners, threshold, decentralizedNamespace } = decentralized.value;
  const roots = delegations.map((from) => readRoot(from, signing));
  const keys = roots.filter(({ fingerprint }) => owners.includes(fingerprint));
  requireSame(decentralizedNamespace, namespace);
  return { keys, threshold };
}

function requireSame(namespace: string, hosting: string): void {
  if (namespace === hosting) return;
  throw invalidArgument(
    `The Party namespace (${namespace}) does not match the PartyToParticipant namespace (${hosting})`,
  );
}

/** Returns the key of a namespace. Its root delegation must be signed with the same key. */
function readRoot(from: HandedIn, signing: Signing): SigningKey {
  const { mapping } = from.transaction;
  const { namespace, targetKey } = mapping.value as ValueOf<'namespaceDelegation'>;
  const [key] = keysOf(targetKey === undefined ? [] : [targetKey]);
  if (key?.fingerprint !== namespace) {
    throw invalidArgument(
      'NamespaceDelegation is not a root namespace. Ensure the namespace and target key are the same',
    );
  }
  if (!signing.signersOf(from, [key]).has(namespace)) {
    throw invalidArgument(`NamespaceDelegation of ${namespace} is not signed by its key`);
  }
  return key;
}
