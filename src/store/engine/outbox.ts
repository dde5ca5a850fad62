import type { Pool } from 'pg';
import type { Io } from '../../app/ports/io.ts';
import type { Outbox } from '../../app/ports/outbox.ts';
import { NotAllPutError } from '../../app/ports/outbox.ts';
import type { EffectId, LaneId, Party } from '../../domain/ids.ts';
import { trusted } from '../../domain/ids.ts';
import { STORE_LIMITS } from '../limits.ts';
import { LIMITS } from '../../domain/limits.ts';
import { closeUnreachable, completionsBack, letStraysGo, putOff } from './circuits.ts';
import { LOCK_FOR_ATTEMPT, claimAll, claimOne, giveUp, isCurrent, releaseEnded } from './claims.ts';
import type { BlockedPlace } from './pauses.ts';
import { isForeign, isStopped, releaseCauseless } from './pauses.ts';
import { EARLIER_WORKER_RUNS } from './clock-reports.ts';
import type { Session } from '../sql/session.ts';
import { statement } from '../sql/statement.ts';
import { onConnection, transact } from '../sql/transact.ts';

const IS_DUE = 'done_at is null and held_at is null and due_at <= now()';

/**
 * The condition `IS_DUE` in a form that no index of due effects has, so that PostgreSQL finds effects by their keys
 * instead.
 */
const IS_STILL_DUE = 'num_nonnulls(done_at, held_at) = 0 and due_at <= now()';

/**
 * Selects the due effects to dispatch. If no more effects are due than may be taken, all are taken. Otherwise providers
 * take turns, and so do the callers of each provider. Index skips find the providers and callers that have effects,
 * however many effects they have.
 *
 * The row with the number of queues is locked, so that no effect is put on a queue according to an outdated number.
 *
 * Callers are read in key order, starting with the one that has waited longest. So a round is bounded however many
 * callers wait, and no caller is left out for ever. For each caller, as many effects are read as its turns may need;
 * the more callers there are, the fewer effects.
 *
 * Effects that another relay has locked are skipped. Effects under a pause and effects for a foreign ledger are
 * blocked. Effects for a participant with an open circuit are put off until the circuit closes, and spread over a
 * further time of that length. If only a probe can close the circuit, they are put off until the next probe; at that
 * time, the relay that locks the circuit dispatches the effect that has been due longest. A transaction that ends a
 * pause or clears a mark waits for the lock on its row, so that no effect is blocked for a cause that has ended.
 * Changes are read only if there is a pause, a mark or a circuit.
 */
