import type { Pool } from 'pg';
import type { Beginning, KeptAnswer, KeptAnswers } from '../../app/ports/kept-answers.ts';
import { LIMITS } from '../../domain/limits.ts';
import { statement } from '../sql/statement.ts';
import { onConnection } from '../sql/transact.ts';

/**
 * If two requests with the same ID run at the same time, one inserts the row. The other request gets no row if the
 * first has committed after the other's snapshot.
 */
const BEGIN = statement<{
  is_begun: boolean;
  request: Buffer | null;
  answer: KeptAnswer | null;
  since_ms: number | null;
}>(
  'begin-keyed-request',
  `with begun as (
     insert into kept_answer as k (id, request) values ($1, $2)
     on conflict (id) do update set request = excluded.request, began_at = now(), answer = null
     where k.began_at < now() - make_interval(secs => $3)
     returning 1
   )
   select exists (select from begun) as is_begun, k.request, k.answer,
     (extract(epoch from now() - k.began_at) * 1000)::float8 as since_ms
   from (values (1)) one left join kept_answer k on k.id = $1`,
);

const KEEP = statement<never>(
  'keep-answer',
  'update kept_answer set answer = $2 where id = $1 and answer is null',
);

const FORGET = statement<never>(
  'forget-keyed-request',
  'delete from kept_answer where id = $1 and answer is null',
);

const PRUNE = statement<{ id: Buffer }>(
  'prune-kept-answers',
  `delete from kept_answer where id in (
     select id from kept_answer where began_at < now() - make_interval(secs => $1)
     order by began_at limit $2 for update skip locked
   ) returning id`,
);

const KEPT_S = LIMITS.answersKeptMs / 1_000;

/** @param pool the caller closes it */
export const createKeptAnswers = (pool: Pool): KeptAnswers => ({
  async begin({ id, request }, io): Promise<Beginning> {
    const values = [id, request, KEPT_S];
    const [row] = await onConnection(pool, io, (session) => session.run(BEGIN, values));
    if (row?.is_begun === true) return { kind: 'begun' };
    if (row?.request != null && !row.request.equals(request)) return { kind: 'other' };
    if (row?.answer != null) return { kind: 'answered', answer: row.answer };
    return { kind: 'open', sinceMs: row?.since_ms ?? 0 };
  },
  async keep(id, answer, io) {
    await onConnection(pool, io, (session) => session.run(KEEP, [id, JSON.stringify(answer)]));
  },
  async forget(id, io) {
    await onConnection(pool, io, (session) => session.run(FORGET, [id]));
  },
  async prune(io) {
    const values = [KEPT_S, LIMITS.answersPrunedMax];
    const rows = await onConnection(pool, io, (session) => session.run(PRUNE, values));
    return rows.length === LIMITS.answersPrunedMax;
  },
});
