import type { Attempt, AttemptAnswer } from '../../domain/change.ts';
import type {
  ChangeId,
  ContractId,
  ParticipantName,
  Party,
  SubmissionId,
} from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import type { AttemptUpdate } from '../../app/ports/writes.ts';
import type { Json } from '../../domain/json.ts';
import { assert } from '../../domain/unreachable.ts';
import type { Row } from '../../../migrations/schema.ts';

/** The columns of an attempt that are read. Only the relay reads the session of the attempt's process. */
export type AttemptColumns = Omit<Row<'attempt'>, 'session_of'>;

/** Checks an answer whenever it is written or read. */
function assertAnswer(answer: AttemptAnswer): void {
  assert(answer.explanation !== '', 'an answer is explained');
  assert(
    answer.offset === null || answer.offset > 0n,
    'offset 0 is the ledger begin, never an answer',
  );
}

function answerOf(row: AttemptColumns): AttemptAnswer | null {
  if (row.verdict === null) return null;
  assert(row.answered_at !== null && row.explanation !== null, 'an answer is whole');
  const answer: AttemptAnswer = {
    at: row.answered_at,
    verdict: row.verdict,
    ledgerCode: row.ledger_code,
    explanation: row.explanation,
    offset: row.answer_offset,
    ...(row.cost === null ? {} : { cost: row.cost }),
    ...(row.proven_at === null ? {} : { provenAt: row.proven_at }),
    ...(row.unsent ? { unsent: true } : {}),
  };
  assertAnswer(answer);
  return answer;
}

export function attemptFromRow(row: AttemptColumns): Attempt {
  assert(row.n >= 1, 'attempts count from 1');
  return {
    changeId: trusted<ChangeId>(row.change_id),
    n: row.n,
    submissionId: trusted<SubmissionId>(row.submission_id),
    submitter: {
      participant: trusted<ParticipantName>(row.participant),
      ledgerUser: row.ledger_user,
      actAs: trusted<Party>(row.act_as),
    },
    contractId: row.contract_id === null ? null : trusted<ContractId>(row.contract_id),
    at: row.at,
    overAt: row.over_at,
    ...(row.unsent_since === null
      ? {}
      : { unsent: { tries: row.unsent_tries, since: row.unsent_since } }),
    answer: answerOf(row),
  };
}

type AnswerColumns =
  | 'submission_id'
  | 'answered_at'
  | 'verdict'
  | 'ledger_code'
  | 'explanation'
  | 'answer_offset'
  | 'cost'
  | 'proven_at'
  | 'unsent'
  | 'reached';

/** Returns the update as an element of a JSON array that a statement unpacks. */
export function attemptUpdateToJson({
  submissionId,
  answer,
  reached = 'nobody',
}: AttemptUpdate): Record<AnswerColumns, Json> {
  assertAnswer(answer);
  return {
    submission_id: submissionId,
    answered_at: answer.at,
    verdict: answer.verdict,
    ledger_code: answer.ledgerCode,
    explanation: answer.explanation,
    answer_offset: answer.offset === null ? null : String(answer.offset),
    cost: answer.cost === undefined ? null : String(answer.cost),
    proven_at: answer.provenAt ?? null,
    unsent: answer.unsent === true,
    reached,
  };
}
