import type { Pool } from 'pg';
import type { Io } from '../../app/ports/io.ts';
import type { Writes } from '../../app/ports/writes.ts';
import type { Claim, Claimed, FirstAttempt, StartedAttempt } from '../../app/ports/outbox.ts';
import type { CircuitReason } from '../../domain/participant-health.ts';
import type { EffectId, SubmissionId } from '../../domain/ids.ts';
import type { Lifecycle } from '../../domain/lifecycle.ts';
import { LIMITS } from '../../domain/limits.ts';
import { STORE_LIMITS } from '../limits.ts';
import { EFFECTS_CHANNEL } from '../sql/channels.ts';
import { endedLife } from '../sql/life.ts';
import { isReadAgain } from './cursors.ts';
import { isForeign, isStoppedBy } from './pauses.ts';
import { savingTogether, sendWrites } from './save.ts';
import type { ChangeRow } from '../rows/change-row.ts';
import { CHANGE_COLUMNS, changeFromRow } from '../rows/change-row.ts';
import type { OfLifecycle } from '../rows/lifecycle-row.ts';
import { columnsOfLifecycle, lifecycleOf } from '../rows/lifecycle-row.ts';
import { isDatabaseUnavailable } from '../sql/deadline.ts';
import type { Session } from '../sql/session.ts';
import { columnsOf, statement } from '../sql/statement.ts';
import { transact } from '../sql/transact.ts';

/**
 * All transactions lock the change first and then its effect. A job may run before the transaction that dispatched it
 * has committed; then this statement waits until the job's dispatch number is visible.
 */
export const LOCK_FOR_ATTEMPT = statement<never>(
  'lock-for-attempt',
  `select from effect e join change c on c.id = e.change_id
   where e.id = $1 for no key update of c for share of e`,
);

/**
 * The result of a claim: one row for each of its lifecycles, or one row without a lifecycle. If no attempt is started,
 * the other columns are null.
 */
interface ClaimRow extends ChangeRow, OfLifecycle {
  readonly effect_id: string;
  readonly is_started: boolean;
  readonly has_lifecycle: boolean;
  readonly last_attempt_no: number;
  readonly circuit: CircuitReason | null;
}

/**
 * Starts attempts. The answer omits rows that another transaction has locked. It also omits rows that another
 * transaction has written since this statement began, because the rest of the statement would see their old version;
 * they are recognised by their `ctid`. Thus the statement never waits for a change or an effect, and cannot deadlock
 * with transactions that lock lanes in another order.
 *
 * A try that sent nothing gets no row of its own: the next attempt takes its row and its number, and counts it. The
 * submission ID of that try is deleted, because it can no longer have an effect. The earlier wait of the change is kept
 * with the current wait, in case the change has to wait for the same thing again.
 *
 * The lifecycles are the change's own one, and the second one that it needs: the only fixed value that is the ID of a
 * lifecycle.
 */
