import type { Attempt, Change } from '../domain/change.ts';
import { workflowIdOf } from '../domain/ids.ts';
import type { JsonRecord } from '../domain/json.ts';
import { DECISIONS } from './decide-doubt.ts';
import { OPERATION_RULES } from './operations.ts';
import { isUndecided } from './outcomes.ts';
import type { AuditEntry, ContractView, Io, Reads } from './ports.ts';

/** What somebody needs who has to find out whether a change in doubt took effect. */
export interface DoubtView {
  /** In words: what is known, and where to look. */
  readonly advice: string;
  /** Everything it could have done lies behind this offset of its participant. */
  readonly deduplicationOffset: number;
  readonly participant: string;
  readonly actAs: string;
  /** What its update carries, if there is one. */
  readonly workflowId: string;
  /** Of those attempts it is not known whether they were accepted. */
  readonly undecided: readonly JsonRecord[];
  /** The contracts that they named, as the query store knows them. */
  readonly contracts: readonly JsonRecord[];
  readonly decisions: readonly string[];
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

/** Which of the operations end the contract that they are exercised on: at most one of them can succeed. */
const endsItsContract = ({ operation }: Change): boolean => {
  const { choice } = OPERATION_RULES[operation];
  return choice !== null && operation !== 'renew-license';
};

function adviceOn(change: Change, contracts: readonly ContractView[]): string {
  const look = `Look on participant ${change.submitter.participant} for an update with workflow ID ${workflowIdOf(change.id)}`;
  if (!endsItsContract(change)) return `${look}: if there is none, it took no effect.`;
  const ended = contracts.find(({ archived }) => archived !== null);
  if (ended === undefined && contracts.length > 0) {
    return 'The contract that it would have ended is still active, as far as the query store has come: it took no effect.';
  }
  const by =
    ended?.archived == null
      ? ''
      : `The contract was archived at offset ${ended.archived.offset}, by whom tells that update. `;
  return `${by}${look}: if there is none, it took no effect.`;
}

/** Reads what there is to know about a change that is in doubt. */
export async function viewDoubt(reads: Reads, change: Change, io: Io): Promise<DoubtView> {
  const undecided = (await reads.attempts(change.id, io)).filter(isUndecided);
  const named = [...new Set(undecided.flatMap(({ contractId }) => contractId ?? []))];
  const found = await Promise.all(named.map((id) => reads.contract(id, io)));
  const contracts = found.flatMap((contract) => contract ?? []);
  return {
    advice: adviceOn(change, contracts),
    deduplicationOffset: Number(change.deduplicationOffset),
    participant: change.submitter.participant,
    actAs: change.submitter.actAs,
    workflowId: workflowIdOf(change.id),
    undecided: undecided.map(undecidedView),
    contracts: contracts.map(contractView),
    decisions: DECISIONS,
  };
}

/** An act of a person as operators read it. */
export const auditView = ({
  at,
  byParty,
  bySubject,
  act,
  from,
  to,
  reason,
  detail,
}: AuditEntry): JsonRecord => ({
  at,
  byParty,
  bySubject,
  act,
  from,
  to,
  reason,
  detail,
});
