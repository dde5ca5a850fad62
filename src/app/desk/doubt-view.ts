import type { Attempt, Change } from '../../domain/change.ts';
import { NOT_YET_KNOWN } from '../../domain/change.ts';
import type { Party } from '../../domain/ids.ts';
import { workflowIdOf } from '../../domain/ids.ts';
import type { JsonRecord } from '../../domain/json.ts';
import { CODES } from '../../domain/ledger-codes.ts';
import { DECISIONS } from './decide-doubt.ts';
import type { ContractModel } from '../contract/model.ts';
import type { Io } from '../ports/io.ts';
import type { Reads } from '../ports/reads.ts';
import type { ContractView } from '../ports/views.ts';
import type { AuditEntry } from '../ports/writes.ts';
import { isProven, isUndecided, proofOf } from '../engine/doubts/proof.ts';

/** The evidence by which a person can find out whether a change in doubt took effect. */
export interface DoubtView {
  /** The known facts, and where to look further, as a sentence. */
  readonly advice: string;
  /**
   * Until the ledger's time has passed this, an attempt may still take effect, so a decision that no attempt did is
   * refused. ISO 8601; also absent while the participant has not answered since the attempt was sent.
   */
  readonly openUntil?: string;
  /** Any effect of the change is after this offset of its participant. */
  readonly deduplicationOffset: number;
  readonly participant: string;
  readonly actAs: string;
  /** The workflow ID that the change's update would carry. */
  readonly workflowId: string;
  /** The attempts about which it is unknown whether they were accepted. */
  readonly undecided: readonly JsonRecord[];
  /** The contracts that these attempts named, as stored in the query store. */
  readonly contracts: readonly JsonRecord[];
  readonly decisions: readonly string[];
  /** The parties whose operators may decide about the change. */
  readonly decidedBy: readonly Party[];
}

const undecidedView = ({ n, submissionId, at, contractId }: Attempt): JsonRecord => ({
  n,
  submissionId,
  at,
  contractId,
});

const contractView = ({ contractId, templateFqn, archived }: ContractView): JsonRecord => ({
  contractId,
  template: templateFqn,
  active: archived === null,
  ...(archived === null
    ? {}
    : { archivedAt: archived.at, archivedAtOffset: Number(archived.offset) }),
});

/** Returns the parties that may decide: only the provider for a change that acted as the provider: `decideDoubt`. */
const decidersOf = ({ submitter, provider, callerParty }: Change): readonly Party[] =>
  submitter.actAs === provider ? [provider] : [...new Set([callerParty, provider])];

interface Known {
  readonly change: Change;
  readonly contracts: readonly ContractView[];
  /**
   * The ledger time until which an attempt may still be sequenced; ISO 8601, `null` if no attempt can be sequenced any
   * more.
   */
  readonly openUntil: string | null;
  /** Whether a duplicate answer or an acceptance shows that a command with the change's ID was accepted. */
  readonly wasAccepted: boolean;
  /** Whether the operation ends its contract, so that at most one of its attempts can take effect. */
  readonly isEnding: boolean;
}

function adviceOn({ change, contracts, openUntil, wasAccepted, isEnding }: Known): string {
  const { participant } = change.submitter;
  const look =
    `Look for an update with workflow ID ${workflowIdOf(change.id)}, in the query store (ledger_update) ` +
    `and on participant ${participant} after offset ${change.deduplicationOffset}`;
  const pruned =
    'If the participant was pruned after that offset, a missing update proves nothing.';
  if (wasAccepted) {
    return `The participant reports that the command ID was accepted: the operation took effect, unless another client used the ID. ${look}.`;
  }
  if (openUntil === NOT_YET_KNOWN) {
    return `An attempt may still take effect: ${participant} has reported nothing since the attempt was sent. ${look}.`;
  }
  if (openUntil !== null) {
    return `An attempt may still take effect until the ledger time passes ${openUntil}. ${look}.`;
  }
  if (!isEnding) return `${look}: the operation took effect if such an update exists. ${pruned}`;
  const ended = contracts.find(({ archived }) => archived !== null);
  if (ended?.archived != null) {
    return `The contract was archived at offset ${ended.archived.offset}; the update at this offset shows who archived it. ${look}.`;
  }
  if (contracts.length === 0)
    return `${look}: the operation took effect if such an update exists. ${pruned}`;
  return (
    'The contract that the operation would have ended is still active in the query store, and no attempt can ' +
    `take effect any more: the operation took no effect. To be sure: ${look.charAt(0).toLowerCase()}${look.slice(1)}.`
  );
}

/** Reads the evidence about a change in doubt. */
export async function viewDoubt(
  { reads, model }: { readonly reads: Reads; readonly model: ContractModel },
  change: Change,
  attempts: readonly Attempt[],
  io: Io,
): Promise<DoubtView> {
  const isEnding = model.ending.includes(change.operation);
  const undecided = attempts.filter(isUndecided);
  const proofAt = proofOf(undecided);
  const provenAt =
    proofAt === null ? null : await reads.provenTime(change.submitter.participant, io);
  const openUntil = proofAt === null || isProven(proofAt, provenAt) ? null : proofAt;
  const isDuplicate = attempts.some(({ answer }) => answer?.ledgerCode === CODES.duplicate);
  const wasAccepted = change.acceptance !== null || isDuplicate;
  const named = [...new Set(undecided.flatMap(({ contractId }) => contractId ?? []))];
  const found = await Promise.all(named.map((id) => reads.contract(id, io)));
  const contracts = found.flatMap((contract) => contract ?? []);
  return {
    advice: adviceOn({ change, contracts, openUntil, wasAccepted, isEnding }),
    ...(openUntil === null || openUntil === NOT_YET_KNOWN ? {} : { openUntil }),
    deduplicationOffset: Number(change.deduplicationOffset),
    participant: change.submitter.participant,
    actAs: change.submitter.actAs,
    workflowId: workflowIdOf(change.id),
    undecided: undecided.map(undecidedView),
    contracts: contracts.map(contractView),
    decisions: DECISIONS,
    decidedBy: decidersOf(change),
  };
}

/** Returns an act of a person in the form shown to operators. */
export const auditView = ({
  changeId: _change,
  subject: _subject,
  ...act
}: AuditEntry): JsonRecord => act;