const CLAIM = statement<ClaimRow>(
  'claim',
  `with locked as materialized (
     select a.effect_id, a.dispatch_no, a.submission_id, a.is_reached, c.id as change_id,
            c.ctid as change_place, e.ctid as effect_place
     from unnest($1::text[], $2::integer[], $3::text[], $4::boolean[]) a(effect_id, dispatch_no, submission_id, is_reached)
       join effect e on e.id = a.effect_id join change c on c.id = e.change_id
     for no key update of c skip locked for share of e skip locked
   ), next as materialized (
     select k.effect_id, k.submission_id, k.is_reached, c.id,
            c.last_attempt_no + case when a.unsent then 0 else 1 end as n,
            e.dispatch_no = k.dispatch_no and e.done_at is null and not ${isForeign('foreign_ledger', 'e')} as may_start
     from locked k join effect e on e.id = k.effect_id and e.ctid = k.effect_place
       join change c on c.id = k.change_id and c.ctid = k.change_place
       left join attempt a on a.change_id = c.id and a.n = c.last_attempt_no
   ), started as (
     update change c
     set state = 'submitting', last_attempt_no = x.n,
         -- It waits for traffic until an attempt got through: one that finds out whether there is some is none.
         waiting_for = case when c.waiting_for ->> 'kind' = 'traffic' then c.waiting_for else jsonb_strip_nulls(jsonb_build_object(
           'kind', 'ledger',
           'detail', 'attempt ' || x.n || ' is on its way and not answered yet',
           'since', case when c.waiting_for ->> 'kind' = 'ledger' then c.waiting_for ->> 'since'
                    else to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') end,
           'after', case when c.state = 'retrying' and c.waiting_for is not null
                         then jsonb_build_object('kind', c.waiting_for -> 'kind', 'since', c.waiting_for -> 'since')
                    else c.waiting_for -> 'after' end)) end
     from next x
     where x.may_start and c.id = x.id
       and c.state in ('submitting', 'retrying') and c.accepted_update_id is null
       -- While it is made sure that no attempt took effect, there must be no new one.
       and c.verify_at is null
       and not ${isReadAgain('c.participant')}
       and (x.is_reached or not exists (
         select from circuit q where q.participant = c.participant and q.reason = 'unreachable'))
     returning ${columnsOf('c', CHANGE_COLUMNS)}, c.last_attempt_no
   ), recorded as (
     insert into attempt as a (change_id, n, submission_id, participant, ledger_user, act_as, contract_id, at)
     select s.id, s.last_attempt_no, x.submission_id, s.participant, s.ledger_user, s.act_as, l.contract_id,
            clock_timestamp()
     from started s join next x on x.id = s.id left join lifecycle l on l.id = s.lifecycle_id
     on conflict (change_id, n) do update
     set submission_id = excluded.submission_id, ledger_user = excluded.ledger_user,
         contract_id = excluded.contract_id, at = excluded.at, session_of = null,
         unsent_tries = a.unsent_tries + 1, unsent_since = coalesce(a.unsent_since, a.at), unsent = false,
         answered_at = null, verdict = null, ledger_code = null, explanation = null, answer_offset = null, cost = null,
         over_at = null
   )
   select x.effect_id, s.id is not null as is_started, s.*,
          (select q.reason from circuit q where q.participant = s.participant and q.probe) as circuit,
          l.id is not null as has_lifecycle, ${columnsOfLifecycle('l')}
   from next x left join started s on s.id = x.id
     left join lifecycle l on l.id = any(array(
       select s.lifecycle_id union all select f.value from json_each_text(s.fixed) f))`,
);

/** @param rows the rows of one claim */
function startedFrom(rows: readonly ClaimRow[]): StartedAttempt | null {
  const [row] = rows;
  if (row === undefined || !row.is_started) return null;
  const lifecycles = rows.filter((one) => one.has_lifecycle).map(lifecycleOf);
  return {
    change: changeFromRow(row),
    attempt: row.last_attempt_no,
    lifecycle: lifecycles.find(({ id }) => id === row.lifecycle_id) ?? null,
    through: lifecycles.find(({ id }) => id !== row.lifecycle_id) ?? null,
    circuit: row.circuit,
  };
}

/**
 * Sends the statement without waiting for its answer, so that the commit can be sent right after it.
 *
 * @param claims at most one for each effect
 * @returns a function that returns the started attempts by effect; omitted rows are absent
 */
function claim(
  session: Session,
  claims: readonly Claim[],
): () => Promise<Map<string, StartedAttempt | null>> {
  const answer = session.run(CLAIM, [
    claims.map(({ effect }) => effect),
    claims.map(({ dispatchNo }) => dispatchNo),
    claims.map(({ submissionId }) => submissionId),
    claims.map(({ isReached }) => isReached),
  ]);
  // If the statement fails, the commit fails too, and that failure is awaited first.
  answer.catch(() => {});
  return async () => {
    const rows = Map.groupBy(await answer, (row) => row.effect_id);
    return new Map(rows.entries().map(([effect, of]) => [effect, startedFrom(of)]));
  };
}

/** See `Outbox.startAttempt`. Takes one round trip, including the commit. */
export async function claimOne(pool: Pool, one: Claim, io: Io): Promise<StartedAttempt | null> {
  const answer = await transact(pool, io, async (session) => {
    session.send(LOCK_FOR_ATTEMPT, [one.effect]);
    return claim(session, [one]);
  });
  // Under these locks no row is omitted, so an absent effect means that there is nothing to submit.
  return (await answer()).get(one.effect) ?? null;
}

/**
 * Waits for every write of a pause or a mark, and blocks the next one until the transaction ends. A `for share` lock on
 * rows would not block a pause that is inserted now. After this lock, the transaction locks only its own rows.
 */
const SHARE_CAUSES = statement<never>(
  'share-causes',
  'lock table pause, foreign_ledger in row exclusive mode',
);

/**
 * Saves changes and starts their first attempts in one statement. An attempt is started only while the session of the
 * process exists: if the session has ended, its lock is free. Effects that are not dispatched here stay due at once,
 * like all other effects. The conditions are those of a relay and of `CLAIM`, for a change without earlier attempts.
 * They use the values that are saved, because the statement does not see the rows that it writes.
 *
 * `$12`: the attempts, with the values of their changes. The lifecycle is named only if it is not saved here.
 */
