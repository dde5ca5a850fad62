import { createHash, randomUUID } from 'node:crypto';
import {
  HashingSchemeVersion,
  PreparedTransaction,
} from '../../proto/gen/com/daml/ledger/api/v2/interactive/interactive_submission_service.ts';
import type {
  CostEstimation,
  CostEstimationHints,
  ExecuteSubmissionRequest,
  Metadata,
  MinLedgerTime,
  PrepareSubmissionResponse,
} from '../../proto/gen/com/daml/ledger/api/v2/interactive/interactive_submission_service.ts';
import { microsOf, timestampOf } from '../messages/times.ts';
import { isAuthentic } from '../ledger/contract.ts';
import { entropy } from '../ledger/entropy.ts';
import { LedgerError } from '../ledger/ledger-error.ts';
import type { Accepted, WaitOptions } from '../ledger/participant.ts';
import type { ParticipantNode, Prepared } from '../ledger/participant-node.ts';
import type { Access } from '../ledger/rights.ts';
import { checkInformees, checkKnownSubmitters } from '../ledger/routing.ts';
import { invalidField, missingField } from '../ledger/submission-checks.ts';
import type {
  LedgerCommand,
  RawSubmission,
  Submission,
  TraceContext,
} from '../ledger/submission.ts';
import type { TransactionTree } from '../ledger/transaction-tree.ts';
import type { Rejection } from '../ledger/update.ts';
import { modelConformance } from '../ledger/verdicts.ts';
import { checkAlgorithm } from '../topology/keys.ts';
import { physicalIdOf } from '../topology/synchronizer.ts';
import { Unhashable, hashesOf } from './hash.ts';
import type { HashingVersion } from './hash.ts';
import { checkSignatureCount, readPartySignatures, verifySignatures } from './party-signatures.ts';
import type { SignaturesByParty } from './party-signatures.ts';
import { PreparedTransactionEncoder } from './prepared-transaction.ts';
import { notExecuted, notPrepared } from './refusals.ts';
import { readInputContracts, readSeeds, replay, rootCommand } from './replay.ts';
import type { InputContracts } from './replay.ts';
import { checkPreparedFor } from './synchronizer.ts';

/** Commands to prepare, and their options. */
export interface PrepareRequest {
  readonly commands: RawSubmission;
  /** The latest allowed record time of the transaction, microseconds. */
  readonly maxRecordTime?: bigint | undefined;
  readonly verboseHashing: boolean;
  /** Hints for the estimate of the cost; the estimate does not need them. */
  readonly costHints?: CostEstimationHints | undefined;
  /** If absent, version 2 is used. */
  readonly hashingVersion?: HashingSchemeVersion | undefined;
}

/** A request to execute a transaction, after decoding. */
interface ReadExecution {
  readonly submission: Submission;
  readonly signatures: SignaturesByParty;
  readonly version: HashingVersion;
  readonly metadata: Metadata;
  readonly prepared: PreparedTransaction;
  readonly command: LedgerCommand;
  readonly seeds: ReadonlyMap<number, Uint8Array>;
  readonly inputs: InputContracts;
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const NOTHING: TransactionTree = {
  roots: [],
  inputs: new Map(),
  consumed: new Set(),
  timeBounds: {},
};

/**
 * Interactive submission: commands are converted to a transaction, its parties sign its hash, and the signed
 * transaction is executed. The gRPC service and the JSON API share this class.
 */
export class InteractiveSubmissions {
  readonly #participant: ParticipantNode;

  constructor(participant: ParticipantNode) {
    this.#participant = participant;
  }

