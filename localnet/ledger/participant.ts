import type { PackageDescription } from '../lf/description.ts';
import type { ParticipantName } from '../ports.ts';
import type { Contract } from './contract.ts';
import type { TemplateDefinition } from './package-definition.ts';
import type { Access, Right } from './rights.ts';
import type { RawSubmission, Submission } from './submission.ts';
import type { LedgerEvent } from './update.ts';

/** `resourceVersion` changes with every update of what it belongs to. */
export interface ObjectMeta {
  readonly resourceVersion: string;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface User {
  readonly id: string;
  /** Empty: none. */
  readonly primaryParty: string;
  readonly isDeactivated: boolean;
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
  /** Empty: this was the last page. */
  readonly nextPageToken: string;
}

/** Fields that are absent stay as they are. An annotation set to `''` is removed. */
export interface UserChange {
  readonly primaryParty?: string;
  readonly isDeactivated?: boolean;
  readonly annotations?: Readonly<Record<string, string>>;
  /** `replace` drops annotations that are not named. @default 'merge' */
  readonly annotationsMode?: 'merge' | 'replace';
  /** Not empty: must be the current one, else CONCURRENT_USER_UPDATE_DETECTED. */
  readonly resourceVersion?: string;
}

/** Users of one participant. Every method that changes something returns after the change is in the journal. */
export interface Users {
  /** USER_NOT_FOUND when absent. */
  get(userId: string): User;
  has(userId: string): boolean;
  list(pageSize: number, pageToken: string): Page<User>;
  /** USER_ALREADY_EXISTS, INVALID_FIELD. */
  create(
    user: {
      id: string;
      primaryParty?: string;
      isDeactivated?: boolean;
      annotations?: Readonly<Record<string, string>>;
    },
    rights: readonly Right[],
  ): User;
  update(userId: string, change: UserChange): User;
  delete(userId: string): void;
  rightsOf(userId: string): readonly Right[];
  /** Gives those that were new. */
  grant(userId: string, rights: readonly Right[]): readonly Right[];
  /** Gives those that were there. */
  revoke(userId: string, rights: readonly Right[]): readonly Right[];
}

/** Parties that one participant knows: its own and those of the others. */
export interface Parties {
  list(pageSize: number, pageToken: string, filterParty?: string): Page<PartyDetails>;
  /** Unknown parties are left out. */
  get(parties: readonly string[]): readonly PartyDetails[];
  /** `${hint}::${namespace}`; a taken hint is INVALID_ARGUMENT, an empty one becomes random. */
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
  /** Whether commands on it run here. */
  readonly runs: boolean;
}

export interface Packages {
  list(): readonly KnownPackage[];
  /** PACKAGE_NOT_FOUND when absent. */
  get(packageId: string): KnownPackage;
  has(packageId: string): boolean;
  /** PACKAGE_NOT_FOUND when absent. */
  describe(packageId: string): PackageDescription;
  /**
   * Gives the ID of the DAR's main package. INVALID_DAR, INVALID_ZIP_ENTRY, ZIP_BOMB, DAR_PARSE_ERROR,
   * ALLOWED_LANGUAGE_VERSIONS, DAR_VALIDATION_ERROR, KNOWN_PACKAGE_VERSION, NOT_VALID_UPGRADE_PACKAGE.
   */
  validateDar(dar: Uint8Array): Promise<string>;
  /** The same, and its packages are there afterwards. What is there already is a success without effect. */
  uploadDar(dar: Uint8Array): Promise<string>;
}

/** An accepted submission: where it is and what it became. */
export interface Accepted {
  readonly updateId: string;
  readonly offset: bigint;
}

export interface WaitOptions {
  /** The caller is gone. */
  readonly signal: AbortSignal;
  /** Milliseconds until REQUEST_TIME_OUT; the participant's default when absent. */
  readonly deadlineMs?: number;
}

/**
 * One participant, in process: what its gRPC services and its HTTP surfaces call. Refusals are `LedgerError`s. It
 * checks no rights by itself: take an {@link Access} from `access` and ask it first.
 */
export interface ParticipantApi {
  readonly name: ParticipantName;
  /** `participant::<namespace>`: every participant of the reference has this name. */
  readonly participantId: string;
  readonly synchronizerId: string;
  readonly users: Users;
  readonly parties: Parties;
  readonly packages: Packages;
  /** Rights of a token's user; PERMISSION_DENIED when the user is unknown here or deactivated. */
  access(userId: string): Access;
  /** Ledger time in microseconds. */
  nowMicros(): bigint;
  /** Offset of the last thing that happened here; `0n` never occurs after bootstrapping. */
  ledgerEnd(): bigint;
  /** Record time of the last thing that happened here, in microseconds. */
  recordTime(): bigint;
  /** It has not been shown what has happened since. */
  readonly isBehind: boolean;
  /** It reads nothing that it is asked. */
  readonly isStopped: boolean;
  /** What is not later than that has been forgotten; `0n`: nothing. */
  prunedUpTo(): bigint;
  /**
   * Active contracts that `party` has a stake in here, in order of creation. A copy is not made: read it at once.
   *
   * @param isWanted contracts of other templates are not read. @default all
   */
  activeContracts(
    party: string,
    isWanted?: (template: TemplateDefinition) => boolean,
  ): Iterable<Contract>;
  /** One of them. */
  activeContract(party: string, contractId: string): Contract | undefined;
  /** What an update did, in order of execution, as far as anybody saw it; empty when it is unknown here. */
  eventsOf(updateId: string): readonly LedgerEvent[];
  /** Checks the fields of a request. MISSING_FIELD, INVALID_FIELD, … `userId` is the token's. */
  readSubmission(raw: RawSubmission, userId: string): Submission;
  /** Resolves once the submission is registered and sequenced; what became of it is a completion. */
  submit(submission: Submission): Promise<void>;
  /** Resolves with the accepted outcome; throws the rejection, REQUEST_TIME_OUT or PARTICIPANT_BACKPRESSURE. */
  submitAndWait(submission: Submission, options: WaitOptions): Promise<Accepted>;
}