const DISPATCH_DUE = statement<{
  id: string;
  dispatch_no: number;
  is_dispatched: boolean;
  lane: string;
  provider: string;
  party: string;
  shards: number | null;
  is_apart: boolean;
}>(
  'dispatch-due',
  `with recursive crowd as materialized (
     select count(*) > $1 as is_there
     from (select from effect where ${IS_DUE} limit $1 + 1) few
   ), plain as materialized (
     select id, change_id, made_at, due_at from effect
     where ${IS_DUE} and not (select is_there from crowd)
     order by due_at limit $1 for update skip locked
   ), oldest as materialized (
     select provider, party from effect
     where ${IS_DUE} and (select is_there from crowd)
     order by due_at limit 1
   ), onward as (
     select provider, party, 1 as leaps from oldest
     union all
     select n.provider, n.party, p.leaps + 1 from onward p, lateral (
       select e.provider, e.party from effect e
       where e.done_at is null and e.held_at is null and (e.provider, e.party) > (p.provider, p.party)
       order by e.provider, e.party limit 1) n
     where p.leaps < $5::integer
   ), around as (
     (select e.provider, e.party, 1 as leaps from oldest o, lateral (
        select e.provider, e.party from effect e
        where e.done_at is null and e.held_at is null and (e.provider, e.party) < (o.provider, o.party)
        order by e.provider, e.party limit 1) e)
     union all
     select n.provider, n.party, p.leaps + 1 from around p, oldest o, lateral (
       select e.provider, e.party from effect e
       where e.done_at is null and e.held_at is null and (e.provider, e.party) > (p.provider, p.party)
         and (e.provider, e.party) < (o.provider, o.party)
       order by e.provider, e.party limit 1) n
     where p.leaps < $5::integer
   ), party as (
     select provider, party from onward union all select provider, party from around
   ), asking as materialized (
     select p.provider, p.party, count(*) over () as parties
     from party p, lateral (
       select from effect where ${IS_DUE} and provider = p.provider and party = p.party limit 1) one
   ), turn as materialized (
     select e.id, e.due_at, p.provider,
            row_number() over (partition by p.provider, p.party order by e.due_at, e.id) as turn
     from asking p, lateral (
       select id, due_at from effect
       where ${IS_DUE} and provider = p.provider and party = p.party
       order by due_at limit least($1, 1 + $1 * ${STORE_LIMITS.turnRowsPerTaken} / p.parties)) e
   ), fair as materialized (
     select id, change_id, made_at, due_at from effect
     where ${IS_STILL_DUE} and id = any(array(
       select id from (
         select id, turn, due_at, row_number() over (partition by provider order by turn, due_at, id) as round from turn
       ) t order by round, due_at, id limit $1))
     for update skip locked
   ), due as materialized (
     select * from plain union all select * from fair
   ), stop as materialized (
     select scope, name, mode, since from pause for share
   ), slow as materialized (
     select participant, until, delay_ms, probe from circuit where until > now() or probe
   ), apart as materialized (
     select participant from foreign_ledger for share
   ), sorted as materialized (
     select d.id, d.due_at,
            (select count(*) from stop) > 0 and ${isStopped('stop', 'd')} or ${isForeign('apart', 'd')} as is_held,
            s.participant, s.until, s.delay_ms, s.probe
     from due d left join lateral (
       select s.* from change c join slow s on s.participant = c.participant where c.id = d.change_id
     ) s on (select count(*) from slow) > 0
   ), shared_by as materialized (
     select shards from queue_shards for share
   ), over as materialized (
     select c.participant from circuit c
     where c.probe and c.until <= now() and c.participant in (select participant from sorted where not is_held)
     for update skip locked
   ), probe as materialized (
     select distinct on (s.participant) s.id, s.participant from sorted s join over o on o.participant = s.participant
     where not s.is_held order by s.participant, s.due_at, s.id
   ), probed as (
     update circuit c set until = now() + $3 * interval '1 millisecond', probed_at = now(), probe_effect = p.id
     from probe p where c.participant = p.participant
   ), judged as (
     select s.*, not s.is_held and (s.until is null or exists (select from probe p where p.id = s.id)) as goes
     from sorted s
   )
   update effect e
   set held_at = case when j.is_held then now() end,
       dispatch_no = e.dispatch_no + j.goes::integer,
       put_off_by = case when not j.goes and not j.is_held and j.probe then j.participant end,
       due_at = case when j.is_held then e.due_at
                when j.goes then now() + $2 * interval '1 millisecond'
                else greatest(j.until, now())
                     + random() * case when j.probe then $4 else j.delay_ms end * interval '1 millisecond' end
   from judged j where e.id = j.id
   returning e.id, e.dispatch_no, e.provider, e.party, j.goes as is_dispatched,
             (select c.lane from change c where c.id = e.change_id) as lane,
             (select shards from shared_by) as shards,
             (select ${EARLIER_WORKER_RUNS}) as is_apart`,
);

/** The effects keep their dispatch numbers, because it is not always known whether the queue has taken them. */
const DUE_AGAIN = statement<never>(
  'due-again',
  `update effect set due_at = now() + $2 * interval '1 millisecond' where id = any($1) and done_at is null`,
);

const NEXT_DUE = statement<{ due_in_ms: number | null }>(
  'next-due',
  `select (extract(epoch from min(due_at) - clock_timestamp()) * 1000)::float8 as due_in_ms
   from effect where done_at is null and held_at is null`,
);

/**
 * Releases effects that are blocked or put off without a cause, and effects whose process has ended. This is done at
 * the start of each dispatch.
 */
class Releases {
  /** Before this time, an effect that this process put off may still be waiting for a circuit that has closed. */
  #straysUntilMs = -Infinity;
  #dueAtMs = -Infinity;
  #upTo: BlockedPlace | null = null;
  readonly #isEager: boolean;