  /** Prepares commands. Throws the refusals of a submission, and FAILED_TO_PREPARE_TRANSACTION. */
  prepare(access: Access, request: PrepareRequest): PrepareSubmissionResponse {
    const raw = request.commands;
    const userId = access.requireUser(raw.userId ?? '');
    access.requireReadAs([...(raw.readAs ?? []), ...(raw.actAs ?? [])]);
    const submission = this.#participant.readSubmission(raw, userId);
    const version = readVersion(request.hashingVersion ?? HashingSchemeVersion.V2);
    for (const algorithm of request.costHints?.expectedSignatures ?? []) {
      checkAlgorithm(algorithm, 'estimate_traffic_cost');
    }
    if (raw.commands.length > 1) {
      throw notPrepared('Preparing multiple commands is currently not supported');
    }
    const seed = entropy(32);
    const seedOf = (nodeId: number) =>
      createHash('sha256').update(seed).update(`/node/${nodeId}`).digest();
    const { tree } = this.#participant.prepare(submission, { seedOf });
    const encoder = this.#encoder(tree, seedOf);
    const preparedTransaction: PreparedTransaction = {
      transaction: encoder.transaction(),
      metadata: {
        submitterInfo: { actAs: [...submission.actAs], commandId: submission.commandId },
        synchronizerId: physicalIdOf(this.#participant.synchronizerId),
        mediatorGroup: 0,
        transactionUuid: randomUUID(),
        preparationTime: this.#participant.nowMicros(),
        inputContracts: encoder.inputContracts(),
        ...boundsOf(tree),
        maxRecordTime: request.maxRecordTime,
        globalKeyMapping: [],
      },
    };
    return {
      preparedTransaction,
      preparedTransactionHash: hashesOf(preparedTransaction, version).whole,
      hashingSchemeVersion: version,
      hashingDetails: request.verboseHashing ? NO_DETAILS : undefined,
      costEstimation:
        request.costHints?.disabled === true ? undefined : this.#estimate(preparedTransaction),
    };
  }

  /**
   * Executes a signed transaction. Returns before the outcome is known, which a completion reports. Throws
   * FAILED_TO_EXECUTE_TRANSACTION.
   */
  async execute(
    access: Access,
    request: ExecuteSubmissionRequest,
    traceContext: TraceContext,
  ): Promise<void> {
    const execution = this.#read(access, request, traceContext);
    checkSignatureCount(execution.signatures);
    const prepared = this.#verify(execution, request.minLedgerTime);
    await this.#participant.submitPrepared(execution.submission, prepared);
  }

  /** Like {@link execute}, but waits for the outcome. */
  async executeAndWait(
    access: Access,
    request: ExecuteSubmissionRequest,
    traceContext: TraceContext,
    wait: WaitOptions,
  ): Promise<Accepted> {
    const { submission, ...execution } = this.#read(access, request, traceContext);
    const prepared = this.#verify({ submission, ...execution }, request.minLedgerTime);
    return this.#participant.track(submission, wait, () =>
      this.#participant.submitPrepared(submission, prepared),
    );
  }

  #encoder(tree: TransactionTree, seedOf: (nodeId: number) => Uint8Array) {
    const { registry } = this.#participant;
    return new PreparedTransactionEncoder(tree, seedOf, (name) => registry.idOf(name));
  }

  #estimate(prepared: PreparedTransaction): CostEstimation {
    const cost = this.#participant.costOf(sizeOf(prepared));
    return {
      estimationTimestamp: timestampOf(this.#participant.nowMicros()),
      confirmationRequestTrafficCostEstimation: cost,
      // LocalNet does not charge for confirmations.
      confirmationResponseTrafficCostEstimation: 0n,
      totalTrafficCostEstimation: cost,
    };
  }