const SAVE_FIRST = statement<ClaimRow>(
  'save-first',
  savingTogether({
    parts: `alive as materialized (select not ${endedLife('$13::text')} as is_alive
   ), asked as materialized (
     select r.effect_id, r.change_id, r.submission_id, r.operation, r.participant,
            coalesce(r.contract_id, l.contract_id) as contract_id, coalesce(l.provider, r.provider) as provider
     from json_to_recordset($12::json) as r(
       effect_id text, change_id uuid, submission_id text, operation text, participant text, lifecycle_id text,
       contract_id text, provider text)
       left join lifecycle l on l.id = r.lifecycle_id
   ), firsts as materialized (
     select e.effect_id, e.change_id, e.submission_id, e.contract_id
     from asked e, alive v
     where v.is_alive
       and not ((select count(*) from pause) > 0 and exists (
         select from pause p where ${isStoppedBy({
           participant: 'e.participant',
           operation: 'e.operation',
           provider: 'e.provider',
           madeAt: 'now()',
         })}))
       and not exists (select from foreign_ledger f where f.participant = e.participant)
       and not ${isReadAgain('e.participant')}
       and not exists (
         select from circuit q where q.participant = e.participant and (q.probe or q.until > now()))
   )`,
    recorded: `recorded as (
     insert into attempt (change_id, n, submission_id, participant, ledger_user, act_as, contract_id, at, session_of)
     select s.id, s.last_attempt_no, f.submission_id, s.participant, s.ledger_user, s.act_as, f.contract_id,
            clock_timestamp(), $13::text
     from firsts f join changes s on s.id = f.change_id
   )`,
    waitingFor: `case when exists (select from firsts f where f.change_id = r.id) then jsonb_build_object(
       'kind', 'ledger',
       'detail', 'attempt 1 is on its way and not answered yet',
       'since', to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) else r.waiting_for end`,
    dueAt: `case when exists (select from firsts f where f.change_id = r.change_id)
       then now() + $14::integer * interval '1 millisecond' else least(r.due_at, now()) end`,
    attempts: (change) => `(select count(*)::integer from firsts f where f.change_id = ${change})`,
    answer: `select f.effect_id, s.id is not null as is_started, ${columnsOf('s', CHANGE_COLUMNS)}, s.last_attempt_no,
          (select q.reason from circuit q where q.participant = s.participant and q.probe) as circuit,
          l.id is not null as has_lifecycle, ${columnsOfLifecycle('l')}
   from checked k left join firsts f on true left join changes s on s.id = f.change_id
     left join lifecycle l on l.id = any(array(
       select s.lifecycle_id union all select f.value from json_each_text(s.fixed) f))`,
  }),
);

/** Returns the attempts of changes that are saved here at the head of their lanes, as rows of `$12`. */
function firstRows(attempts: readonly FirstAttempt[], writes: Writes): readonly object[] {
  const changes = new Map(writes.changes.map((change) => [change.id, change]));
  const changeOf = new Map(
    writes.newEffects.map(({ id, changeId }) => [id, changes.get(changeId)]),
  );
  const saved = new Map(writes.lifecycles.map((lifecycle) => [lifecycle.id, lifecycle]));
  return attempts.flatMap(({ effect, submissionId }) => {
    const change = changeOf.get(effect);
    if (change?.state !== 'submitting') return [];
    const { id, operation, submitter, lifecycleId, body } = change;
    const lifecycle = lifecycleId === null ? undefined : saved.get(lifecycleId);
    const row = { effect_id: effect, change_id: id, submission_id: submissionId, operation };
    return {
      ...row,
      participant: submitter.participant,
      lifecycle_id: lifecycle === undefined ? lifecycleId : null,
      contract_id: lifecycle?.contractId,
      provider: lifecycle?.provider ?? body['provider'],
    };
  });
}

/** Returns the attempt with the lifecycles as the transaction has saved them. */
function withSaved(started: StartedAttempt, { lifecycles }: Writes): StartedAttempt {
  const savedOf = (id: string | null | undefined): Lifecycle | undefined =>
    lifecycles.find((one) => one.id === id);
  const { change, lifecycle, through } = started;
  return {
    ...started,
    lifecycle: savedOf(change.lifecycleId) ?? lifecycle,
    through: savedOf(through?.id) ?? through,
  };
}

