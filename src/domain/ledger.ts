import type { ContractId, ParticipantName, Party, SubmissionId, UpdateId } from './ids.ts';
import type { Json, JsonRecord } from './json.ts';
import type { LedgerAnswer } from './answer.ts';

/** A template, identified by package name, because the package ID changes with every build of the package. */
export interface TemplateName {
  readonly packageName: string;
  readonly moduleName: string;
  readonly entityName: string;
}

/** A template or an interface whose contracts are followed, as `package:Module:Entity`. */
export interface FollowedType {
  readonly fqn: string;
  readonly kind: 'template' | 'interface';
}

/** Returns the query store's spelling, `package-name:Module:Entity`. The names of interfaces have the same form. */
export const templateFqn = (name: TemplateName): string =>
  `${name.packageName}:${name.moduleName}:${name.entityName}`;

export interface CreatedEvent {
  readonly kind: 'created';
  readonly nodeId: number;
  readonly contractId: ContractId;
  readonly template: TemplateName;
  readonly packageId: string;
  /** `null` if the contract was requested only through an interface: then only its interface views are known. */
  readonly payload: JsonRecord | null;
  readonly views: readonly InterfaceView[];
  readonly signatories: readonly Party[];
  readonly observers: readonly Party[];
  readonly witnesses: readonly Party[];
}

/** The view of a contract through one of its interfaces. */
export interface InterfaceView {
  readonly interface: TemplateName;
  readonly packageId: string;
  readonly value: JsonRecord;
}

export interface ExercisedEvent {
  readonly kind: 'exercised';
  readonly nodeId: number;
  /** Nodes whose ID is in (nodeId, lastDescendantNodeId] happened inside this exercise. */
  readonly lastDescendantNodeId: number;
  readonly contractId: ContractId;
  readonly template: TemplateName;
  readonly packageId: string;
  readonly choice: string;
  readonly argument: Json;
  readonly result: Json;
  readonly consuming: boolean;
  readonly actingParties: readonly Party[];
  readonly witnesses: readonly Party[];
}

export type LedgerEvent = CreatedEvent | ExercisedEvent;

/** One transaction of the update stream, in the shape LEDGER_EFFECTS. Times are ISO 8601 with microseconds. */
export interface LedgerTransaction {
  readonly kind: 'transaction';
  readonly offset: bigint;
  readonly updateId: UpdateId;
  /** The command ID; empty unless one of the reading parties submitted the transaction. */
  readonly commandId: string;
  readonly workflowId: string;
  readonly effectiveAt: string;
  readonly recordTime: string;
  readonly synchronizerId: string;
  readonly events: readonly LedgerEvent[];
}

/** Record times up to which a stream has reported everything, by synchronizer; ISO 8601 with microseconds. */
export type SynchronizerTimes = ReadonlyMap<string, string>;

/** A time before every record time. It is the position of a synchronizer about which a stream has reported nothing. */
export const BEGIN_OF_TIME = '1970-01-01T00:00:00Z';

/** A position of the stream without events: a checkpoint, or an update of a kind that changes none of our contracts. */
export interface LedgerPosition {
  readonly kind: 'position';
  readonly offset: bigint;
  /** The time of the synchronizer that is furthest behind; `null` if no synchronizer is named. */
  readonly recordTime: string | null;
  readonly times: SynchronizerTimes;
}

export type LedgerUpdate = LedgerTransaction | LedgerPosition;

/** The participant's report on one submission. */
export interface LedgerCompletion {
  readonly kind: 'completion';
  readonly participant: ParticipantName;
  readonly offset: bigint;
  readonly commandId: string;
  readonly submissionId: SubmissionId;
  readonly ledgerUser: string;
  readonly actAs: readonly Party[];
  /** Set if the submission was accepted. */
  readonly updateId: UpdateId | null;
  /** Set if the submission was refused. */
  readonly answer: LedgerAnswer | null;
  /** Traffic in bytes that the participant paid for the submission; absent if the participant does not report it. */
  readonly cost?: bigint;
  /** The synchronizer and the time at which the submission was sequenced or given up; at most one entry. */
  readonly times: SynchronizerTimes;
}

export type CompletionElement =
  | LedgerCompletion
  | {
      readonly kind: 'position';
      readonly participant: ParticipantName;
      readonly offset: bigint;
      readonly times: SynchronizerTimes;
    };

/** A contract of the active contract set, with the `offset` at which it was created. */
export interface ActiveContract {
  readonly created: CreatedEvent;
  readonly createdAtOffset: bigint;
  readonly createdAt: string;
  readonly synchronizerId: string;
}

/**
 * A command to the ledger. Arguments are in the query store's JSON encoding. A time advance creates a contract and
 * archives it in the same transaction, so it only advances the ledger's time.
 */
export type LedgerCommand =
  | {
      readonly kind: 'create-and-archive';
      readonly template: TemplateName;
      readonly argument: JsonRecord;
    }
  | {
      readonly kind: 'create';
      readonly template: TemplateName;
      readonly argument: JsonRecord;
    }
  | {
      readonly kind: 'exercise';
      readonly template: TemplateName;
      readonly contractId: ContractId;
      readonly choice: string;
      readonly argument: JsonRecord;
    }
  /** Exercises the choice on a contract that does not exist, so that the participant always refuses the command. */
  | {
      readonly kind: 'probe';
      readonly template: TemplateName;
      readonly choice: string;
      readonly argument: JsonRecord;
    };

/** Returns whether a command can create or archive a lasting contract. Probes and time advances cannot. */
export const hasEffect = ({ kind }: LedgerCommand): boolean =>
  kind === 'create' || kind === 'exercise';

/** A contract that is sent along with a command, so that the submitting participant need not have it. */
export interface DisclosedContract {
  /** The template's ID: `package-id:Module:Entity`. */
  readonly templateId: string;
  readonly contractId: ContractId;
  /** The blob in base64. */
  readonly createdEventBlob: string;
  /** The synchronizer of the contract; empty if it is unknown. */
  readonly synchronizerId: string;
}
