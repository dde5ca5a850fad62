import type { PackageDescription } from '../lf/description.ts';
import type { ParticipantName } from '../ports.ts';
import type { Contract } from './contract.ts';
import type { IdentityProviders } from './identity-providers.ts';
import type { TemplateDefinition } from './package-definition.ts';
import type { Access, Right } from './rights.ts';
import type { RawSubmission, Submission } from './submission.ts';
import type { LedgerEvent, LedgerTransaction } from './update.ts';

/** Metadata of an object. `resourceVersion` changes with every update of the object. */
export interface ObjectMeta {
  readonly resourceVersion: string;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface User {
  readonly id: string;
  /** The user's primary party; empty if the user has none. */
  readonly primaryParty: string;
  readonly isDeactivated: boolean;
  /** @default false */
  readonly primaryPartyAuthentication?: boolean;
  readonly metadata: ObjectMeta;
  readonly identityProviderId: string;
}

export interface PartyDetails {
  readonly party: string;
  readonly isLocal: boolean;
  readonly metadata: ObjectMeta;
  readonly identityProviderId: string;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** The token of the next page; empty on the last page. */
  readonly nextPageToken: string;
}

/** Changes of a user. Absent fields stay unchanged. An annotation with the value `''` is removed. */
export interface UserChange {
  readonly primaryParty?: string;
  readonly isDeactivated?: boolean;
  readonly primaryPartyAuthentication?: boolean;
  readonly annotations?: Readonly<Record<string, string>>;
  /**
   * The version on which the change is based. If it is not empty and not the current version, the update throws
   * CONCURRENT_USER_UPDATE_DETECTED.
   */
  readonly resourceVersion?: string;
}

/**
 * Users of one participant. Every method that changes a user returns after the change has been written to the journal.
 */
export interface Users {
  /** Throws USER_NOT_FOUND if there is no user with this ID. */
  get(userId: string): User;
  has(userId: string): boolean;
  /** Returns users of one identity provider. @param identityProviderId @default the participant's own */
  list(pageSize: number, pageToken: string, identityProviderId?: string): Page<User>;
  /** Throws PERMISSION_DENIED if the user exists and belongs to another identity provider. */
  requireOf(identityProviderId: string, userId: string): void;
  /** Moves a user to another identity provider. */
  move(userId: string, source: string, target: string): void;
  /** Throws USER_ALREADY_EXISTS, TOO_MANY_USER_RIGHTS. */
  create(
    user: {
      id: string;
      primaryParty?: string;
      isDeactivated?: boolean;
      primaryPartyAuthentication?: boolean;
      annotations?: Readonly<Record<string, string>>;
      identityProviderId?: string;
    },
    rights: readonly Right[],
  ): User;
  update(userId: string, change: UserChange): User;
  delete(userId: string): void;
  rightsOf(userId: string): readonly Right[];
  /** Returns the granted rights that the user did not have before. */
  grant(userId: string, rights: readonly Right[]): readonly Right[];
  /** Returns the revoked rights, without those that the user did not have. */
  revoke(userId: string, rights: readonly Right[]): readonly Right[];
}

/** Parties that one participant knows: its own and those of the other participants. */
export interface Parties {
  /**
   * Returns the parties as one identity provider sees them. @param identityProviderId @default the participant's own
   */
  list(
    pageSize: number,
    pageToken: string,
    filterParty?: string,
    identityProviderId?: string,
  ): Page<PartyDetails>;
  /** Returns those of these parties that are known. */
  get(parties: readonly string[], identityProviderId?: string): readonly PartyDetails[];
  /** Throws PERMISSION_DENIED if the party exists and belongs to another identity provider. */
  requireOf(identityProviderId: string, party: string): void;
  /** Moves a party to another identity provider. Throws PARTY_NOT_FOUND. */
  move(party: string, source: string, target: string): void;
  /**
   * Creates the party `${hint}::${namespace}`. Throws INVALID_ARGUMENT if the hint is in use; an empty hint is replaced
   * by a random one.
   */
  allocate(hint: string, annotations?: Readonly<Record<string, string>>): PartyDetails;
  updateAnnotations(
    party: string,
    annotations: Readonly<Record<string, string>>,
    resourceVersion?: string,
  ): PartyDetails;
}

export interface KnownPackage {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** The time from which on the package is known, in microseconds. */
  readonly knownSince: bigint;
  /** The size of the archive's payload, in bytes. */
  readonly size: number;
  /** Returns the archive's payload, as `GetPackage` returns it. */
  readonly archive: () => Uint8Array;
  /** Whether LocalNet's native code runs the package's commands, or the engine with the package's own code. */
  readonly runs: 'native' | 'engine';
}

export interface Packages {
  list(): readonly KnownPackage[];
  /** Throws PACKAGE_NOT_FOUND if there is no such package. */
  get(packageId: string): KnownPackage;
  has(packageId: string): boolean;
  /** Throws PACKAGE_NOT_FOUND if there is no such package. */
  describe(packageId: string): PackageDescription;
  /**
   * Returns the ID of the DAR's main package. Throws INVALID_DAR, INVALID_ZIP_ENTRY, ZIP_BOMB, DAR_PARSE_ERROR,
   * ALLOWED_LANGUAGE_VERSIONS, DAR_VALIDATION_ERROR, DAR_DEPENDENCIES_NOT_VALID,
   * TOPOLOGY_CANNOT_VET_DUE_TO_MISSING_PACKAGES, DAML_PRIM_NOT_UTILITY_PACKAGE, KNOWN_PACKAGE_VERSION,
   * NOT_VALID_UPGRADE_PACKAGE.
   */
  validateDar(dar: Uint8Array): Promise<string>;
  /**
   * Like `validateDar`, and also stores the packages, by default vetted. Packages that exist already are not an error.
   * If packages cannot be vetted, they are stored nevertheless, and an error is thrown.
   */
  uploadDar(dar: Uint8Array, isVetted?: boolean): Promise<string>;
}

/** The parts of a transaction that a reader of this participant sees. */
export type SeenTransaction = Pick<LedgerTransaction, 'updateId' | 'ledgerTime' | 'events'>;

/** The result of an accepted submission: its update's ID and offset. */
export interface Accepted {
  readonly updateId: string;
  readonly offset: bigint;
}

export interface WaitOptions {
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal;
  /** Milliseconds until the wait ends with REQUEST_TIME_OUT. @default the participant's default */
  readonly deadlineMs?: number;
}

/**
 * One participant, for the gRPC services and the HTTP interfaces in the same process. Refusals are thrown as
 * `LedgerError`s. The methods check no rights: callers must first get an {@link Access} from `access` and check it.
 */
export interface ParticipantApi {
  readonly name: ParticipantName;
  /** The ID `participant::<namespace>`. All participants of the reference application have the name `participant`. */
  readonly participantId: string;
  readonly synchronizerId: string;
  readonly users: Users;
  readonly parties: Parties;
  readonly identityProviders: IdentityProviders;
  readonly packages: Packages;
  /**
   * Returns the rights of a token's user. Throws PERMISSION_DENIED if the user is unknown on this participant or
   * deactivated.
   */
  access(userId: string, identityProviderId?: string): Access;
  /** Ledger time in microseconds. */
  nowMicros(): bigint;
  /** Returns the offset of the participant's last event. After bootstrapping, this is never `0n`. */
  ledgerEnd(): bigint;
  /** Returns the record time of the participant's last event, in microseconds. */
  recordTime(): bigint;
  /** Whether the participant is kept behind, so that it sees no new updates. */
  readonly isBehind: boolean;
  /** Whether the participant has stopped reading calls. */
  readonly isStopped: boolean;
  /** Returns the offset up to which updates have been pruned, inclusive; `0n` if nothing was pruned. */
  prunedUpTo(): bigint;
  /**
   * Returns the active contracts that have `party` as a stakeholder on this participant, in order of creation. The
   * result is not a copy, so it must be read at once.
   *
   * @param party `undefined` stands for any party
   * @param isWanted whether to read contracts of a template. @default all templates are read
   */
  activeContracts(
    party: string | undefined,
    isWanted?: (template: TemplateDefinition) => boolean,
  ): Iterable<Contract>;
  /** Returns one active contract that the party sees, by its ID. */
  activeContract(party: string, contractId: string): Contract | undefined;
  /** Returns whether this participant has seen the creation of a wanted contract after an offset. */
  hasCreatedSince(offset: bigint, isWanted: (contract: Contract) => boolean): boolean;
  /** Resolves when an update may have been published, or when `signal` is aborted. */
  untilPublished(signal: AbortSignal): Promise<void>;
  /**
   * Returns the events of an update, whichever parties saw them, in order of execution; empty if this participant does
   * not know the update.
   */
  eventsOf(updateId: string): readonly LedgerEvent[];
  /**
   * Returns transactions in which this participant took part and which it has not pruned, the latest first. They are
   * read lazily.
   *
   * @param fromUpdateId the update ID of the first transaction to return; an unknown ID yields none. @default the
   *   latest
   */
  latestTransactions(fromUpdateId?: string): Iterable<SeenTransaction>;
  /** Checks the fields of a request. Throws MISSING_FIELD, INVALID_FIELD, … `userId` is the token's user. */
  readSubmission(raw: RawSubmission, userId: string): Submission;
  /** Resolves once the submission is registered and sequenced. Its outcome is reported as a completion. */
  submit(submission: Submission): Promise<void>;
  /** Resolves when the submission is accepted; throws its rejection, REQUEST_TIME_OUT or PARTICIPANT_BACKPRESSURE. */
  submitAndWait(submission: Submission, options: WaitOptions): Promise<Accepted>;
}
