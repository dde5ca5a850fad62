import type { LfType } from './lf-types.ts';

/**
 * Decodes a value once its type is known. Throws a `LedgerError` COMMAND_PREPROCESSING_FAILED if the value does not
 * match the type. There are separate implementations for protobuf and JSON, so that the ledger checks both in the same
 * way.
 */
export type ValueSource = <T>(type: LfType<T>) => T;

/** A command's reference to a template or interface: `packageId` is a package ID (64 hex digits) or `#package-name`. */
export interface TypeReference {
  readonly packageId: string;
  readonly module: string;
  readonly entity: string;
}

export type LedgerCommand =
  | { readonly kind: 'create'; readonly templateId: TypeReference; readonly argument: ValueSource }
  | {
      readonly kind: 'exercise';
      readonly templateId: TypeReference;
      readonly contractId: string;
      readonly choice: string;
      readonly argument: ValueSource;
    }
  | {
      readonly kind: 'createAndExercise';
      readonly templateId: TypeReference;
      readonly createArgument: ValueSource;
      readonly choice: string;
      readonly argument: ValueSource;
    }
  | {
      readonly kind: 'exerciseByKey';
      readonly templateId: TypeReference;
      readonly key: ValueSource;
      readonly choice: string;
      readonly argument: ValueSource;
    };

/** A contract key to look up before the commands run. */
export interface PrefetchedKey {
  readonly templateId: TypeReference;
  readonly key: ValueSource;
}

/** The period in which a change must not have been accepted before. If absent, the participant's maximum applies. */
export type DeduplicationPeriod =
  | { readonly kind: 'duration'; readonly micros: bigint }
  | { readonly kind: 'offset'; readonly offset: bigint };

export interface DisclosedContract {
  readonly templateId?: TypeReference;
  /** The contract's ID: empty, or equal to the ID in the blob. */
  readonly contractId: string;
  readonly createdEventBlob: Uint8Array;
  readonly synchronizerId: string;
}

export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/**
 * A `Commands` message whose fields have been checked, but whose types have not been looked up yet. `userId` is the
 * token's user. Lists that represent sets are sorted and contain no duplicates.
 */
export interface Submission {
  readonly userId: string;
  readonly commandId: string;
  /** The submission's ID; a random one if the caller set none. */
  readonly submissionId: string;
  readonly workflowId: string;
  readonly actAs: readonly string[];
  readonly readAs: readonly string[];
  readonly commands: readonly LedgerCommand[];
  readonly deduplication?: DeduplicationPeriod;
  /** The minimum ledger time, in microseconds. */
  readonly minLedgerTime?: { readonly kind: 'absolute' | 'relative'; readonly micros: bigint };
  readonly disclosedContracts: readonly DisclosedContract[];
  /** The prescribed synchronizer; empty stands for any. */
  readonly synchronizerId: string;
  readonly packageIdSelectionPreference: readonly string[];
  readonly prefetchedKeys: readonly PrefetchedKey[];
  readonly traceContext?: TraceContext;
  /** The size of the received commands in bytes, which determines the traffic cost. */
  readonly bytes: number;
}

/** The caller's submission, before {@link readSubmission} of `submission-checks.ts` has checked it. */
export interface RawSubmission {
  readonly userId?: string;
  readonly commandId?: string;
  readonly submissionId?: string;
  readonly workflowId?: string;
  readonly actAs?: readonly string[];
  readonly readAs?: readonly string[];
  readonly commands: readonly LedgerCommand[];
  readonly deduplication?: DeduplicationPeriod;
  readonly minLedgerTimeAbs?: bigint;
  readonly minLedgerTimeRel?: bigint;
  readonly disclosedContracts?: readonly DisclosedContract[];
  readonly synchronizerId?: string;
  readonly packageIdSelectionPreference?: readonly string[];
  readonly prefetchedKeys?: readonly PrefetchedKey[];
  /** The maximum number of passes of package selection. */
  readonly tapsMaxPasses?: number;
  readonly traceContext?: TraceContext;
  /** The size of the received commands in bytes. @default 0 */
  readonly bytes?: number;
}