/** See `Tx.startFirst`. Does not wait for an answer. */
export function startFirst(
  session: Session,
  writes: Writes,
  by: { readonly process: string; readonly session: string },
  attempts: readonly FirstAttempt[],
): () => Promise<ReadonlyMap<EffectId, StartedAttempt>> {
  session.send(SHARE_CAUSES, []);
  let answer: Promise<ClaimRow[]> = Promise.resolve([]);
  const firsts = JSON.stringify(firstRows(attempts, writes));
  sendWrites(session, writes, by.process, (values) => {
    answer = session.run(SAVE_FIRST, [...values, firsts, by.session, LIMITS.redispatchMs]);
    // If the statement fails, the commit fails too, and that failure is awaited first.
    answer.catch(() => {});
  });
  return async () => {
    const rows = Map.groupBy(await answer, (row) => row.effect_id);
    return new Map(
      attempts.flatMap(({ effect }) => {
        const one = startedFrom(rows.get(effect) ?? []);
        return one === null ? [] : [[effect, withSaved(one, writes)]];
      }),
    );
  };
}

const IS_CURRENT = statement<object>(
  'is-current',
  `select from effect e join change c on c.id = e.change_id
     join attempt a on a.change_id = c.id and a.n = c.last_attempt_no
   where e.id = $1 and a.submission_id = $2 and e.dispatch_no = 1 and e.done_at is null and e.held_at is null
     and a.verdict is null and c.state = 'submitting' and c.accepted_update_id is null and c.verify_at is null`,
);

/** See `Outbox.isCurrent`. */
export const isCurrent = async (
  session: Session,
  effect: EffectId,
  submissionId: SubmissionId,
): Promise<boolean> => (await session.run(IS_CURRENT, [effect, submissionId])).length === 1;

const GIVE_UP = statement<never>(
  'give-up-attempts',
  `update effect set due_at = now()
   where id = any($1) and dispatch_no = 1 and done_at is null and held_at is null and due_at > now()`,
);

/** See `Outbox.giveUp`. */
export function giveUp(session: Session, effects: readonly EffectId[]): void {
  session.send(GIVE_UP, [effects]);
  session.announce(EFFECTS_CHANNEL, '');
}

/**
 * Makes effects due whose process has lost its database session, because their attempts may or may not have been sent.
 * An effect whose attempt is older than `$1` becomes due by itself. If many sessions end at once, as in a failover,
 * their effects become due one after the other.
 */
const RELEASE_ENDED = statement<never>(
  'release-ended-sessions',
  `with open as materialized (
     select a.change_id, a.session_of from attempt a
     where a.session_of is not null and a.verdict is null and a.at > now() - $1::integer * interval '1 millisecond'
   ), ended as materialized (
     select s.session_of from (select distinct session_of from open) s where ${endedLife('s.session_of')}
   ), lost as materialized (
     select e.id from open o join ended n on n.session_of = o.session_of join effect e on e.change_id = o.change_id
     where e.dispatch_no = 1 and e.done_at is null and e.held_at is null
       and e.due_at > now() + $3::integer * interval '1 millisecond'
     for update of e skip locked
   )
   update effect e
   set due_at = now() + random() * least($2 * (select count(*) from lost), $3) * interval '1 millisecond'
   from lost where e.id = lost.id`,
);

export const releaseEnded = (session: Session): void =>
  session.send(RELEASE_ENDED, [
    LIMITS.redispatchMs,
    STORE_LIMITS.endedSpreadMs,
    STORE_LIMITS.endedSpreadMsMax,
  ]);

/**
 * Returns the first claim of each effect. If a job was delivered twice, the second claim must find the attempt of the
 * first one, so it runs later.
 */
const oneOfEach = (claims: readonly Claim[]): Claim[] => {
  const seen = new Set<string>();
  return claims.filter(({ effect }) => !seen.has(effect) && seen.add(effect));
};

/** See `Outbox.startAttempts`. Takes one round trip, including the commit. */
export async function claimAll(pool: Pool, claims: readonly Claim[], io: Io): Promise<Claimed[]> {
  const together = oneOfEach(claims);
  try {
    const answer = await transact(pool, io, async (session) => claim(session, together));
    const started = await answer();
    return claims.map((one) => {
      const claimed = together.includes(one) ? started.get(one.effect) : undefined;
      return claimed === undefined ? 'apart' : claimed;
    });
  } catch (error) {
    // A commit that was not answered may have succeeded, so nothing is repeated here.
    if (isDatabaseUnavailable(error) || io.signal.aborted) throw error;
    return claims.map(() => 'apart');
  }
}
