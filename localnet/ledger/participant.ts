import type { PackageDescription } from '../lf/description.ts';
import type { ParticipantName } from '../ports.ts';
import type { Contract } from './contract.ts';
import type { IdentityProviders } from './identity-providers.ts';
import type { TemplateDefinition } from './package-definition.ts';
import type { Access, Right } from './rights.ts';
import type { RawSubmission, Submission } from './submission.ts';
import type { LedgerEvent, LedgerTransaction } from './update.ts';

/** `resourceVersion` changes with every update of the object. */
export interface ObjectMeta {
  readonly resourceVersion: string;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface User {
  readonly id: string;
  /** Empty: none. */
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
  /** Empty on the last page. */
  readonly nextPageToken: string;
}

/** Absent fields stay unchanged. An annotation set to `''` is removed. */
export interface UserChange {
  readonly primaryParty?: string;
  readonly isDeactivated?: boolean;
  readonly primaryPartyAuthentication?: boolean;
  readonly annotations?: Readonly<Record<string, string>>;
  /** If not empty, it must be the current version, otherwise CONCURRENT_USER_UPDATE_DETECTED. */
  readonly resourceVersion?: string;
}

/** Users of one participant. Every method that changes a user returns after the change is in the journal. */
export interface Users {
  /** USER_NOT_FOUND when absent. */
  get(userId: string): User;
  has(userId: string): boolean;
  /** Users of one identity provider. @param identityProviderId @default the participant's own */
  list(pageSize: number, pageToken: string, identityProviderId?: string): Page<User>;
  /** PERMISSION_DENIED when the user exists and belongs to another identity provider. */
  requireOf(identityProviderId: string, userId: string): void;
  /** Moves a user to another identity provider. */
  move(userId: string, source: string, target: string): void;
  /** USER_ALREADY_EXISTS, TOO_MANY_USER_RIGHTS. */
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
  /** Returns the rights that were new. */
  grant(userId: string, rights: readonly Right[]): readonly Right[];
  /** Returns the rights that the user had. */
  revoke(userId: string, rights: readonly Right[]): readonly Right[];
}

/** Parties that one participant knows: its own and those of the other participants. */
export interface Parties {
  /** Parties as one identity provider sees them. @param identityProviderId @default the participant's own */
  list(
    pageSize: number,
    pageToken: string,
    filterParty?: string,
    identityProviderId?: string,
  ): Page<PartyDetails>;
  /** Unknown parties are left out. */
  get(parties: readonly string[], identityProviderId?: string): readonly PartyDetails[];
  /** PERMISSION_DENIED when the party exists and belongs to another identity provider. */
  requireOf(identityProviderId: string, party: string): void;
  /** Moves a party to another identity provider. PARTY_NOT_FOUND. */
  move(party: string, source: string, target: string): void;
  /** Returns `${hint}::${namespace}`. A hint in use is INVALID_ARGUMENT; an empty hint becomes random. */
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
  /** Microseconds. */
  readonly knownSince: bigint;
  /** Bytes of the archive's payload. */
  readonly size: number;
  /** The archive's payload, as `GetPackage` gives it. */
  readonly archive: () => Uint8Array;
  /**
   * The executor of the package's commands: LocalNet's own version of the package, or the engine with the package's
   * code.
   */
  readonly runs: 'native' | 'engine';
}

export interface Packages {
  list(): readonly KnownPackage[];
  /** PACKAGE_NOT_FOUND when absent. */
  get(packageId: string): KnownPackage;
  has(packageId: string): boolean;
  /** PACKAGE_NOT_FOUND when absent. */
  describe(packageId: string): PackageDescription;
  /**
   * Returns the ID of the DAR's main package. INVALID_DAR, INVALID_ZIP_ENTRY, ZIP_BOMB, DAR_PARSE_ERROR,
   * ALLOWED_LANGUAGE_VERSIONS, DAR_VALIDATION_ERROR, DAR_DEPENDENCIES_NOT_VALID,
   * TOPOLOGY_CANNOT_VET_DUE_TO_MISSING_PACKAGES, DAML_PRIM_NOT_UTILITY_PACKAGE, KNOWN_PACKAGE_VERSION,
   * NOT_VALID_UPGRADE_PACKAGE.
   */
  validateDar(dar: Uint8Array): Promise<string>;
  /**
   * Like `validateDar`, and stores the packages, vetted by default. Packages that exist already are a success without
   * effect. Packages that cannot be vetted are refused, but stored nevertheless.
   */
  uploadDar(dar: Uint8Array, isVetted?: boolean): Promise<string>;
}

/** The parts of a transaction that a participant's reader sees. */
export type SeenTransaction = Pick<LedgerTransaction, 'updateId' | 'ledgerTime' | 'events'>;

/** An accepted submission: its update's ID and offset. */
export interface Accepted {
  readonly updateId: string;
  readonly offset: bigint;
}

export interface WaitOptions {
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal;
  /** Milliseconds until REQUEST_TIME_OUT; the participant's default when absent. */
  readonly deadlineMs?: number;
}

/**
 * One participant, in process, for its gRPC services and its HTTP surfaces. Refusals are `LedgerError`s. The methods
 * check no rights: get an {@link Access} from `access` and check it first.
 */
export interface ParticipantApi {
  readonly name: ParticipantName;
  /** `participant::<namespace>`: all participants of the reference have the name `participant`. */
  readonly participantId: string;
  readonly synchronizerId: string;
  readonly users: Users;
  readonly parties: Parties;
  readonly identityProviders: IdentityProviders;
  readonly packages: Packages;
  /** Rights of a token's user; PERMISSION_DENIED when the user is unknown here or deactivated. */
  access(userId: string, identityProviderId?: string): Access;
  /** Ledger time in microseconds. */
  nowMicros(): bigint;
  /** Offset of the last event here; never `0n` after bootstrapping. */
  ledgerEnd(): bigint;
  /** Record time of the last event here, in microseconds. */
  recordTime(): bigint;
  /** Whether the participant is held behind and sees no new updates. */
  readonly isBehind: boolean;
  /** Whether the participant reads no calls. */
  readonly isStopped: boolean;
  /** The offset up to which, inclusively, updates have been pruned; `0n`: none. */
  prunedUpTo(): bigint;
  /**
   * Active contracts that `party` has a stake in here, in order of creation. The result is not a copy: read it at
   * once.
   *
   * @param party `undefined`: any party
   * @param isWanted contracts of other templates are not read. @default all
   */
  activeContracts(
    party: string | undefined,
    isWanted?: (template: TemplateDefinition) => boolean,
  ): Iterable<Contract>;
  /** One active contract, by its ID. */
  activeContract(party: string, contractId: string): Contract | undefined;
  /** Whether this participant has seen the creation of a wanted contract after an offset. */
  hasCreatedSince(offset: bigint, isWanted: (contract: Contract) => boolean): boolean;
  /** Resolves after a possible publication, or when `signal` aborts. */
  untilPublished(signal: AbortSignal): Promise<void>;
  /** The events of an update that any party saw, in order of execution; empty when the update is unknown here. */
  eventsOf(updateId: string): readonly LedgerEvent[];
  /**
   * Transactions that this participant took part in and has not pruned, the latest first, read lazily.
   *
   * @param fromUpdateId the first transaction; an unknown ID yields nothing. @default the latest
   */
  latestTransactions(fromUpdateId?: string): Iterable<SeenTransaction>;
  /** Checks the fields of a request. MISSING_FIELD, INVALID_FIELD, … `userId` is the token's. */
  readSubmission(raw: RawSubmission, userId: string): Submission;
  /** Resolves once the submission is registered and sequenced. The outcome is a completion. */
  submit(submission: Submission): Promise<void>;
  /** Resolves with the accepted outcome; throws the rejection, REQUEST_TIME_OUT or PARTICIPANT_BACKPRESSURE. */
  submitAndWait(submission: Submission, options: WaitOptions): Promise<Accepted>;
}