  #read(
    access: Access,
    request: ExecuteSubmissionRequest,
    traceContext: TraceContext,
  ): ReadExecution {
    const { preparedTransaction: prepared, partySignatures } = request;
    const userId = access.requireUser(request.userId);
    access.requireExecuteAs(prepared?.metadata?.submitterInfo?.actAs ?? []);
    if (prepared === undefined) throw missingField('prepared_transaction');
    if (partySignatures === undefined) throw missingField('parties_signatures');
    const signatures = readPartySignatures(partySignatures);
    const version = readVersion(request.hashingSchemeVersion);
    const { metadata, transaction } = prepared;
    if (metadata === undefined) throw missingField('synchronizer_id');
    checkPreparedFor(metadata.synchronizerId, this.#participant.synchronizerId);
    const { submitterInfo } = metadata;
    if (submitterInfo === undefined) throw missingField('submitter_info');
    if (!UUID.test(metadata.transactionUuid)) {
      throw notExecuted(
        `Failed to deserialize transaction UUID: Invalid UUID string: ${metadata.transactionUuid.slice(0, 100)}`,
      );
    }
    if (transaction === undefined) throw missingField('transaction');
    const command = rootCommand(transaction);
    const submission = this.#participant.readSubmission(
      {
        commandId: submitterInfo.commandId,
        actAs: submitterInfo.actAs,
        submissionId: request.submissionId,
        commands: [command],
        bytes: sizeOf(prepared),
        traceContext,
        ...deduplicationOf(request),
      },
      userId,
    );
    const { registry } = this.#participant;
    return {
      submission,
      signatures,
      version,
      metadata,
      prepared,
      command,
      seeds: readSeeds(transaction),
      inputs: readInputContracts(metadata, transaction, registry),
    };
  }

  /** Verifies the signatures, and interprets the signed transaction again. */
  #verify(execution: ReadExecution, minLedgerTime: MinLedgerTime | undefined): Prepared {
    const { submission, prepared, version, metadata, inputs, signatures } = execution;
    const { state } = this.#participant;
    const hash = hashOf(prepared, version);
    checkKnownSubmitters(submission.actAs, state.hosts);
    verifySignatures(hash, submission.actAs, signatures, this.#participant.externalParties);
    const ledgerTime = this.#ledgerTime(metadata, minLedgerTime, inputs);
    const outcome = this.#confirm(execution, hash, ledgerTime);
    const { preparationTime, maxRecordTime } = metadata;
    const signed = {
      hash: hash.toString('hex'),
      preparationTime,
      ...(maxRecordTime === undefined ? {} : { maxRecordTime }),
    };
    if ('rejection' in outcome) {
      return { tree: NOTHING, ledgerTime, signed: { ...signed, rejection: outcome.rejection } };
    }
    checkInformees(outcome.tree, state.hosts);
    return { tree: outcome.tree, ledgerTime, signed };
  }

  /** Interprets the transaction as confirming participants do. The resulting transaction must equal the signed one. */
  #confirm(
    { submission, command, inputs, seeds, metadata, version }: ReadExecution,
    hash: Buffer,
    ledgerTime: bigint,
  ): { readonly tree: TransactionTree } | { readonly rejection: Rejection } {
    const { registry } = this.#participant;
    const unauthentic = [...inputs.values()].find((contract) => !isAuthentic(contract));
    if (unauthentic !== undefined) {
      return {
        rejection: modelConformance(`failed to authenticate contract ${unauthentic.contractId}`),
      };
    }
    try {
      const { actAs } = submission;
      const tree = replay(command, { registry, actAs, inputs, seeds, ledgerTime });
      const encoder = this.#encoder(tree, (nodeId) => seeds.get(nodeId) ?? new Uint8Array(32));
      const again = {
        transaction: encoder.transaction(),
        metadata: {
          ...metadata,
          inputContracts: encoder.inputContracts(),
          minLedgerEffectiveTime: undefined,
          maxLedgerEffectiveTime: undefined,
          ...boundsOf(tree),
        },
      };
      if (hashesOf(again, version).whole.equals(hash)) return { tree };
      return { rejection: modelConformance('the transaction does not follow from its root') };
    } catch (error) {
      if (!(error instanceof LedgerError)) throw error;
      return { rejection: modelConformance(error.text) };
    }
  }

  /**
   * Returns the earliest ledger time that the transaction and its caller permit. It is not before the creation of the
   * contracts that the transaction uses.
   */
  #ledgerTime(
    { minLedgerEffectiveTime: min, maxLedgerEffectiveTime: max }: Metadata,
    minLedgerTime: MinLedgerTime | undefined,
    inputs: InputContracts,
  ): bigint {
    const now = this.#participant.nowMicros();
    const { time } = minLedgerTime ?? {};
    const asked = [...inputs.values()].map(({ createdAt }) => createdAt);
    if (time?.$case === 'minLedgerTimeAbs') asked.push(microsOf(time.value));
    if (time?.$case === 'minLedgerTimeRel') asked.push(now + microsOf(time.value));
    const wanted = asked.reduce((latest, one) => (one > latest ? one : latest), now);
    if (min !== undefined && wanted < min) return min;
    return max !== undefined && wanted > max ? max : wanted;
  }
}

const NO_DETAILS =
  'Verbose hashing is disabled on this participant. Contact the node administrator for more details.';

const sizeOf = (prepared: PreparedTransaction): number =>
  PreparedTransaction.encode(prepared).finish().length;

const boundsOf = ({ timeBounds: { min, max } }: TransactionTree) => ({
  ...(min === undefined ? {} : { minLedgerEffectiveTime: min }),
  ...(max === undefined ? {} : { maxLedgerEffectiveTime: max }),
});

function readVersion(version: HashingSchemeVersion): HashingVersion {
  if (version === HashingSchemeVersion.V2 || version === HashingSchemeVersion.V3) return version;
  throw invalidField(
    'hashing_scheme_version',
    version === HashingSchemeVersion.UNSPECIFIED
      ? 'Unspecified version'
      : `Unrecognized version ${String(version)}`,
  );
}

function hashOf(prepared: PreparedTransaction, version: HashingVersion): Buffer {
  try {
    return hashesOf(prepared, version).whole;
  } catch (error) {
    if (error instanceof Unhashable) throw notExecuted(error.message);
    throw error;
  }
}

function deduplicationOf({ deduplicationPeriod }: ExecuteSubmissionRequest) {
  switch (deduplicationPeriod?.$case) {
    case undefined:
      return {};
    case 'deduplicationOffset':
      return { deduplication: { kind: 'offset', offset: deduplicationPeriod.value } } as const;
    case 'deduplicationDuration': {
      const micros = microsOf(deduplicationPeriod.value);
      return { deduplication: { kind: 'duration', micros } } as const;
    }
    default:
      return deduplicationPeriod satisfies never;
  }
}
