import type { Pool } from 'pg';
import type { LastAnswers } from '../app/last-answers.ts';
import type { Json } from '../domain/json.ts';
import { LIMITS } from '../domain/limits.ts';
import { statement } from './statement.ts';
import { onConnection } from './transact.ts';

const RECALL = statement<{ readonly answer: Json; readonly answered_at: string }>(
  'recall-participant-answer',
  `select answer, answered_at from participant_answer
   where participant = $1 and address = $2 and question = $3`,
);

/** Addresses that nobody uses any more are forgotten: local networks have others at each start. */
const NOTE = statement<never>(
  'note-participant-answer',
  `with old as (
     delete from participant_answer
     where answered_at < now() - $5::bigint * interval '1 millisecond'
       and (participant, address, question) <> ($1, $2, $3)
   )
   insert into participant_answer (participant, address, question, answer) values ($1, $2, $3, $4::jsonb)
   on conflict (participant, address, question) do update
   set answer = excluded.answer, answered_at = excluded.answered_at`,
);

/** @param pool stays the caller's */
export const createLastAnswers = (pool: Pool): LastAnswers => ({
  async recall({ participant, address, question }, io) {
    const [row] = await onConnection(pool, io, (session) =>
      session.run(RECALL, [participant, address, question]),
    );
    return row === undefined ? null : { answer: row.answer, at: row.answered_at };
  },
  async note({ participant, address, question }, answer, io) {
    const values = [
      participant,
      address,
      question,
      JSON.stringify(answer),
      LIMITS.participantAnswerMsMax,
    ];
    await onConnection(pool, io, (session) => session.run(NOTE, values));
  },
});