  constructor(isEager: boolean) {
    this.#isEager = isEager;
  }

  /** Called when an effect is put off. */
  mayStray(): void {
    this.#straysUntilMs = performance.now() + STORE_LIMITS.strayMs;
  }

  /**
   * Releases effects that nothing blocks or puts off any more. These exist because an administrative write releases
   * only a bounded number of effects, and may have missed some. Searches again at the next dispatch as long as it finds
   * such effects.
   */
  async look(session: Session): Promise<void> {
    const isDue = performance.now() >= this.#dueAtMs;
    const mayFindStrays = isDue || performance.now() < this.#straysUntilMs;
    if (isDue && this.#isEager) releaseEnded(session);
    const [hasMoreStrays, part] = await Promise.all([
      mayFindStrays && letStraysGo(session),
      isDue ? releaseCauseless(session, this.#upTo) : null,
    ]);
    if (hasMoreStrays) this.mayStray();
    if (!isDue) return;
    this.#upTo = part?.last ?? null;
    if (part?.hasReleased !== true) this.#dueAtMs = performance.now() + STORE_LIMITS.releaseLookMs;
  }
}

/**
 * @param pool opened with `pipelined`; the caller closes it
 * @param isEager whether processes of this deployment submit the first attempts of the changes that they record
 */
export function createOutbox(pool: Pool, isEager = false): Outbox {
  const releases = new Releases(isEager);
  return {
    dispatchDue: (limit, put, io) =>
      transact(
        pool,
        io,
        async (session) => {
          const released = releases.look(session);
          const dispatching = session.run(DISPATCH_DUE, [
            limit,
            LIMITS.redispatchMs,
            STORE_LIMITS.probeMs,
            STORE_LIMITS.probeSpreadMs,
            STORE_LIMITS.turnLeapsMax,
          ]);
          const [rows] = await Promise.all([dispatching, released]);
          if (rows.length === 0) return 0;
          if (rows.some((row) => !row.is_dispatched)) releases.mayStray();
          const dispatched = rows
            .filter((row) => row.is_dispatched)
            .map((row) => ({
              id: trusted<EffectId>(row.id),
              dispatchNo: row.dispatch_no,
              lane: trusted<LaneId>(row.lane),
              provider: trusted<Party>(row.provider),
              party: trusted<Party>(row.party),
            }));
          if (dispatched.length > 0) {
            const [first] = rows;
            await put(dispatched, first?.shards ?? 1, first?.is_apart ?? false).catch(
              (error: unknown) => {
                if (!(error instanceof NotAllPutError)) throw error;
                session.send(DUE_AGAIN, [error.refused, STORE_LIMITS.refusedAgainMs]);
              },
            );
          }
          return rows.length;
        },
        // If the server crashes and loses this commit, the same effects are dispatched again under the same numbers.
        { durable: false },
      ),
    async nextDueInMs(io: Io): Promise<number | null> {
      const [row] = await onConnection(pool, io, (session) => session.run(NEXT_DUE), 'by-key');
      const dueInMs = row?.due_in_ms ?? null;
      return dueInMs === null ? null : Math.max(0, Math.ceil(dueInMs));
    },
    startAttempt: (effect, dispatchNo, submissionId, io, isReached = false) =>
      claimOne(pool, { effect, dispatchNo, submissionId, isReached }, io),
    startAttempts: (claims, io) => claimAll(pool, claims, io),
    putOff: (effect, dispatchNo, io) =>
      transact(pool, io, (session) => {
        releases.mayStray();
        session.send(LOCK_FOR_ATTEMPT, [effect]);
        return putOff(session, effect, dispatchNo);
      }),
    participantReached: (participant, io) =>
      transact(pool, io, (session) => closeUnreachable(session, participant)),
    completionsBack: (participant, io) => completionsBack(pool, participant, io),
    isCurrent: (effect, submissionId, io) =>
      onConnection(pool, io, (session) => isCurrent(session, effect, submissionId)),
    giveUp: (effects, io) => transact(pool, io, async (session) => giveUp(session, effects)),
  };
}
