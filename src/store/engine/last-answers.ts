import type { Pool } from 'pg';
import type { AskedOf, LastAnswers } from '../../app/ports/last-answers.ts';
import type { Json } from '../../domain/json.ts';
import { STORE_LIMITS } from '../limits.ts';
import { statement } from '../sql/statement.ts';
import { onConnection } from '../sql/transact.ts';

const RECALL = statement<{ readonly answer: Json; readonly answered_at: string }>(
  'recall-participant-answer',
  `select answer, answered_at from participant_answer
   where participant = $1 and address = $2 and asked_as = $3 and question = $4`,
);

/** Also deletes rows of addresses that are no longer used, because local networks have new addresses at each start. */
const NOTE = statement<never>(
  'note-participant-answer',
  `with old as (
     delete from participant_answer
     where answered_at < now() - $6::bigint * interval '1 millisecond'
       and (participant, address, asked_as, question) <> ($1, $2, $3, $4)
   )
   insert into participant_answer (participant, address, asked_as, question, answer)
   values ($1, $2, $3, $4, $5::jsonb)
   on conflict (participant, address, asked_as, question) do update
   set answer = excluded.answer, answered_at = excluded.answered_at`,
);

const keyOf = ({ participant, address, askedAs, question }: AskedOf) => [
  participant,
  address,
  askedAs,
  question,
];

/** @param pool the caller closes it */
export const createLastAnswers = (pool: Pool): LastAnswers => ({
  async recall(asked, io) {
    const [row] = await onConnection(pool, io, (session) => session.run(RECALL, keyOf(asked)));
    return row === undefined ? null : { answer: row.answer, at: row.answered_at };
  },
  async note(asked, answer, io) {
    const values = [...keyOf(asked), JSON.stringify(answer), STORE_LIMITS.participantAnswerMsMax];
    await onConnection(pool, io, (session) => session.run(NOTE, values));
  },
});
