import type { ParticipantName } from '../ports.ts';
import { stakeholdersOf } from './contract.ts';
import type { Contract } from './contract.ts';
import type { LfType, TypeName } from './lf-types.ts';
import type { LedgerErrorDetail, ErrorCode } from './ledger-error.ts';
import type { TraceContext } from './submission.ts';
import { nodesOf, witnessesOf } from './transaction-tree.ts';
import type { TransactionTree } from './transaction-tree.ts';

export interface CreatedEvent {
  readonly kind: 'created';
  readonly nodeId: number;
  readonly contract: Contract;
  /** All parties that see the creation, including the stakeholders, sorted. */
  readonly witnesses: readonly string[];
  /** Whether the transaction that created the contract also archives it. */
  readonly isTransient: boolean;
}

export interface ExercisedEvent {
  readonly kind: 'exercised';
  readonly nodeId: number;
  readonly lastDescendantNodeId: number;
  readonly contract: Contract;
  readonly interfaceName: TypeName | undefined;
  readonly choice: string;
  readonly argumentType: LfType;
  readonly argument: unknown;
  readonly resultType: LfType;
  readonly result: unknown;
  readonly actors: readonly string[];
  readonly consuming: boolean;
  readonly witnesses: readonly string[];
  /** Whether the contract was created in this same transaction. */
  readonly isTransient: boolean;
}

export type LedgerEvent = CreatedEvent | ExercisedEvent;

/** The part of a submission that its transaction and its completion contain. */
export interface Submitter {
  readonly participant: ParticipantName;
  readonly userId: string;
  readonly commandId: string;
  readonly submissionId: string;
  readonly actAs: readonly string[];
}

/** The offset of an update on each participant that takes part in it. */
export type Offsets = Partial<Readonly<Record<ParticipantName, bigint>>>;

/** A transaction that all participants concerned have confirmed. Times are in microseconds. */
export interface LedgerTransaction {
  readonly kind: 'transaction';
  readonly updateId: string;
  readonly ledgerTime: bigint;
  readonly recordTime: bigint;
  readonly workflowId: string;
  readonly submitter: Submitter;
  readonly traceContext: TraceContext;
  /** Creations and exercises in order of execution. Fetches cause no events. */
  readonly events: readonly LedgerEvent[];
  readonly offsets: Offsets;
  /** The cost that the submitting participant paid. Other participants do not see it. */
  readonly paidTrafficCost: bigint;
  /** The hash that external parties signed, in hex. */
  readonly externalHash?: string;
}

/** A participant begins to host a party. Every participant sees this update. */
export interface PartyAdded {
  readonly kind: 'partyAdded';
  readonly updateId: string;
  readonly recordTime: bigint;
  readonly party: string;
  readonly host: ParticipantName;
  readonly offsets: Offsets;
  /** The permission of the host for an external party. If absent, the host may also submit, as for its own parties. */
  readonly permission?: 'confirmation' | 'observation';
}

export type Update = LedgerTransaction | PartyAdded;

/** The error of a rejected completion, in the form of data. */
export interface Rejection extends Required<LedgerErrorDetail> {
  readonly code: ErrorCode;
  readonly text: string;
}

/** The outcome of a submission, which only the submitting participant sees. */
export interface Completion {
  readonly offset: bigint;
  readonly submitter: Submitter;
  /** The update's ID; empty for a rejection. */
  readonly updateId: string;
  readonly rejection: Rejection | undefined;
  /** The start (exclusive) of the deduplication period that was applied. */
  readonly deduplicationOffset: bigint;
  readonly recordTime: bigint;
  readonly traceContext: TraceContext;
  /** The synchronizer's charge for the submission; zero if the synchronizer never accepted the submission. */
  readonly paidTrafficCost: bigint;
}

/** Returns the change ID, by which deduplication identifies a submission. It does not depend on the commands. */
export const changeKey = ({
  actAs,
  userId,
  commandId,
}: Pick<Submitter, 'actAs' | 'userId' | 'commandId'>): string =>
  // The separator is a line feed, because party IDs, ledger user IDs and command IDs cannot contain one.
  [userId, commandId, ...actAs].join('\n');

/** Returns the events of an interpreted transaction, each with its witnesses. */
export function eventsOf(tree: TransactionTree): readonly LedgerEvent[] {
  const witnesses = witnessesOf(tree.roots);
  const created = new Set<string>();
  const archived = new Set<string>();
  for (const node of nodesOf(tree.roots)) {
    if (node.kind === 'create') created.add(node.contract.contractId);
    if (node.kind === 'exercise' && node.consuming) archived.add(node.contract.contractId);
  }
  const events: LedgerEvent[] = [];
  for (const node of nodesOf(tree.roots)) {
    if (node.kind === 'fetch') continue;
    const { contract, nodeId } = node;
    const seenBy = witnesses.get(nodeId) ?? [];
    if (node.kind === 'create') {
      const isTransient = archived.has(contract.contractId);
      events.push({ kind: 'created', nodeId, contract, witnesses: seenBy, isTransient });
      continue;
    }
    const { children: _children, choiceObservers: _observers, ...exercise } = node;
    const isTransient = node.consuming && created.has(contract.contractId);
    events.push({ ...exercise, kind: 'exercised', witnesses: seenBy, isTransient });
  }
  return events;
}

/** The contracts that a participant gets when it begins to host a party, and the position of the update. */
interface Import {
  readonly updateId: string;
  readonly recordTime: bigint;
  readonly traceContext: TraceContext;
  readonly contracts: readonly Contract[];
  readonly offsets: Offsets;
}

/** Returns an update without a submitter, through which a participant gets contracts whose creation it has not seen. */
export function importedTransaction({
  contracts,
  recordTime,
  ...place
}: Import): LedgerTransaction {
  const [participant] = Object.keys(place.offsets) as ParticipantName[];
  if (participant === undefined) throw new TypeError('an import without a participant');
  return {
    ...place,
    kind: 'transaction',
    ledgerTime: recordTime,
    recordTime,
    workflowId: '',
    submitter: { participant, userId: '', commandId: '', submissionId: '', actAs: [] },
    events: contracts.map((contract, nodeId) => ({
      kind: 'created',
      nodeId,
      contract,
      witnesses: [...stakeholdersOf(contract)].sort(),
      isTransient: false,
    })),
    paidTrafficCost: 0n,
  };
}
