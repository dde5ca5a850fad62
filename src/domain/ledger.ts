import type { ContractId, ParticipantName, Party, SubmissionId, UpdateId } from './ids.ts';
import type { Json, JsonRecord } from './json.ts';
import type { LedgerAnswer } from './answer.ts';

/** A template by package name: the package id changes with every build, the name does not. */
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

/** `package-name:Module:Entity`, the query store's spelling. Interfaces are named the same way. */
export const templateFqn = (name: TemplateName): string =>
  `${name.packageName}:${name.moduleName}:${name.entityName}`;

export interface CreatedEvent {
  readonly kind: 'created';
  readonly nodeId: number;
  readonly contractId: ContractId;
  readonly template: TemplateName;
  readonly packageId: string;
  /** `null` where the contract was requested through an interface only: then just its views are known. */
  readonly payload: JsonRecord | null;
  readonly views: readonly InterfaceView[];
  readonly signatories: readonly Party[];
  readonly observers: readonly Party[];
  readonly witnesses: readonly Party[];
}

/** A contract as one of its interfaces shows it. */
export interface InterfaceView {
  readonly interface: TemplateName;
  readonly packageId: string;
  readonly value: JsonRecord;
}

export interface ExercisedEvent {
  readonly kind: 'exercised';
  readonly nodeId: number;
  /** Nodes in (nodeId, lastDescendantNodeId] happened inside this exercise. */
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

/** One transaction of the update stream, in shape LEDGER_EFFECTS. Times are ISO 8601 with microseconds. */
export interface LedgerTransaction {
  readonly kind: 'transaction';
  readonly offset: bigint;
  readonly updateId: UpdateId;
  /** Empty unless one of the reading parties submitted it. */
  readonly commandId: string;
  readonly workflowId: string;
  readonly effectiveAt: string;
  readonly recordTime: string;
  readonly synchronizerId: string;
  readonly events: readonly LedgerEvent[];
}

/**
 * How far a stream has reported each synchronizer: record times, ISO 8601 with microseconds, by synchronizer. Every
 * event before such a time has been reported.
 */
export type SynchronizerTimes = ReadonlyMap<string, string>;

/** Before every record time: the position of a synchronizer without any report. */
export const BEGIN_OF_TIME = '1970-01-01T00:00:00Z';

/** A position without content: a checkpoint, or an update kind that moves no contract of ours. */
export interface LedgerPosition {
  readonly kind: 'position';
  readonly offset: bigint;
  /** The time of the synchronizer which is furthest behind; `null` where none is named. */
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
  /** Set when accepted. */
  readonly updateId: UpdateId | null;
  /** Set when refused. */
  readonly answer: LedgerAnswer | null;
  /**
   * Traffic that the participant paid for the submission, in bytes; absent where the participant does not report it.
   */
  readonly cost?: bigint;
  /** When and on which synchronizer the submission was sequenced or given up: at most one entry. */
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

/** A contract of the active contract set, as of `offset` of its creation. */
export interface ActiveContract {
  readonly created: CreatedEvent;
  readonly createdAtOffset: bigint;
  readonly createdAt: string;
  readonly synchronizerId: string;
}

/**
 * A command to the ledger. Arguments are in the query store's JSON encoding. A time advance creates and archives its
 * contract in one transaction, so it only moves the ledger's time.
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
  /** The gateway exercises the choice on a contract that does not exist, so the participant always refuses a probe. */
  | {
      readonly kind: 'probe';
      readonly template: TemplateName;
      readonly choice: string;
      readonly argument: JsonRecord;
    };

/** Whether a command can change a contract that lasts. Probes and time advances cannot. */
export const hasEffect = ({ kind }: LedgerCommand): boolean =>
  kind === 'create' || kind === 'exercise';

/** A contract that the submitting participant need not know, because the command carries the contract. */
export interface DisclosedContract {
  /** `package-id:Module:Entity`. */
  readonly templateId: string;
  readonly contractId: ContractId;
  /** Base64. */
  readonly createdEventBlob: string;
  /** Empty where the synchronizer is not known. */
  readonly synchronizerId: string;
}
